package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/cambium-dev/cambium/storage"
)

// streamLog is one log, opened. It is safe for concurrent use.
type streamLog struct {
	store  *natsStore
	mode   storage.Mode
	opened string     // the name at first, which never changes
	turn   lease.Turn // had by an append or a replacement

	open   []attempt // appends that may have taken place; guarded by turn
	passed uint64    // a message of kind held that was waited for in vain; guarded by turn
	epoch  int64     // of the connection when a mark was found to hold; guarded by turn

	mu     sync.Mutex
	place  place  // guarded by mu
	ref    ref    // guarded by mu: zero if no log was begun or found yet
	naming uint64 // guarded by mu: the message that the name comes from
	tip    tip    // guarded by mu
	moved  bool   // guarded by mu: it has another name, and no caller was told
	closed bool   // guarded by mu
}

// A tip is the last message of a content, if it is not the last one with lines.
type tip struct {
	ref       ref
	last, seq uint64
	held      bool // it asks writers to wait
}

var (
	_ storage.Log     = (*streamLog)(nil)
	_ storage.Watcher = (*streamLog)(nil)
)

// Open opens a log.
func (s *natsStore) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	fail := func(err error) (storage.Log, error) { return nil, fmt.Errorf("open log %q: %w", name, err) }
	if err := ctx.Err(); err != nil {
		return fail(err)
	}
	p, err := s.placeOf(name)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	var at found
	if mode == storage.Create { // the first append tells whether it is there
		if at.head, at.naming, err = s.find(ctx, p); err == nil && at.head == nil {
			at.dir, err = s.isDir(ctx, p)
		}
	} else {
		at, err = s.seek(ctx, p)
	}
	h := at.head
	switch {
	case err != nil:
	case at.dir:
		err = storage.ErrNotRegular
	case h != nil && mode == storage.Create:
		err = storage.ErrExist
	case h == nil && mode != storage.Create:
		err = storage.ErrNotExist
	}
	if err != nil {
		return fail(err)
	}
	l := &streamLog{store: s, mode: mode, opened: name, place: p, turn: lease.NewTurn(), epoch: s.epoch.Load()}
	if h != nil {
		l.note(h)
		l.naming = h.naming
	}
	return l, nil
}

func (l *streamLog) fail(what string, err error) error {
	return fmt.Errorf("%s log %q: %w", what, l.opened, err)
}

// known returns where the log was last, and its content.
func (l *streamLog) known() (p place, r ref, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return place{}, ref{}, fs.ErrClosed
	}
	return l.place, l.ref, nil
}

// note keeps what was seen of the log.
func (l *streamLog) note(h *head) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ref != h.ref {
		l.ref, l.naming = h.ref, h.naming
	}
	l.tip = tip{h.ref, h.last, h.seq, h.kind == held}
}

// look finds the log, under another name too, or what has its name now, which
// this Log goes on with. The error is ErrNotExist if there is neither.
func (l *streamLog) look(ctx context.Context) (*head, error) {
	_, r, err := l.known()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r == (ref{}) {
		return nil, storage.ErrNotExist
	}
	h, err := l.follow(ctx, r)
	if err != nil {
		return nil, err
	}
	if h == nil {
		p, _, err := l.known()
		if err != nil {
			return nil, err
		}
		if h, _, err = l.store.find(ctx, p); err != nil {
			return nil, err
		}
	}
	if h == nil {
		return nil, storage.ErrNotExist
	}
	if err := l.called(ctx, h); err != nil {
		return nil, err
	}
	l.note(h)
	return h, nil
}

// follow returns the head of a content or of what took its place; nil if
// nothing did.
func (l *streamLog) follow(ctx context.Context, r ref) (*head, error) {
	for range maxSteps {
		h, err := l.store.head(ctx, r)
		if err != nil || h == nil {
			return nil, err
		}
		if h.kind != sealed {
			return h, nil
		}
		if err := l.rename(string(h.body)); err != nil {
			return nil, err
		}
		next, ok := h.next()
		if !ok {
			return nil, nil
		}
		r = next
	}
	return nil, fmt.Errorf("the log changed at each of %d looks", maxSteps)
}

// lookSurely is look that is sure if there is nothing.
func (l *streamLog) lookSurely(ctx context.Context) (*head, error) {
	h, err := l.look(ctx)
	if errors.Is(err, storage.ErrNotExist) {
		if now, gerr := l.gone(ctx); gerr != nil || now != nil {
			return now, gerr
		}
	}
	return h, err
}

// called learns the log's name if it was renamed.
func (l *streamLog) called(ctx context.Context, h *head) error {
	l.mu.Lock()
	same := h.naming == 0 || l.ref == h.ref && l.naming == h.naming
	l.mu.Unlock()
	if same {
		return nil
	}
	m, err := l.store.get(ctx, query{Seq: h.naming})
	if err != nil || m == nil {
		return err
	}
	if err := l.rename(string(m.data)); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ref, l.naming = h.ref, h.naming
	return nil
}

// rename notes the log's name.
func (l *streamLog) rename(name string) error {
	p, err := l.store.placeOf(name)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if p != l.place {
		l.place, l.moved = p, true
	}
	return nil
}

// compare answers what became of the log since a mark; nil for nothing. The
// error for a log that is not there is a Changed, or ErrNotExist for the zero
// mark.
func (l *streamLog) compare(ctx context.Context, after storage.Mark) (*head, error) {
	h, err := l.lookSurely(ctx)
	if errors.Is(err, storage.ErrNotExist) && !after.IsZero() {
		return nil, &storage.Changed{Kind: storage.Gone}
	}
	if err != nil {
		return nil, err
	}
	kind, h, err := l.store.since(ctx, h, seenOf(after))
	if err != nil {
		return nil, err
	}
	c := &storage.Changed{Kind: kind, Now: h.mark()}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.moved {
		l.moved, c.Name = false, l.place.name
		if c.Kind != storage.Replaced {
			c.Kind, c.Now = storage.Moved, after
		}
	}
	if c.Kind == 0 {
		return h, nil
	}
	return h, c
}

// gone makes sure that a log is there no more. It returns its head, or that of
// what took its place, if it is.
func (l *streamLog) gone(ctx context.Context) (*head, error) {
	_, r, err := l.known()
	if err != nil || r == (ref{}) || l.store.blunt.Load() {
		return nil, err
	}
	after, err := l.store.fence(ctx)
	for range maxSteps {
		var h *head
		if err == nil {
			h, err = l.store.headBehind(ctx, after, r)
		}
		switch {
		case isFull(err), errors.Is(err, ErrRefused):
			return nil, nil // it has to be believed
		case err != nil:
			return nil, err
		case h == nil:
			return nil, nil
		case h.kind != sealed:
			l.note(h)
			return h, nil
		}
		next, ok := h.next()
		if !ok {
			return nil, nil
		}
		r = next
	}
	return nil, storage.ErrLocked
}

// take waits for the turn to write. The caller gives it back.
func (l *streamLog) take(ctx context.Context) error {
	if _, _, err := l.known(); err != nil {
		return err
	}
	return l.turn.Take(ctx, l.mode)
}

// Stat describes the log.
func (l *streamLog) Stat(ctx context.Context) (storage.Info, error) {
	h, err := l.lookSurely(ctx)
	if err != nil {
		return storage.Info{}, l.fail("stat", err)
	}
	p, _, err := l.known()
	if err != nil {
		return storage.Info{}, l.fail("stat", err)
	}
	return h.info(p.name), nil
}

// Close ends the use of the log.
func (l *streamLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.fail("close", fs.ErrClosed)
	}
	l.closed = true
	return nil
}
