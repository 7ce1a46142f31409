package shellhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/settings"
	"github.com/cambium-dev/cambium/session"
)

// Options say which commands are run, and with what.
type Options struct {
	// Hooks are the commands, in the order in which they are run.
	Hooks []settings.Hook
	// Session returns the session that the agent has, as agent.Agent.Session
	// does; nil, or a nil session, for none.
	Session func() *session.Session
	// Dir returns where commands run, whatever a session says: the directory in
	// which the agent works, as agent.Agent.Dir does.
	Dir func() string
	// Environ are the variables of commands, as os.Environ gives them, to which
	// CAMBIUM_EVENT and CAMBIUM_SESSION_FILE are added. nil is those of this
	// process that hold no secrets.
	Environ []string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// grace is what a command's handler has beyond the command's own limit, to end
// it and to see that it ended.
const grace = 5 * time.Second

// Register registers the commands on h, whose Limit and Report must be set
// before, and returns what takes them out again. A command that has no limit of
// its own has that of h.
func Register(h *agent.Hooks, o Options) (remove func()) {
	if o.Now == nil {
		o.Now = time.Now
	}
	var all []func()
	for _, hook := range o.Hooks {
		r := &runner{Options: o, hooks: h, hook: hook, limit: hook.Timeout}
		if r.limit <= 0 {
			r.limit = h.Limit
		}
		if r.limit <= 0 {
			r.limit = agent.HookLimit
		}
		all = append(all, h.OnNamed(hook.Event, r.limit+grace, r.handle))
	}
	return func() {
		for _, f := range all {
			f()
		}
	}
}

// A runner runs one command.
type runner struct {
	Options
	hooks *agent.Hooks
	hook  settings.Hook
	limit time.Duration
}

// handle tells the command of an event.
func (r *runner) handle(ctx context.Context, e agent.Event) (agent.Reply, error) {
	ctx, stop := context.WithTimeoutCause(ctx, r.limit, agent.ErrHung)
	defer stop()
	var s *session.Session
	if r.Session != nil {
		s = r.Session()
	}
	dir, file := r.Dir(), ""
	if s != nil {
		file = s.Path()
	}
	p := call{command: r.hook.Command, dir: dir, environ: r.Environ, input: event(e, s, dir)}
	p.more = []string{"CAMBIUM_EVENT=" + agent.Name(e), "CAMBIUM_SESSION_FILE=" + file}
	out, said, err := p.run(ctx)
	var reply agent.Reply
	var odd []string
	if err == nil {
		reply, odd, err = answer(out, e, r.Now().UnixMilli())
	}
	speech := excerpt(said)
	switch {
	case err != nil && speech != "":
		return agent.Reply{}, r.about(fmt.Errorf("%w: %s", err, speech))
	case err != nil:
		return agent.Reply{}, r.about(err)
	case speech != "":
		r.report(e, fmt.Errorf("it says %s", speech))
	}
	if len(odd) > 0 {
		r.report(e, fmt.Errorf("in its answer %s: no such member", strings.Join(odd, ", ")))
	}
	return reply, nil
}

// report tells of what does not keep the answer from counting.
func (r *runner) report(e agent.Event, err error) {
	if r.hooks.Report != nil {
		r.hooks.Report(agent.Name(e), fmt.Errorf("run hook %s: %w", agent.Name(e), r.about(err)))
	}
}

// about says which command an error is of.
func (r *runner) about(err error) error {
	command := r.hook.Command
	if len(command) > 60 {
		command = strings.ToValidUTF8(command[:60], "") + "…"
	}
	return fmt.Errorf("%q: %w", command, err)
}

// excerpt quotes the end of what a command said to people, where the reason
// stands, "" for nothing.
func excerpt(said []byte) string {
	const most = 400
	said = bytes.TrimSpace(said)
	if len(said) == 0 {
		return ""
	}
	if cut := len(said) - most; cut > 0 {
		said = append([]byte("…"), said[cut:]...)
	}
	return fmt.Sprintf("%q", bytes.ToValidUTF8(said, nil))
}

// errTooMuch is the cause of a command that was killed because of what it said.
var errTooMuch = errors.New("it answered with more than 1 MiB and was killed")
