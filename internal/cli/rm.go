package cli

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/storage"
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
				if _, err := io.ReadFull(a.Random, raw[:]); err != nil {
					return err
				}
				group = hex.EncodeToString(raw[:])
			}
			return forEach(ctx, a, args, func(ctx context.Context, arg string) error {
				o, err := a.lib.Remove(ctx, arg, group)
				if err != nil {
					return explained(a, arg, err)
				}
				return showOperation(a, o, o.Path)
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
	var last problem
	failed := 0
	for _, arg := range args {
		if err := do(ctx, arg); err != nil {
			last = classify(err)
			a.report(last)
			if last.exit == exitInterrupted {
				last.printed = true
				return last
			}
			failed++
		}
	}
	switch {
	case failed == 0:
		return nil
	case failed < len(args):
		last.exit = exitPartly
	}
	last.printed = true
	return last
}

// stateTrouble says of an error of Cambium's own records what to do about it.
func stateTrouble(path string, err error) error {
	p := classify(err)
	p.path = path
	var many *state.Ambiguous
	var changed *storage.Changed
	switch {
	case p.exit == exitInterrupted:
	case errors.As(err, &changed) && changed.Kind == storage.Replaced:
		p.exit, p.todo = exitRefused, "another file took its place meanwhile: look at it, and try again"
	case errors.As(err, &many):
		p.exit, p.todo, p.hints = exitAmbiguous, "give more of the id", many.IDs
	case errors.Is(err, state.ErrUnknown):
		p.exit, p.todo = exitNotFound, "`cambium undo --list` and `cambium trash ls` list the ids"
	case errors.Is(err, state.ErrUndone):
		p.exit, p.todo = exitRefused, "`cambium undo --list` says what can be taken back"
	case errors.Is(err, state.ErrConflict):
		p.exit, p.todo = exitRefused, "take back what was done since, first; `cambium undo --list` lists it"
	case errors.Is(err, state.ErrNotOurs):
		p.exit, p.todo = exitPartly, "it is left alone: look at it, and take it away yourself"
	case errors.Is(err, state.ErrBusy):
		p.exit, p.todo = exitRefused, "end the program that has it open, and try again"
	case errors.Is(err, fs.ErrPermission), work.Full(err):
		return failed(path, err)
	}
	return p
}
