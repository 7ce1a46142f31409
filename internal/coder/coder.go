package coder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// What a prompt is refused for before anything is appended, and what ends it.
var (
	// ErrBusy: a prompt runs already. Add to the queues of Coder.Agent instead.
	ErrBusy = errors.New("a prompt runs already")
	// ErrNoModel: no model was chosen, by a flag, the session or the settings.
	ErrNoModel = errors.New("no model was chosen")
	// ErrEndless: the model was asked as often as Options.Turns allow and went on
	// calling tools. What it did is in the session; another prompt goes on.
	ErrEndless = errors.New("it goes on calling tools: say something to let it")
	// ErrDetached: the session was taken away while the prompt ran.
	ErrDetached = errors.New("the session was taken away")
)

// A Registry knows the models.
type Registry interface {
	agent.Models
	// Find returns the model with that provider and id.
	Find(provider, id string) (model.Model, bool)
	// Key returns the key for a model, "" when it needs none. The error is for
	// one that is needed and not there.
	Key(m model.Model) (string, error)
}

// Options say what a coder is made of. Session, Registry and Providers are
// needed.
type Options struct {
	// Session is how sessions are opened and made, as for agent.Options.
	Session session.Options
	// Hooks are told what happens to the session; nil means nobody is.
	Hooks *agent.Hooks
	// Registry has the models, Providers who asks them, by protocol.
	Registry  Registry
	Providers map[model.API]provider.Provider
	// Tools are what the model may call; of two of one name the first counts.
	// More has further ones, nil for none, which count where Tools have none of
	// their names; it is asked before each turn and closed by who made it.
	Tools []tool.Tool
	More  Toolbox
	// Settings are what holds where a session says nothing.
	Settings agent.Settings
	// Retry says how often a model is asked again.
	Retry Retry
	// Turns is how often the model is asked for one prompt; 0 means DefaultTurns.
	Turns int
	// Approve is asked before a call of a tool that changes something, one at a
	// time. nil means that nobody can be asked: such calls are refused, and the
	// prompt ends.
	Approve func(ctx context.Context, a Ask) (Answer, error)
	// Yes runs all calls unasked and lets them leave the agent's directory.
	Yes bool
	// Refuse says why a call of a tool that changes something is not run, "" if it
	// may be; nobody is asked about it then, and Yes does not count. anew says that
	// it may be, but that a person is asked whatever was allowed before, by Yes too.
	// nil refuses none.
	Refuse func(a Ask) (why string, anew bool)
	// EnterMode, OnTodos and OnDirectory are those of agent.Options.
	EnterMode   func(ctx context.Context, m agent.Mode) error
	OnTodos     func(agent.Todos)
	OnDirectory func(ctx context.Context, recorded, current string) (dir string, err error)
	// OnContext is told what the model sees in a session that was gone to, or at
	// another place in it: replay.Context.Aside of the context that the coder has.
	OnContext func(*replay.Context)
	// Tell is told what happens, one event after the other, by the goroutine in
	// which it does. It must not call the coder. nil means nobody is.
	Tell func(Event)
	// System replaces the system prompt, MoreSystem is put at its end.
	System, MoreSystem string
	// Budgets are the tokens to think with, for models asked by number.
	Budgets model.Budget
	// Environ are the variables of commands, as os.Environ gives them. It should
	// hold no key of a model: what a command prints is kept in the session.
	Environ []string
	// CommandLimit is how long a command may run; 0 is tool.DefaultLimit.
	CommandLimit time.Duration
	// Now is the clock, asked by several goroutines; nil means time.Now. Wait
	// waits, no longer than ctx lasts, whose error it returns; nil waits by the
	// machine's clock.
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration) error
	// Jitter spreads waiting times: a number from 0 up to 1; nil means 0.5.
	Jitter func() float64
}

// A Toolbox has tools that may change while a session is open.
type Toolbox interface {
	// Tools returns those there are now. It may wait until they are known, no
	// longer than ctx lasts. They are pointers; what is another tool than the one
	// of that name before is another pointer, and asked about again.
	Tools(ctx context.Context) []tool.Tool
}

// Retry says how often a model is asked again that was busy or out of reach.
type Retry struct {
	// Tries is how often it is asked at most; 0 means DefaultTries.
	Tries int
	// Base is the first waiting time, which doubles with each; 0 means
	// DefaultBase. Most is the longest; 0 means DefaultMost, and less no waiting
	// at all but for what the provider asks for. One that asks for more than Most
	// (DefaultMost, where that is less than 0) is not asked again.
	Base, Most time.Duration
}

// DefaultTurns is how often a model is asked for one prompt. One that calls tools
// for ever costs money for ever, and nobody may be looking.
const DefaultTurns = 1000

// Defaults of [Retry].
const (
	DefaultTries = 4
	DefaultBase  = 2 * time.Second
	DefaultMost  = time.Minute
)

// A Coder is the built-in agent. Its session is that of [Coder.Agent], which the
// caller starts and closes. Prompts run one at a time; all methods are safe for
// concurrent use.
type Coder struct {
	opt   Options
	agent *agent.Agent

	// writing is held while something is appended; attached says that it may be.
	writing  sync.Mutex
	attached bool // guarded by writing

	telling sync.Mutex // one event after the other
	asking  sync.Mutex // one question after the other

	mu    sync.Mutex
	tools equipment // guarded by mu; replaced, never changed
	now   mind      // guarded by mu
	run   *run      // guarded by mu; nil when nothing runs
	// compacting is why the session is being compacted, until that is told;
	// guarded by mu.
	compacting agent.CompactReason
}

// A mind is what the driver of an agent remembers.
type mind struct {
	id string
	// context is what the model saw when the session was gone to, until it is
	// read into messages; messages are all that it sees, as stored.
	context  *replay.Context
	messages []entry.JSON
	model    *model.Model // nil when none was chosen
	level    string
	cleaned  Cleaned  // what was told of that last
	unseen   []Unseen // what was told of that last; never changed
	// always are the tools that need not be asked about in this session, as long
	// as it is one of the directory alwaysIn; replaced, never changed.
	always   map[string]bool
	alwaysIn string
}

// A run is a prompt that runs.
type run struct {
	stop context.CancelFunc
	done chan struct{}
}

var _ agent.Driver = (*Coder)(nil)

// New returns a coder whose agent has no session yet.
func New(o Options) *Coder {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	if o.Jitter == nil {
		o.Jitter = func() float64 { return 0.5 }
	}
	o.Retry = o.Retry.filled()
	if o.Turns <= 0 {
		o.Turns = DefaultTurns
	}
	c := &Coder{opt: o, tools: equip(o.Tools)}
	c.agent = agent.New(agent.Options{
		Driver: c, Connect: c.connect, Hooks: o.Hooks, Models: registered{o.Registry}, Settings: o.Settings,
		Compactor: writer{c}, Session: o.Session, Notify: func(line string) { c.tell(Notice{Text: line}) },
		EnterMode: o.EnterMode, OnTodos: o.OnTodos, OnDirectory: o.OnDirectory,
	})
	return c
}

func (r Retry) filled() Retry {
	if r.Tries <= 0 {
		r.Tries = DefaultTries
	}
	if r.Base <= 0 {
		r.Base = DefaultBase
	}
	if r.Most == 0 {
		r.Most = DefaultMost
	}
	return r
}

// patience is the longest time that a provider may ask for.
func (r Retry) patience() time.Duration {
	if r.Most > 0 {
		return r.Most
	}
	return DefaultMost
}

// wait waits by the machine's clock.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Agent returns the agent through which the session moves, and whose queues hold
// what is to be said while a prompt runs.
func (c *Coder) Agent() *agent.Agent { return c.agent }

// connect lets the coder append to the session.
func (c *Coder) connect() (disconnect func()) {
	attach := func(yes bool) {
		c.writing.Lock()
		defer c.writing.Unlock()
		c.attached = yes
	}
	attach(true)
	return func() { attach(false) }
}

// within marks the context of what a prompt itself does.
type within struct{}

// Stop stops the prompt that runs and returns when it has ended. A prompt that
// moves the session itself, to compact it, does not stop itself.
func (c *Coder) Stop(ctx context.Context) error {
	c.mu.Lock()
	r := c.run
	c.mu.Unlock()
	if r == nil || ctx.Value(within{}) == c {
		return nil
	}
	r.stop()
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Remember notes session id, messages, model and thinking level.
func (c *Coder) Remember() (putBack func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.now
	was.messages = slices.Clip(was.messages)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.now = was
	}
}

// SetSessionID says which session the messages are of. What a person always
// allowed was for the one before.
func (c *Coder) SetSessionID(id string) {
	c.put(func(m *mind) {
		if m.id != id {
			m.always, m.unseen = nil, nil
		}
		m.id = id
	})
}

// ReplaceMessages makes what the model sees in a context the conversation.
func (c *Coder) ReplaceMessages(_ context.Context, x *replay.Context) error {
	if c.opt.OnContext != nil {
		c.opt.OnContext(x.Aside())
	}
	c.put(func(m *mind) { m.context, m.messages, m.cleaned = x, nil, Cleaned{} })
	return nil
}

// SetModel chooses the model. The error is for one that the registry does not
// have.
func (c *Coder) SetModel(_ context.Context, m replay.Model) error {
	found, ok := c.opt.Registry.Find(m.Provider, m.ModelID)
	if !ok {
		return fmt.Errorf("find model %q: no such model", m.Provider+"/"+m.ModelID)
	}
	c.put(func(x *mind) { x.model = &found })
	return nil
}

// SetThinking chooses the thinking level.
func (c *Coder) SetThinking(_ context.Context, level string) error {
	c.put(func(m *mind) { m.level = level })
	return nil
}

func (c *Coder) put(change func(*mind)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.now)
}

func (c *Coder) mind() mind {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Model returns the model that is asked, false when none was chosen.
func (c *Coder) Model() (model.Model, bool) {
	if m := c.mind().model; m != nil {
		return *m, true
	}
	return model.Model{}, false
}

// Thinking returns the thinking level that is asked for.
func (c *Coder) Thinking() string { return c.mind().level }
