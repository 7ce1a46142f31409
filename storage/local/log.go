package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// log is one file, opened.
type log struct {
	store *diskStore
	mode  storage.Mode

	// turn holds a value while somebody writes: writers of one Log share a
	// descriptor, and with it the lock, which therefore cannot keep them
	// apart. It may be waited for long. It guards the fields up to mu.
	turn    chan struct{}
	buf     []byte       // for the bytes of an append
	left    storage.Mark // as our last write left the file; it ended with LF
	sidecar sidecar      // held with the lock of the file
	kept    kept         // the lock, for who was told to come again
	// syncing holds a value while somebody syncs: the system tells of a failed
	// write-back once, and it must not be told to the wrong one.
	syncing chan struct{}

	// mu is never held while waiting. It guards what is below.
	mu       sync.Mutex
	name     string   // the file's path, no link
	begun    bool     // false until a log opened with Create is there
	fresh    bool     // we created the file and nothing is in it
	h        *handle  // nil if there is no file
	held     *handle  // the file before this, if it was replaced or removed
	moved    bool     // the name changed, and no caller was told yet
	detached bool     // the file has a name that we cannot know
	closed   bool     //
	dirty    []span   // what we wrote and did not sync, see sync.go
	dirs     []string // directories to sync
	unsure   bool     // a sync failed
	trail    trail
	tidy     *time.Timer // removes a lock file that was handed on; nil for none
	// A mark that we made stale ourselves, by writing the same bytes again,
	// and what it is now.
	was, is storage.Mark
}

var (
	_ storage.Log    = (*log)(nil)
	_ storage.Syncer = (*log)(nil)
)

// Stat describes the file that has the name now.
func (l *log) Stat(ctx context.Context) (storage.Info, error) {
	if err := ctx.Err(); err != nil {
		return storage.Info{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := l.look()
	if err != nil {
		return storage.Info{}, fmt.Errorf("stat log %q: %w", l.name, err)
	}
	return l.store.describe(l.name, info), nil
}

// Close ends the use of the file. A lock that is being waited for is given
// back as soon as it is there.
func (l *log) Close() error {
	l.tidyNow()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fmt.Errorf("close log %q: %w", l.name, fs.ErrClosed)
	}
	l.closed = true
	err := errors.Join(l.h.drop(), l.held.drop())
	l.h, l.held = nil, nil
	select {
	case l.turn <- struct{}{}:
		l.giveBack()
		<-l.turn
	default: // whoever has the turn, or time, sees to it
	}
	if err != nil {
		return fmt.Errorf("close log %q: %w", l.name, err)
	}
	return nil
}

// look makes sure that l.h is the file that has the name now, and describes
// it. If there is none, l.h is nil and the error is ErrNotExist. l.mu is held.
func (l *log) look() (vfs.Info, error) {
	if l.closed {
		return vfs.Info{}, fs.ErrClosed
	}
	if !l.begun {
		return vfs.Info{}, storage.ErrNotExist
	}
	if l.h == nil {
		return l.reopen()
	}
	named, err := l.store.opt.fs.Lstat(l.name)
	if err == nil && l.h.is(named) {
		l.settleTrail(named)
		l.detached = false
		return named, nil
	}
	open, statErr := l.h.Stat()
	if statErr != nil {
		return vfs.Info{}, statErr
	}
	l.h.known(open)
	l.settleTrail(open)
	switch {
	case err == nil && named.SameFile(open):
		l.detached = false
		return open, nil
	case l.detached:
		return open, nil
	case err == nil:
		return l.other(open)
	case errors.Is(err, fs.ErrNotExist), isNotDir(err):
		return l.missing(open)
	}
	return vfs.Info{}, err
}

// other is look when something else has the name: a link to the open file, or
// another file. A link to another one is refused: it was put there while the log
// was open.
func (l *log) other(open vfs.Info) (vfs.Info, error) {
	target, err := vfs.Resolve(l.store.opt.fs, l.name)
	if err != nil {
		return vfs.Info{}, err
	}
	if target != l.name {
		if info, err := l.store.opt.fs.Lstat(target); err == nil && info.SameFile(open) {
			l.name, l.moved = target, true
			return open, nil
		}
		return vfs.Info{}, &vfs.LinkError{Op: "open", Name: l.name, Link: l.name}
	}
	h, info, err := l.openStat(l.name)
	if err != nil {
		return vfs.Info{}, err
	}
	l.hold()
	l.h = h
	return info, nil
}

// missing is look when nothing has the name. A file that was renamed is
// followed, also when it was replaced after that, but not out of the file system.
func (l *log) missing(open vfs.Info) (vfs.Info, error) {
	path, err := l.h.Path()
	if err == nil {
		if _, led := l.store.opt.fs.Lstat(path); errors.Is(led, vfs.ErrOutside) {
			l.hold()
			return vfs.Info{}, storage.ErrNotExist
		}
	}
	switch {
	case err == nil:
		l.name, l.moved = path, true
		return open, nil
	case errors.Is(err, errors.ErrUnsupported) && open.Nlink > 0:
		l.moved, l.detached = true, true
		return open, nil
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fs.ErrNotExist):
		if info, ok := l.heir(path); ok {
			return info, nil
		}
		l.hold()
		return vfs.Info{}, storage.ErrNotExist
	}
	return vfs.Info{}, err
}

// heir is missing when another file has the last name that the open one had: who
// moves a log renames it, and then replaces it to change its header. Whether it
// is the same log is for the caller to see, as with every file that was replaced.
func (l *log) heir(last string) (vfs.Info, bool) {
	if last == "" {
		return vfs.Info{}, false
	}
	h, info, err := l.openStat(last)
	if err != nil {
		return vfs.Info{}, false
	}
	l.name, l.moved = last, true
	l.hold()
	l.h = h
	return info, true
}

// reopen is look when there was no file. A link that is there now is not followed.
func (l *log) reopen() (vfs.Info, error) {
	h, info, err := l.openStat(l.name)
	if err == nil {
		l.h = h
	}
	return info, err
}

// openStat opens a file and describes it.
func (l *log) openStat(path string) (*handle, vfs.Info, error) {
	h, err := l.store.openFile(path, l.mode)
	if err != nil {
		return nil, vfs.Info{}, err
	}
	info, err := h.Stat()
	if err != nil {
		return nil, vfs.Info{}, errors.Join(err, h.drop())
	}
	return h, info, nil
}

// hold puts the open file aside: it has lost its name.
func (l *log) hold() {
	_ = l.held.drop() // only read from by now
	l.held, l.h = l.h, nil
	l.forget()
}

// forget drops what is known of the content of a file that is no longer ours.
func (l *log) forget() {
	l.fresh, l.unsure, l.dirty = false, false, nil
	l.detached = false
}
