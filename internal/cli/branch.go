package cli

import (
	"context"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

// jsonLeaf is an entry that made a move of the leaf durable, and the leaf.
type jsonLeaf struct {
	ID     string `json:"id"`
	LeafID string `json:"leafId"`
}

// jsonBranch is a branch that became a session of its own.
type jsonBranch struct {
	print.PathForm
	LeafID string `json:"leafId"`
}

func newBranch(a *app) *cobra.Command {
	var summary string
	var apart bool
	cmd := &cobra.Command{
		Use:   "branch SESSION ENTRY",
		Short: "Go on from an earlier entry",
		Long: "Makes ENTRY the place where the session goes on, and prints the id of the entry appended there, so that every program finds it: " +
			"one that only says which branch was left, or with --summary what happened on it, which the model is told. Nothing is removed.\n\n" +
			"With --new the way from the beginning to ENTRY becomes a session of its own, whose path is printed; this one stays as it is.\n\n" +
			entryHelp,
		GroupID: groupWrite,
		Example: "cambium branch 0198c2a1 5f0c1d2e\ncambium branch 0198c2a1 5f0c1d2e --summary 'tried pipes; they froze'",
		Args:    cobra.ExactArgs(2),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			a.lib.GoesOn = true
			o := work.BranchOptions{Entry: args[1], Apart: apart}
			if cmd.Flags().Changed("summary") {
				o.Summary = &summary
			}
			done, err := a.lib.Branch(ctx, args[0], o)
			if err != nil {
				return err
			}
			if apart {
				r := print.Placed(done.Whereabouts)
				r.JSON = jsonBranch{r.JSON.(print.PathForm), done.Leaf}
				return a.Print(r)
			}
			return a.Print(console.Result{Plain: done.ID, JSON: jsonLeaf{ID: done.ID, LeafID: done.ID}})
		}),
	}
	takesSession(a, cmd)
	printsPath(a, cmd)
	cmd.Flags().StringVar(&summary, "summary", "", "what happened on the branch that is left")
	cmd.Flags().BoolVar(&apart, "new", false, "write the branch as a session of its own")
	cmd.MarkFlagsMutuallyExclusive("summary", "new")
	return cmd
}
