package lease

import (
	"context"
	"sync"
	"time"
)

// A Lease is kept alive in the background until it is ended or lost. It is safe
// for concurrent use.
type Lease struct {
	lost   chan struct{}
	gone   sync.Once
	ended  context.Context
	end    context.CancelFunc
	keeper sync.WaitGroup
}

// Renewal renews a lease. held is false when it is there no more; an error says
// that this is not known.
type Renewal = func(ctx context.Context) (held bool, err error)

// Keep renews a lease that was taken just now, three times in the time for which it
// is valid, until End, the end of life, or until it is lost: it is there no more, or
// could not be renewed for that time. begin runs it in the background; when that
// answers false it is lost at once.
func Keep(life context.Context, begin func(func()) bool, valid time.Duration, renew Renewal) *Lease {
	l := &Lease{lost: make(chan struct{})}
	l.ended, l.end = context.WithCancel(life)
	l.keeper.Add(1)
	if !begin(func() { l.keep(valid, renew) }) {
		l.keeper.Done()
		l.lose()
	}
	return l
}

func (l *Lease) keep(valid time.Duration, renew Renewal) {
	defer l.keeper.Done()
	tick := time.NewTicker(valid / 3)
	defer tick.Stop()
	renewed := time.Now()
	for {
		select {
		case <-l.ended.Done():
			return
		case <-tick.C:
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(l.ended, valid/3)
		held, err := renew(ctx)
		cancel()
		switch {
		case l.ended.Err() != nil:
			return
		case err == nil && held:
			renewed = began
		case err == nil || time.Since(renewed) >= valid:
			l.lose()
			return
		}
	}
}

func (l *Lease) lose() { l.gone.Do(func() { close(l.lost) }) }

// Lost is closed when the lease was taken over or has expired.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// End ends the renewals, and returns when none goes on.
func (l *Lease) End() {
	l.end()
	l.keeper.Wait()
}
