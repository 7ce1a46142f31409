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

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/recall"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
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
	// Presence says who has which session open for writing; nil means nobody
	// does.
	Presence session.Presence
	// Memory keeps what was found in large sessions; nil means nobody does.
	Memory session.Memory
	// Index keeps what was found in session files, so that only those that
	// changed are read again when sessions are looked for; nil means that all are
	// read. A list has all text of every session: for that all are read.
	Index catalog.Index
	// Poll is how often open sessions are looked at for what others did to
	// them; 0 means once a second, less than 0 never.
	Poll time.Duration

	// History keeps the prompts of the history methods; nil means nobody does.
	// Serve does not close it.
	History *recall.History

	// Undo keeps a record of renames, moves and migrations; nil means nobody.
	Undo session.Recorder

	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Random is where ids come from, safe for concurrent use; nil means
	// crypto/rand.
	Random io.Reader
	// Log is told what no answer can tell; nil means nobody.
	Log *slog.Logger
}

// atOnce is how many calls without a handle are served side by side.
const atOnce = 16

// A server is one connection.
type server struct {
	o     Options
	table map[string]*method
	out   *wire
	work  sync.WaitGroup // calls under way
	slots chan struct{}  // one for each call without a handle

	mu       sync.Mutex
	handles  map[string]*handle // guarded by mu
	last     int                // guarded by mu: the number of the last handle
	pending  map[string][]*call // guarded by mu: calls under way, by id as written
	troubled atomic.Bool        // the index was said not to be used
}

// Serve answers the messages of in on out until in ends, out cannot be written
// or ctx is done. Then it finishes the calls that came (the latter two cancel
// them) and saves and closes every session. It does not close in or out.
//
// The error is that of reading, writing or ctx, joined with those of sessions
// that could not be saved ([session.ErrUnsaved]); nil when all is well.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	calls, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &server{
		o: o, table: index(), slots: make(chan struct{}, atOnce),
		handles: map[string]*handle{}, pending: map[string][]*call{},
	}
	s.out = newWire(calls, out, cancel)
	stop := s.follow(calls)
	err := s.listen(calls, in)
	stop()
	s.work.Wait()
	unsaved := s.closeAll()
	s.out.end()
	if err == nil {
		err = context.Cause(calls)
	}
	return errors.Join(err, unsaved)
}

// listen takes messages until there are no more, or ctx is done. A read that
// never returns is left behind.
func (s *server) listen(ctx context.Context, in io.Reader) error {
	type read struct {
		line jsontext.Value
		err  error
	}
	arrived := make(chan read)
	go func() {
		l := newLines(in)
		for {
			line, err := l.next()
			select {
			case arrived <- read{line, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case r := <-arrived:
			switch {
			case errors.Is(r.err, io.EOF):
				return nil
			case r.err != nil:
				return fmt.Errorf("read messages: %w", r.err)
			}
			s.take(ctx, r.line)
		}
	}
}

// take begins what one line asks for. It does not wait for the client.
func (s *server) take(ctx context.Context, line jsontext.Value) {
	if err := check(line); err != nil {
		s.reply(func() { s.out.send(refusal(null, faultOf(err))) })
		return
	}
	if splice.Kind(line) == '[' {
		s.batch(ctx, line)
		return
	}
	s.begin(ctx, line, func(message jsontext.Value, after func()) {
		if message != nil {
			s.out.send(message)
		}
		after()
	})
}

// reply answers beside the reading of further messages, which never waits for
// the client to read: a client that writes without reading would wait for us.
func (s *server) reply(answer func()) { s.work.Go(answer) }

// batch begins the messages of a batch. Their answers are sent together, in
// the order of the messages, when the last is there.
func (s *server) batch(ctx context.Context, line jsontext.Value) {
	n := splice.Len(line)
	if n == 0 {
		s.reply(func() { s.out.send(refusal(null, faultOf(invalid("a batch without a message")))) })
		return
	}
	var mu sync.Mutex
	answers, afters, left := make([]jsontext.Value, n), make([]func(), n), n
	at := 0
	for raw := range splice.Elements(line) {
		place := at
		at++
		s.begin(ctx, raw, func(message jsontext.Value, after func()) {
			mu.Lock()
			answers[place], afters[place] = message, after
			left--
			last := left == 0
			mu.Unlock()
			if !last {
				return
			}
			var all splice.Array
			for _, a := range answers {
				if a != nil {
					all.Add(a)
				}
			}
			if !all.Empty() {
				s.out.send(all.Value())
			}
			for _, after := range afters {
				after()
			}
		})
	}
}
