package work

import (
	"context"
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
