package cli

import (
	"context"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/spf13/cobra"
)

func newTree(a *app) *cobra.Command {
	var full, interactive, flat bool
	cmd := &cobra.Command{
		Use:   "tree SESSION",
		Short: "Draw the branches of a session",
		Long: "Draws the branches of a session. The branch of the leaf, marked ●, and after it the larger branch, " +
			"goes straight down; the others are set off. Runs of entries without a prompt, a label or a branch are " +
			"collapsed; --full draws every entry.\n\n" +
			"--interactive shows the tree on the terminal, to read, search and label entries, to go on with the session from one of them, " +
			"as `cambium resume --leaf` does, or to make a new session of the way to it, whose path is printed at the end.\n\n" +
			"--json prints the whole tree, with links as they are written. A conversation of a thousand entries nests a thousand deep, which many programs refuse to read: " +
			"with --flat it is a list of the nodes, each with its depth.",
		GroupID: groupRead,
		Example: "cambium tree ./session.jsonl\ncambium tree 0198c2a1 --full\ncambium tree -i 0198c2a1",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			if flat && !a.JSON {
				return problem.Usage("tree: --flat needs --json")
			}
			if interactive {
				return browseTree(ctx, a, args[0])
			}
			s, err := a.lib.OpenRead(ctx, args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			a.lib.Damage(s)
			return print.Tree(ctx, a.Console, s, flat, shown(a, s, full))
		}),
	}
	takesSession(a, cmd)
	cmd.Flags().BoolVar(&flat, "flat", false, "with --json: a list of nodes instead of nested ones")
	cmd.Flags().BoolVar(&full, "full", false, "draw every entry")
	cmd.Flags().BoolVarP(&interactive, "interactive", "i", false, "show the tree on the terminal, to choose an entry")
	cmd.MarkFlagsMutuallyExclusive("full", "interactive")
	return cmd
}
