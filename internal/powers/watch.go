package powers

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/cambium-dev/cambium/storage"
)

// Watch yields the mark of log each time that it has changed since the last
// one, beginning with after. A log without the power is looked at each every
// (0: four times a second). It ends with the context, or with an error.
func Watch(ctx context.Context, log storage.Log, after storage.Mark, every time.Duration) iter.Seq2[storage.Mark, error] {
	if w, ok := log.(storage.Watcher); ok {
		return w.Watch(ctx, after)
	}
	if every <= 0 {
		every = 250 * time.Millisecond
	}
	return func(yield func(storage.Mark, error) bool) { poll(ctx, log, after, every, yield) }
}

func poll(ctx context.Context, log storage.Log, last storage.Mark, every time.Duration, yield func(storage.Mark, error) bool) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		info, err := log.Stat(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !errors.Is(err, storage.ErrNotExist):
			yield(storage.Mark{}, err)
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
