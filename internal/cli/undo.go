package cli

import (
	"context"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/spf13/cobra"
)

func newUndo(a *app) *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use:   "undo [ID]",
		Short: "Take back the last rm, move, rename, migrate or doctor --fix",
		Long: "Takes back the last of what rm, drafts discard, move, rename, migrate, a new beginning, a rewrite of entries and doctor --fix did, or the one that ID names, " +
			"and prints a line: its id, what it was, when, and where the session is now. Called again it takes back the one before. What one rm of several sessions did comes back together." +
			"\n\n" +
			"No entry is ever removed. When a session was written to since, a title or a place is changed back and the entries stay; " +
			"a file whose bytes were replaced stays as it is, and the old bytes are put beside it. What is in the way stays, too.\n\n" +
			"Of a shared store it takes back what was done on this machine; `cambium trash restore` brings back what another one removed.",
		GroupID: groupWrite,
		Example: "cambium undo\ncambium undo --list\ncambium undo 5f0c1d2e",
		Args:    cobra.MaximumNArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				if id = args[0]; id == "" {
					return problem.Usage("undo: ID is empty")
				}
			}
			if list {
				if id != "" {
					return problem.Usage("undo --list takes no ID")
				}
				return runUndoable(ctx, a)
			}
			return runUndo(ctx, a, id)
		}),
	}
	cmd.Flags().BoolVar(&list, "list", false, "list what can be taken back, the last first, and change nothing")
	return cmd
}

// runUndoable lists what can be taken back.
func runUndoable(ctx context.Context, a *app) error {
	all, err := a.lib.Undoable(ctx)
	if err != nil {
		return err
	}
	for _, o := range all {
		if err := print.Operation(a.Console, o, o.Path); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		a.Note("", "nothing can be taken back")
	}
	return nil
}

// runUndo takes back an operation, "" the last, with all that its command did.
func runUndo(ctx context.Context, a *app, id string) error {
	ids, err := a.lib.Together(ctx, id)
	if err != nil {
		return err
	}
	return forEach(ctx, a, ids, func(ctx context.Context, id string) error { return undoOne(ctx, a, id) })
}

// undoOne takes back one operation, "" the last.
func undoOne(ctx context.Context, a *app, id string) error {
	r, err := a.lib.Undo(ctx, id)
	if err != nil {
		p := problem.Of(err)
		if id == "" && r.ID == "" && p.Exit == problem.ExitNotFound {
			p.Text, p.Todo = "undo: there is nothing to take back", "rm, move, rename, migrate and doctor --fix are what is"
		}
		return p
	}
	return print.Operation(a.Console, r.Operation, r.Now)
}
