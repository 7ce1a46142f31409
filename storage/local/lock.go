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
func (l *log) begin(ctx context.Context) error {
	err := l.await(ctx)
	if err == nil {
		l.giveBack()
	}
	return err
}

// await is begin for who goes on with the lock if it was kept.
func (l *log) await(ctx context.Context) error {
	if l.mode == storage.Read {
		return fmt.Errorf("opened for reading: %w", fs.ErrPermission)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err := wait(ctx, l.turn)
	if err != nil {
		err = l.heldBy(err)
	}
	return err
}

// heldBy says who keeps the turn: whoever holds the lock that another call of this
// process waits for in it, or this process itself.
func (l *log) heldBy(err error) error {
	var held *vfs.Held
	if !errors.As(err, &held) {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := &vfs.Held{Name: l.name, Cause: held.Cause}
	if l.h != nil {
		if info, err := l.h.Stat(); err == nil {
			now.By = vfs.LockHolder(info)
		}
	}
	return storage.AsLocked(now)
}

// wait puts a value into a channel that holds one, within the patience of the
// context.
func wait(ctx context.Context, c chan struct{}) error {
	select {
	case c <- struct{}{}:
		return nil
	default:
	}
	return storage.AsLocked(vfs.Await(ctx, "", func(ctx context.Context) error {
		select {
		case c <- struct{}{}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}))
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
func (l *log) lock(ctx context.Context, after storage.Mark) (locked, error) {
	return l.lockAs(ctx, after, purpose{})
}

// purpose is what a lock is taken for. Who says again means to come again with
// the new mark when the log has grown, and finds it locked still. To who says
// hasty a glance at the file is enough.
type purpose struct{ again, hasty bool }

// lockAs is lock.
func (l *log) lockAs(ctx context.Context, after storage.Mark, p purpose) (locked, error) {
	if err := l.await(ctx); err != nil {
		return locked{}, err
	}
	known := storage.Mark{}
	if p.hasty {
		known = after
	}
	at, err := l.lockFile(ctx, known)
	if errors.Is(err, storage.ErrLocked) {
		l.endTurn()
		return locked{}, err
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
func (l *log) unlock(at locked) {
	l.giveUp(at.h)
	l.endTurn()
}

// giveUp gives back the lock of a file, and before it the other program's. A nil
// handle has none.
func (l *log) giveUp(h *handle) {
	if h == nil || !l.handOn(h) {
		l.sidecar.release()
	}
	if h != nil {
		// A lock that cannot be given back goes with the descriptor.
		_ = h.Unlock()
		_ = h.drop()
	}
}

func (l *log) endTurn() { <-l.turn }

// lockFile locks the file that has the name: one that lost it meanwhile is
// unlocked again and the new one tried. ErrNotExist if there is none. The lock
// file of another program comes second, so that writers of ours wait for each
// other where the system keeps the line, and not in its way. If the file may be
// as known says, a glance at it may do; not for the zero Mark.
func (l *log) lockFile(ctx context.Context, known storage.Mark) (locked, error) {
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
		if !l.takeKept(h) {
			if err := l.flock(ctx, h); err != nil {
				return locked{}, err
			}
			if err := l.takeSidecar(ctx, h); err != nil {
				l.giveUp(h)
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
		l.giveUp(h)
		if err != nil {
			return locked{}, err
		}
	}
}

// flock locks a file, or drops it.
func (l *log) flock(ctx context.Context, h *handle) error {
	err := h.Lock(ctx)
	if err != nil {
		_ = h.drop()
	}
	return storage.AsLocked(err)
}

// Await waits for the lock and keeps it for a moment, for the call that follows.
func (l *log) Await(ctx context.Context) error {
	if err := l.await(ctx); err != nil {
		return fmt.Errorf("lock log %q: %w", l.path(), err)
	}
	at, err := l.lockFile(ctx, storage.Mark{})
	switch {
	case errors.Is(err, storage.ErrNotExist):
		l.endTurn() // nothing to wait for
		return nil
	case err != nil:
		l.endTurn()
		return fmt.Errorf("lock log %q: %w", l.path(), err)
	}
	l.keep(at)
	return nil
}
