package session

import (
	"context"
	"iter"

	"github.com/cambium-dev/cambium/internal/powers"
)

// Watch waits for what others do to the session, reads it and yields then,
// until the context ends. What it was, Options.OnEvent is told before. The last
// thing yielded may be an error.
//
// A session that was opened to read is never changed: when its log is gone, it
// is waited for, and what is put in its place is read. One that can be written
// is put back, as every other call does.
func (s *Session) Watch(ctx context.Context) iter.Seq[error] {
	return func(yield func(error) bool) {
		for err := range s.book().log.Watch(ctx) {
			changed := false
			if err == nil {
				changed, err = s.refreshed(ctx)
			}
			if ctx.Err() != nil {
				return
			}
			if (changed || err != nil) && !yield(err) || err != nil {
				return
			}
		}
	}
}

// refreshed is Refresh that also reports what leaves the log as it is: another
// name, or none.
func (s *Session) refreshed(ctx context.Context) (bool, error) {
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return false, ErrClosed
	}
	changed, err := s.cur.log.Refresh(powers.Impatient(ctx))
	s.followed()
	return changed, err
}
