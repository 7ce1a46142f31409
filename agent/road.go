package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// A target is where the agent is to go.
type target struct {
	s      *session.Session
	visits *visits
	plan   plan
	// own says that the session is that of this target alone: it is closed when
	// the agent does not get there.
	own bool
	// quiet says that the driver asks for it itself, between two turns: it is not
	// stopped, and nobody is disconnected.
	quiet bool
	// wish is the thinking level of a branch that names none, "" for that of the
	// settings.
	wish string
	// become makes the session another one, nil where s is that one already.
	become func(context.Context) error
	// dir is the directory to work in, "" for the one before.
	dir string
	// keep says that what a new session does not say stays as it is, and is
	// written.
	keep bool
	// announce is told once the context is there.
	announce Event

	// was is where the session left behind was, once the agent is disconnected;
	// putBack and requeue put the driver's state and the queues back, once they
	// are noted.
	was     *session.State
	putBack func()
	requeue func()
}

// A plan is all that is read from a session before the agent gets it.
type plan struct {
	context *replay.Context
	model   *replay.Model // nil leaves the driver's
	said    string
	level   string
	add     bool // the level is to be appended
	mode    Mode
	todos   Todos
	tier    entry.JSON
	tools   []string
	cut     entry.Body // the end of a turn that was cut off, nil for none
}

// read makes the plan of a session that nobody writes to.
func (a *Agent) read(ctx context.Context, t *target) error {
	c, err := t.s.Context(ctx, session.ContextOptions{})
	if err != nil {
		return fmt.Errorf("read session %q: %w", t.s.Path(), err)
	}
	at := a.place()
	p := plan{context: c, mode: Mode{Name: c.Mode, Data: c.ModeData}}
	wanted, err := candidates(t.s, c)
	if err != nil {
		return fmt.Errorf("read session %q: %w", t.s.Path(), err)
	}
	p.model, p.said = a.chooseModel(wanted, at.model == nil)
	model := p.model
	if model == nil {
		model = at.model
	}
	wish := t.wish
	if wish == "" {
		wish = a.opt.Settings.ThinkingLevel
	}
	p.level, p.add = a.chooseLevel(t.s, c, model, wish)
	p.tier, p.tools = a.chooseTier(t, c), a.chooseTools(t, c)
	if p.cut, err = a.interrupted(t.s, model); err != nil {
		return fmt.Errorf("read session %q: %w", t.s.Path(), err)
	}
	if p.todos, err = a.todosOf(t.s); err != nil {
		return fmt.Errorf("read todos of %q: %w", t.s.Path(), err)
	}
	t.plan = p
	return nil
}

// travel takes the agent to a target, in the published order (P3). On an error
// it is where it was.
func (a *Agent) travel(ctx context.Context, t *target) (err error) {
	from := a.place()
	back := a.remember(from, t)
	defer func() {
		if err != nil {
			err = errors.Join(err, back(context.WithoutCancel(ctx)))
		}
	}()
	if from.s != nil {
		if err := a.leave(ctx, from, t, Steering, FollowUp, NextTurn); err != nil {
			return err
		}
	}
	if err := a.set(ctx, from, t); err != nil {
		return err
	}
	if err := a.restore(ctx, t); err != nil {
		return err
	}
	if err := a.settle(ctx, t); err != nil {
		return err
	}
	a.connect()
	a.say(t.plan.said)
	if from.s == nil || from.s == t.s {
		return nil
	}
	if err := from.s.Close(); err != nil {
		a.say(fmt.Sprintf("The session before was not closed well: %v", err))
	}
	return nil
}

// remember returns what puts back all that travelling has changed by then. What a
// running agent changes itself is noted when it is still, by leave.
// What fails on the way back is returned, and the rest is put back all the same.
func (a *Agent) remember(from place, t *target) (back func(context.Context) error) {
	if from.s == nil {
		t.putBack = a.opt.Driver.Remember()
	}
	return func(ctx context.Context) error {
		now := a.place()
		var errs []error
		if from.s == t.s && t.was != nil {
			errs = append(errs, from.s.Restore(ctx, *t.was))
		}
		if t.putBack != nil {
			t.putBack()
		}
		if t.requeue != nil {
			t.requeue()
		}
		a.put(func(p *place) { *p = from })
		if now.mode.Name != from.mode.Name || string(now.mode.Data) != string(from.mode.Data) {
			errs = append(errs, a.enterMode(ctx, from.mode))
		}
		if now.todos.From != from.todos.From || string(now.todos.JSON) != string(from.todos.JSON) {
			a.showTodos(from.todos)
		}
		if from.s != nil && !t.quiet {
			a.connect()
		}
		if t.own {
			errs = append(errs, t.s.Close())
		}
		return errors.Join(errs...)
	}
}

// leave ends what the agent does with its session, and clears queues.
func (a *Agent) leave(ctx context.Context, from place, t *target, which ...Lane) error {
	if !t.quiet {
		from.disconnect()
	}
	was := from.s.Capture()
	t.was = &was
	if !t.quiet {
		if err := a.opt.Driver.Stop(ctx); err != nil {
			return fmt.Errorf("stop agent: %w", err)
		}
	}
	t.putBack = a.opt.Driver.Remember()
	t.requeue = a.queues.clear(which...)
	return from.s.Flush(ctx)
}

// set gives the agent the target's session, its id, and its context, and
// announces it. A target that is the present file is read again: what was
// flushed, and what others wrote, is in it now.
func (a *Agent) set(ctx context.Context, from place, t *target) error {
	if from.s != nil && from.s.ID() == t.s.ID() {
		become := t.become
		if become == nil && t.s.OnDisk() {
			become = func(ctx context.Context) error { return t.s.Switch(ctx, t.s.Path()) }
		}
		if become != nil {
			if err := become(ctx); err != nil {
				return err
			}
		}
		if err := a.read(ctx, t); err != nil {
			return err
		}
	}
	a.put(func(p *place) {
		p.s, p.visits = t.s, t.visits
		if t.dir != "" {
			p.dir = t.dir
		}
	})
	a.opt.Driver.SetSessionID(t.s.ID())
	if err := a.equip(ctx, t); err != nil {
		return err
	}
	if t.announce != nil {
		a.opt.Hooks.Emit(ctx, t.announce)
	}
	return ctx.Err()
}

// restore gives the driver what the target's session says.
func (a *Agent) restore(ctx context.Context, t *target) error {
	if err := a.opt.Driver.ReplaceMessages(ctx, t.plan.context); err != nil {
		return fmt.Errorf("replace messages: %w", err)
	}
	if err := a.setModel(ctx, t.plan.model); err != nil {
		return err
	}
	if err := a.setThinking(ctx, t.plan.level); err != nil {
		return err
	}
	if err := a.setTier(ctx, t.plan.tier); err != nil {
		return err
	}
	if err := a.enterMode(ctx, t.plan.mode); err != nil {
		return err
	}
	a.showTodos(t.plan.todos)
	return ctx.Err()
}

// settle writes what going to a session writes. Nothing else can fail after it.
func (a *Agent) settle(ctx context.Context, t *target) error {
	if err := t.s.StartWriting(ctx); err != nil {
		return err
	}
	if !t.s.ReadOnly() {
		if err := a.appendState(ctx, t); err != nil {
			return err
		}
	}
	t.visits.release()
	return nil
}

func (a *Agent) enterMode(ctx context.Context, m Mode) error {
	a.put(func(p *place) { p.mode = m })
	if a.opt.EnterMode == nil {
		return nil
	}
	if err := a.opt.EnterMode(ctx, m); err != nil {
		return fmt.Errorf("enter mode %q: %w", m.Name, err)
	}
	return nil
}

func (a *Agent) showTodos(t Todos) {
	a.put(func(p *place) { p.todos = t })
	if a.opt.OnTodos != nil {
		a.opt.OnTodos(t)
	}
}

// connect attaches who listens to the driver.
func (a *Agent) connect() {
	disconnect := func() {}
	if a.opt.Connect != nil {
		if d := a.opt.Connect(); d != nil {
			disconnect = d
		}
	}
	a.put(func(p *place) { p.disconnect = disconnect })
}
