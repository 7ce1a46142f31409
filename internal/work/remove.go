package work

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

// An Own error is for a file that is Cambium's own, and no session to be removed.
type Own struct{ Path string }

// Error says what is not done.
func (e *Own) Error() string {
	return fmt.Sprintf("move %q to the trash: it is Cambium's own", e.Path)
}

// Remove moves the session that arg names to the trash. What is removed with one
// group, not "", is brought back together. If others have it open the front is asked.
func (l *Library) Remove(ctx context.Context, arg, group string) (o state.Operation, err error) {
	sight, err := l.Present(ctx, arg)
	if err != nil {
		return o, err
	}
	path := sight.Path
	if own := layout.Own(l.StoreEnv()).State; strings.HasPrefix(path, own+string(filepath.Separator)) {
		return o, &Own{path}
	}
	c := state.Change{Op: state.Remove, Path: path, Group: group}
	if at, err := vfs.OS().Stat(path); err == nil && l.Shared == nil {
		c.File = state.File{Dev: at.Dev, Ino: at.Ino}
	}
	if sight.Thing != journal.Blank {
		s, err := l.OpenRead(ctx, path)
		switch {
		case err == nil:
			c.Session, c.Agent = s.ID(), string(s.Dialect())
			if err := s.Close(); err != nil {
				return o, saving(path, err)
			}
		case sight.Thing != journal.Torn && (sight.Thing != journal.Foreign || l.Shared == nil):
			return o, err
		}
	}
	if err := l.mayLeave(ctx, path, "move it to the trash"); err != nil {
		return o, err
	}
	if o, err = l.Journal().Trash(ctx, c); err != nil {
		return o, l.RecordError(path, err)
	}
	return o, nil
}

// Undoable returns what can be taken back, the last first.
func (l *Library) Undoable(ctx context.Context) ([]state.Operation, error) {
	all, err := l.Journal().List(ctx)
	if err != nil {
		return nil, l.RecordError("", err)
	}
	slices.Reverse(all)
	return slices.DeleteFunc(all, func(o state.Operation) bool {
		return o.Status != state.Begun && o.Status != state.Done && o.Status != state.Undoing
	}), nil
}

// Together returns the ids of what is taken back with id, "" for the last: all that
// one command did, the last first.
func (l *Library) Together(ctx context.Context, id string) ([]string, error) {
	if id != "" {
		return []string{id}, nil
	}
	last, err := l.Journal().Find(ctx, "")
	if err != nil || last.Group == "" {
		return []string{""}, nil // Undo says what is wrong
	}
	all, err := l.Undoable(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, o := range all {
		if o.Group == last.Group {
			ids = append(ids, o.ID)
		}
	}
	return ids, nil
}

// Undo takes back one operation, "" the last. What else there is to say of where the
// session is now is noted.
func (l *Library) Undo(ctx context.Context, id string) (state.Restored, error) {
	r, err := l.Journal().Undo(ctx, id, l.reverter())
	if err != nil {
		return r, l.RecordError(r.Path, err)
	}
	return l.restored(r), nil
}

// Restore brings a session back from the trash: to where it was, or to a path.
func (l *Library) Restore(ctx context.Context, id, to string) (state.Restored, error) {
	r, err := l.Journal().Restore(ctx, id, l.Absolute(to))
	if err != nil {
		return r, l.RecordError(r.Path, err)
	}
	return l.restored(r), nil
}

// restored notes where something was put that could not be put where it was.
func (l *Library) restored(r state.Restored) state.Restored {
	if r.Note != "" {
		l.note(r.Now, "it was put here: "+r.Note)
	}
	return r
}

// Trashed returns what is in the trash, the last first. Of one whose record is damaged
// the path is where it lies.
func (l *Library) Trashed(ctx context.Context) ([]state.Trashed, error) {
	all, err := l.Journal().Trashed(ctx)
	if err != nil {
		return nil, l.RecordError("", err)
	}
	slices.Reverse(all)
	for i, t := range all {
		if t.Path == "" {
			all[i].Path = filepath.Join(t.Dir, "session")
		}
	}
	return all, nil
}

// Empty deletes a session in the trash for good.
func (l *Library) Empty(ctx context.Context, id string) (state.Trashed, error) {
	t, err := l.Journal().Empty(ctx, id)
	if err != nil {
		return t, l.RecordError(t.Path, err)
	}
	return t, nil
}
