package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

// What --if-busy says to do with a session that another program has open.
const (
	busyGo     = "go"     // go on: what each appends is a branch of its own
	busyFollow = "follow" // show what the other appends instead
	busyFork   = "fork"   // do it to a fork
	busyFail   = "fail"   // do nothing
	busyTake   = "take"   // take it from who has it open
	busyAsk    = ""       // ask, where others are on other machines; else go on
)

func busyWays() []string { return []string{busyGo, busyFollow, busyFork, busyTake, busyFail} }

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
	if a.goesBeside() || a.flags.ifBusy == busyTake {
		return nil // what is taken, is taken by opening
	}
	return func(others []session.Holder) error { return &busy{others: others} }
}

// unlessBusy refuses to do what can be done to no fork, to a session that others
// have open, unless --if-busy says to go on.
func (a *app) unlessBusy(ctx context.Context, path string) error {
	if a.goesBeside() {
		return nil
	}
	others, err := a.who(ctx, path)
	if err != nil || len(others) == 0 {
		return err
	}
	return a.refused(&busy{path, others})
}

// refused is the error for a session that others have open.
func (a *app) refused(open *busy) error {
	todo := "leave --if-busy out to go on beside it, or say --if-busy fork or follow"
	if a.flags.ifBusy == busyAsk {
		todo = "say --if-busy go to do it all the same"
	}
	return problem{exit: exitRefused, path: open.path, text: fmt.Sprintf("write session %q: %s", open.path, open.Error()), err: open, todo: todo}
}

// goesBeside reports whether a session is gone on with whoever has it open.
func (a *app) goesBeside() bool {
	return a.flags.ifBusy == busyGo || a.flags.ifBusy == busyAsk && (a.shared == nil || !a.asks())
}

// askBusy asks what is to be done with a session that others have open, if the
// command line did not say, and has it done to all sessions of this command.
func (a *app) askBusy(ctx context.Context, open *busy) error {
	if a.flags.ifBusy != busyAsk {
		return nil
	}
	a.note(open.path, open.Error())
	for {
		text, err := a.ask(ctx, "Go on beside it (g), fork it (f), follow it (w), take it over (t), or leave it (l)?", "l")
		if err != nil {
			return err
		}
		way, ok := map[string]string{"g": busyGo, "go": busyGo, "f": busyFork, "fork": busyFork, "w": busyFollow, "follow": busyFollow,
			"t": busyTake, "take": busyTake, "l": busyFail, "leave": busyFail, "": busyFail}[strings.ToLower(text)]
		if ok {
			a.flags.ifBusy = way
			return nil
		}
	}
}

// who returns who has the session at a path open: as the shared store knows it, or
// this machine.
func (a *app) who(ctx context.Context, path string) ([]session.Holder, error) {
	if a.shared == nil {
		return a.presence().Who(ctx, path, "")
	}
	all, _, err := storage.Holders(ctx, a.shared.Store, path)
	return told(all), err
}

// told are holders that a shared store knows.
func told(all []storage.Holder) []session.Holder {
	var list []session.Holder
	for _, h := range all {
		list = append(list, session.HolderOf(h))
	}
	return list
}

// whoHas looks once at who has which session open and returns what knows it by
// path, and by what a listing saw of its file, if it did. A shared store that cannot
// say knows nobody.
func (a *app) whoHas(ctx context.Context) func(path string, seen *catalog.Seen) []session.Holder {
	if a.shared == nil {
		view := a.presence().View(ctx)
		return func(path string, seen *catalog.Seen) []session.Holder {
			if seen != nil && view.Idle(&state.Glance{Path: path, Dev: seen.Dev, Ino: seen.Ino, ModTime: seen.ModTime, Beside: seen.Beside}) {
				return nil
			}
			return view.Who(path)
		}
	}
	all, err := storage.Survey(ctx, a.shared.Store)
	if err != nil {
		return func(string, *catalog.Seen) []session.Holder { return nil }
	}
	return func(path string, _ *catalog.Seen) []session.Holder { return told(all[path]) }
}

// holder says who this process is to the machines that share a store.
func (a *app) holder() storage.Holder {
	host, _ := os.Hostname() // "" is as good as any
	if name := first(a.env.Getenv("USER"), a.env.Getenv("LOGNAME")); name != "" {
		host = name + "@" + host
	}
	return storage.Holder{Host: host, PID: os.Getpid(), Terminal: a.device()}
}

// openBusy does what --if-busy says with a session that others have open. The
// error is a [*busy] when it is to be followed.
func (a *app) openBusy(ctx context.Context, path string, o session.Options, open *busy) (*session.Session, error) {
	open.path = path
	if err := a.askBusy(ctx, open); err != nil {
		return nil, err
	}
	switch a.flags.ifBusy {
	case busyFollow:
		return nil, open
	case busyFail:
		return nil, a.refused(open)
	case busyGo, busyTake:
		o.IfBusy, o.TakeOver = nil, a.flags.ifBusy == busyTake
		s, err := session.Open(ctx, path, o)
		if err != nil {
			return nil, a.trouble(path, err)
		}
		return s, nil
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
