package cli

import (
	"context"

	"github.com/cambium-dev/cambium/internal/console"
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
