package cli

import (
	"context"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/spf13/cobra"
)

func newMove(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "move SESSION DIR",
		Short: "Make a session one of another working directory",
		Long: "Makes a session one of the working directory DIR: its file and its artifacts go to where its agent looks for the sessions of DIR, " +
			"its header names DIR, and the new path is printed. If a step fails, all is put back. " +
			"What another program has open is asked about, or refused where nobody can answer, unless --if-busy says go.",
		GroupID: groupWrite,
		Example: "cambium move 0198c2a1 ~/work/garden",
		Args:    cobra.ExactArgs(2),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			a.lib.GoesOn = true
			if args[1] == "" {
				return problem.Usage("move: DIR is empty")
			}
			done, err := a.lib.Move(ctx, args[0], args[1])
			if err != nil {
				return err
			}
			if done.Already {
				a.Note(done.Path, "it belongs there already; nothing is to be done")
			}
			return a.Print(print.Placed(done.Whereabouts))
		}),
	}
	takesSession(a, cmd)
	printsPath(a, cmd)
	return cmd
}
