package agent

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// What the agent refuses.
var (
	// ErrBusy: a hook asked for something that moves the session, while the
	// session is on its way already. Ask when the hook has returned.
	ErrBusy = errors.New("agent is on its way to a session")
	// ErrNoSession: the agent has no session: it was not started, or closed.
	ErrNoSession = errors.New("agent has no session")
)

// A Driver is what is asked of a running agent. Its methods are called one after
// the other, by whoever called the [Agent].
type Driver interface {
	// Stop aborts generation and tools and returns when nothing runs any more.
	// When nothing runs it does nothing.
	Stop(ctx context.Context) error
	// Remember notes the driver's session id, messages, model and thinking
	// level, and what else it can be told ([Tiered], [Toolbox], [Located]), and
	// returns what puts them back. It is called when nothing runs.
	Remember() (putBack func())
	// SetSessionID says which session the messages are of from now on.
	SetSessionID(id string)
	// ReplaceMessages makes what the model sees there the whole conversation:
	// the context's Messages, as they are stored, and session.Session.LLM of it,
	// as they are sent. Bodies are read when they are asked for, at any time, and
	// stay what they were when the session goes on or is closed. The context is
	// the driver's from then on; the messages must not be changed.
	ReplaceMessages(ctx context.Context, c *replay.Context) error
	// SetModel chooses the model, one that Models said is available.
	SetModel(ctx context.Context, m replay.Model) error
	// SetThinking chooses the thinking level, one that the model has.
	SetThinking(ctx context.Context, level string) error
}

// A Mode is what the agent works in, such as "plan".
type Mode struct {
	// Name is "none" outside all modes.
	Name string
	// Data is what belongs to it, as stored; nil for nothing.
	Data entry.JSON
}

// Options say what an agent is made of. Only Driver is needed.
type Options struct {
	Driver Driver
	// Connect attaches who listens to the driver's events, such as what appends
	// its messages to the session, and returns what detaches it and waits until
	// it appends no more. nil means nobody listens.
	Connect func() (disconnect func())
	// Hooks are told what happens; nil means nobody is.
	Hooks *Hooks
	// Models says which models there are; nil means all, with all levels.
	Models Models
	// Settings are what holds where a session says nothing.
	Settings Settings
	// Session is how sessions are opened and made. ReadOnly opens all of them to
	// look; Later is not looked at.
	Session session.Options
	// EnterMode enters a mode, "none" to leave one. nil means that there are no
	// modes.
	EnterMode func(ctx context.Context, m Mode) error
	// OnTodos is told the todos of a session that was gone to, and of the one
	// that was gone back to. nil means nobody shows them.
	OnTodos func(Todos)
	// OnDirectory is asked before the agent goes to a session that was recorded in
	// another directory than the one in which the agent works ([Agent.Dir]). It
	// returns the directory to work in from then on; with "" the session is not
	// gone to. What is recorded is the word of whoever wrote the file, and may be
	// any directory, or none. Nobody is asked where it is nil: sessions of omp are
	// then not gone to, those of pi only if the directory exists (see
	// [MissingDirectoryError]), and the agent works on where it does.
	OnDirectory func(ctx context.Context, recorded, current string) (dir string, err error)
	// Notify is told what a person should read, one line at a time. nil means
	// nobody reads.
	Notify func(line string)
	// Compactor is the model that writes summaries; nil means that there is none.
	Compactor Compactor
	// Summarize sums up what is left behind by [Agent.Navigate]; nil means that
	// the Compactor does.
	Summarize Summarizer
}

// An Agent is a running agent with one session. It is safe for concurrent use:
// what moves the session waits for what moves it already, but for a compaction,
// which it ends. Who started it closes
// it.
type Agent struct {
	opt    Options
	turn   chan struct{} // held by who moves the session
	queues Queues

	mu  sync.Mutex
	now place // guarded by mu
	// recovered is the last compaction made because the model refused the
	// conversation; guarded by mu.
	recovered entry.ID
	// halt ends the compaction under way, nil for none; guarded by mu.
	halt func()
	// leavers is how many wait for it to end; guarded by mu.
	leavers int
}

// A place is where an agent is.
type place struct {
	s          *session.Session // nil for nowhere
	dir        string           // in which the agent works, whatever the session says
	visits     *visits
	disconnect func()
	model      *replay.Model // nil when none was chosen
	level      string        // "" when none was chosen
	mode       Mode
	todos      Todos
	tier       entry.JSON // of service, nil for none
	tools      []string   // from outside, nil for the driver's
}

// New returns an agent without a session. [Agent.Start] gives it the first.
func New(o Options) *Agent {
	if o.Settings.ThinkingLevel == "" {
		o.Settings.ThinkingLevel = DefaultThinking
	}
	if o.Models == nil {
		o.Models = allModels{}
	}
	a := &Agent{opt: o, turn: make(chan struct{}, 1), now: place{mode: Mode{Name: noMode}}}
	if o.Summarize == nil && o.Compactor != nil {
		a.opt.Summarize = a.abandoned
	}
	return a
}

const noMode = "none"

// Session returns the session that the agent has, nil when it has none. After a
// switch it is another one, and this one is closed; the agent closes it, too, at
// its end. While session_switch and session_start are told it is the new one
// already, and cannot be written yet.
func (a *Agent) Session() *session.Session { return a.place().s }

// Dir returns the directory in which the agent works: that of [Start], until
// [Options].OnDirectory or [Agent.Move] names another one. It is never taken from a
// session.
func (a *Agent) Dir() string { return a.place().dir }

// Model returns the model that was chosen last, false when none was.
func (a *Agent) Model() (replay.Model, bool) {
	if m := a.place().model; m != nil {
		return *m, true
	}
	return replay.Model{}, false
}

// Thinking returns the thinking level that was chosen last, "" when none was.
func (a *Agent) Thinking() string { return a.place().level }

// Mode returns the mode that the session is in.
func (a *Agent) Mode() Mode { return a.place().mode }

// Todos returns the todos as the session had them when it was gone to.
func (a *Agent) Todos() Todos { return a.place().todos }

// Queues returns the messages that wait for the agent.
func (a *Agent) Queues() *Queues { return &a.queues }

func (a *Agent) place() place {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.now
}

// put changes where the agent is.
func (a *Agent) put(change func(*place)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.now)
}

type moving struct{}

// begin waits for the turn of who wants to move the session. The context that it
// returns is for all that is done in this turn, hooks included.
func (a *Agent) begin(ctx context.Context) (context.Context, func(), error) {
	if ctx.Value(moving{}) == a {
		return nil, nil, ErrBusy
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	return context.WithValue(ctx, moving{}, a), func() { <-a.turn }, nil
}

// attached is begin for what needs a session, which it returns too.
func (a *Agent) attached(ctx context.Context) (context.Context, place, func(), error) {
	ctx, done, err := a.begin(ctx)
	if err != nil {
		return nil, place{}, nil, err
	}
	at := a.place()
	if at.s == nil {
		done()
		return nil, place{}, nil, ErrNoSession
	}
	return ctx, at, done, nil
}

// leaving is attached for what does not wait for a compaction, but ends it.
func (a *Agent) leaving(ctx context.Context) (context.Context, place, func(), error) {
	if ctx.Value(moving{}) == a {
		return nil, place{}, nil, ErrBusy
	}
	a.mu.Lock()
	a.leavers++
	if a.halt != nil {
		a.halt()
	}
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.leavers--
	}()
	return a.attached(ctx)
}

// compacting is attached for a compaction, or what may become one.
func (a *Agent) compacting(ctx context.Context) (context.Context, place, func(), error) {
	ctx, at, done, err := a.attached(ctx)
	if err != nil {
		return nil, place{}, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.halt = cancel; a.leavers > 0 {
		cancel()
	}
	return ctx, at, func() {
		a.mu.Lock()
		a.halt = nil
		a.mu.Unlock()
		cancel()
		done()
	}, nil
}

func (a *Agent) say(line string) {
	if a.opt.Notify != nil && line != "" {
		a.opt.Notify(line)
	}
}

// absolute makes a path what the session makes of it.
func (a *Agent) absolute(path string) string {
	if a.opt.Session.Store != nil {
		return path
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.opt.Session.Env.Cwd, path)
	}
	return filepath.Clean(path)
}

// Close tells session_shutdown, stops the driver, which may still say how that
// ends, and closes the session. It does all of that whatever fails, and also when
// ctx has ended; that only hurries the driver. A ctx that ends meanwhile cuts off
// the handlers of session_shutdown as well. A second Close does nothing.
func (a *Agent) Close(ctx context.Context) error {
	hurried := ctx
	ctx, at, done, err := a.leaving(context.WithoutCancel(ctx))
	if errors.Is(err, ErrNoSession) {
		return nil
	}
	if err != nil {
		return err
	}
	defer done()
	telling, cut := context.WithCancel(ctx)
	defer cut()
	if hurried.Err() == nil {
		defer context.AfterFunc(hurried, cut)()
	}
	a.opt.Hooks.Emit(telling, SessionShutdown{})
	err = a.opt.Driver.Stop(hurried)
	at.disconnect()
	a.put(func(p *place) { p.s = nil })
	return errors.Join(err, at.s.Close())
}
