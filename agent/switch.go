package agent

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/session"
)

// Switch takes the agent to the session at path, and reports whether it did: a
// hook may have cancelled it, or its directory may not be wanted. A path at which there is no file, or an empty one,
// becomes a new session there, as session.Open says.
//
// What hooks, the driver and a screen can observe happens in the published order
// (P3): session_before_switch; disconnected; stopped; queues cleared; flushed;
// session, its id and its tools set; session_switch; messages, model, thinking
// level, service tier, mode and todos restored; connected. The target is opened and read whole before
// anything is given up, and written last: its migration, the end of a turn of omp
// that was cut off, the thinking level of a branch that has none, the note of its
// use.
//
// On an error the agent is where it was, its leaf, queues and messages included,
// and Options.EnterMode and OnTodos were told to go back. Only what was running
// is stopped. A hook that was told session_switch is not told otherwise.
func (a *Agent) Switch(ctx context.Context, path string) (bool, error) {
	ctx, from, done, err := a.leaving(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	path = a.absolute(path)
	if a.opt.Hooks.Emit(ctx, SessionBeforeSwitch{Reason: ForResume, TargetSessionFile: path}).Cancel {
		return false, nil
	}
	t, err := a.look(ctx, from, path)
	if err != nil {
		return false, err
	}
	if ok, err := a.mayWork(ctx, from, t); !ok || err != nil {
		return false, err
	}
	t.announce = SessionSwitch{Reason: ForResume, PreviousSessionFile: from.s.Path()}
	if err := a.travel(ctx, t); err != nil {
		return false, fmt.Errorf("switch to session %q: %w", path, err)
	}
	return true, nil
}

// look opens and reads a target without writing.
func (a *Agent) look(ctx context.Context, from place, path string) (*target, error) {
	if path == from.s.Path() {
		// It is read when it is still; now it must only be legible.
		_, err := from.s.Context(ctx, session.ContextOptions{})
		return &target{s: from.s, visits: from.visits}, err
	}
	return a.open(ctx, path)
}

// open opens and reads a session that is not in use.
func (a *Agent) open(ctx context.Context, path string) (*target, error) {
	o, v := a.options()
	s, err := session.Open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	t := &target{s: s, visits: v, own: true}
	if err := a.read(ctx, t); err != nil {
		_ = s.Close() // nothing was written
		return nil, err
	}
	return t, nil
}
