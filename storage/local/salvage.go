package local

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// Salvage returns the file that was replaced or removed under this Log, which
// lives as long as it is open.
func (l *log) Salvage(ctx context.Context) (readerAtCloser, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		return nil, 0, fmt.Errorf("salvage log %q: %w", l.name, storage.ErrNotExist)
	}
	info, err := l.held.Stat()
	if err != nil {
		return nil, 0, fmt.Errorf("salvage log %q: %w", l.name, err)
	}
	return &section{h: l.held.use()}, info.Size, nil
}

// Restore copies the removed file to its name, by way of a temporary file.
func (l *log) Restore(ctx context.Context, after storage.Mark) (storage.Mark, error) {
	mark, err := l.restore(ctx, after)
	if err != nil {
		return mark, fmt.Errorf("restore log %q: %w", l.path(), err)
	}
	return mark, nil
}

func (l *log) restore(ctx context.Context, after storage.Mark) (storage.Mark, error) {
	if err := l.begin(ctx); err != nil {
		return after, err
	}
	defer func() { <-l.turn }()
	l.mu.Lock()
	_, err := l.look()
	after = l.current(after)
	held := l.held
	if held != nil {
		held.use()
	}
	l.mu.Unlock()
	defer func() { _ = held.drop() }() // only read from
	switch {
	case err == nil:
		return after, storage.ErrExist
	case !errors.Is(err, storage.ErrNotExist), held == nil:
		return after, err
	}
	old, err := held.Stat()
	if err != nil {
		return after, err
	}
	if !sameFile(after, old) || sizeOf(after) > old.Size {
		return after, &storage.Changed{Kind: storage.Gone}
	}
	name := l.path()
	dirs, err := vfs.MkdirAll(l.store.opt.fs, filepath.Dir(name))
	if err != nil {
		return after, err
	}
	fsys, release := vfs.Hold(l.store.opt.fs, filepath.Dir(name))
	defer release()
	t, err := l.newTemp(fsys, name)
	if err != nil {
		return after, err
	}
	if err := t.copyFrom(held, old); err != nil {
		return after, errors.Join(err, t.discard())
	}
	if err := t.fs.RenameNew(t.path, name); err != nil {
		return after, errors.Join(err, t.discard())
	}
	return l.restored(t, sizeOf(after), append(dirs, filepath.Dir(name)))
}

// restored goes on with the file that was put at the name.
func (l *log) restored(t *temp, size int64, dirs []string) (storage.Mark, error) {
	info, err := t.h.Stat()
	l.mu.Lock()
	_ = l.held.drop() // its copy is synced
	l.held, l.h = nil, t.h
	l.dirs = append(l.dirs, dirs...)
	l.mu.Unlock()
	if err != nil {
		return storage.Mark{}, err
	}
	if err := l.syncDirs(dirs); err != nil {
		return markAt(info, size), err
	}
	return markAt(info, size), nil
}
