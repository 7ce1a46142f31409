package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/internal/builtin"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/run"
	"github.com/cambium-dev/cambium/internal/settings"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// A runner is one run of the built-in agent.
type runner struct {
	a     *app
	o     runOptions
	agent *builtin.Agent
	show  *run.Screen

	coder *coder.Coder    // that of the agent
	reg   *model.Registry // those of the agent
	usual *replay.Model   // what holds where the session names none
	path  string          // of the session, "" in memory

	asks bool // a model is asked
	// hears is told what happens to the session, nil for notes about it; makes
	// says that a new session is made at once, not by the agent.
	hears func(session.Event)
	makes bool
}

// newRunner makes sense of the flags and the settings. Nothing is opened yet.
// change, if not nil, changes what the coder is made of.
func newRunner(a *app, o runOptions, change func(*runner, *coder.Options)) (*runner, error) {
	r := &runner{a: a, o: o, show: run.NewScreen(a.Console)}
	b := builtin.Options{
		Wishes: builtin.Wishes{
			Model: o.model, Thinking: o.thinking, Tools: o.tools, System: o.system, MoreSystem: o.appendSystem, Yes: o.yes,
		},
		Library: a.lib, Note: a.Note, Keep: a.Keep, Environ: a.ChildEnv, Tell: r.show.Tell, Now: a.Now,
	}
	if a.Asks() {
		b.Approve = r.show.Approve
	}
	if change != nil {
		b.Change = func(o *coder.Options) { change(r, o) }
	}
	var err error
	if r.agent, err = builtin.New(b); err != nil {
		return nil, agentTrouble(err)
	}
	r.coder, r.reg, r.usual = r.agent.Coder, r.agent.Models, r.agent.Usual
	return r, nil
}

// which says which session the flags name.
func (r *runner) which() builtin.Which {
	return builtin.Which{
		GoOnOptions: work.GoOnOptions{By: r.by(), Continue: r.o.continues, Resume: r.o.resume, Fork: r.o.fork, Here: r.a.cwd != ""},
		Nowhere:     r.o.nowhere, Asks: r.asks, Makes: r.makes, Hears: r.hears,
	}
}

// usable reports why the model of the flag, or for a new session the usual one,
// cannot be asked, before a session is opened.
func (r *runner) usable() error {
	err := r.agent.Usable(r.which())
	if without(err) {
		return r.noModel()
	}
	return agentTrouble(err)
}

// start opens the session and gives it to the agent.
func (r *runner) start(ctx context.Context) error {
	err := r.agent.Start(ctx, r.which())
	r.path = r.agent.Path
	var stays *builtin.Stays
	switch {
	case err == nil:
		return nil
	case without(err):
		return r.noModel()
	case errors.As(err, &stays):
		return problem.Problem{Exit: problem.ExitRefused, Path: stays.Path, Text: string(r.by()) + ": " + stays.Error(), Todo: "`cambium move` moves it"}
	}
	return notGoneOn(r.a, err)
}

// without reports whether an error means that there is no model.
func without(err error) bool {
	var e *builtin.Error
	return errors.As(err, &e) && e.What == builtin.NoModel
}

// by is the command that goes on with the session.
func (r *runner) by() work.By {
	if r.makes {
		return work.ByChat
	}
	return work.ByRun
}

// noModelText says that nobody can be asked.
const noModelText = "there is no model that can be used"

// noModel says that nobody can be asked.
func (r *runner) noModel() error {
	return problem.Problem{Exit: problem.ExitFailed, Err: coder.ErrNoModel, Text: string(r.by()) + ": " + noModelText,
		Todo: fmt.Sprintf("set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a server of your own in %q", builtin.SettingsFile(r.a.lib))}
}

// agentTrouble says what to do about an error of the built-in agent.
func agentTrouble(err error) error {
	var e *builtin.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.What {
	case builtin.BadSettings:
		p := problem.Problem{Exit: problem.ExitUsage, Path: e.Path, Line: e.Line, Text: e.Error(), Err: err, Todo: "see what is there; without it the defaults hold"}
		var wrong *settings.Error
		if errors.As(err, &wrong) {
			p.Todo = "mend the file, or take the member out"
		}
		return p
	case builtin.UnknownModel:
		from := "--model"
		if e.Settings {
			from = "the settings' model"
		}
		return problem.Problem{Exit: problem.ExitUsage, Text: fmt.Sprintf("%s: %v", from, e.Err), Err: err, Todo: "`cambium run --list-models` lists them"}
	case builtin.BadLevel:
		return problem.Usage("--thinking: %v", e.Err)
	case builtin.BadTools:
		return problem.Usage("--tools: %v", e.Err)
	case builtin.NoKey:
		return problem.Problem{Exit: problem.ExitFailed, Text: e.Error(), Err: err, Todo: "`cambium run --list-models` lists those that can be used"}
	}
	return err
}

// runListModels prints the models.
func runListModels(a *app) error {
	set, err := builtin.Settings(a.lib, a.Note)
	if err != nil {
		return agentTrouble(err)
	}
	return print.Models(a.Console, builtin.Models(a.lib, set))
}

// completeModel offers the models.
func completeModel(a *app) []cobra.Completion {
	if prepare(a) != nil {
		return nil
	}
	set, err := builtin.Settings(a.lib, a.Note)
	if err != nil {
		return nil
	}
	var all []cobra.Completion
	for _, m := range builtin.Models(a.lib, set).All() {
		all = append(all, cobra.CompletionWithDesc(m.Provider+"/"+m.ID, cmp.Or(m.Name, m.ID)))
	}
	return all
}
