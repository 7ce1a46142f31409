package acp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/coder/acp-go-sdk"
)

// Models knows the models that a client may choose from.
type Models interface {
	// All returns all of them, in the order in which they are offered.
	All() []model.Model
	// Available reports whether one can be used.
	Available(m replay.Model) bool
	// Levels returns the thinking levels of one, none for one that does not think.
	Levels(m replay.Model) []string
}

// Wires connect a coder with the client that its session is for.
type Wires struct {
	// The others are the coder's Options of these names.
	Tell      func(coder.Event)
	Approve   func(context.Context, coder.Ask) (coder.Answer, error)
	Refuse    func(coder.Ask) (why string, anew bool)
	More      coder.Toolbox
	EnterMode func(context.Context, agent.Mode) error
	OnTodos   func(agent.Todos)
}

// Options say what is served. Coder and Models are needed.
type Options struct {
	// Version is the program's own.
	Version string
	// Catalog says where sessions are looked for, Session how they are opened,
	// begun and forked.
	Catalog catalog.Options
	Session session.Options
	// Offline stands before the store of the sessions, and knows when it does not answer;
	// nil means that it always does.
	Offline *offline.Store
	// Coder makes the coder of a session, without a session yet.
	Coder func(Wires) (*coder.Coder, error)
	// Models are what a client may choose from.
	Models Models
	// Model and Level, if they are not nil and "", are chosen in every session
	// that is begun, opened or forked.
	Model *replay.Model
	Level string
	// Environ are the variables of the servers of tools that a client names, as
	// os.Environ gives them, without keys of models.
	Environ []string
	// Page is how many sessions a page of a list has at most; 0 means
	// DefaultPage.
	Page int
	// Log is told what is of no concern to the client, a line at a time, by any
	// goroutine; nil means nobody is.
	Log func(line string)
}

// DefaultPage is how many sessions a page of a list has.
const DefaultPage = 50

// patience is how long the end of a connection waits for what is under way and
// for hooks of the sessions, and drain for a client to read what it is sent.
const (
	patience = 10 * time.Second
	drain    = 2 * time.Second
)

// A server serves one client.
type server struct {
	o       Options
	conn    *acp.Connection
	methods map[string]method
	lines   *lines
	turns   turns

	opening sync.Mutex // held while sessions are opened and closed
	mu      sync.Mutex
	held    map[acp.SessionId]*held // guarded by mu
}

// Serve serves the client that writes to in and reads from out until in ends or
// ctx does. Turns under way are stopped then, and all sessions saved and closed;
// the error is that of a session that could not be saved, else that of ctx or of
// in. Nothing but messages of the protocol is written to out. A read of in that
// waits for more when ctx ends is left behind.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	if o.Page <= 0 {
		o.Page = DefaultPage
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	q := newQueue(out)
	s := &server{o: o, held: map[acp.SessionId]*held{}}
	s.methods = s.table()
	s.lines = newLines(in, q, s)
	s.conn = acp.NewConnection(s.handle, s.lines, s.lines)
	s.conn.SetLogger(slog.New(logger{o.Log}))
	s.lines.begin()
	var err error
	select {
	case <-s.lines.ended:
		err = s.lines.err()
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	q.hurry()
	s.turns.end()
	late, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer stop()
	s.lines.idle(late)
	closed := s.closeAll(late)
	s.lines.release()
	q.close(drain)
	if closed != nil {
		return closed
	}
	return err
}

// closeAll closes every session.
func (s *server) closeAll(ctx context.Context) error {
	s.opening.Lock()
	defer s.opening.Unlock()
	s.mu.Lock()
	all := s.held
	s.held = nil
	s.mu.Unlock()
	errs := make(chan error, len(all))
	for _, h := range all {
		go func() { errs <- h.close(ctx) }()
	}
	var err error
	for range all {
		err = errors.Join(err, <-errs)
	}
	return err
}

// logger passes on what the connection says that went wrong.
type logger struct{ log func(string) }

// Enabled says that warnings and errors are told.
func (logger) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle tells one.
func (l logger) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "raw" { // what the client sent may be anything, and long
			text += ", " + a.Key + " " + a.Value.String()
		}
		return true
	})
	l.log(text)
	return nil
}

// WithAttrs returns l: the connection adds none.
func (l logger) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup returns l: the connection makes none.
func (l logger) WithGroup(string) slog.Handler { return l }
