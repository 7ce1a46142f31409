package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/cambium-dev/cambium/storage"
	"github.com/nats-io/nats.go/jetstream"
)

// lookEvery is how often a watcher looks by itself: for what its consumer missed
// while the server was away.
const lookEvery = 900 * time.Millisecond

// Watch yields the mark of the log each time that it is another one. It is called
// by an ordered consumer of the content and the name. A server that goes away is
// waited for, and what happened meanwhile is one change.
func (l *streamLog) Watch(ctx context.Context, after storage.Mark) iter.Seq2[storage.Mark, error] {
	return func(yield func(storage.Mark, error) bool) {
		e := &ear{store: l.store, called: make(chan struct{}, 1)}
		defer e.stop()
		lease.Watch{
			Called: e.called, Every: lookEvery, Done: l.store.done, Peek: l.peek,
			Listen: func(ctx context.Context) {
				if p, r, err := l.known(); err == nil {
					e.listen(ctx, p, r)
				}
			},
			Away: ErrAway, Fail: func(err error) error { return l.fail("watch", err) },
		}.Marks(ctx, after)(yield)
	}
}

// An ear is called when something happens to a log or a name.
type ear struct {
	store  *natsStore
	called chan struct{}
	place  place
	ref    ref
	stops  func()
}

// listen begins a consumer, unless the one that is there hears what is wanted.
// If it cannot, the watcher looks by itself.
func (e *ear) listen(ctx context.Context, p place, r ref) {
	if e.stops != nil && e.place == p && e.ref == r {
		return
	}
	e.stop()
	ctx, cancel := context.WithTimeout(ctx, e.store.opt.Timeout)
	defer cancel()
	subjects := []string{p.subject}
	if r != (ref{}) {
		subjects = append(subjects, e.store.subject(r))
	}
	consumer, err := e.store.js.OrderedConsumer(ctx, e.store.opt.Stream, jetstream.OrderedConsumerConfig{
		FilterSubjects: subjects, HeadersOnly: true, DeliverPolicy: jetstream.DeliverNewPolicy,
	})
	if err != nil {
		return
	}
	messages, err := consumer.Consume(func(jetstream.Msg) {
		select {
		case e.called <- struct{}{}:
		default: // it is called already
		}
	})
	if err != nil {
		return
	}
	e.stops, e.place, e.ref = messages.Stop, p, r
}

func (e *ear) stop() {
	if e.stops != nil {
		e.stops()
		e.stops = nil
	}
}

// peek returns the mark of the log, zero if there is none.
func (l *streamLog) peek(ctx context.Context) (storage.Mark, error) {
	p, r, err := l.known()
	if err != nil {
		return storage.Mark{}, err
	}
	var h *head
	if r == (ref{}) {
		h, _, err = l.store.find(ctx, p) // somebody else may have begun it
	} else {
		h, err = l.look(ctx)
	}
	switch {
	case errors.Is(err, storage.ErrNotExist):
		return storage.Mark{}, nil
	case err != nil:
		return storage.Mark{}, fmt.Errorf("look: %w", err)
	case h == nil:
		return storage.Mark{}, nil
	}
	return h.mark(), nil
}
