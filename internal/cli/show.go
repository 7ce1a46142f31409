package cli

import (
	"context"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

func newShow(a *app) *cobra.Command {
	var o branchOptions
	cmd := &cobra.Command{
		Aliases: []string{"view"},
		Use:     "show SESSION",
		Short:   "Read a session: one branch from its beginning to its end",
		Long: "Shows one branch of a session, what the model no longer sees included. " +
			"The output of tools and long reasoning are collapsed, hidden messages are one line; --full opens everything.",
		GroupID: groupRead,
		Example: "cambium show ./session.jsonl\ncambium show 0198c2a1 --leaf 5f0c1d2e --full",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			s, err := a.lib.OpenRead(ctx, args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			c, _, err := branchOf(ctx, a, s, o)
			if err != nil {
				return err
			}
			err = print.Branch(ctx, a.Console, s, c, shown(a, s, o.full))
			a.lib.Damage(s)
			return err
		}),
	}
	takesSession(a, cmd)
	cmd.Flags().StringVar(&o.leaf, "leaf", "", "the last entry of the branch, instead of the session's leaf")
	completesEntries(a, cmd, "leaf")
	cmd.Flags().BoolVar(&o.full, "full", false, "collapse nothing; whole texts and where pictures are")
	return cmd
}

// shown says how a session is shown.
func shown(a *app, s *session.Session, full bool) print.ShowOptions {
	return print.ShowOptions{Full: full, Strict: a.strict, Blobs: a.lib.Home(s.Dialect()).Blobs, Exists: a.lib.Env.Exists}
}
