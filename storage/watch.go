package storage

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Watcher is the power of a Log that can tell of changes by itself.
type Watcher interface {
	// Watch yields the mark of the log each time that it is another than the
	// one before, from after on; the zero Mark while there is no log. It ends
	// when the context does, with no error.
	Watch(ctx context.Context, after Mark) iter.Seq2[Mark, error]
}

// Watch yields the mark of log each time that it has changed since the last
// one, beginning with after. A log without the power is looked at each every
// (0: four times a second). It ends with the context, or with an error.
func Watch(ctx context.Context, log Log, after Mark, every time.Duration) iter.Seq2[Mark, error] {
	if w, ok := log.(Watcher); ok {
		return w.Watch(ctx, after)
	}
	if every <= 0 {
		every = 250 * time.Millisecond
	}
	return func(yield func(Mark, error) bool) { poll(ctx, log, after, every, yield) }
}

func poll(ctx context.Context, log Log, last Mark, every time.Duration, yield func(Mark, error) bool) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		info, err := log.Stat(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !errors.Is(err, ErrNotExist):
			yield(Mark{}, err)
			return
		case info.Mark != last:
			last = info.Mark
			if !yield(last, nil) {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
