package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/spf13/cobra"
)

func newTrash(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trash [ls|restore|empty]",
		Short: "List, bring back or delete what rm moved to the trash",
		Long: "The trash lies in Cambium's state directory; that of a shared store lies in the store, and every machine that has it can bring back what is in it. What is in it stays until it is brought back or deleted by name; nothing goes by itself. " +
			"An ID is what `cambium trash ls` lists, or its beginning, 4 characters or more.",
		GroupID: groupWrite,
		Example: "cambium trash ls\ncambium trash restore 5f0c1d2e\ncambium trash empty 5f0c1d2e",
		RunE:    a.run(func(ctx context.Context, _ *cobra.Command, _ []string) error { return runTrash(ctx, a) }),
	}
	cmd.AddCommand(newTrashLs(a), newTrashRestore(a), newTrashEmpty(a))
	return cmd
}

func newTrashLs(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "List what is in the trash, the last first",
		Args:  cobra.NoArgs,
		RunE:  a.run(func(ctx context.Context, _ *cobra.Command, _ []string) error { return runTrash(ctx, a) }),
	}
}

// runTrash lists what is in the trash.
func runTrash(ctx context.Context, a *app) error {
	all, err := a.lib.Trashed(ctx)
	if err != nil {
		return err
	}
	if noteFound(a, len(all)); len(all) == 0 && !outOfReach(a) {
		a.Note("", "the trash is empty")
	}
	for _, o := range all {
		if err := print.Operation(a.Console, o.Operation, o.Path); err != nil {
			return err
		}
	}
	return nil
}

func newTrashRestore(a *app) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "restore ID...",
		Short: "Bring sessions back to where they were",
		Long: "Brings sessions and their artifacts back to where they were, or to --to. " +
			"What has taken their place stays, and they are put beside it, under names of their own.",
		Args: cobra.MinimumNArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("to") && (to == "" || len(args) > 1) {
				return problem.Usage("trash restore --to takes a path, and one ID")
			}
			return forEach(ctx, a, args, func(ctx context.Context, id string) error {
				r, err := a.lib.Restore(ctx, id, to)
				if err != nil {
					return err
				}
				return print.Operation(a.Console, r.Operation, r.Now)
			})
		}),
	}
	cmd.Flags().StringVar(&to, "to", "", "the path to bring it to")
	return cmd
}

func newTrashEmpty(a *app) *cobra.Command {
	var all, yes bool
	cmd := &cobra.Command{
		Use:   "empty [ID...]",
		Short: "Delete for good what is named, or --all",
		Long: "Deletes sessions in the trash for good: those that are named, or all with --all, which asks first. " +
			"Where there is nobody to ask, --all needs --yes. A session that another process has open stays.",
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return problem.Usage("trash empty: name what is to be deleted, or say --all")
			}
			if all {
				var err error
				if args, err = wholeTrash(ctx, a, yes); err != nil || len(args) == 0 {
					return err
				}
			}
			return forEach(ctx, a, args, func(ctx context.Context, id string) error {
				t, err := a.lib.Empty(ctx, id)
				if err != nil {
					return err
				}
				return print.Operation(a.Console, t.Operation, t.Path)
			})
		}),
		Args: cobra.ArbitraryArgs,
	}
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "everything that is in the trash")
	f.BoolVarP(&yes, "yes", "y", false, "with --all: do not ask")
	return cmd
}

// wholeTrash returns the ids of all that is in the trash, if it may be deleted.
func wholeTrash(ctx context.Context, a *app, yes bool) ([]string, error) {
	all, err := a.lib.Trashed(ctx)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		a.Note("", "the trash is empty")
		return nil, nil
	}
	if !yes {
		if err := confirm(ctx, a, fmt.Sprintf("delete %s for good?", term.Plural(len(all), "session"))); err != nil {
			return nil, err
		}
	}
	var ids []string
	for _, t := range slices.Backward(all) {
		ids = append(ids, t.ID)
	}
	return ids, nil
}

// confirm asks on the terminal. It is an error when there is none, or when the
// answer is not yes.
func confirm(ctx context.Context, a *app, question string) error {
	if !term.IsTerminal(a.Stdin) || !a.ErrTTY {
		return problem.Problem{Exit: problem.ExitRefused, Text: question + " there is nobody to ask", Todo: "say --yes"}
	}
	yes, err := a.Agreed(ctx, "cambium: "+question)
	if err == nil && !yes {
		err = problem.Problem{Exit: problem.ExitRefused, Text: "nothing was deleted", Todo: "name what is to be deleted"}
	}
	return err
}
