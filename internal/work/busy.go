package work

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/presence"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

// A Way says what to do with a session that another program has open.
type Way string

// The ways.
const (
	Ask    Way = ""       // ask, where others are on other machines; else go on
	Go     Way = "go"     // go on: what each appends is a branch of its own
	Follow Way = "follow" // show what the other appends instead
	Fork   Way = "fork"   // do it to a fork
	Fail   Way = "fail"   // do nothing
	Take   Way = "take"   // take it from who has it open
)

// Ways are those that can be said.
func Ways() []Way { return []Way{Go, Follow, Fork, Take, Fail} }

// A Busy is why a session is not opened to write: others have it open, and the
// person wants something else done then.
type Busy struct {
	Path   string
	Others []presence.Holder
	// Way is what the options say to do. Follow says that the session is to be
	// followed instead; else it is left.
	Way    Way
	Follow bool
}

// Error says what is not done, and who has it open.
func (b *Busy) Error() string { return fmt.Sprintf("write session %q: %s", b.Path, b.Holders()) }

// Holders says who has it open.
func (b *Busy) Holders() string { return session.Busily(b.Others) }

// ifBusy is the session.Options.IfBusy that the options ask for.
func (l *Library) ifBusy() func([]presence.Holder) error {
	if l.GoesBeside() || l.IfBusy == Take {
		return nil // what is taken, is taken by opening
	}
	return func(others []presence.Holder) error { return &Busy{Others: others} }
}

// UnlessBusy refuses to do what can be done to no fork, to a session that others
// have open, unless the options say to go on.
func (l *Library) UnlessBusy(ctx context.Context, path string) error {
	if l.GoesBeside() {
		return nil
	}
	others, err := l.Who(ctx, path)
	if err != nil || len(others) == 0 {
		return err
	}
	return &Busy{Path: path, Others: others, Way: l.IfBusy}
}

// mayLeave sees that a session is not taken from its place under another program that
// has it open: that would go on at the old place, in a file without a header. It asks
// where it can; elsewhere the options have to say go. Cambium itself follows a session
// that is moved, and of who only seems to have written lately it is noted.
func (l *Library) mayLeave(ctx context.Context, path, what string) error {
	others, err := l.Who(ctx, path)
	if err != nil || len(others) == 0 {
		return err
	}
	open := &Busy{Path: path, Others: others, Way: l.IfBusy}
	strange := slices.ContainsFunc(others, func(h presence.Holder) bool { return h.Program != state.Program })
	known := slices.ContainsFunc(others, func(h presence.Holder) bool { return h.Program != state.Program && h.PID > 0 })
	switch way := l.IfBusy; {
	case way == Go, way == Take, way == Ask && !strange && l.Shared == nil:
	case way != Ask, known && !l.front.asks() && l.Shared == nil:
		return open
	case l.front.asks():
		l.note(path, open.Holders())
		yes, err := l.front.Leave(ctx, open, what)
		if err == nil && !yes {
			err = open
		}
		return err
	}
	text := open.Holders()
	if strange && l.Shared == nil {
		text += "; what it appends at the old place `cambium undo` and `cambium doctor` unite with the session"
	}
	l.note(path, text)
	return nil
}

// GoesBeside reports whether a session is gone on with whoever has it open.
func (l *Library) GoesBeside() bool {
	return l.IfBusy == Go || l.IfBusy == Ask && (l.Shared == nil || !l.front.asks())
}

// askBusy asks what is to be done with a session that others have open, if the
// options do not say, and has it done to all sessions from then on.
func (l *Library) askBusy(ctx context.Context, open *Busy) error {
	if l.IfBusy != Ask {
		return nil
	}
	l.note(open.Path, open.Holders())
	way, err := l.front.Way(ctx, open)
	if err == nil {
		l.IfBusy = way
	}
	return err
}

// Who returns who has the session at a path open: as the shared store knows it, or
// this machine.
func (l *Library) Who(ctx context.Context, path string) ([]presence.Holder, error) {
	if l.Shared == nil {
		return l.Presence().Who(ctx, path, "")
	}
	all, _, err := powers.Holders(ctx, l.Shared.Store, path)
	return holders(all), err
}

// holders are those that a shared store knows.
func holders(all []storage.Holder) []presence.Holder {
	var list []presence.Holder
	for _, h := range all {
		list = append(list, session.HolderOf(h))
	}
	return list
}

// WhoHas looks once at who has which session open and returns what knows it by
// path, and by what a listing saw of its file, if it did. A shared store that cannot
// say knows nobody.
func (l *Library) WhoHas(ctx context.Context) func(path string, seen *catalog.FileState) []presence.Holder {
	if l.Shared == nil {
		view := l.Presence().View(ctx)
		return func(path string, seen *catalog.FileState) []presence.Holder {
			if seen != nil && view.Idle(&state.Glance{Path: path, Dev: seen.Dev, Ino: seen.Ino, ModTime: seen.ModTime, Beside: seen.Beside}) {
				return nil
			}
			return view.Who(path)
		}
	}
	all, err := powers.Survey(ctx, l.Shared.Store)
	if err != nil {
		return func(string, *catalog.FileState) []presence.Holder { return nil }
	}
	return func(path string, _ *catalog.FileState) []presence.Holder { return holders(all[path]) }
}

// Holder says who this process is to the machines that share a store.
func (l *Library) Holder() storage.Holder {
	host, _ := os.Hostname() // "" is as good as any
	if name := cmp.Or(l.Env.Getenv("USER"), l.Env.Getenv("LOGNAME")); name != "" {
		host = name + "@" + host
	}
	return storage.Holder{Host: host, PID: os.Getpid(), Terminal: l.Terminal}
}

// openBusy does what the options say with a session that others have open. The
// error is a [*Busy] when it is to be followed, or left.
func (l *Library) openBusy(ctx context.Context, path string, o session.Options, open *Busy) (*session.Session, error) {
	open.Path = path
	if err := l.askBusy(ctx, open); err != nil {
		return nil, err
	}
	open.Way = l.IfBusy
	switch l.IfBusy {
	case Follow:
		open.Follow = true
		return nil, open
	case Fail:
		return nil, open
	case Go, Take:
		o.IfBusy, o.TakeOver = nil, l.IfBusy == Take
		s, err := session.Open(ctx, path, o)
		if err != nil {
			return nil, opening(path, err)
		}
		return s, nil
	}
	s, err := l.OpenReadAt(ctx, path, nil)
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
		return nil, saving(path, err)
	}
	l.note(path, fmt.Sprintf("%s; this is done to a fork of it, %q", open.Holders(), fork.Path()))
	return fork, nil
}

// OpenBeside opens a session that others have open, as the options say. The error
// is a [*Busy] when it is to be followed, or left.
func (l *Library) OpenBeside(ctx context.Context, path string, others []presence.Holder) (*session.Session, error) {
	return l.openBusy(ctx, path, l.Session(), &Busy{Path: path, Others: others, Way: l.IfBusy})
}
