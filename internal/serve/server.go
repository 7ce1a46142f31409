package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cambium-dev/cambium/internal/rpc"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
)

// Options say what is served, to whom. A Socket or a Listen is needed.
type Options struct {
	// RPC says what sessions are served with. Bounds, Watch, Began and Drain
	// are the server's own. Random is where ids of connections come from, too.
	RPC rpc.Options
	// Now is the server's clock; nil means time.Now.
	Now func() time.Time
	// Socket is the path of a Unix socket, "" for none.
	Socket string
	// Listen is where HTTP is spoken, HOST:PORT, "" for nowhere. Tokens is the
	// file with the tokens, needed with it.
	Listen, Tokens string
	// Cert and Key are the files with the certificate and its key; "" means
	// that HTTP is not encrypted, and only spoken on the loopback.
	Cert, Key string
	// Roots are directories in which clients over HTTP may name sessions,
	// besides the homes of the agents.
	Roots []string
	// Record returns what keeps a record of what clients over HTTP do to sessions
	// on the local disk, reached through a file system; nil means that nobody does.
	// RPC.Undo keeps that of the others.
	Record func(vfs.FS) session.Recorder
	// Limits bound what clients may take.
	Limits Limits
	// Ping reports whether what the sessions are kept in answers; nil means
	// that it always does.
	Ping func(ctx context.Context) error
	// Ready is told where is served ("unix:/run/…", "http://127.0.0.1:8080"),
	// when it is; nil means nobody wants to know.
	Ready func(addresses []string)
	// Hurry, when it is closed, gives up waiting for the calls under way when
	// the server stops; nil never does.
	Hurry <-chan struct{}
	// Log is told what happens, one record an event; nil means nobody.
	Log *slog.Logger

	ticks <-chan time.Time // when to sweep; nil means by the clock
}

// A server is everything that is served by one Run.
type server struct {
	o       Options
	log     *slog.Logger
	keys    *keys
	roots   *roots
	room    *room
	metrics *meters
	doors   doors
	// calls is the context of all calls; halt cancels it.
	calls    context.Context
	halt     context.CancelCauseFunc
	draining chan struct{} // closed when the server begins to stop
	under    atomic.Int64  // messages over HTTP under way

	mu      sync.Mutex
	clients map[string]*client   // guarded by mu: connections over HTTP, by id
	buckets map[string]*bucket   // guarded by mu: by the token's hash
	sockets map[*socketConn]bool // guarded by mu
	counts  map[int]func() int   // guarded by mu: of unsaved entries of sockets
	lost    []error              // guarded by mu: sessions that could not be saved

	pinged pinged
	work   sync.WaitGroup
}

// doors are the gates to a server.
type doors struct{ http, socket *gate }

// errStopping is why calls are cancelled that go on for too long.
var errStopping = errors.New("the server stops")

func newServer(o Options) *server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.RPC.Log == nil {
		o.RPC.Log = o.Log
	}
	o.Limits.defaults()
	s := &server{
		o: o, log: o.Log, keys: &keys{path: o.Tokens}, roots: newRoots(&o),
		room:     &room{each: o.Limits.EachSessions, all: o.Limits.Sessions},
		draining: make(chan struct{}),
		clients:  map[string]*client{}, buckets: map[string]*bucket{}, sockets: map[*socketConn]bool{}, counts: map[int]func() int{},
	}
	s.calls, s.halt = context.WithCancelCause(context.Background())
	s.doors = doors{http: newGate(o.Limits), socket: newGate(o.Limits)}
	s.metrics = newMeters(s)
	return s
}

// Run serves until ctx is done. Then it accepts nothing more, lets the calls
// under way end for as long as Limits.Grace says, and saves and closes every
// session.
//
// The error is that of something that cannot be served at all, or joins those of
// sessions that could not be saved ([session.ErrUnsaved]); nil when all is well.
func Run(ctx context.Context, o Options) error {
	s := newServer(o)
	defer s.roots.release()
	defer s.halt(nil)
	ends, err := s.open()
	if err != nil {
		return err
	}
	broken := make(chan error, len(ends))
	var addresses []string
	for _, e := range ends {
		addresses = append(addresses, e.address)
		s.log.Info("listening", "address", e.address)
		s.work.Go(func() { broken <- e.serve() })
	}
	if o.Ready != nil {
		o.Ready(addresses)
	}
	s.work.Go(s.sweeps)
	select {
	case <-ctx.Done():
	case err = <-broken:
	}
	return errors.Join(err, s.stop(ctx, ends))
}

// An end is a place where clients come in.
type end struct {
	address string
	serve   func() error                // until stopped
	stop    func(context.Context) error // takes nothing more, waits for what is under way
	kill    func()                      // ends what is still under way
}

// open begins to listen.
func (s *server) open() (ends []end, err error) {
	defer func() {
		if err != nil {
			for _, e := range ends {
				e.kill()
			}
		}
	}()
	if s.o.Socket == "" && s.o.Listen == "" {
		return nil, errors.New("serve: neither a socket nor an address")
	}
	if s.o.Listen != "" {
		e, err := s.openHTTP()
		if err != nil {
			return ends, err
		}
		ends = append(ends, e)
	}
	if s.o.Socket != "" {
		e, err := s.openSocket()
		if err != nil {
			return ends, err
		}
		ends = append(ends, e)
	}
	return ends, nil
}

// stop ends everything and returns what could not be saved.
func (s *server) stop(ctx context.Context, ends []end) error {
	s.log.Info("stopping")
	close(s.draining)
	grace, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	if s.o.Limits.Grace >= 0 {
		timer := time.AfterFunc(s.o.Limits.Grace, func() { cancel(errStopping) })
		defer timer.Stop()
	}
	gone := make(chan struct{})
	defer close(gone)
	go func() {
		select {
		case <-s.o.Hurry:
			cancel(errStopping)
		case <-gone:
		}
	}()
	context.AfterFunc(grace, func() { s.halt(errStopping) })

	var stops sync.WaitGroup
	for _, e := range ends {
		stops.Go(func() {
			if err := e.stop(grace); err != nil {
				s.log.Warn("calls were not waited for any longer", "address", e.address)
				s.halt(errStopping)
			}
			e.kill()
		})
	}
	stops.Wait()
	s.mu.Lock()
	clients := s.clients
	s.clients = map[string]*client{}
	s.mu.Unlock()
	var closes sync.WaitGroup
	for _, c := range clients {
		closes.Go(func() { s.lose(c.conn.Close(grace)) })
	}
	closes.Wait()
	if !s.ended(grace) {
		s.log.Warn("calls go on that do not end", "waited", lastWait)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := errors.Join(s.lost...)
	s.log.Info("stopped", "unsaved", len(s.lost))
	return err
}

// lastWait is how long calls have to end that were told to.
const lastWait = 2 * time.Second

// ended waits for the calls under way, and no longer than lastWait once ctx ends. It reports
// whether all ended.
func (s *server) ended(ctx context.Context) bool {
	all := make(chan struct{})
	go func() {
		s.work.Wait()
		close(all)
	}()
	select {
	case <-all:
		return true
	case <-ctx.Done():
	}
	select {
	case <-all:
		return true
	case <-time.After(lastWait):
		return false
	}
}

// lose notes what could not be saved, which is the error of Run.
func (s *server) lose(err error) {
	if err == nil {
		return
	}
	s.log.Error("sessions not saved", "error", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = append(s.lost, err)
}

// rpcOptions are those of one connection.
func (s *server) rpcOptions(b rpc.Bounds) rpc.Options {
	o := s.o.RPC
	b.Admit = s.room.share()
	b.Line = max(0, s.o.Limits.Body)
	o.Bounds, o.Watch, o.Drain = b, s.metrics.watch, s.draining
	return o
}

// shown are the options of a connection over HTTP: its sessions are reached through
// the directories that are served.
func (s *server) shown(b rpc.Bounds) rpc.Options {
	b.Path, b.Batch = s.roots.allow, batchMost
	o := s.rpcOptions(b)
	if s.roots.fs == nil {
		return o
	}
	o.Alone = true
	if o.FS, o.Undo = s.roots.fs, nil; s.o.Record != nil {
		o.Undo = s.o.Record(s.roots.fs)
	}
	return o
}

// sweeps looks after connections that nobody uses, until the server stops.
func (s *server) sweeps() {
	every := 15 * time.Second
	if idle := s.o.Limits.Idle; idle > 0 {
		every = min(every, max(idle/4, time.Second))
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	ticks := s.o.ticks
	if ticks == nil {
		ticks = tick.C
	}
	for {
		select {
		case <-s.draining:
			return
		case <-ticks:
			s.sweep(s.o.Now())
		}
	}
}

// stopping reports whether nothing new is begun.
func (s *server) stopping() bool {
	select {
	case <-s.draining:
		return true
	default:
		return false
	}
}

// counted counts the bytes of a connection of the socket.
type counted struct {
	net.Conn
	s *server
}

// Read counts what is received.
func (c counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.s.metrics.received.Add(n)
	return n, err
}

// Write counts what is sent. Somebody who reads nothing for long is gone.
func (c counted) Write(p []byte) (int, error) {
	if idle := c.s.o.Limits.Idle; idle > 0 {
		if err := c.SetWriteDeadline(time.Now().Add(idle)); err != nil {
			return 0, err
		}
	}
	n, err := c.Conn.Write(p)
	c.s.metrics.sent.Add(n)
	return n, err
}

var _ io.ReadWriter = counted{}

// pinged is what Ping said last.
type pinged struct {
	mu     sync.Mutex
	at     time.Time  // guarded by mu
	err    error      // guarded by mu
	answer chan error // guarded by mu: of a Ping that is under way, nil for none
}

// ready reports whether a call can be expected to succeed, asking at most once a
// second.
func (s *server) ready(ctx context.Context) error {
	if s.stopping() {
		return errStopping
	}
	if _, err := s.keys.all(); err != nil {
		return errors.New("the tokens cannot be read")
	}
	if s.o.Ping == nil {
		return nil
	}
	p := &s.pinged
	p.mu.Lock()
	defer p.mu.Unlock()
	now := s.o.Now()
	if !p.at.IsZero() && now.Sub(p.at) < time.Second {
		return p.err
	}
	if p.answer == nil {
		p.answer = make(chan error, 1)
		go func(answer chan<- error) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer cancel()
			answer <- s.o.Ping(ctx)
		}(p.answer)
	}
	late := time.NewTimer(pingWait)
	defer late.Stop()
	var err error
	select {
	case err = <-p.answer:
		p.answer = nil
	case <-late.C: // it is asked again when it has answered
		err = errors.New("no answer in time")
	}
	if p.at, p.err = now, nil; err != nil {
		s.log.Warn("store does not answer", "error", err)
		p.err = errors.New("the store does not answer")
	}
	return p.err
}

// pingWait is how long somebody who asks whether the server is ready waits for
// the store, whatever that does.
const pingWait = 800 * time.Millisecond
