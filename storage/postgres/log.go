package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/cambium-dev/cambium/storage"
)

// rowLog is one log, opened. It is safe for concurrent use.
type rowLog struct {
	store  *pgStore
	mode   storage.Mode
	opened string     // the name at first, which never changes
	turn   lease.Turn // had by an append or a replacement

	open []attempt // appends that may have taken place; guarded by turn

	mu     sync.Mutex
	place  place // guarded by mu
	id     int64 // guarded by mu: 0 if no log was begun or found yet
	spread int64 // guarded by mu: the project of the log
	moved  bool  // guarded by mu: it has another name, and no caller was told
	closed bool  // guarded by mu
}

var (
	_ storage.Log     = (*rowLog)(nil)
	_ storage.Syncer  = (*rowLog)(nil)
	_ storage.Watcher = (*rowLog)(nil)
)

// Open opens a log.
func (s *pgStore) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	p, err := placeOf(name)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	v, err := s.find(ctx, p, 0, seen{})
	switch {
	case err != nil:
	case v != nil && mode == storage.Create:
		err = storage.ErrExist
	case v == nil:
		var isDir bool
		if isDir, err = s.isDir(ctx, p.name()); err == nil && isDir {
			err = storage.ErrNotRegular
		} else if err == nil && mode != storage.Create {
			err = storage.ErrNotExist
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open log %q: %w", name, err)
	}
	l := &rowLog{store: s, mode: mode, opened: name, place: p, spread: p.project(), turn: lease.NewTurn()}
	if v != nil {
		l.id, l.spread = v.id, v.project
	}
	return l, nil
}

func (l *rowLog) fail(what string, err error) error {
	return fmt.Errorf("%s log %q: %w", what, l.opened, err)
}

// known returns where the log was last, and its id.
func (l *rowLog) known() (p place, id int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return place{}, 0, fs.ErrClosed
	}
	return l.place, l.id, nil
}

// look finds the log, under another name too, or what has its name now, which
// this Log goes on with. The error is ErrNotExist if there is neither.
func (l *rowLog) look(ctx context.Context, at seen) (*view, error) {
	p, id, err := l.known()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if id == 0 {
		return nil, storage.ErrNotExist
	}
	v, err := l.store.find(ctx, p, id, at)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, storage.ErrNotExist
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, fs.ErrClosed
	}
	l.id, l.spread = v.id, v.project
	if v.place != l.place {
		l.place, l.moved = v.place, true
	}
	return v, nil
}

// compare answers what became of the log since a mark; nil for nothing. The
// error for a log that is not there is a Changed, or ErrNotExist for the zero
// mark.
func (l *rowLog) compare(ctx context.Context, after storage.Mark) (*view, error) {
	at := seenOf(after)
	v, err := l.look(ctx, at)
	switch {
	case errors.Is(err, storage.ErrNotExist) && !after.IsZero():
		return nil, &storage.Changed{Kind: storage.Gone}
	case err != nil:
		return nil, err
	}
	c := &storage.Changed{Kind: v.since(at), Now: v.mark()}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.moved {
		l.moved, c.Name = false, l.place.name()
		if c.Kind != storage.Replaced {
			c.Kind, c.Now = storage.Moved, after
		}
	}
	if c.Kind == 0 {
		return v, nil
	}
	return v, c
}

// take waits for the turn to write. The caller gives it back.
func (l *rowLog) take(ctx context.Context) error {
	if _, _, err := l.known(); err != nil {
		return err
	}
	return l.turn.Take(ctx, l.mode)
}

// Stat describes the log.
func (l *rowLog) Stat(ctx context.Context) (storage.Info, error) {
	v, err := l.look(ctx, seen{})
	if err != nil {
		return storage.Info{}, l.fail("stat", err)
	}
	return v.info(), nil
}

// Sync returns when all that was appended would survive a power cut of the
// server. That is so as an append returns, unless synchronous_commit is off
// there: then all up to now is written to the server's disk.
func (l *rowLog) Sync(ctx context.Context) error {
	if _, _, err := l.known(); err != nil {
		return l.fail("sync", err)
	}
	err := l.store.do(ctx, func(ctx context.Context) error {
		// Only a transaction with a number of its own is waited for.
		_, err := l.store.pool.Exec(ctx, `
			select case current_setting('synchronous_commit') when 'off'
				then set_config('synchronous_commit', 'local', true) || pg_current_xact_id()::text end`)
		return err
	})
	if err != nil {
		return l.fail("sync", err)
	}
	return nil
}

// Close ends the use of the log.
func (l *rowLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.fail("close", fs.ErrClosed)
	}
	l.closed = true
	return nil
}
