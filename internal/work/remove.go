package work

import (
	"context"

	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/tend"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// Remove moves the session that arg names to the trash. What is removed with one
// group, not "", is brought back together. If others have it open the front is asked.
func (l *Library) Remove(ctx context.Context, arg, group string) (o state.Operation, err error) {
	sight, err := l.Present(ctx, arg)
	if err != nil {
		return o, err
	}
	path := sight.Path
	removal := tend.Removal{
		Path: path, Env: l.StoreEnv(), Disk: l.Shared == nil, Blank: sight.Thing == journal.Blank, Regular: true,
		Group: group, Open: l.OpenRead, FS: vfs.OS(), Programs: foreign.From(l.Session()),
	}
	c, err := removal.Change(ctx)
	if err != nil {
		return o, err
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
	all, err := tend.Undoable(ctx, l.Journal())
	if err != nil {
		return nil, l.RecordError("", err)
	}
	return all, nil
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
	all, err := tend.Trashed(ctx, l.Journal())
	if err != nil {
		return nil, l.RecordError("", err)
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
