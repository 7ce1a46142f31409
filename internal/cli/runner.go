package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/internal/settings"
	"github.com/cambium-dev/cambium/internal/shellhook"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// A runner is one run of the built-in agent.
type runner struct {
	a     *app
	o     runOptions
	set   settings.Settings
	reg   *model.Registry
	coder *coder.Coder
	show  *runScreen
	asks  bool // a model is asked
	// hears is told what happens to the session, nil for notes about it; makes
	// says that a new session is made at once, not by the agent.
	hears func(session.Event)
	makes bool

	// model is that of the flag, nil for none; usual is what holds where the
	// session names none; level is that of the flags, "" for none.
	model, usual *replay.Model
	level        string
	path         string // of the session, "" in memory
	dir          string // in which the agent works, once it is known
}

// loadSettings reads the user's settings. What is odd about them is said once.
func loadSettings(a *app) (settings.Settings, error) {
	path := filepath.Join(layout.Own(a.lib.Env).Config, settings.File)
	set, warnings, err := settings.Load(path)
	for _, w := range warnings {
		a.note("", w)
	}
	var wrong *settings.Error
	if errors.As(err, &wrong) {
		return set, problem{exit: exitUsage, path: path, line: wrong.Line, text: wrong.Error(), err: err, todo: "mend the file, or take the member out"}
	}
	if err != nil {
		return set, problem{exit: exitUsage, path: path, text: err.Error(), err: err, todo: "see what is there; without it the defaults hold"}
	}
	return set, nil
}

// registryOf returns the models that the settings and the environment know.
func registryOf(a *app, set settings.Settings) *model.Registry {
	return model.New(set.Providers, a.lib.Env.Getenv)
}

// newRunner makes sense of the flags and the settings. Nothing is opened yet.
// change, if not nil, changes what the coder is made of.
func (a *app) newRunner(o runOptions, change func(*runner, *coder.Options)) (*runner, error) {
	set, err := loadSettings(a)
	if err != nil {
		return nil, err
	}
	r := &runner{a: a, o: o, set: set, reg: registryOf(a, set), show: newRunScreen(a)}
	a.keep(r.reg.KeyNames())
	if err := r.choose(); err != nil {
		return nil, err
	}
	names := o.tools
	if len(names) == 1 && names[0] == "none" {
		names = []string{}
	}
	tools, err := coder.Tools(names)
	if err != nil {
		return nil, usage("--tools: %v", err)
	}
	hooks := &agent.Hooks{}
	opt := coder.Options{
		Hooks:   hooks,
		Session: work.Begin(a.lib), Registry: r.reg, Providers: coder.Providers(a.Now), Tools: tools,
		Settings: agent.Settings{
			Model: r.usual, ThinkingLevel: first(r.level, set.ThinkingLevel), Compaction: set.Compaction, NoPrune: !set.Prune,
		},
		Retry: retryOf(set.Retry),
		Yes:   o.yes, Tell: r.show.tell, System: o.system, MoreSystem: o.appendSystem,
		Environ: a.childEnv(), Budgets: set.Budgets, CommandLimit: set.ToolTimeout, Now: a.Now, Jitter: rand.Float64,
	}
	if a.asks() {
		opt.Approve = r.show.approve
	}
	if change != nil {
		change(r, &opt)
	}
	hooks.Report = func(_ string, err error) { opt.Tell(coder.Notice{Text: err.Error()}) }
	r.coder = coder.New(opt)
	shellhook.Register(hooks, shellhook.Options{
		Hooks: set.Hooks, Session: r.coder.Agent().Session, Dir: func() string { return first(r.coder.Agent().Dir(), a.lib.Dir) }, Environ: a.childEnv(), Now: a.Now,
	})
	return r, nil
}

// retryOf is what the settings say of retries; a delay of 0 in them is none.
func retryOf(s settings.Retry) coder.Retry {
	r := coder.Retry{Tries: s.Tries, Base: s.BaseDelay, Most: s.MaxDelay}
	if r.Base == 0 || r.Most == 0 {
		r.Most = -1
	}
	return r
}

// choose finds the models that the flags and the settings name.
func (r *runner) choose() error {
	for _, name := range []struct {
		text, from string
		into       **replay.Model
	}{{r.set.Model, "the settings' model", &r.usual}, {r.o.model, "--model", &r.model}} {
		if name.text == "" {
			continue
		}
		m, level, err := r.reg.Resolve(name.text)
		var none *model.ResolveError
		if errors.As(err, &none) {
			return problem{exit: exitUsage, text: fmt.Sprintf("%s: %v", name.from, err), err: err, todo: "`cambium run --list-models` lists them"}
		}
		if err != nil {
			return err
		}
		*name.into = &replay.Model{Provider: m.Provider, ModelID: m.ID}
		if level != "" && name.into == &r.model {
			r.level = level
		}
		if level != "" && name.into == &r.usual && r.set.ThinkingLevel == "" {
			r.set.ThinkingLevel = level
		}
	}
	if r.model != nil {
		r.usual = r.model
	}
	if r.usual == nil {
		for _, m := range r.reg.All() {
			if known := (replay.Model{Provider: m.Provider, ModelID: m.ID}); r.reg.Available(known) {
				r.usual = &known
				break
			}
		}
	}
	if r.o.thinking != "" {
		r.level = r.o.thinking
	}
	if r.level == "" {
		return nil
	}
	level, err := coder.Level(r.level, everyLevel{r.reg}, replay.Model{})
	if err != nil {
		return usage("--thinking: %v", err)
	}
	r.level = level
	return nil
}

// everyLevel is a registry whose models have all levels: which one it is to be is
// not known before the session is.
type everyLevel struct{ *model.Registry }

// Levels returns all.
func (everyLevel) Levels(replay.Model) []string { return coder.Levels() }

// usable reports why the model of the flag, or for a new session the usual one,
// cannot be asked, before a session is opened.
func (r *runner) usable() error {
	m := r.model
	if m == nil && !r.o.continues && r.o.resume == "" && r.o.fork == "" {
		m = r.usual
		if m == nil {
			return r.noModel()
		}
	}
	if m == nil {
		return nil
	}
	known, _ := r.reg.Find(m.Provider, m.ModelID)
	if _, err := r.reg.Key(known); err != nil {
		return problem{exit: exitFailed, text: err.Error(), err: err, todo: "`cambium run --list-models` lists those that can be used"}
	}
	return nil
}

// noModelText says that nobody can be asked.
const noModelText = "there is no model that can be used"

// noModel says that nobody can be asked.
func (r *runner) noModel() error {
	return problem{exit: exitFailed, err: coder.ErrNoModel, text: string(r.by()) + ": " + noModelText,
		todo: fmt.Sprintf("set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a server of your own in %q", filepath.Join(layout.Own(r.a.lib.Env).Config, settings.File))}
}

// start opens the session and gives it to the agent.
func (r *runner) start(ctx context.Context) error {
	a := r.a
	r.dir = a.lib.Dir
	s, err := r.open(ctx)
	if err != nil {
		return err
	}
	begin := agent.Start{CWD: r.dir}
	if s != nil {
		if err := r.chooseIn(ctx, s); err != nil {
			return errors.Join(failed(s.Path(), err), s.Close())
		}
		begin.Session = s
	}
	if err := r.coder.Agent().Start(ctx, begin); err != nil {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
		return failed("", err)
	}
	now := r.coder.Agent().Session()
	r.path = now.Path()
	if s == nil && r.asks {
		if err := r.chooseIn(ctx, now); err != nil {
			return errors.Join(failed(r.path, err), r.coder.Agent().Close(ctx))
		}
	}
	if _, ok := r.coder.Model(); !ok && r.asks {
		return errors.Join(r.noModel(), r.coder.Agent().Close(ctx))
	}
	return nil
}

// chooseIn notes in a session what the flags say of model and thinking level.
func (r *runner) chooseIn(ctx context.Context, s *session.Session) error {
	level := r.level
	if level != "" {
		m := r.model
		if m == nil {
			c, err := s.Context(ctx, session.ContextOptions{})
			if err != nil {
				return err
			}
			if m = c.Model; m == nil || !r.reg.Available(*m) {
				m = r.usual
			}
		}
		if m != nil {
			level = agent.Clamp(level, r.reg.Levels(*m))
		}
	}
	return coder.Choose(ctx, s, r.model, level)
}
