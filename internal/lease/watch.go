package lease

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/cambium-dev/cambium/storage"
)

// A Watch says how the mark of a log is watched.
type Watch struct {
	// Listen sees to it that Called is called when there may be a change. It comes
	// before each look.
	Listen func(context.Context)
	Called <-chan struct{}
	// Every is how often the log is looked at without a call; Done is closed when the
	// store ends.
	Every time.Duration
	Done  <-chan struct{}
	// Peek returns the mark of the log. Its error is Away for a server that does not
	// answer, which is waited for; Fail is any other one as it is told.
	Peek func(context.Context) (storage.Mark, error)
	Away error
	Fail func(error) error
}

// Marks yields the mark of the log each time that it is another one. What happened while
// the server was away is one change. An error is the last.
func (w Watch) Marks(ctx context.Context, last storage.Mark) iter.Seq2[storage.Mark, error] {
	return func(yield func(storage.Mark, error) bool) {
		last := last
		for ctx.Err() == nil {
			w.Listen(ctx)
			now, err := w.Peek(ctx)
			switch {
			case ctx.Err() != nil:
				return
			case err != nil && !errors.Is(err, w.Away):
				yield(storage.Mark{}, w.Fail(err))
				return
			case err == nil && now != last:
				last = now
				if !yield(now, nil) {
					return
				}
				continue
			}
			w.wait(ctx)
		}
	}
}

// wait waits for a call, and at most until it is time to look.
func (w Watch) wait(ctx context.Context) {
	timer := time.NewTimer(w.Every)
	defer timer.Stop()
	select {
	case <-w.Called:
	case <-timer.C:
	case <-ctx.Done():
	case <-w.Done:
	}
}
