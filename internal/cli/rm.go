package cli

import (
	"context"
	"encoding/hex"
	"io"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/spf13/cobra"
)

func newRm(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Aliases: []string{"delete"},
		Use:     "rm SESSION...",
		Short:   "Move sessions to the trash",
		Long: "Moves sessions and their artifacts to the trash, in Cambium's state directory or, of a shared store, in the store, where no agent lists them, and prints a line for each: " +
			"the id to take it back with, and the path. `cambium undo` brings back what the last rm took; nothing is deleted before `cambium trash empty`. " +
			"What another program has open is asked about, or refused where nobody can answer, unless --if-busy says go; " +
			"what such a program adds is in what `cambium undo` brings back.\n\n" +
			"Of several sessions those that can be moved are; then the exit code is 7.",
		GroupID: groupWrite,
		Example: "cambium rm 0198c2a1\ncambium ls -0 --cwd /tmp | xargs -0 cambium rm",
		Args:    cobra.MinimumNArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			group := ""
			if len(args) > 1 {
				var raw [6]byte
				if _, err := io.ReadFull(a.sys.Random, raw[:]); err != nil {
					return err
				}
				group = hex.EncodeToString(raw[:])
			}
			return forEach(ctx, a, args, func(ctx context.Context, arg string) error {
				o, err := a.lib.Remove(ctx, arg, group)
				if err != nil {
					return err
				}
				return print.Operation(a.Console, o, o.Path)
			})
		}),
	}
	takesSession(a, cmd)
	return cmd
}

// forEach does something with every argument. With one it ends as that does; with
// several it goes on after an error, which is said at once.
func forEach(ctx context.Context, a *app, args []string, do func(context.Context, string) error) error {
	if len(args) == 1 {
		return do(ctx, args[0])
	}
	var last problem.Problem
	failed := 0
	for _, arg := range args {
		if err := do(ctx, arg); err != nil {
			last = problem.Of(problem.In(a.lib.Dir, err))
			a.report(last)
			if last.Exit == problem.ExitInterrupted {
				last.Printed = true
				return last
			}
			failed++
		}
	}
	switch {
	case failed == 0:
		return nil
	case failed < len(args):
		last.Exit = problem.ExitPartly
	}
	last.Printed = true
	return last
}

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
