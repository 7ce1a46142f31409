package postgres

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"strconv"
	"time"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/cambium-dev/cambium/storage"
	"github.com/jackc/pgx/v5"
)

const (
	// tellPause gathers changes, so that many appends are told of at once.
	tellPause = 5 * time.Millisecond
	// lookEvery is how often a watcher looks by itself.
	lookEvery = 900 * time.Millisecond
	// listenPause is how long after a broken connection listening begins anew.
	listenPause = 250 * time.Millisecond
)

// channel is where changes are told.
func (s *pgStore) channel() string { return "cambium_" + s.opt.Schema }

// Keys are what a change is told of: a log, or a place.
func idKey(id int64) string { return "i" + strconv.FormatInt(id, 36) }

func placeKey(p place) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(p.name())) // never fails
	return "p" + strconv.FormatUint(h.Sum64(), 36)
}

// tell lets those know who watch a log or a place that it has changed, soon and
// without waiting for it.
func (s *pgStore) tell(id int64, places ...place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told[idKey(id)] = true
	for _, p := range places {
		s.told[placeKey(p)] = true
	}
	if !s.teller {
		s.teller = s.beginLocked(s.telling)
	}
}

// telling sends what there is to tell until there is nothing. What cannot be
// sent is seen by who looks.
func (s *pgStore) telling() {
	for {
		s.mu.Lock()
		keys := make([]string, 0, len(s.told))
		for key := range s.told {
			keys = append(keys, key)
		}
		clear(s.told)
		s.teller = len(keys) > 0
		s.mu.Unlock()
		if len(keys) == 0 {
			return
		}
		// The life of the store may end meanwhile: who appended last is heard.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.life), time.Second)
		_, _ = s.pool.Exec(ctx, `select pg_notify($1, key) from unnest($2::text[]) as key`, s.channel(), keys)
		cancel()
		s.pause(s.life, tellPause)
	}
}

// pause waits, or until the context ends or the store is closed.
func (s *pgStore) pause(ctx context.Context, d time.Duration) {
	lease.Pause(ctx, s.done, d)
}

// hear calls ear for each change of the keys until the returned function is
// called. There may be calls without a change, and through a pooler there are none.
func (s *pgStore) hear(ear chan struct{}, keys ...string) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range keys {
		if s.ears[key] == nil {
			s.ears[key] = make(map[chan struct{}]bool)
		}
		s.ears[key][ear] = true
	}
	if !s.hears && !s.pooled {
		s.hears = s.beginLocked(s.listening)
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, key := range keys {
			if delete(s.ears[key], ear); len(s.ears[key]) == 0 {
				delete(s.ears, key)
			}
		}
	}
}

// wake calls who listens to a key; to any key, for "".
func (s *pgStore) wake(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, ears := range s.ears {
		if key != "" && k != key {
			continue
		}
		for ear := range ears {
			select {
			case ear <- struct{}{}:
			default: // it is called already
			}
		}
	}
}

// listening hears changes on a connection of its own, and makes another one when
// that is lost. It ends with the store.
func (s *pgStore) listening() {
	for !s.closed() {
		_ = s.listen() // who watches looks by itself until it is there again
		s.pause(s.life, listenPause)
	}
}

func (s *pgStore) listen() error {
	c := s.pool.Config().ConnConfig
	c.OnNotification = nil // they are waited for
	conn, err := pgx.ConnectConfig(s.life, c)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(s.life)) }()
	if _, err := conn.Exec(s.life, "listen "+s.channel()); err != nil {
		return err
	}
	s.wake("") // for what was told before
	for {
		n, err := conn.WaitForNotification(s.life)
		if err != nil {
			return err
		}
		s.wake(n.Payload)
	}
}

// Watch yields the mark of the log each time that it is another one. A server
// that goes away is waited for, and what happened meanwhile is one change.
func (l *rowLog) Watch(ctx context.Context, after storage.Mark) iter.Seq2[storage.Mark, error] {
	return func(yield func(storage.Mark, error) bool) {
		ear, stop, heard := make(chan struct{}, 1), func() {}, ""
		defer func() { stop() }()
		watch := lease.Watch{
			Called: ear, Every: lookEvery, Done: l.store.done, Peek: l.peek,
			Away: ErrAway, Fail: func(err error) error { return l.fail("watch", err) },
		}
		watch.Listen = func(context.Context) {
			p, id, err := l.known()
			if keys := idKey(id) + placeKey(p); err == nil && keys != heard {
				stop()
				stop, heard = l.store.hear(ear, idKey(id), placeKey(p)), keys
			}
		}
		watch.Marks(ctx, after)(yield)
	}
}

// peek returns the mark of the log, zero if there is none.
func (l *rowLog) peek(ctx context.Context) (storage.Mark, error) {
	p, id, err := l.known()
	if err == nil && id == 0 {
		// Not begun by this Log: somebody else may.
		v, err := l.store.find(ctx, p, 0, seen{})
		if err != nil || v == nil {
			return storage.Mark{}, err
		}
		return v.mark(), nil
	}
	v, err := l.look(ctx, seen{})
	switch {
	case errors.Is(err, storage.ErrNotExist):
		return storage.Mark{}, nil
	case err != nil:
		return storage.Mark{}, fmt.Errorf("look: %w", err)
	}
	return v.mark(), nil
}
