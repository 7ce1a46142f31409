package session

import (
	"context"
	"errors"

	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

type waitingKey struct{}

// WhenWaiting returns a context for a call of a session. When the call has to wait
// for the lock of the log, tell is called first, once or several times: what only
// reads can go on meanwhile, and sees what the call appended.
func WhenWaiting(ctx context.Context, tell func()) context.Context {
	return context.WithValue(ctx, waitingKey{}, tell)
}

func waiting(ctx context.Context) {
	if tell, ok := ctx.Value(waitingKey{}).(func()); ok {
		tell()
	}
}

// ahead waits for the lock of the log before the session's own lock is taken, so
// that who reads does not wait. The call that follows finds the log's lock kept, or
// has a context in which it gives up soon: what it appends is queued then.
func (s *Session) ahead(ctx context.Context) context.Context {
	log := s.book().log
	if !errors.Is(log.Await(powers.WithoutWaiting(ctx)), storage.ErrLocked) {
		return ctx
	}
	waiting(ctx)
	if errors.Is(log.Await(ctx), storage.ErrLocked) {
		return powers.Impatient(ctx)
	}
	return ctx
}

// saveTries is how often an entry that waits for the lock of its log is tried to be
// saved before it waits under the session's lock.
const saveTries = 10

// saveSoon saves what waits in a log whose lock somebody else has, and returns what
// is to be synced. Who reads does not wait for that.
func (s *Session) saveSoon(ctx context.Context, log *journal.Journal) (seq int64, err error) {
	waiting(ctx)
	for range saveTries {
		if err := log.Await(ctx); err != nil {
			s.mu.Lock()
			defer s.unlock()
			err = log.GiveUp(err)
			s.heard()
			return 0, unsaved(err)
		}
		seq, err = s.saveNow(powers.WithoutWaiting(ctx), log)
		if !errors.Is(err, storage.ErrLocked) {
			return seq, err
		}
	}
	return s.saveNow(ctx, log)
}

// saveNow is saveSoon that holds the session's lock.
func (s *Session) saveNow(ctx context.Context, log *journal.Journal) (seq int64, err error) {
	s.mu.Lock()
	defer s.unlock()
	mine := s.cur.log == log
	if mine && s.cur.waits() {
		err = s.firstWrite(ctx)
	}
	if err == nil {
		seq, err = log.Save(ctx)
	}
	if mine {
		s.followed()
	}
	return seq, unsaved(err)
}
