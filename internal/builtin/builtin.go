// Package builtin puts the built-in agent together: the models, tools and hooks that
// the settings and a person name, and the session that it goes on with.
//
// It prints nothing. What is wrong with what a person named is an [*Error]; which
// session is meant, and what has to be asked about it, is the room work's to say.
package builtin

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/internal/settings"
	"github.com/cambium-dev/cambium/internal/shellhook"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// Wishes are what a person names of the agent; the zero value leaves all to the
// settings.
type Wishes struct {
	// Model is an id, a part of one, or provider/id, with a thinking level behind a
	// colon; Thinking is the level.
	Model, Thinking string
	// Tools are the names of the tools, nil for the usual ones, "none" for none.
	Tools []string
	// System is what the model is told first, instead of our own; MoreSystem what it is
	// told besides.
	System, MoreSystem string
	// Yes runs everything unasked.
	Yes bool
}

// Options say what an agent is made of. All functions but Keep and Change are needed.
type Options struct {
	Wishes
	Library *work.Library
	// Note is told what is odd about the settings.
	Note func(path, text string)
	// Keep is told which variables hold keys of models, before Environ is asked: the
	// environment of the programs that are started.
	Keep    func(names []string)
	Environ func() []string
	// Tell is told what happens. Approve asks whether a call may be run, nil where nobody
	// can be asked.
	Tell    func(coder.Event)
	Approve func(context.Context, coder.Ask) (coder.Answer, error)
	// Change changes what the coder is made of, if it is not nil.
	Change func(*coder.Options)
	Now    func() time.Time
}

// An Agent is the built-in agent, put together.
type Agent struct {
	Coder  *coder.Coder
	Models *model.Registry
	// Model is the one that the person named, nil for none; Usual is what holds where the
	// session names none; Level is the thinking level that was named, "" for none.
	Model, Usual *replay.Model
	Level        string
	// Path is that of the session, "" in memory, and Dir where the agent works, once it
	// has started.
	Path, Dir string

	lib *work.Library
	set settings.Settings
}

// New makes sense of the wishes and the settings. Nothing is opened yet. The error may
// be an [*Error].
func New(o Options) (*Agent, error) {
	set, err := Settings(o.Library, o.Note)
	if err != nil {
		return nil, err
	}
	b := &Agent{lib: o.Library, set: set, Models: Models(o.Library, set)}
	if o.Keep != nil {
		o.Keep(b.Models.KeyNames())
	}
	if err := b.choose(o.Wishes); err != nil {
		return nil, err
	}
	names := o.Tools
	if len(names) == 1 && names[0] == "none" {
		names = []string{}
	}
	tools, err := coder.Tools(names)
	if err != nil {
		return nil, &Error{What: BadTools, Err: err}
	}
	hooks := &agent.Hooks{}
	opt := coder.Options{
		Hooks:   hooks,
		Session: work.Begin(o.Library), Registry: b.Models, Providers: coder.Providers(o.Now), Tools: tools,
		Settings: agent.Settings{
			Model: b.Usual, ThinkingLevel: cmp.Or(b.Level, set.ThinkingLevel), Compaction: set.Compaction, NoPrune: !set.Prune,
		},
		Retry: retryOf(set.Retry),
		Yes:   o.Yes, Tell: o.Tell, System: o.System, MoreSystem: o.MoreSystem, Approve: o.Approve,
		Environ: o.Environ(), Budgets: set.Budgets, CommandLimit: set.ToolTimeout, Now: o.Now, Jitter: rand.Float64,
	}
	if o.Change != nil {
		o.Change(&opt)
	}
	hooks.Report = func(_ string, err error) { opt.Tell(coder.Notice{Text: err.Error()}) }
	b.Coder = coder.New(opt)
	shellhook.Register(hooks, shellhook.Options{
		Hooks: set.Hooks, Session: b.session, Dir: b.dir, Environ: o.Environ(), Now: o.Now,
	})
	return b, nil
}

func (b *Agent) session() *session.Session { return b.Coder.Agent().Session() }

// dir is where the agent works.
func (b *Agent) dir() string { return cmp.Or(b.Coder.Agent().Dir(), b.lib.Dir) }

// retryOf is what the settings say of retries; a delay of 0 in them is none.
func retryOf(s settings.Retry) coder.Retry {
	r := coder.Retry{Tries: s.Tries, Base: s.BaseDelay, Most: s.MaxDelay}
	if r.Base == 0 || r.Most == 0 {
		r.Most = -1
	}
	return r
}
