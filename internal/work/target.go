package work

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/session"
)

// A Target is the session to go on with.
type Target struct {
	Agent dialect.Name
	// Path is its file; "" for a new one.
	Path, ID string
	// CWD is the directory that it belongs to, as it says; Dir is the one in which
	// it is gone on with, "" as long as nobody agreed to one.
	CWD, Dir string
}

// TargetOf returns what is to be known of a session to go on with it.
func TargetOf(s *session.Session) Target {
	return Target{Agent: s.Dialect(), Path: s.Path(), ID: s.ID(), CWD: s.CWD()}
}

// Own reports whether Cambium itself goes on with the session.
func (t Target) Own() bool {
	switch t.Agent {
	case dialect.Pi, dialect.Omp, dialect.Xcsh:
		return false
	}
	return !slices.Contains(spelling.Foreign, t.Agent)
}

// Find returns what is to be known of the session at a path to go on with it, and
// notes what is wrong with it. The session is opened once.
func Find(ctx context.Context, l *Library, path string) (Target, error) {
	s, err := l.OpenSource(ctx, absolute(l, path))
	if err != nil {
		return Target{}, err
	}
	l.Damage(s)
	return TargetOf(s), s.Close()
}

// glance is Find for a session that Cambium goes on with itself: its header tells all,
// and what is wrong with it is noted when it is opened to write. by says which command
// goes on. A session that is to be opened to be known is.
func glance(ctx context.Context, l *Library, path string, by By) (Target, error) {
	path = absolute(l, path)
	sight, err := present(ctx, l, path)
	if err != nil {
		return Target{}, err
	}
	t := Target{Agent: sight.Agent, Path: sight.Path, ID: sight.ID, CWD: cmp.Or(sight.CWD, l.Env.Cwd)}
	switch {
	case sight.Thing == journal.Session && (by != ByResume || t.Agent != "" && t.Own()):
		return t, nil
	case by == ByResume:
		return Find(ctx, l, path)
	}
	s, err := l.OpenSource(ctx, path)
	if err != nil {
		return t, err
	}
	return TargetOf(s), s.Close()
}

// absolute returns the path of a session that is relative to the working directory.
func absolute(l *Library, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(l.Env.Cwd, path)
}
