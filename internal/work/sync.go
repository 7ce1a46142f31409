package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/secret"
	"github.com/cambium-dev/cambium/layout"
)

// A Fault is what is wrong with what is named to be united with.
type Fault int

// The faults.
const (
	// Unnamed: nothing is named.
	Unnamed Fault = iota
	// Senseless: it is no store and no directory; it may hold a password.
	Senseless
	// Unknown: no kind of store has that name.
	Unknown
	// Unopened: it cannot be opened.
	Unopened
	// NoDirectory: it is none.
	NoDirectory
	// Unfit: it is a directory of the sessions here, or one that much else is in.
	Unfit
)

// A SideError is for something that the sessions here cannot be united with.
type SideError struct {
	Fault Fault
	// Name is what was named, without a password; of a kind of store that is unknown
	// its scheme.
	Name string
	Err  error
}

// Error says what is wrong.
func (e *SideError) Error() string {
	switch e.Fault {
	case Unnamed:
		return "sync: no store is named"
	case Senseless:
		return "sync: what is named is no store and no directory"
	case Unknown:
		return fmt.Sprintf("sync: no kind of store is called %q", e.Name)
	case Unopened:
		return fmt.Sprintf("sync: open directory %q: %v", e.Name, e.Err)
	case NoDirectory:
		return fmt.Sprintf("sync: %q is no directory", e.Name)
	}
	return fmt.Sprintf("sync: %q %v", e.Name, e.Err)
}

// Unwrap returns the cause, if there is one.
func (e *SideError) Unwrap() error { return e.Err }

// A Side is what the sessions here are united with.
type Side struct {
	exchange.Side
	// Waits says why something that waited for it on this machine waits still.
	Waits error
	// Close closes it.
	Close func()
}

// Side opens what name says: a shared store or a directory; "" is the store of the
// options. What waited for it on this machine is sent, or with dry noted. The error may
// be a [*SideError].
func (l *Library) Side(ctx context.Context, name string, dry bool) (*Side, error) {
	if name == "" {
		name = l.Store
		if dir, ok := strings.CutPrefix(name, "file://"); ok && l.SessionDir == dir {
			l.SessionDir = "" // it was taken for the place of the sessions here
		}
	}
	if name == "" {
		return nil, &SideError{Fault: Unnamed}
	}
	scheme, dir, ok := strings.Cut(name, "://")
	switch {
	case ok && scheme != "file":
		return l.sharedSide(ctx, scheme, name, dry)
	case ok:
		name = dir
	}
	name = l.Absolute(name)
	said := secret.Spoken(name) // it may be a URL that is mistyped
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, &SideError{Unopened, said, Cause(err)}
	case !info.IsDir():
		return nil, &SideError{Fault: NoDirectory, Name: said}
	}
	if err := l.ownPlace(name); err != nil {
		return nil, &SideError{Unfit, said, err}
	}
	return &Side{Side: exchange.Directory(name), Close: func() {}}, nil
}

// sharedSide opens a shared store to be united with.
func (l *Library) sharedSide(ctx context.Context, scheme, url string, dry bool) (*Side, error) {
	switch {
	case Openers()[scheme] != nil:
	case strings.ContainsAny(scheme, ":@"): // there may be a password in it
		return nil, &SideError{Fault: Senseless}
	default:
		return nil, &SideError{Fault: Unknown, Name: scheme}
	}
	l.Makes = !dry
	s, err := l.Reach(ctx, Wordless()[scheme], url)
	if err != nil {
		return nil, &Error{Reaching, "", err}
	}
	return &Side{
		Side: exchange.Shared(s.Key, s.Store, s.Blobs), Waits: l.sendBefore(ctx, s, dry),
		Close: func() { _ = s.Close() }, // all was acknowledged
	}, nil
}

// ownPlace says why a directory is none to unite the sessions here with: it is
// theirs, or one that much else is in; nil if it is a good one.
func (l *Library) ownPlace(dir string) error {
	dir = whole(dir)
	if dir == filepath.Dir(dir) {
		return errors.New("is the root of the file system")
	}
	if l.Env.Home != "" && dir == whole(l.Env.Home) {
		return errors.New("is the home directory")
	}
	within := func(path, dir string) bool {
		rel, err := filepath.Rel(dir, path)
		return err == nil && filepath.IsLocal(rel)
	}
	for _, agent := range places.Names() {
		place := places.For(agent, l.Env, layout.Overrides{AgentDir: l.AgentDir, SessionDir: l.SessionDir})
		for _, root := range append(place.Roots(), place.Flat) {
			switch {
			case root == "":
			case within(dir, whole(root)):
				return fmt.Errorf("is where the sessions of %s are", agent)
			case within(whole(root), dir):
				return fmt.Errorf("has the sessions of %s in it: %s", agent, root)
			}
		}
	}
	return nil
}

// whole is a path with the links in it resolved, as far as it is there.
func whole(path string) string {
	for rest := ""; ; {
		if to, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Join(to, rest)
		}
		up := filepath.Dir(path)
		if up == path {
			return filepath.Join(path, rest)
		}
		path, rest = up, filepath.Join(filepath.Base(path), rest)
	}
}

// SyncOptions say how sessions are united.
type SyncOptions struct {
	// Dry says what would be moved, and moves nothing.
	Dry bool
	// Anew sends everything again to a place that had sessions and has none any more.
	Anew bool
	// Maps are directories that are called otherwise on the other side.
	Maps []exchange.Mapping
	// Progress is told how much of all is done, Moved what was moved, Warn what is odd.
	Progress func(done, total int64)
	Moved    func(exchange.Moved)
	Warn     func(text string)
}

// A Synced is what was moved, and what could not be.
type Synced struct {
	exchange.Report
	Failures []exchange.Failure
}

// Sync unites the sessions here with those of a side. The error is that of
// [exchange.Run]; what was moved before it is told all the same.
func (l *Library) Sync(ctx context.Context, there *Side, o SyncOptions) (s Synced, err error) {
	opt := exchange.Options{
		DryRun: o.Dry, Anew: o.Anew, Now: l.Now, State: filepath.Join(places.Own(l.Env).State, "sync"), Maps: o.Maps,
		Progress: o.Progress, Warn: o.Warn, Hopeless: Refused,
		Failed: func(f exchange.Failure) { s.Failures = append(s.Failures, f) },
		Moved: func(m exchange.Moved) {
			o.Moved(m)
			if !o.Dry && m.In != (exchange.Amount{}) && m.Here != "" {
				_ = l.Presence().Wrote(ctx, m.Here) // advice, and nothing is lost without it
			}
		},
	}
	if l.Agent != "" {
		opt.Agents = []string{string(l.Agent)}
	}
	here := exchange.Homes(l.Env, layout.Overrides{AgentDir: l.AgentDir, SessionDir: l.SessionDir})
	s.Report, err = exchange.Run(ctx, here, there.Side, opt)
	return s, err
}
