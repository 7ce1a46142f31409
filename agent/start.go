package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/session"
)

// Start says what an agent begins with: the session at Path, else Session, else
// a new one.
type Start struct {
	// Path is a session to go on with.
	Path string
	// Session is one that is open already, such as a fork or one in memory. It
	// is the agent's from then on, unless there is an error.
	Session *session.Session
	// CWD is the directory in which the agent works, whatever the session says,
	// and that of a new session; "" is that of Options.Session.
	CWD string
}

// Start gives the agent its first session, on the same road as Switch:
// session_start is told in the place of session_switch, and the mode is restored
// in the same way. On an error the agent has none.
func (a *Agent) Start(ctx context.Context, o Start) error {
	ctx, done, err := a.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	if a.place().s != nil {
		return errors.New("start agent: it has a session already")
	}
	t, err := a.first(ctx, o)
	if err != nil {
		return err
	}
	if err := a.travel(ctx, t); err != nil {
		return fmt.Errorf("start agent: %w", err)
	}
	return nil
}

func (a *Agent) first(ctx context.Context, o Start) (t *target, err error) {
	reason := ForResume
	cwd := o.CWD
	if cwd == "" {
		cwd = a.opt.Session.Env.Cwd
	}
	switch {
	case o.Path != "":
		t, err = a.open(ctx, a.absolute(o.Path))
	case o.Session != nil:
		t = &target{s: o.Session}
		err = a.read(ctx, t)
	default:
		reason = ForStartup
		t, err = a.create(ctx, cwd, "", a.opt.Session.Dialect)
	}
	if err != nil {
		return nil, err
	}
	t.announce, t.dir = SessionStart{Reason: reason}, cwd
	return t, nil
}

// create makes a new session.
func (a *Agent) create(ctx context.Context, cwd, parent string, rules dialect.Name) (*target, error) {
	o, v := a.options()
	o.Later, o.Parent, o.Dialect = false, parent, rules
	s, err := session.Create(ctx, cwd, o)
	if err != nil {
		return nil, err
	}
	t := &target{s: s, visits: v, own: true}
	if err := a.read(ctx, t); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return t, nil
}
