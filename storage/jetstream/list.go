package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/cambium-dev/cambium/storage"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// listFor is how long what was listed is kept up to date for who lists
	// again.
	listFor = 2 * time.Minute
	// listWait is how long a listing waits for what is missing before it begins
	// anew.
	listWait = 5 * time.Second
)

// A listing is the last message of each subject, kept up to date by a consumer
// of their headers.
type listing struct {
	store *natsStore
	stop  context.CancelFunc
	used  time.Time // guarded by the store's mu

	mu    sync.Mutex
	names map[string]naming // guarded by mu
	heads map[ref]*head     // guarded by mu
	bad   map[string]bool   // guarded by mu: names of which the last message is garbage
	seq   uint64            // guarded by mu: all up to here is in it
	more  chan struct{}     // guarded by mu: closed when seq grows
	err   error             // guarded by mu: it is of no use any more
}

// errBroken is a listing whose consumer has ended.
var errBroken = errors.New("the listing was broken off")

// List describes the logs and directories directly in a directory. The first
// listing reads the last header of each log of the stream; while it is kept, for
// two minutes after the last one, others are answered from memory, as of now.
func (s *natsStore) List(ctx context.Context, dir string) iter.Seq2[storage.Info, error] {
	return func(yield func(storage.Info, error) bool) {
		list, err := s.listed(ctx, below(dir))
		if err == nil && len(list) == 0 {
			err = storage.ErrNotExist
		}
		if err != nil {
			yield(storage.Info{}, fmt.Errorf("list %q: %w", dir, err))
			return
		}
		for _, info := range list {
			if err := ctx.Err(); err != nil {
				yield(storage.Info{}, err)
				return
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

func (s *natsStore) listed(ctx context.Context, prefix string) ([]storage.Info, error) {
	l, err := s.whole(ctx)
	if err != nil {
		return nil, err
	}
	return l.below(prefix), nil
}

// whole returns a listing with all that is stored by now.
func (s *natsStore) whole(ctx context.Context) (*listing, error) {
	for turn := 0; ; turn++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		seq, _, err := s.state(ctx)
		if err != nil {
			return nil, err
		}
		l, err := s.listing(ctx, seq)
		if err == nil {
			if err = l.wait(ctx, seq); err == nil {
				return l, nil
			}
			l.end(err)
		}
		if ctx.Err() != nil || turn == 2 || s.flaw() != nil {
			return nil, s.settle(ctx, err)
		}
	}
}

// listing returns the one that is kept, or begins one at a number of the stream.
func (s *natsStore) listing(ctx context.Context, seq uint64) (*listing, error) {
	s.mu.Lock()
	l := s.list
	if l != nil {
		l.used = time.Now()
	}
	over := s.over
	s.mu.Unlock()
	if over {
		return nil, fs.ErrClosed
	}
	if l != nil && l.broken() == nil {
		return l, nil
	}
	return s.newListing(ctx, seq)
}

func (s *natsStore) newListing(ctx context.Context, seq uint64) (*listing, error) {
	life, stop := context.WithCancel(s.life)
	l := &listing{
		store: s, stop: stop, used: time.Now(),
		names: make(map[string]naming), heads: make(map[ref]*head), more: make(chan struct{}),
	}
	ctx, cancel := context.WithTimeout(ctx, s.opt.Timeout)
	defer cancel()
	consumer, err := s.js.OrderedConsumer(ctx, s.opt.Stream, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{s.names + ">", s.logs + ">"}, HeadersOnly: true,
		DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy,
	})
	if err != nil {
		stop()
		return nil, plain(err)
	}
	if consumer.CachedInfo().NumPending == 0 {
		l.seq = seq
	}
	messages, err := consumer.Consume(func(m jetstream.Msg) { l.take(m, seq) }, jetstream.PullMaxMessages(5000))
	if err != nil {
		stop()
		return nil, plain(err)
	}
	if !s.begin(func() { l.keep(life, messages) }) {
		messages.Stop()
		stop()
		return nil, fs.ErrClosed
	}
	s.mu.Lock()
	s.list = l
	s.mu.Unlock()
	return l, nil
}

// keep ends the listing when nobody has used it for a while.
func (l *listing) keep(ctx context.Context, messages jetstream.ConsumeContext) {
	defer messages.Stop()
	tick := time.NewTicker(listFor / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-messages.Closed():
			l.end(errBroken)
			return
		case <-tick.C:
		}
		l.store.mu.Lock()
		idle := time.Since(l.used) > listFor
		l.store.mu.Unlock()
		if idle {
			l.end(errBroken)
			return
		}
	}
}

// end makes the listing useless, and forgets it.
func (l *listing) end(err error) {
	l.stop()
	l.mu.Lock()
	if l.err == nil {
		l.err = err
		close(l.more)
		l.more = make(chan struct{})
	}
	l.mu.Unlock()
	l.store.mu.Lock()
	if l.store.list == l {
		l.store.list = nil
	}
	l.store.mu.Unlock()
}

func (l *listing) broken() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// take puts a message into the listing. begun is the number of the stream that
// the first messages reach.
func (l *listing) take(m jetstream.Msg, begun uint64) {
	meta, err := m.Metadata()
	if err != nil {
		l.end(err)
		return
	}
	one := &message{subject: m.Subject(), seq: meta.Sequence.Stream, time: meta.Timestamp, record: first(m.Headers(), header)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if tokens, ok := strings.CutPrefix(one.subject, l.store.names); ok {
		if name, err := decode(tokens); err == nil && lease.Sound(name, path.Dir(name)) {
			l.name(name, one)
		}
	} else if r, err := parseRef(tailOf(one.subject, l.store.logs)); err == nil {
		if h, err := parseHead(r, one); err == nil && h.kind != part {
			l.heads[r] = h
		}
	}
	seq := max(l.seq, one.seq)
	if meta.NumPending > 0 && l.seq < begun && one.seq < begun {
		return // some of the first are still to come, which come in their order
	}
	if meta.NumPending == 0 {
		seq = max(seq, begun)
	}
	if seq > l.seq {
		l.seq = seq
		close(l.more)
		l.more = make(chan struct{})
	}
}

// name takes in the last message of a name.
func (l *listing) name(name string, m *message) {
	n, err := parseNaming(m)
	delete(l.names, name)
	delete(l.bad, name)
	switch {
	case err != nil && l.bad == nil:
		l.bad = map[string]bool{name: true}
	case err != nil:
		l.bad[name] = true
	case n.has:
		l.names[name] = n
	}
}

// wait waits until all up to a number is in the listing.
func (l *listing) wait(ctx context.Context, seq uint64) error {
	timer := time.NewTimer(listWait)
	defer timer.Stop()
	for {
		l.mu.Lock()
		there, err, more := l.seq >= seq, l.err, l.more
		l.mu.Unlock()
		if there || err != nil {
			return err
		}
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		case <-l.store.flooded:
			return l.store.flaw()
		case <-timer.C:
			return errBroken
		}
	}
}

// current returns the head of what took the place of a content; nil for none, and
// for contents that lead nowhere.
func (l *listing) current(r ref) *head {
	for range maxSteps {
		h := l.heads[r]
		if h == nil || h.kind != sealed {
			return h
		}
		next, ok := h.next()
		if !ok {
			return nil
		}
		r = next
	}
	return nil
}

// below returns what is directly in a directory, in the order of names.
func (l *listing) below(prefix string) []storage.Info {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []storage.Info
	dirs := make(map[string]bool)
	for name, n := range l.names {
		rest, found := strings.CutPrefix(name, prefix)
		if !found {
			continue
		}
		h := l.current(n.ref)
		if h == nil {
			continue
		}
		first, _, deeper := strings.Cut(rest, "/")
		if !deeper {
			list = append(list, h.info(name))
		} else if dir := prefix + first; !dirs[dir] {
			dirs[dir] = true
			list = append(list, storage.Info{Name: dir, Mode: fs.ModeDir | 0o700})
		}
	}
	for name := range l.bad {
		// Who opens it is told what is wrong.
		if rest, found := strings.CutPrefix(name, prefix); found && rest != "" && !strings.Contains(rest, "/") {
			list = append(list, storage.Info{Name: name, Mode: 0o600})
		}
	}
	slices.SortFunc(list, func(a, b storage.Info) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Stat describes one name.
func (s *natsStore) Stat(ctx context.Context, name string) (storage.Info, error) {
	fail := func(err error) (storage.Info, error) { return storage.Info{}, fmt.Errorf("stat log %q: %w", name, err) }
	if err := ctx.Err(); err != nil {
		return fail(err)
	}
	p, err := s.placeOf(name)
	if err != nil {
		return fail(err)
	}
	at, err := s.seek(ctx, p)
	switch {
	case err != nil:
		return fail(err)
	case at.head != nil:
		return at.head.info(p.name), nil
	case !at.dir:
		return fail(storage.ErrNotExist)
	}
	return storage.Info{Name: p.name, Mode: fs.ModeDir | 0o700}, nil
}
