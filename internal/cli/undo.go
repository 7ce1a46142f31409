package cli

import (
	"context"

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
					return usage("undo: ID is empty")
				}
			}
			if list {
				if id != "" {
					return usage("undo --list takes no ID")
				}
				return a.undoable(ctx)
			}
			return a.undo(ctx, id)
		}),
	}
	cmd.Flags().BoolVar(&list, "list", false, "list what can be taken back, the last first, and change nothing")
	return cmd
}

// undoable lists what can be taken back.
func (a *app) undoable(ctx context.Context) error {
	all, err := a.lib.Undoable(ctx)
	if err != nil {
		return told(err)
	}
	for _, o := range all {
		if err := a.operation(o, o.Path); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		a.note("", "nothing can be taken back")
	}
	return nil
}

// undo takes back an operation, "" the last, with all that its command did.
func (a *app) undo(ctx context.Context, id string) error {
	ids, err := a.lib.Together(ctx, id)
	if err != nil {
		return told(err)
	}
	return a.each(ctx, ids, a.undoOne)
}

// undoOne takes back one operation, "" the last.
func (a *app) undoOne(ctx context.Context, id string) error {
	r, err := a.lib.Undo(ctx, id)
	if err != nil {
		p := classify(err)
		if id == "" && r.ID == "" && p.exit == exitNotFound {
			p.text, p.todo = "undo: there is nothing to take back", "rm, move, rename, migrate and doctor --fix are what is"
		}
		return p
	}
	return a.operation(r.Operation, r.Now)
}
