package lease

import (
	"context"
	"sync/atomic"
	"time"
)

// A Patience is how long one call to a server goes on trying.
type Patience struct {
	away        *atomic.Bool
	done        <-chan struct{}
	until       time.Time
	pause, most time.Duration
}

// NewPatience begins a call that tries for as long as given, with pauses that grow from
// the first to the longest. away is whether the last call of the store waited in vain:
// after such a one the call does not wait. done is closed when the store ends.
func NewPatience(away *atomic.Bool, done <-chan struct{}, long, first, most time.Duration) *Patience {
	p := &Patience{away: away, done: done, pause: first, most: most}
	if !away.Load() {
		p.until = time.Now().Add(long)
	}
	return p
}

// Wait pauses before another try. It returns false when there is to be none.
func (p *Patience) Wait(ctx context.Context) bool {
	left := time.Until(p.until)
	if left <= 0 || ctx.Err() != nil {
		p.away.Store(ctx.Err() == nil)
		return false
	}
	pause := min(p.pause, left)
	p.pause = min(2*p.pause, p.most)
	return Pause(ctx, p.done, pause)
}

// Pause waits for so long. It returns false when the context ends or done is closed
// before.
func Pause(ctx context.Context, done <-chan struct{}, long time.Duration) bool {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-done:
		return false
	case <-timer.C:
		return true
	}
}
