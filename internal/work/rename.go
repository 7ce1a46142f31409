package work

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/session"
)

// RenameOptions say how a session is named.
type RenameOptions struct {
	Name string
	// Auto says that a program chose the name: one that the user gave stays.
	Auto bool
}

// A Renamed is the name that a session has now, and who gave it.
type Renamed struct {
	Title, Source string
	// Undo takes it back.
	Undo []string
}

// A NameError says why a session keeps its name.
type NameError struct {
	Path  string
	Agent dialect.Name // of the session
	// Kept is the name that the user gave; "" when the new one is empty and the agent
	// keeps a name once it has one.
	Kept string
}

// Error says what is wrong with the new name.
func (e *NameError) Error() string {
	if e.Kept == "" {
		return fmt.Sprintf("rename session %q: the name is empty", e.Path)
	}
	return fmt.Sprintf("rename session %q: the user gave it the name %q", e.Path, e.Kept)
}

// Rename names the session that arg names, in the way of its agent. The error may be
// a [*NameError].
func (l *Library) Rename(ctx context.Context, arg string, o RenameOptions) (r Renamed, err error) {
	r.Undo, err = l.change(ctx, arg, func(s *session.Session) error {
		t := session.Title{Source: dialect.UserTitle}
		if o.Auto {
			t.Source = dialect.AutoTitle
		}
		was, _ := s.Title()
		ok, err := s.Rename(ctx, o.Name, t)
		if err != nil {
			return err
		}
		if !ok {
			e := &NameError{Path: s.Path(), Agent: s.Dialect()}
			if spelling.For(s.Dialect()).Sanitize(o.Name) != "" {
				e.Kept = was
			}
			return e
		}
		r.Title, r.Source = s.Title()
		return nil
	})
	return r, err
}
