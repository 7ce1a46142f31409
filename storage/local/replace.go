package local

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/loglines"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// Replace rewrites the file under the lock; see the package. The steps, each
// of which leaves the log whole if it is the last:
//
//  1. the new content in a temporary file, synced, under its own lock
//  2. a second name for the old inode, made durable
//  3. the rename, made durable
//  4. what was appended to the old inode since 1 is carried over
//  5. the second name is removed if nobody else has the inode open
func (l *log) Replace(ctx context.Context, at storage.Mark, rewrite storage.Rewrite) (storage.Mark, error) {
	mark, err := l.replace(ctx, at, rewrite)
	if err != nil {
		return mark, fmt.Errorf("replace log %q: %w", l.path(), err)
	}
	return mark, nil
}

func (l *log) replace(ctx context.Context, mark storage.Mark, rewrite storage.Rewrite) (storage.Mark, error) {
	at, err := l.lock(ctx, mark)
	if err != nil {
		return mark, err
	}
	defer l.unlock(at)
	if at.h == nil {
		return mark, storage.ErrNotExist
	}
	name := l.path()
	// The directory stays what it is now, and the file in it is ours.
	fsys, release := vfs.Hold(l.store.opt.fs, filepath.Dir(name))
	defer release()
	if err := sure(fsys, name, at.info); err != nil {
		return mark, err
	}
	t, err := l.newTemp(fsys, name)
	if err != nil {
		return mark, err
	}
	old, err := l.swap(ctx, t, at, name, rewrite)
	if err != nil {
		return mark, errors.Join(err, t.discard())
	}
	// From here on the log is replaced: what fails now is reported, and dealt
	// with when the log is opened the next time.
	defer func() { _ = t.h.drop() }() // synced; l.h is another use of it
	info, statErr := t.h.Stat()
	l.replaced(t, filepath.Dir(name))
	l.carry(context.WithoutCancel(ctx), old, t.h)
	if err := t.h.Unlock(); err != nil {
		l.store.opt.Report(name, err)
	}
	if statErr != nil {
		info.ModTime = 0
	}
	return markAt(info, t.size), statErr
}

// swap does steps 1 to 3, up to the rename. On an error the log is as it was
// and only the temporary file is left to be removed.
func (l *log) swap(ctx context.Context, t *temp, at locked, name string, rewrite storage.Rewrite) (oldInode, error) {
	var readErr error
	lines := func(yield func(storage.Line, error) bool) {
		for line, err := range loglines.Lines[storage.Line](ctx, at.h, 0, at.info.Size) {
			if err != nil {
				readErr = shrunk(at.h, err)
			}
			if !yield(line, err) {
				return
			}
		}
	}
	err := t.fill(ctx, rewrite(lines))
	// A rewrite that does not mind an unread rest must not cut it off.
	if err := errors.Join(readErr, err); err != nil {
		return oldInode{}, err
	}
	if err := t.finish(at.info); err != nil {
		return oldInode{}, err
	}
	// Whoever opens the new file waits until the late lines are in it.
	if ok, err := t.h.TryLock(); err != nil || !ok {
		return oldInode{}, errors.Join(err, storage.ErrLocked)
	}
	old, err := l.linkOld(t.fs, name, at)
	if err != nil {
		return old, err
	}
	if err := ctx.Err(); err != nil {
		return old, errors.Join(err, old.unlink(t.fs))
	}
	if err := t.fs.Rename(t.path, name); err != nil {
		return old, errors.Join(err, old.unlink(t.fs))
	}
	return old, nil
}

// replaced goes on with the new file. Its directory is synced now; if that
// fails the next Sync does it, or says so.
func (l *log) replaced(t *temp, dir string) {
	l.mu.Lock()
	_ = l.h.drop() // still in use by the caller
	_ = l.held.drop()
	l.h, l.held = t.h.use(), nil
	l.forget()
	l.dirs = append(l.dirs, dir)
	l.mu.Unlock()
	l.left = storage.Mark{}
	if err := l.syncDirs([]string{dir}); err != nil {
		l.store.opt.Report(l.path(), err)
	}
}
