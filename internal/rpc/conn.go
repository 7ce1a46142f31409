package rpc

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/session"
)

// Connect begins a connection whose messages come one by one, through
// [Conn.Do]. tell is given the notifications; it is called by many goroutines
// and must not wait for the client. When ctx is done the calls under way are
// cancelled. The caller closes the connection.
func Connect(ctx context.Context, o Options, tell func(messages ...entry.JSON)) *Conn {
	s := newConn(o)
	s.tell = tell
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.unlook = s.follow(s.ctx)
	return s
}

// Do does one message or batch and returns the answer, nil when there is none
// to give. When ctx is done first, it returns the cause, and the calls go on
// without it, except those that only read. After Close it is
// [session.ErrClosed].
func (s *Conn) Do(ctx context.Context, message entry.JSON) (entry.JSON, error) {
	answered := make(chan entry.JSON, 1)
	s.ending.RLock()
	if s.ended {
		s.ending.RUnlock()
		return nil, session.ErrClosed
	}
	s.take(s.ctx, ctx, message, func(message entry.JSON, after func()) {
		answered <- message
		after()
	})
	s.ending.RUnlock()
	select {
	case answer := <-answered:
		return answer, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Handles returns how many sessions are open.
func (s *Conn) Handles() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.handles)
}

// Unsaved returns how many entries were not saved when the last call on each
// session ended. It waits for nobody.
func (s *Conn) Unsaved() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := int64(0)
	for _, h := range s.handles {
		n += h.queued.Load()
	}
	return int(n)
}

// Flush saves what waits in the open sessions. The error joins those of sessions
// that could not be saved ([session.ErrUnsaved]).
func (s *Conn) Flush(ctx context.Context) error {
	s.ending.RLock()
	defer s.ending.RUnlock()
	if s.ended {
		return nil
	}
	s.mu.Lock()
	open := slices.Collect(maps.Values(s.handles))
	s.mu.Unlock()
	results := make(chan error, len(open))
	for _, h := range open {
		h.push(&s.work, func(func()) {
			var err error
			if !h.closed.Load() {
				err = h.session.Flush(ctx)
				h.count()
			}
			results <- err
		})
	}
	var errs []error
	for range open {
		errs = append(errs, <-results)
	}
	return errors.Join(errs...)
}

// Close lets the calls under way end, cancels them when ctx is done first, and
// saves and closes every session. The error joins those of sessions that could
// not be saved ([session.ErrUnsaved]). A second Close does nothing.
func (s *Conn) Close(ctx context.Context) error {
	s.ending.Lock()
	ended := s.ended
	s.ended = true
	s.ending.Unlock()
	if ended {
		return nil
	}
	stop := context.AfterFunc(ctx, func() { s.cancel(context.Cause(ctx)) })
	defer stop()
	s.unlook()
	s.work.Wait()
	s.cancel(nil)
	return s.closeAll()
}
