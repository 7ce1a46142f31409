package postgres

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Store keeps logs in one schema of a database. It is safe for concurrent use.
// The caller closes it.
type Store interface {
	storage.Store
	// Blobs returns the blobs beside the logs.
	Blobs() blob.Store
	// Key tells stores apart, without passwords.
	Key() string
	// Durability says in a line what an acknowledged append survives.
	Durability(ctx context.Context) (string, error)
	// Sweep deletes contents that no name has any more, and returns how many.
	Sweep(ctx context.Context) (contents int, err error)
	// Close ends all connections.
	Close() error
}

// pgStore is the one that Open makes.
type pgStore struct {
	opt            Options
	pool           *conns
	several        bool   // the URL names several servers
	pooled         bool   // a connection is the server's for a transaction only
	user, database string // for messages
	host           string

	away      atomic.Bool   // the last call waited for the server in vain
	done      chan struct{} // closed by Close
	stop      context.CancelFunc
	life      context.Context // ends with Close
	closing   sync.Once
	replacing chan struct{} // holds a value while a content is replaced
	background
}

// background is what goes on beside the calls.
type background struct {
	mu     sync.Mutex
	over   bool                              // guarded by mu: nothing new begins
	told   map[string]bool                   // guarded by mu: changes to tell of
	teller bool                              // guarded by mu: somebody tells
	ears   map[string]map[chan struct{}]bool // guarded by mu: who watches what
	hears  bool                              // guarded by mu: somebody listens
	group  sync.WaitGroup
}

var (
	_ storage.Store       = (*pgStore)(nil)
	_ powers.PrefixReader = (*pgStore)(nil)
	_ powers.Searcher     = (*pgStore)(nil)
	_ storage.Leaser      = (*pgStore)(nil)
	_ powers.Taker        = (*pgStore)(nil)
)

// Open connects to the server of a URL ("postgres://USER:PASSWORD@HOST/DATABASE",
// with several hosts if one may take over from another), makes the tables if
// the schema is empty, and returns the store in it. The context is that of the
// opening only. A server that is not reached is ErrAway; it is not waited for.
func Open(ctx context.Context, url string, opt Options) (Store, error) {
	c, err := config(url, &opt)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	life, stop := context.WithCancel(context.Background())
	s := &pgStore{
		opt: opt, several: hosts(&c.ConnConfig.Config) > 1,
		user: c.ConnConfig.User, database: c.ConnConfig.Database, host: hostOf(&c.ConnConfig.Config),
		done: make(chan struct{}), stop: stop, life: life, replacing: make(chan struct{}, 1),
	}
	s.told, s.ears = make(map[string]bool), make(map[string]map[chan struct{}]bool)
	pool, err := pgxpool.NewWithConfig(life, c)
	s.pool = &conns{pool: pool, most: c.MaxConns, limit: s.opt.Timeout, begin: s.begin}
	if err != nil {
		stop()
		return nil, fmt.Errorf("open store: %w", errURL)
	}
	if err = s.detect(ctx, url); err == nil {
		err = s.prepare(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store: %w", s.settle(ctx, err)), s.Close())
	}
	return s, nil
}

// Close ends what the store does in the background, leases included, and its
// connections. Logs and leases of it are of no use afterwards. A second Close
// does nothing.
func (s *pgStore) Close() error {
	s.closing.Do(func() {
		s.mu.Lock()
		s.over = true
		s.mu.Unlock()
		close(s.done)
		s.stop()
		s.group.Wait()
		s.pool.Close()
	})
	return nil
}

func (s *pgStore) closed() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// begin runs f in the background, unless the store is being closed. s.mu is
// not held.
func (s *pgStore) begin(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.beginLocked(f)
}

func (s *pgStore) beginLocked(f func()) bool {
	if s.over {
		return false
	}
	s.group.Go(f)
	return true
}

// sql puts the schema in the place of "@" before a table's name.
func (s *pgStore) sql(text string) string { return strings.ReplaceAll(text, "@.", s.opt.Schema+".") }

// where says which server, for messages.
func (s *pgStore) where() string { return s.host }

// A place is a name as the table of heads has it.
type place struct{ dir, base string }

func (p place) name() string { return path.Join(p.dir, p.base) }

// placeOf splits a name. One that a table cannot hold is refused.
func placeOf(name string) (place, error) {
	name = path.Clean(name)
	if len(name) > 1024 || !utf8.ValidString(name) || strings.IndexByte(name, 0) >= 0 {
		return place{}, fmt.Errorf("name %.40q: %w: want at most 1024 bytes of UTF-8", name, fs.ErrInvalid)
	}
	return place{dir: path.Dir(name), base: path.Base(name)}, nil
}

// project is the number by which the lines of a log are spread.
func (p place) project() int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(p.dir)) // never fails
	return int64(h.Sum64())
}

// below returns the bounds between which the names of all that is in a
// directory lie: first <= name < end.
func below(dir string) (first, end string) {
	dir = strings.TrimSuffix(dir, "/")
	return dir + "/", dir + "0" // "0" follows "/"
}

// newToken returns a random number above 0.
func newToken() int64 { return rand.Int64N(1<<63-1) + 1 }
