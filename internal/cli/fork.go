package cli

import (
	"context"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

func newFork(a *app) *cobra.Command {
	var o work.ForkOptions
	cmd := &cobra.Command{
		Use:   "fork SESSION",
		Short: "Copy a session, or the way to one of its entries",
		Long: "Copies a session with all its branches and artifacts into a new one beside it, whose path is printed; the old one stays as it is. " +
			"With --cwd the new one belongs to another working directory and lies where its agent looks for it. " +
			"With --at it holds only the way from the beginning to ENTRY. " +
			"With --agent it is for another agent, as `cambium convert` makes it.\n\n" + entryHelp,
		GroupID: groupWrite,
		Example: "cambium fork 0198c2a1 --at 5f0c1d2e\ncambium fork ./session.jsonl --cwd .\ncambium fork 0198c2a1 --agent pi",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			a.lib.GoesOn = true
			if err := nonEmpty(cmd, "at", "cwd"); err != nil {
				return err
			}
			done, err := a.lib.Fork(ctx, args[0], o)
			if err != nil {
				return err
			}
			return print.Forked(a.Console, done)
		}),
	}
	takesSession(a, cmd)
	printsPath(a, cmd)
	cmd.Flags().StringVar(&o.At, "at", "", "only the way to this ENTRY")
	completesEntries(a, cmd, "at")
	cmd.Flags().StringVar(&o.CWD, "cwd", "", "the working directory that the new session belongs to")
	return cmd
}
