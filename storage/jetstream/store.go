package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Store keeps logs in one stream. It is safe for concurrent use. The caller
// closes it.
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

// natsStore is the one that Open makes.
type natsStore struct {
	opt   Options
	nc    *nats.Conn
	js    jetstream.JetStream
	where string // which servers, for messages

	logs, names, deads string // beginnings of subjects
	largest            int    // most bytes of lines that a message can have

	ready   atomic.Bool   // JetStream has answered
	blunt   atomic.Bool   // this user may not publish: what is missing is believed
	away    atomic.Bool   // the last call waited for the server in vain
	epoch   atomic.Int64  // counts connections: a server may have lost what was not synced
	done    chan struct{} // closed by Close
	stop    context.CancelFunc
	life    context.Context // ends with Close
	closing sync.Once
	flooded chan struct{} // closed when the server floods
	flood   error         // how, once it is closed
	floods  sync.Once

	mu     sync.Mutex
	link   context.Context    // guarded by mu: ends when the connection does
	snap   context.CancelFunc // guarded by mu: ends it
	denied string             // guarded by mu: what the server said of the last subject that this user may not use
	over   bool               // guarded by mu: nothing new begins
	list   *listing           // guarded by mu: nil if nobody lists
	group  sync.WaitGroup
}

var (
	_ storage.Store       = (*natsStore)(nil)
	_ powers.PrefixReader = (*natsStore)(nil)
	_ storage.Leaser      = (*natsStore)(nil)
)

// Open connects to the servers of a URL ("nats://USER:PASSWORD@HOST:PORT", more
// hosts after commas, options as its query: replicas, storage, sync, monitor,
// payload, stream, tls, creds, ca, cert, key), makes the stream if there is none, and
// returns the store in it. The context is that of the opening only. A stream or
// server that is less than the options ask for is refused with ErrWeak, and
// nothing is changed. A server that is not reached is ErrAway; it is not waited
// for.
func Open(ctx context.Context, url string, opt Options) (Store, error) {
	servers, err := opt.complete(url)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	life, stop := context.WithCancel(context.Background())
	s := &natsStore{opt: opt, where: hostsOf(servers), done: make(chan struct{}), stop: stop, life: life}
	prefix := strings.ToLower(opt.Stream)
	s.logs, s.names, s.deads = prefix+".log.", prefix+".name.", prefix+".dead."
	s.away.Store(true) // nothing is waited for until it was there once
	if err := s.connect(servers); err != nil {
		stop()
		return nil, fmt.Errorf("open store: %w", s.explain(err))
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open store: %w", s.settle(ctx, err)), s.Close())
	}
	s.away.Store(false)
	return s, nil
}

// hostsOf takes users and passwords out of a list of servers.
func hostsOf(servers string) string {
	var hosts []string
	for _, one := range strings.Split(servers, ",") {
		_, host, found := strings.Cut(one, "://")
		if !found {
			host = one
		}
		if u, err := url.Parse("nats://" + host); err == nil {
			host = u.Host
		}
		hosts = append(hosts, host)
	}
	return strings.Join(hosts, ",")
}

func (s *natsStore) connect(servers string) error {
	options := []nats.Option{
		nats.Name("cambium"), nats.Timeout(5 * time.Second), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(),
		nats.ReconnectWait(100 * time.Millisecond), nats.ReconnectJitter(50*time.Millisecond, 50*time.Millisecond),
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2),
		// What is not sent at once is not sent behind the caller's back later.
		nats.ReconnectBufSize(-1),
		// Only servers that a person named are gone to, in that order: what a server
		// says of others comes before anybody knows who it is.
		nats.IgnoreDiscoveredServers(), nats.DontRandomize(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { s.heard(err) }),
		nats.ReconnectHandler(func(*nats.Conn) { s.epoch.Add(1) }),
		nats.DisconnectErrHandler(func(*nats.Conn, error) { s.relink() }),
	}
	s.relink()
	door, err := s.opt.door(servers)
	if err != nil {
		return err
	}
	s.flooded = make(chan struct{})
	door.flaw = func(why error) {
		s.floods.Do(func() {
			s.flood = why
			close(s.flooded)
		})
	}
	options = append(options, nats.SetCustomDialer(door))
	if s.opt.credentials != "" {
		options = append(options, nats.UserCredentials(s.opt.credentials))
	}
	// TLS is the door's.
	if s.nc, err = nats.Connect(strings.ReplaceAll(servers, "tls://", "nats://"), options...); err != nil {
		return err
	}
	s.js, err = jetstream.New(s.nc)
	return err
}

// relink ends what waits for an answer on a connection that is lost.
func (s *natsStore) relink() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.snap != nil {
		s.snap()
	}
	s.link, s.snap = context.WithCancel(s.life)
}

// heard notes that the server does not take what was published to a subject:
// it says so beside the answer, which does not come.
func (s *natsStore) heard(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	s.mu.Lock()
	s.denied = err.Error()
	s.mu.Unlock()
	s.relink()
}

// permitted is the error of a request to a subject: that it is not permitted, if
// the server said so.
func (s *natsStore) permitted(subject string, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if (isCut(err) || errors.Is(err, context.Canceled)) && strings.Contains(s.denied, fmt.Sprintf("%q", subject)) {
		s.denied = ""
		return nats.ErrPermissionViolation
	}
	return err
}

// timed runs f until it has an answer, the time for one is over, or the
// connection is lost.
func (s *natsStore) timed(ctx context.Context, limit time.Duration, f func(ctx context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	link, over := s.link, s.over
	s.mu.Unlock()
	if over {
		return fs.ErrClosed
	}
	try, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer context.AfterFunc(link, cancel)()
	err := f(try)
	if err != nil && link.Err() != nil && ctx.Err() == nil && errors.Is(err, context.Canceled) {
		return nats.ErrDisconnected
	}
	return err
}

// Close ends what the store does in the background, leases included, and its
// connection. Logs and leases of it are of no use afterwards. A second Close
// does nothing.
func (s *natsStore) Close() error {
	s.closing.Do(func() {
		s.mu.Lock()
		s.over = true
		s.mu.Unlock()
		close(s.done)
		s.stop()
		s.group.Wait()
		if s.nc != nil {
			s.nc.Close()
		}
	})
	return nil
}

// begin runs f in the background, unless the store is being closed. s.mu is
// not held.
func (s *natsStore) begin(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return false
	}
	s.group.Go(f)
	return true
}

func (s *natsStore) subject(r ref) string { return s.logs + r.String() }
