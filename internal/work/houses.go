package work

import (
	"context"
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/shellword"
)

// A House is a directory that a session may move to, and why.
type House struct{ Dir, Why string }

// Houses returns where a session may move whose directory cwd is gone: what that has
// become, as far as can be told, and the working directory.
func (l *Library) Houses(ctx context.Context, cwd string) []House {
	o := l.Catalog()
	o.CWD = l.Dir
	var all []House
	for _, c := range catalog.Moved(ctx, cwd, o) {
		if !shellword.Visible(c.Dir) {
			continue // who agrees is to see to what
		}
		why := "of the same repository"
		if c.Same {
			why = "the same directory under another name"
		}
		all = append(all, House{c.Dir, why})
	}
	if !slices.ContainsFunc(all, func(h House) bool { return l.SameDir(h.Dir, l.Dir) }) {
		all = append(all, House{l.Dir, "this directory"})
	}
	return all
}

// A Gone error is for a session whose directory is gone, where nobody can be asked
// whether to move it.
type Gone struct {
	Arg    string
	Target Target
	Houses []House
}

// Error says which directory.
func (e *Gone) Error() string {
	return fmt.Sprintf("Session %q belongs to a directory that no longer exists (%s)", e.Arg, e.Target.CWD)
}

// rehoused asks where to move a session whose directory is gone, and moves it. The
// error is a [*Gone], or ErrStays.
func rehoused(ctx context.Context, l *Library, arg string, t Target) (Target, error) {
	all := l.Houses(ctx, t.CWD)
	if !l.front.asks() {
		return t, &Gone{Arg: arg, Target: t, Houses: all}
	}
	h, ok, err := l.front.House(ctx, t, all)
	switch {
	case err != nil:
		return t, err
	case !ok:
		return t, ErrStays
	}
	s, err := l.OpenAny(ctx, t.Path)
	if err != nil {
		return t, err
	}
	err = s.Move(ctx, h.Dir)
	now := TargetOf(s)
	now.Dir = h.Dir
	if closed := s.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return t, saving(t.Path, err)
	}
	return now, nil
}
