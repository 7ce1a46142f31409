package cli

import (
	"context"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/spf13/cobra"
)

func newDrafts(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "drafts [ls|restore|discard]",
		Short: "List, restore or discard prompts that never reached a session",
		Long: "A session gets its file with the first answer; until then it is a draft in Cambium's state directory. One that is still there " +
			"was interrupted before it was answered, or is under way now (\"busy\").\n\n" +
			"DRAFT is the id of its session, the beginning of one (4 characters or more), or the path of the draft.",
		GroupID: groupMore,
		Example: "cambium drafts\ncambium drafts restore 0198c2a1\ncambium drafts discard 0198c2a1",
		RunE:    a.run(func(ctx context.Context, _ *cobra.Command, _ []string) error { return runDrafts(ctx, a) }),
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "ls",
		Short: "List the drafts, the newest first",
		Args:  cobra.NoArgs,
		RunE:  a.run(func(ctx context.Context, _ *cobra.Command, _ []string) error { return runDrafts(ctx, a) }),
	}, newDraftsRestore(a), newDraftsDiscard(a))
	return cmd
}

func newDraftsRestore(a *app) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "restore DRAFT...",
		Short: "Make drafts the sessions that they were to be",
		Long:  "Writes each draft as a session to where it was to be written, or to --to, and prints a path for each. What is there stays, and the session is put beside it.",
		Args:  cobra.MinimumNArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("to") && (to == "" || len(args) > 1) {
				return problem.Usage("drafts restore --to takes a path, and one DRAFT")
			}
			return forEach(ctx, a, args, func(ctx context.Context, arg string) error {
				done, err := a.lib.RestoreDraft(ctx, arg, to)
				if err != nil {
					return err
				}
				return a.Print(print.Placed(done))
			})
		}),
	}
	printsPath(a, cmd)
	cmd.Flags().StringVar(&to, "to", "", "the path of the session")
	return cmd
}

func newDraftsDiscard(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "discard DRAFT...",
		Short: "Move drafts to the trash",
		Long:  "Moves drafts to the trash and prints a line for each, as rm does. `cambium undo` brings the last one back.",
		Args:  cobra.MinimumNArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			return forEach(ctx, a, args, func(ctx context.Context, arg string) error {
				o, err := a.lib.DiscardDraft(ctx, arg)
				if err != nil {
					return err
				}
				return print.Operation(a.Console, o, o.Path)
			})
		}),
	}
}

// runDrafts lists the drafts whose sessions do not hold them.
func runDrafts(ctx context.Context, a *app) error {
	all, err := a.lib.Drafts(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		a.Note("", "there are no drafts")
	}
	for _, k := range all {
		if err := print.Draft(a.Console, a.lib.Describe(ctx, k)); err != nil {
			return err
		}
	}
	return nil
}
