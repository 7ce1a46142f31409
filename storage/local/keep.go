package local

import (
	"errors"
	"time"

	"github.com/cambium-dev/cambium/storage"
)

// keepFor is how long the lock is kept for an Append that was told that the log
// has grown. Reading what others added takes less, mostly; who is not back by
// then begins anew.
const keepFor = 20 * time.Millisecond

// A kept lock is one that an Append left to the next one of the same Log. Else
// of several busy writers one that has to read what the others added would find
// that they added more, again and again. It is used during a turn.
type kept struct {
	h      *handle // nil for none
	expiry *time.Timer
}

// isGrown reports whether an error says that the log has grown and nothing else.
func isGrown(err error) bool {
	var c *storage.Changed
	return errors.As(err, &c) && c.Kind == storage.Grown
}

// keep ends the turn, but not the lock, which is given back later if nobody
// comes for it.
func (l *log) keep(at locked) {
	l.kept.h = at.h
	if l.kept.expiry == nil {
		l.kept.expiry = time.AfterFunc(keepFor, l.expire)
	} else {
		l.kept.expiry.Reset(keepFor)
	}
	l.endTurn()
}

// expire gives a lock back that nobody came for. While somebody has the turn it
// waits for longer: that one takes the lock, or gives it back.
func (l *log) expire() {
	select {
	case l.turn <- struct{}{}:
		l.giveBack()
		<-l.turn
	default:
		time.AfterFunc(keepFor, l.expire)
	}
}

// takeKept reports whether the lock of h was kept; it is the caller's then, with
// the lock file.
func (l *log) takeKept(h *handle) bool {
	k := &l.kept
	if k.h != h || h == nil {
		l.giveBack()
		return false
	}
	k.expiry.Stop()
	_ = h.drop() // the caller uses it, too
	k.h = nil
	return true
}

// giveBack unlocks what was kept, if anything was.
func (l *log) giveBack() {
	if l.kept.h == nil {
		return
	}
	l.kept.expiry.Stop()
	h := l.kept.h
	l.kept.h = nil
	l.giveUp(h)
}
