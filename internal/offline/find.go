package offline

import (
	"context"
	"errors"
	"iter"

	"github.com/cambium-dev/cambium/internal/powers"
)

var _ powers.Finder = (*Store)(nil)

// Find is that of the store, of all logs for which nothing waits. When it is away,
// it has not the power: the copies are read.
func (s *Store) Find(ctx context.Context, dir string, terms []powers.Term) iter.Seq2[powers.Worded, error] {
	return func(yield func(powers.Worded, error) bool) {
		stopped := false
		away, err := s.ask(ctx, func(ctx context.Context, r *Remote) error {
			for w, err := range powers.Find(ctx, r.Store, dir, terms) {
				if err != nil {
					return err
				}
				if waits, err := s.waits(w.Info.Name); err != nil || waits != nil {
					continue
				}
				if stopped = !yield(w, nil); stopped {
					return nil
				}
			}
			return nil
		})
		if away {
			err = errors.ErrUnsupported
		}
		if err != nil && !stopped {
			yield(powers.Worded{}, err)
		}
	}
}

// Index is that of the store.
func (s *Store) Index(ctx context.Context, dir string) error {
	away, err := s.ask(ctx, func(ctx context.Context, r *Remote) error { return powers.Index(ctx, r.Store, dir) })
	if away {
		return errors.ErrUnsupported
	}
	return err
}
