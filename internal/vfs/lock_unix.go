//go:build unix

package vfs

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// maxWaits is how many calls of the system may wait for locks at once: one
	// that was given up goes on until the holder does, and has a thread.
	maxWaits = 128
	// again is how long a lock is waited for that was waited for in vain before.
	again = 100 * time.Millisecond
)

// waits holds a value for each call of the system that waits for a lock.
var waits = make(chan struct{}, maxWaits)

// lockLine is the waiting for the lock of one descriptor. The system cannot be
// told to end a wait. So a wait that is given up goes on: the next Lock joins it,
// and when nobody wants the lock by then it is given back.
type lockLine struct {
	mu   sync.Mutex
	wait atomic.Pointer[lockWait] // nil for none; set under mu
}

type lockWait struct {
	began  time.Time
	over   chan struct{} // closed when the wait is over
	wanted bool          // guarded by mu of the line
	err    error         // set before over is closed
}

// Lock waits in line; see lineUp.
func (f *osFile) Lock(ctx context.Context) error {
	if ok, err := f.TryLock(); ok || err != nil {
		return err
	}
	d := PatienceOf(ctx)
	if d <= 0 {
		return f.held(nil)
	}
	if err := context.Cause(ctx); err != nil {
		return f.held(err)
	}
	w, err := f.join()
	if err != nil {
		return err
	}
	if w == nil {
		return pollLock(ctx, d, f)
	}
	patience := time.NewTimer(max(d-time.Since(w.began), min(d, again)))
	defer patience.Stop()
	select {
	case <-w.over:
		return w.err
	case <-ctx.Done():
	case <-patience.C:
	}
	f.line.mu.Lock()
	defer f.line.mu.Unlock()
	select {
	case <-w.over: // at the last moment
		return w.err
	default:
	}
	w.wanted = false
	return f.held(context.Cause(ctx))
}

// join begins a wait, or takes over the one that goes on. It returns nil when too
// many wait.
func (f *osFile) join() (*lockWait, error) {
	f.line.mu.Lock()
	defer f.line.mu.Unlock()
	w := f.line.wait.Load()
	if w != nil {
		w.wanted = true
		return w, nil
	}
	select {
	case waits <- struct{}{}:
	default:
		return nil, nil
	}
	// The file may be closed before the wait ends.
	fd, err := unix.FcntlInt(uintptr(f.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		<-waits
		return nil, pathError("lock", f.name, err)
	}
	w = &lockWait{began: time.Now(), over: make(chan struct{}), wanted: true}
	f.line.wait.Store(w)
	go f.waitFor(w, fd)
	return w, nil
}

func (f *osFile) waitFor(w *lockWait, fd int) {
	lineUp(fd)
	err := retry(func() error { return unix.Flock(fd, unix.LOCK_EX) })
	leaveLine(fd)
	f.line.mu.Lock()
	if err == nil && !w.wanted {
		_ = retry(func() error { return unix.Flock(fd, unix.LOCK_UN) })
	}
	w.err = pathError("lock", f.name, err)
	f.line.wait.Store(nil)
	close(w.over)
	f.line.mu.Unlock()
	_ = unix.Close(fd) // the lock is the file's
	<-waits
}

// Awaited reports whether somebody stands in line.
func (f *osFile) Awaited() bool { return f.othersWait() }
