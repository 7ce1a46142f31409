package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/cambium-dev/cambium/internal/usage"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/prompts"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

// Options say what sessions are served with. The zero value with an Env works.
type Options struct {
	// Env is what is known of the machine.
	Env layout.Env
	// Agent is the dialect of calls that name none: new sessions are of it,
	// opened ones are read by its rules, and only its home is listed. "" means
	// cambium for new sessions, detection, and all homes.
	Agent dialect.Name
	// AgentDir is Agent's directory, SessionDir the directory for sessions of
	// calls that name none; "" means the usual ones.
	AgentDir, SessionDir string
	// Strict takes the links between entries as they are written when a
	// context is built.
	Strict bool
	// Terminal is the device behind the client's terminal ("/dev/pts/3"), ""
	// when it is not known: the environment tells then.
	Terminal string
	// Store keeps the sessions, Blobs what is too large for a line, and FS shows
	// the store as files, to list and look after them; nil means the local
	// disk. Without a Store the sessions are files of FS, and nil means the file
	// system of the machine. With a Store nobody is told which session was used last.
	Store storage.Store
	Blobs blob.Store
	FS    vfs.FS
	// Programs are agents in databases whose sessions are read, too. Alone says that no
	// session of another program is: of a server that shows what lies in its roots.
	Programs []foreign.Program
	Alone    bool
	// Offline stands before the Store, and knows when it does not answer; nil means
	// that it always does.
	Offline *offline.Store
	// Holder says to the others who share the Store who has its sessions open.
	Holder storage.Holder
	// Presence says who has which session open for writing; nil means nobody
	// does.
	Presence session.Presence
	// Memory keeps what was found in large sessions; nil means nobody does.
	Memory session.Memory
	// Index keeps what was found in session files, so that only those that
	// changed are read again when sessions are looked for; nil means that all are
	// read. A list has all text of every session: for that all are read.
	Index catalog.Index
	// Prices are those of models, for calls whose cost is not stored; nil means that
	// there are none.
	Prices usage.Prices
	// Poll is how often open sessions are looked at for what others did to
	// them; 0 means once a second, less than 0 never.
	Poll time.Duration

	// History keeps the prompts of the history methods; nil means nobody does.
	// Serve does not close it.
	History *prompts.History

	// Undo keeps a record of renames, moves and migrations; nil means nobody.
	Undo session.Recorder

	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Random is where ids come from, safe for concurrent use; nil means
	// crypto/rand.
	Random io.Reader
	// Log is told what no answer can tell; nil means nobody.
	Log *slog.Logger

	// Version is that of the program, for who asks; "" for none.
	Version string

	// Bounds are what the other side may do.
	Bounds Bounds
	// Watch is told of every message that was done: its method, "" when there
	// is none of that name, the code of its error, 0 for none, and how long it
	// took. It is called by many goroutines; nil means nobody.
	Watch func(method string, code int, took time.Duration)
	// Began is told, once, what counts the entries of the connection that are
	// not saved; nil means nobody wants to know.
	Began func(unsaved func() int)
	// Drain ends the input when it is closed, as if the client had; nil never.
	Drain <-chan struct{}
}

// defaults fills in what was left out.
func (o *Options) defaults() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.FS == nil {
		o.FS = vfs.OS()
	}
}

// atOnce is how many calls without a handle are served side by side.
const atOnce = 16

// A Conn is one connection: its handles, and its calls under way. It is safe
// for concurrent use.
type Conn struct {
	o     Options
	table map[string]*method
	tell  func(messages ...entry.JSON) // sends notifications
	work  sync.WaitGroup               // calls under way
	slots chan struct{}                // one for each call without a handle
	// orderly are calls without a handle that run in the order of their coming.
	orderly turns

	ctx    context.Context // that of the calls; set by Connect only
	cancel context.CancelCauseFunc
	unlook func()       // ends looking after open sessions
	ending sync.RWMutex // held to read while calls are begun
	ended  bool         // guarded by ending

	mu       sync.Mutex
	handles  map[string]*handle // guarded by mu
	last     int                // guarded by mu: the number of the last handle
	pending  map[string][]*call // guarded by mu: calls under way, by id as written
	troubled atomic.Bool        // the index was said not to be used
	hushed   atomic.Bool        // handles that are opened tell nothing of what their own calls did
}

// Serve answers the messages of in on w until in ends, w cannot be written or
// ctx is done. Then it finishes the calls that came (the latter two cancel
// them) and saves and closes every session. It does not close in or w.
//
// The error is that of reading, writing or ctx, joined with those of sessions
// that could not be saved ([session.ErrUnsaved]); nil when all is well.
func Serve(ctx context.Context, in io.Reader, w io.Writer, o Options) error {
	calls, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := newConn(o)
	out := newWire(calls, w, cancel)
	s.tell = out.send
	stop := s.follow(calls)
	err := s.listen(calls, in)
	stop()
	s.work.Wait()
	unsaved := s.closeAll()
	out.end()
	if err == nil {
		err = context.Cause(calls)
	}
	return errors.Join(err, unsaved)
}

func newConn(o Options) *Conn {
	o.defaults()
	s := &Conn{
		o: o, table: index(), slots: make(chan struct{}, atOnce),
		handles: map[string]*handle{}, pending: map[string][]*call{},
	}
	if o.Began != nil {
		o.Began(s.Unsaved)
	}
	return s
}

// listen takes messages until there are no more, or ctx is done. A read that
// never returns is left behind.
func (s *Conn) listen(ctx context.Context, in io.Reader) error {
	type read struct {
		line entry.JSON
		err  error
	}
	arrived := make(chan read)
	go func() {
		l := newLines(in, s.o.Bounds.Line)
		for {
			line, err := l.next()
			select {
			case arrived <- read{line, err}:
			case <-ctx.Done():
				return
			}
			if err != nil && !errors.Is(err, errLong) {
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.o.Drain:
			return nil
		case r := <-arrived:
			switch {
			case errors.Is(r.err, errLong):
				s.reply(func() { s.tell(refusal(null, faultOf(s.tooLong()))) })
				continue
			case errors.Is(r.err, io.EOF):
				return nil
			case r.err != nil:
				return fmt.Errorf("read messages: %w", r.err)
			}
			s.take(ctx, nil, r.line, s.send)
		}
	}
}

// send sends an answer, and then what follows it.
func (s *Conn) send(message entry.JSON, after func()) {
	if message != nil {
		s.tell(message)
	}
	after()
}

// take begins what one message or batch asks for. It does not wait for the
// client. done is called once, at any time, with the answer, nil for none, and
// what to do once it is sent. When caller is done, nil for never, nobody waits
// for the answer any more.
func (s *Conn) take(ctx, caller context.Context, line entry.JSON, done func(message entry.JSON, after func())) {
	if err := check(line); err != nil {
		s.reply(func() { done(refusal(null, faultOf(err)), nothing) })
		return
	}
	if refused, err := s.charge(line); err != nil {
		s.reply(func() { done(refused, nothing) })
		return
	}
	if jsonedit.Kind(line) == '[' {
		s.batch(ctx, caller, line, done)
		return
	}
	s.begin(ctx, caller, line, done)
}

func nothing() {}

// reply answers beside the reading of further messages, which never waits for
// the client to read: a client that writes without reading would wait for us.
func (s *Conn) reply(answer func()) { s.work.Go(answer) }

// batch begins the messages of a batch. Their answers are sent together, in
// the order of the messages, when the last is there.
func (s *Conn) batch(ctx, caller context.Context, line entry.JSON, done func(entry.JSON, func())) {
	n := jsonedit.Len(line)
	if err := s.batchOf(n); err != nil {
		s.reply(func() { done(refusal(null, faultOf(err)), nothing) })
		return
	}
	var mu sync.Mutex
	answers, afters, left := make([]entry.JSON, n), make([]func(), n), n
	at := 0
	for raw := range jsonedit.Elements(line) {
		place := at
		at++
		s.begin(ctx, caller, raw, func(message entry.JSON, after func()) {
			mu.Lock()
			answers[place], afters[place] = message, after
			left--
			last := left == 0
			mu.Unlock()
			if !last {
				return
			}
			var all jsonedit.Array
			for _, a := range answers {
				if a != nil {
					all.Add(a)
				}
			}
			var answer entry.JSON
			if !all.Empty() {
				answer = all.Value()
			}
			done(answer, func() {
				for _, after := range afters {
					after()
				}
			})
		})
	}
}
