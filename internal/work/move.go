package work

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/session"
)

// A Moved is where a session of another working directory is now.
type Moved struct {
	Whereabouts
	// Already says that it was there: nothing was done.
	Already bool
	// Undo takes it back.
	Undo []string
}

// Move makes the session that arg names one of the working directory dir. If others
// have it open the front is asked.
func (l *Library) Move(ctx context.Context, arg, dir string) (m Moved, err error) {
	path, err := l.Resolve(ctx, arg)
	if err != nil {
		return m, err
	}
	if err := l.mayLeave(ctx, path, "move it"); err != nil {
		return m, err
	}
	m.Undo, err = l.change(ctx, path, func(s *session.Session) (err error) {
		dir := l.Directory(dir)
		if m.Already = l.belongs(s, dir); !m.Already {
			err = s.Move(ctx, dir)
		}
		m.Whereabouts = whereabouts(s)
		return err
	})
	return m, err
}

// belongs reports whether a session is of the working directory dir and where a
// session of it is looked for.
func (l *Library) belongs(s *session.Session, dir string) bool {
	if l.Homely(s.Header().CWD) != dir {
		return false
	}
	in := filepath.Dir(s.Path())
	if l.SessionDir != "" {
		return in == filepath.Clean(l.SessionDir)
	}
	name := string(s.Dialect())
	return slices.Contains(places.DirNames(name, dir, l.StoreEnv()), filepath.Base(in))
}
