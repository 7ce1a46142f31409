package cli

import (
	"context"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

// jsonTitle is a session's name and who gave it.
type jsonTitle struct {
	Title  string `json:"title"`
	Source string `json:"source,omitzero"`
}

func newRename(a *app) *cobra.Command {
	var auto bool
	cmd := &cobra.Command{
		Use:   "rename SESSION NAME",
		Short: "Give a session a name",
		Long: "Gives a session a name, in the way of its agent: pi appends an entry (an empty NAME takes the name away); " +
			"omp appends an entry and keeps the title slot, where the file has one; xcsh and cambium keep it in the header.",
		GroupID: groupWrite,
		Example: "cambium rename 0198c2a1 'water for the garden'",
		Args:    cobra.ExactArgs(2),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			done, err := a.lib.Rename(ctx, args[0], work.RenameOptions{Name: args[1], Auto: auto})
			if err != nil {
				return err
			}
			return a.Print(console.Result{JSON: jsonTitle{done.Title, done.Source}})
		}),
	}
	takesSession(a, cmd)
	cmd.Flags().BoolVar(&auto, "auto", false, "a program chose it: a name that the user gave stays")
	return cmd
}
