package journal

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// watchEvery is how often a log that does not tell of changes is looked at.
const watchEvery = 200 * time.Millisecond

// Watch yields each time that it is worth to call Refresh: when a log that can
// tell has changed, else five times a second. It ends with the context, or with
// an error of the store.
func (j *Journal) Watch(ctx context.Context) iter.Seq[error] {
	return func(yield func(error) bool) {
		j.mu.Lock()
		log, mark := j.log, j.mark
		j.mu.Unlock()
		if _, tells := log.(storage.Watcher); tells {
			for _, err := range powers.Watch(ctx, log, mark, 0) {
				if !yield(err) || err != nil {
					return
				}
			}
			return
		}
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if ctx.Err() != nil || !yield(nil) {
				return
			}
		}
	}
}

// reader is what a journal that only reads knows of its log's whereabouts.
type reader struct {
	away bool   // it was gone when last looked for
	name string // the log's own name for itself, "" when it was not asked yet
}

// refreshRead is Refresh of a journal that must not write: what is lost is not
// put back, what was put in its place is read.
func (j *Journal) refreshRead(ctx context.Context) (bool, error) {
	info, err := j.log.Stat(ctx)
	switch {
	case errors.Is(err, storage.ErrNotExist):
		was := j.reader.away
		j.reader.away = true
		if !was {
			j.event(Event{Kind: Gone})
		}
		return !was, nil
	case err != nil:
		return false, err
	}
	j.reader.away = false
	any := j.reader.name != "" && j.reader.name != info.Name
	if any {
		j.called(info.Name)
		j.event(Event{Kind: Moved})
	}
	j.reader.name = info.Name
	again, err := j.reassured(ctx)
	if any = any || again; err != nil {
		return any, err
	}
	for range maxTurns {
		_, err := j.look(ctx)
		var changed *storage.Changed
		if !errors.As(err, &changed) {
			return any, err
		}
		any = true
		switch changed.Kind {
		case storage.Gone:
			return any, nil // the next look says so
		case storage.Truncated:
			j.event(Event{Kind: Cut})
			err = j.reread(ctx, nil)
		case storage.Replaced:
			j.event(Event{Kind: Other})
			err = j.reread(ctx, nil)
		default:
			err = j.follow(ctx, changed)
		}
		if err != nil {
			return any, err
		}
	}
	return any, nil
}
