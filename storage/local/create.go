package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// create makes the file of the log and locks it. The turn is held.
func (l *log) create(ctx context.Context) (locked, error) {
	name := l.path()
	fsys := l.store.opt.fs
	dirs, err := vfs.MkdirAll(fsys, filepath.Dir(name))
	if err != nil {
		return locked{}, err
	}
	f, err := fsys.Open(name, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return locked{}, err
	}
	h := newHandle(f)
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return locked{}, errors.Join(fs.ErrClosed, h.drop())
	}
	l.hold()
	l.h, l.begun, l.fresh = h, true, true
	l.dirs = append(append(l.dirs, dirs...), filepath.Dir(name))
	l.mu.Unlock()
	at, err := l.lockNew(h)
	if err == nil {
		if err = l.takeSidecar(ctx, at.h); err != nil {
			l.giveUp(at.h)
			return locked{}, err
		}
	}
	return at, err
}

// lockNew locks a file that we just created. Whoever found it before that has
// its lock; then it stays, empty and ours, for the next try.
func (l *log) lockNew(h *handle) (locked, error) {
	ok, err := h.TryLock()
	if err == nil && !ok {
		err = storage.ErrLocked
	}
	if err != nil {
		return locked{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := l.look()
	if err == nil && (l.h != h || info.Size > 0) {
		err = storage.ErrExist
	}
	if err != nil {
		_ = h.Unlock() // nothing was done under it
		return locked{}, err
	}
	return locked{h: h.use(), info: info, now: time.Now()}, nil
}

// uncreate removes the file that was just created and has nothing in it, so
// that a log that could not be begun leaves no trace. If that fails, the empty
// file is taken for ours at the next try.
func (l *log) uncreate(at locked) {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := l.look()
	if err != nil || l.h != at.h || !l.fresh || info.Size > 0 {
		return
	}
	if l.store.opt.fs.Remove(l.name) == nil {
		_ = l.h.drop() // nothing was written
		l.h, l.fresh, l.begun = nil, false, l.held != nil
	}
}
