package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/spf13/cobra"
)

func newRm(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rm SESSION...",
		Short: "Move sessions to the trash",
		Long: "Moves sessions and their artifacts to the trash, in Cambium's state directory or, of a shared store, in the store, where no agent lists them, and prints a line for each: " +
			"the id to take it back with, and the path. `cambium undo` brings the last one back; nothing is deleted before `cambium trash empty`. " +
			"A process that has such a session open goes on with it, and what it adds is in what is brought back.\n\n" +
			"Of several sessions those that can be moved are; then the exit code is 7.",
		GroupID: groupWrite,
		Example: "cambium rm 0198c2a1\ncambium ls -0 --cwd /tmp | xargs -0 cambium rm",
		Args:    cobra.MinimumNArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			return a.each(ctx, args, a.remove)
		}),
	}
	a.takesSession(cmd)
	return cmd
}

// each does something with every argument. With one it ends as that does; with
// several it goes on after an error, which is said at once.
func (a *app) each(ctx context.Context, args []string, do func(context.Context, string) error) error {
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

// remove moves one session to the trash.
func (a *app) remove(ctx context.Context, arg string) error {
	path, info, err := a.present(ctx, arg)
	if err != nil {
		return err
	}
	if own := layout.Own(a.storeEnv()).State; strings.HasPrefix(path, own+string(filepath.Separator)) {
		return problem{exit: exitRefused, path: path, text: fmt.Sprintf("move %q to the trash: it is Cambium's own", path),
			todo: "`cambium trash empty` and `cambium drafts discard` are for what lies there"}
	}
	c := state.Change{Op: state.Remove, Path: path}
	if at, err := vfs.OS().Stat(path); err == nil && a.shared == nil {
		c.File = state.File{Dev: at.Dev, Ino: at.Ino}
	}
	if !info.Mode().IsRegular() || !a.blank(path, info) {
		s, err := a.openRead(ctx, path)
		switch {
		case err == nil:
			c.Session, c.Agent = s.ID(), string(s.Dialect().Name)
			if err := s.Close(); err != nil {
				return a.failed(path, err)
			}
		case !errors.Is(err, session.ErrNotSession) || a.shared == nil && !tornHeader(path):
			return err
		}
	}
	if err := a.unlessBusy(ctx, path); err != nil {
		return err
	}
	if a.inUse(ctx, path) {
		a.note(path, "another process has it open: what it adds goes to the trash, too")
	}
	o, err := a.journal().Trash(ctx, c)
	if err != nil {
		return a.stateTrouble(path, err)
	}
	return a.operation(o, o.Path)
}

// inUse reports whether another process has a session open, as far as can be told.
func (a *app) inUse(ctx context.Context, path string) bool {
	if a.shared != nil {
		others, err := a.who(ctx, path)
		return err == nil && len(others) > 0
	}
	info, err := vfs.OS().Lstat(path)
	if err != nil {
		return false
	}
	used, err := vfs.OS().InUse(info)
	return err == nil && used
}

// stateTrouble says of an error of Cambium's own records what to do about it.
func (a *app) stateTrouble(path string, err error) error {
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
	case errors.Is(err, state.ErrBusy):
		p.exit, p.todo = exitRefused, "end the program that has it open, and try again"
	case errors.Is(err, os.ErrPermission), full(err):
		return a.failed(path, fmt.Errorf("%w (the records are in %q)", err, layout.Own(a.env).State))
	}
	return p
}
