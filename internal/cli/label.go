package cli

import (
	"context"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

// entryHelp says how an entry is named on the command line.
const entryHelp = "ENTRY is an id, the beginning of one (4 characters or more) or a label."

func newLabel(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "label SESSION ENTRY [TEXT]",
		Short: "Give an entry a name, or take it away",
		Long: "Gives an entry a name by appending a label, and prints the label's id. Without TEXT the name is taken away. " +
			"The last label given to an entry counts, on whatever branch it stands.\n\n" + entryHelp,
		GroupID: groupWrite,
		Example: "cambium label 0198c2a1 5f0c1d2e 'before the rewrite'\ncambium label 0198c2a1 'before the rewrite'",
		Args:    cobra.RangeArgs(2, 3),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			text := ""
			if len(args) > 2 {
				text = args[2]
			}
			id, err := a.lib.Label(ctx, args[0], args[1], text)
			if err != nil {
				return err
			}
			return a.Print(console.Result{Plain: id, JSON: jsonID{ID: id}})
		}),
	}
	takesSession(a, cmd)
	return cmd
}

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
