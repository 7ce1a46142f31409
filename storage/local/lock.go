package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// begin waits for the turn.
func (l *Log) begin(ctx context.Context) error {
	err := l.await(ctx)
	if err == nil {
		l.kept.giveBack()
	}
	return err
}

// await is begin for who goes on with the lock if it was kept.
func (l *Log) await(ctx context.Context) error {
	if l.mode == storage.Read {
		return fmt.Errorf("opened for reading: %w", fs.ErrPermission)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return wait(ctx, l.turn)
}

// wait puts a value into a channel that holds one.
func wait(ctx context.Context, c chan struct{}) error {
	select {
	case c <- struct{}{}:
		return nil
	default:
	}
	select {
	case c <- struct{}{}:
		return nil
	case <-ctx.Done():
		return lockedError(ctx)
	}
}

func lockedError(ctx context.Context) error {
	return fmt.Errorf("%w: %w", storage.ErrLocked, context.Cause(ctx))
}

// locked is a file under lock, as it was found then. h is nil if there is no
// file.
type locked struct {
	h    *handle
	info vfs.Info
	now  time.Time    // when it was found so
	mark storage.Mark // the caller's, which says the same
	// asLeft says that it was only glanced at, and is as our last write left
	// it; the info has no time of change then.
	asLeft bool
}

// lock takes the turn, and the lock of the file that has the name, if that is
// as after says. When the error is nil the caller calls unlock.
func (l *Log) lock(ctx context.Context, after storage.Mark) (locked, error) {
	return l.lockAs(ctx, after, purpose{})
}

// purpose is what a lock is taken for. Who says again means to come again with
// the new mark when the log has grown, and finds it locked still. To who says
// hasty a glance at the file is enough.
type purpose struct{ again, hasty bool }

// lockAs is lock.
func (l *Log) lockAs(ctx context.Context, after storage.Mark, p purpose) (locked, error) {
	if err := l.await(ctx); err != nil {
		return locked{}, err
	}
	l.takeSidecar(ctx)
	known := storage.Mark{}
	if p.hasty {
		known = after
	}
	at, err := l.lockFile(ctx, known)
	if err == errHanded {
		return locked{}, lockedError(ctx)
	}
	at.mark = after
	if at.asLeft {
		return at, nil
	}
	l.mu.Lock()
	err = l.compare(after, at.info, err)
	if l.trail.left && l.trail.is == markOf(at.info) {
		l.left = l.trail.is
	}
	l.mu.Unlock()
	if err != nil {
		if p.again && isGrown(err) {
			l.keep(at)
		} else {
			l.unlock(at)
		}
		return locked{}, err
	}
	return at, nil
}

// unlock gives lock and turn back.
func (l *Log) unlock(at locked) {
	if at.h != nil {
		// A lock that cannot be given back goes with the descriptor.
		_ = at.h.Unlock()
		_ = at.h.drop()
	}
	l.endTurn()
}

func (l *Log) endTurn() {
	l.sidecar.release()
	<-l.turn
}

// lockFile locks the file that has the name: one that lost it meanwhile is
// unlocked again and the new one tried. ErrNotExist if there is none. If the
// file may be as known says, a glance at it may do; not for the zero Mark.
func (l *Log) lockFile(ctx context.Context, known storage.Mark) (locked, error) {
	for {
		l.mu.Lock()
		if l.h == nil {
			if _, err := l.look(); err != nil {
				l.mu.Unlock()
				return locked{}, err
			}
		}
		h := l.h.use()
		l.mu.Unlock()
		if !l.kept.take(h) {
			if err := l.flock(ctx, h); err != nil {
				return locked{}, err
			}
		}
		now := time.Now()
		l.mu.Lock()
		if l.h == h {
			if info, ok := l.glance(known, now); ok {
				l.mu.Unlock()
				return locked{h: h, info: info, now: now, asLeft: true}, nil
			}
		}
		info, err := l.look()
		same := err == nil && l.h == h
		l.mu.Unlock()
		if same {
			return locked{h: h, info: info, now: now}, nil
		}
		_ = h.Unlock() // see unlock
		_ = h.drop()
		if err != nil {
			return locked{}, err
		}
	}
}

// errHanded says that the turn is no longer the caller's to end.
var errHanded = errors.New("turn handed over")

// flock locks a file, or drops it. When the context ends first, the waiting
// goes on without the caller, since it cannot be broken off, and the turn ends
// with it: nobody else may use the descriptor's lock before.
func (l *Log) flock(ctx context.Context, h *handle) error {
	ok, err := h.TryLock()
	if err == nil && !ok {
		if ctx.Done() == nil {
			err = h.Lock()
		} else {
			return l.flockWaiting(ctx, h)
		}
	}
	if err != nil {
		_ = h.drop()
	}
	return err
}

func (l *Log) flockWaiting(ctx context.Context, h *handle) error {
	// Without a buffer a value is passed only if both sides choose it, so that
	// they agree on who has the turn.
	done := make(chan error)
	go func() {
		err := h.Lock()
		select {
		case done <- err:
		case <-ctx.Done():
			_ = h.Unlock() // see unlock
			_ = h.drop()
			l.endTurn()
		}
	}()
	select {
	case err := <-done:
		if err != nil {
			_ = h.drop()
		}
		return err
	case <-ctx.Done():
		return errHanded
	}
}
