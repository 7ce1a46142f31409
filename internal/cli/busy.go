package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// What --if-busy says to do with a session that another program has open.
const (
	busyGo     = "go"     // go on: what each appends is a branch of its own
	busyFollow = "follow" // show what the other appends instead
	busyFork   = "fork"   // do it to a fork
	busyFail   = "fail"   // do nothing
)

func busyWays() []string { return []string{busyGo, busyFollow, busyFork, busyFail} }

// A busy is why a session is not opened to write: others have it open, and the
// user wants something else done then.
type busy struct {
	path   string
	others []session.Holder
}

// Error says who has it open.
func (b *busy) Error() string { return session.Busily(b.others) }

// presence says which sessions this process has open, and who else has.
func (a *app) presence() *state.Presence {
	if a.here == nil {
		a.here = state.NewPresence(state.PresenceOptions{
			Dir: layout.Own(a.env).State, Env: a.env, Terminal: a.device(), Now: a.Now,
		})
	}
	return a.here
}

// ifBusy is the session.Options.IfBusy that --if-busy asks for.
func (a *app) ifBusy() func([]session.Holder) error {
	if a.flags.ifBusy == busyGo {
		return nil
	}
	return func(others []session.Holder) error { return &busy{others: others} }
}

// unlessBusy refuses to do what can be done to no fork, to a session that others
// have open, unless --if-busy says to go on.
func (a *app) unlessBusy(ctx context.Context, path string) error {
	if a.flags.ifBusy == busyGo {
		return nil
	}
	others, err := a.presence().Who(ctx, path, "")
	if err != nil || len(others) == 0 {
		return err
	}
	return a.refused(&busy{path, others})
}

// refused is the error for a session that others have open.
func (a *app) refused(open *busy) error {
	return problem{exit: exitRefused, path: open.path, text: fmt.Sprintf("write session %q: %s", open.path, open.Error()), err: open,
		todo: "leave --if-busy out to go on beside it, or say --if-busy fork or follow"}
}

// openBusy does what --if-busy says with a session that others have open. The
// error is a [*busy] when it is to be followed.
func (a *app) openBusy(ctx context.Context, path string, o session.Options, open *busy) (*session.Session, error) {
	open.path = path
	switch a.flags.ifBusy {
	case busyFollow:
		return nil, open
	case busyFail:
		return nil, a.refused(open)
	}
	s, err := a.openReadAt(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	cwd := s.CWD()
	if err := s.Close(); err != nil {
		return nil, err
	}
	if o.Dir == "" {
		o.Dir = filepath.Dir(path)
	}
	fork, err := session.ForkFrom(ctx, path, cwd, o)
	if err != nil {
		return nil, a.failed(path, err)
	}
	a.note(path, fmt.Sprintf("%s; this is done to a fork of it, %q", open.Error(), fork.Path()))
	return fork, nil
}

// insteadOf goes over to following a session that a command did not open because
// others have it open. Any other error is returned as it is.
func (a *app) insteadOf(ctx context.Context, err error) error {
	var open *busy
	known := problem{}
	if !errors.As(err, &open) || a.flags.ifBusy != busyFollow || errors.As(err, &known) {
		return err
	}
	a.note(open.path, open.Error()+"; nothing is changed, what it appends is shown")
	return a.follow(ctx, open.path, followOptions{})
}

// jsonHolder is one who has a session open for writing, or seems to.
type jsonHolder struct {
	Program  string `json:"program,omitzero"`
	PID      int    `json:"pid,omitzero"`
	Host     string `json:"host,omitzero"`
	Terminal string `json:"terminal,omitzero"`
	Since    string `json:"since,omitzero"`
	Sure     bool   `json:"sure"`
	Why      string `json:"why"`
}
