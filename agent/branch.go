package agent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
)

// New takes the agent to a new session of the directory in which it works, whose
// parentSession is the one before, if parent says so. The model, the thinking
// level, the service tier and the selected tools stay. It reports false when a hook cancelled it; on an error the agent is
// where it was.
func (a *Agent) New(ctx context.Context, parent bool) (bool, error) {
	ctx, from, done, err := a.leaving(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	if a.opt.Hooks.Emit(ctx, SessionBeforeSwitch{Reason: ForNew}).Cancel {
		return false, nil
	}
	previous, above := from.s.Path(), ""
	if parent {
		above = previous
	}
	t := &target{s: from.s, visits: from.visits}
	if a.sameDirectory(from.dir, from.s.CWD()) {
		t.become = func(ctx context.Context) error {
			_, err := from.s.New(ctx, above)
			return err
		}
	} else if t, err = a.create(ctx, from.dir, above, from.s.Dialect()); err != nil {
		return false, fmt.Errorf("begin new session: %w", err)
	}
	t.wish, t.keep = from.level, true
	if t.own {
		if err := a.read(ctx, t); err != nil {
			return false, errors.Join(fmt.Errorf("begin new session: %w", err), t.s.Close())
		}
	}
	t.announce = SessionSwitch{Reason: ForNew, PreviousSessionFile: previous}
	if err := a.travel(ctx, t); err != nil {
		return false, fmt.Errorf("begin new session: %w", err)
	}
	return true, nil
}

// Fork makes the agent's session a copy of itself, artifacts included, with the
// same leaf; the one before is left as it is. What runs goes on, and the queues
// stay. It reports false when a hook cancelled it, and for a session that is in
// memory only. On an error the agent is where it was.
func (a *Agent) Fork(ctx context.Context) (bool, error) {
	ctx, from, done, err := a.attached(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	if a.opt.Hooks.Emit(ctx, SessionBeforeSwitch{Reason: ForFork}).Cancel || !from.s.Persisted() {
		return false, nil
	}
	if err := from.s.Flush(ctx); err != nil {
		return false, err
	}
	old, _, err := from.s.Fork(ctx)
	if err != nil {
		return false, err
	}
	a.opt.Driver.SetSessionID(from.s.ID())
	a.opt.Hooks.Emit(ctx, SessionSwitch{Reason: ForFork, PreviousSessionFile: old})
	return true, nil
}

// Branch takes the agent to a new session that holds what came before a message
// of the user, and returns that message's text, to be said in another way. It
// reports false when a hook cancelled it. An entry that is no message of the user
// is refused with the published text. On an error the agent is where it was; a
// session that was written until then stays beside it.
func (a *Agent) Branch(ctx context.Context, id entry.ID) (text string, ok bool, err error) {
	ctx, from, done, err := a.leaving(ctx)
	if err != nil {
		return "", false, err
	}
	defer done()
	e, err := from.s.Entry(id)
	if err != nil || e.Kind != entry.Message || e.Role != entry.RoleUser {
		return "", false, &session.Error{Text: "Invalid entry ID for branching", ID: id, Err: err}
	}
	said, err := message.Decode(e.Message())
	if err != nil {
		return "", false, fmt.Errorf("read entry %q: %w", id, err)
	}
	r := a.opt.Hooks.Emit(ctx, SessionBeforeBranch{EntryID: id})
	if r.Cancel {
		return "", false, nil
	}
	if err := a.branch(ctx, from, id, r.SkipConversationRestore); err != nil {
		return "", false, fmt.Errorf("branch session %q: %w", from.s.Path(), err)
	}
	return message.Text(said), true, nil
}

func (a *Agent) branch(ctx context.Context, from place, id entry.ID, skip bool) (err error) {
	t := &target{s: from.s}
	previous := from.s.Path()
	defer a.orBack(ctx, from, t, &err)()
	if err := a.leave(ctx, from, t, NextTurn); err != nil {
		return err
	}
	list := from.s.List()
	if parent := tree.Of(from.s.Tree()).Parent(list.Find(id), tree.Healed); parent >= 0 {
		leaf, _ := list.ID(parent)
		_, err = from.s.SaveBranch(ctx, leaf)
	} else {
		_, err = from.s.New(ctx, previous)
	}
	if err != nil {
		return err
	}
	a.opt.Driver.SetSessionID(from.s.ID())
	a.opt.Hooks.Emit(ctx, SessionBranch{PreviousSessionFile: previous})
	return a.refill(ctx, t, skip)
}

// refill gives the driver the messages at the leaf, unless they are to stay, and
// connects it again, if it was disconnected.
func (a *Agent) refill(ctx context.Context, t *target, skip bool) error {
	if !skip {
		c, err := t.s.Context(ctx, session.ContextOptions{})
		if err != nil {
			return err
		}
		if err := a.opt.Driver.ReplaceMessages(ctx, c); err != nil {
			return fmt.Errorf("replace messages: %w", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !t.quiet {
		a.connect()
	}
	return nil
}

// Rename names the session, as session.Session.Rename does.
func (a *Agent) Rename(ctx context.Context, name string, t session.Title) (bool, error) {
	ctx, at, done, err := a.attached(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	return at.s.Rename(ctx, name, t)
}

// Move makes the session one of another working directory, as
// session.Session.Move does, in which the agent works from then on. What runs goes
// on.
func (a *Agent) Move(ctx context.Context, cwd string) error {
	ctx, at, done, err := a.attached(ctx)
	if err != nil {
		return err
	}
	defer done()
	if !filepath.IsAbs(cwd) {
		cwd = filepath.Join(a.opt.Session.Env.Cwd, cwd)
	}
	if err := at.s.Move(ctx, cwd); err != nil {
		return err
	}
	a.put(func(p *place) { p.dir = filepath.Clean(cwd) })
	return nil
}
