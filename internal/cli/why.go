package cli

import (
	"context"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

func newWhy(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "why SESSION",
		Short: "Say why a session's own program does not show it",
		Long: "Says what keeps a session out of the lists of its own program, and what would mend it: nobody said anything in it, " +
			"its directory is gone or another, it is a subagent's, it was begun by a program. Of Claude Code it also says when that deletes the session. " +
			"Nothing is changed.",
		GroupID: groupRead,
		Example: "cambium why 5b2c8a52\ncambium why 5b2c8a52 --json",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			e, err := work.Why(ctx, a.lib, args[0])
			if err != nil {
				return err
			}
			return print.Explained(a.Console, e)
		}),
	}
	takesSession(a, cmd)
	return cmd
}
