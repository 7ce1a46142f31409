// Package offline stands before a store that may be away: what was read from it is
// kept here as copies, and read when the store does not answer; what is appended
// then waits here, and is sent when it does.
//
// A copy is never the truth: it is read on from its mark, so the store says
// whether it still holds; only when the store is away is it taken as it is. What
// waits is durable before it counts as appended. It is sent in order, behind what
// others appended meanwhile, and a line that is there already (its answer was
// lost) is not sent again.
package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// ErrAway: the store does not answer, and what is asked for is not kept here.
var ErrAway = errors.New("the store is away")

// Remote is a store that was reached.
type Remote struct {
	storage.Store
	// Blobs holds what is too large for a line; nil for none.
	Blobs blob.Store
	// Close gives back what it holds; nil for nothing.
	Close func() error
}

// Options say where things are kept and how the store is reached.
type Options struct {
	// Name is what the store is called to people, without a password.
	Name string
	// Cache is the directory of copies, Waiting that of what is to be sent;
	// absolute, of this store alone. They are made when they are needed, for
	// their owner only.
	Cache, Waiting string
	// Most is how many bytes of copies are kept; 0 means 256 MiB.
	Most int64
	// Reach opens the store, when it was not given; Away says of an error that
	// the store does not answer.
	Reach func(ctx context.Context) (*Remote, error)
	Away  func(error) bool
	// Why is why the store was found away, if it was; nil for no reason known.
	Why error
	// Patience is how long a call that can be answered from here waits for the
	// store; 0 means 10 s. Pause is how long a store that was away is not asked
	// again, and how often what waits is tried; 0 means 3 s.
	Patience, Pause time.Duration
	// Say is told, in words, what is not as usual: each thing once. nil means
	// nobody. It must be safe for concurrent use.
	Say func(text string)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Store is the store, or what is known of it. It is safe for concurrent use; the
// caller closes it.
type Store struct {
	opt    Options
	life   context.Context
	end    context.CancelFunc
	keeper sync.WaitGroup

	mu      sync.Mutex
	remote  *Remote         // guarded by mu: nil until it was reached
	until   time.Time       // guarded by mu: not asked before
	why     error           // guarded by mu: why it is away, nil when it is not
	last    error           // guarded by mu: why it did not answer the last time
	lacked  int             // guarded by mu: how often it did not answer
	said    map[string]bool // guarded by mu
	sent    map[string]sent // guarded by mu: by name, what was sent from here without others in between
	sending bool            // guarded by mu: what waits is tried again by itself
}

// sent is how many lines were sent and the mark behind them.
type sent struct {
	n    int
	mark storage.Mark
}

var (
	_ storage.Store       = (*Store)(nil)
	_ powers.Taker        = (*Store)(nil)
	_ storage.Leaser      = (*Store)(nil)
	_ powers.Surveyor     = (*Store)(nil)
	_ powers.Searcher     = (*Store)(nil)
	_ powers.PrefixReader = (*Store)(nil)
	_ storage.Watcher     = (*log)(nil)
	_ storage.Syncer      = (*log)(nil)
)

// New returns a store. remote is nil for one that was found away.
func New(remote *Remote, o Options) *Store {
	if o.Most == 0 {
		o.Most = 256 << 20
	}
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	if o.Pause == 0 {
		o.Pause = 3 * time.Second
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Store{opt: o, remote: remote, said: map[string]bool{}, sent: map[string]sent{}}
	s.life, s.end = context.WithCancel(context.Background())
	if remote == nil {
		s.why, s.until = cmp.Or(o.Why, ErrAway), o.Now().Add(o.Pause)
	}
	return s
}

// Close lets the store go. What waits stays.
func (s *Store) Close() error {
	s.mu.Lock()
	s.end() // what begins to send by itself looks at it under the lock
	s.mu.Unlock()
	s.keeper.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.remote == nil || s.remote.Close == nil {
		return nil
	}
	return s.remote.Close()
}

// Away reports why the store cannot be reached, nil when it can as far as is
// known.
func (s *Store) Away() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// say tells a thing, once.
func (s *Store) say(text string) {
	s.mu.Lock()
	again := s.said[text]
	s.said[text] = true
	s.mu.Unlock()
	if !again {
		s.opt.Say(text)
	}
}

// reach returns the store, or the reason why it is away.
func (s *Store) reach(ctx context.Context) (*Remote, error) {
	s.mu.Lock()
	remote, why, wait := s.remote, s.why, s.opt.Now().Before(s.until)
	if wait && why != nil {
		s.lack(ctx, why)
	}
	s.mu.Unlock()
	switch {
	case why == nil && remote != nil:
		return remote, nil
	case wait:
		return nil, why
	case remote != nil:
		return remote, nil // the call shows whether it is back
	}
	began := s.opt.Now()
	remote, err := s.opt.Reach(ctx)
	if err != nil {
		s.lacks(ctx, err, began)
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.remote != nil { // another call was sooner
		if remote.Close != nil {
			_ = remote.Close() // nothing was done with it
		}
		return s.remote, nil
	}
	s.remote, s.why = remote, nil
	return remote, nil
}

// calmTimes is how many times as long as a call waited in vain the store is not
// asked again, if that is more than the pause and no more than a minute.
const calmTimes = 10

// lacks reports whether the error of a call that began then means that the store
// is away, and notes it.
func (s *Store) lacks(ctx context.Context, err error, began time.Time) bool {
	if err == nil {
		s.answered()
		return false
	}
	if !s.Lacks(err) {
		return false
	}
	now := s.opt.Now()
	s.mu.Lock()
	s.lack(ctx, err)
	s.why, s.until = err, now.Add(max(s.opt.Pause, min(calmTimes*now.Sub(began), time.Minute)))
	s.mu.Unlock()
	return true
}

// lack counts that the store did not answer, unless what asked it was nobody's call. The
// lock is held.
func (s *Store) lack(ctx context.Context, why error) {
	if ctx.Value(unasked{}) == nil {
		s.lacked, s.last = s.lacked+1, why
	}
}

// unasked is the key of contexts of what the store does by itself.
type unasked struct{}

// answered notes that the store is there.
func (s *Store) answered() {
	s.mu.Lock()
	s.why = nil
	s.mu.Unlock()
}

// ask has the store do f. away says that it could not be asked.
func (s *Store) ask(ctx context.Context, f func(context.Context, *Remote) error) (away bool, err error) {
	r, err := s.reach(ctx)
	if err != nil {
		return ctx.Err() == nil && s.opt.Away(err) || errors.Is(err, ErrAway), err
	}
	began := s.opt.Now()
	err = f(ctx, r)
	if ctx.Err() != nil {
		return false, err
	}
	return s.lacks(ctx, err, began), err
}

// askSoon is ask that does not wait longer than the patience.
func (s *Store) askSoon(ctx context.Context, f func(context.Context, *Remote) error) (away bool, err error) {
	short, cancel := context.WithTimeout(ctx, s.opt.Patience)
	defer cancel()
	away, err = s.ask(short, f)
	if short.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: no answer within %s", ErrAway, s.opt.Patience)
		return s.lacks(ctx, err, s.opt.Now().Add(-s.opt.Patience)), err
	}
	return away, err
}

func (s *Store) copies() string { return filepath.Join(s.opt.Cache, "logs") }
