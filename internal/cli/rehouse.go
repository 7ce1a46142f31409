package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/shellword"
)

// errCancelled says that a person did not want to go on.
var errCancelled = errors.New("cancelled")

// A house is a directory that a session may move to.
type house struct{ dir, why string }

// houses returns where the session may move whose directory is gone: what that
// directory has become, as far as can be told, and this one.
func (a *app) houses(ctx context.Context, t target) []house {
	o := a.catalogOptions()
	o.CWD = a.Dir
	var all []house
	for _, c := range catalog.Moved(ctx, t.cwd, o) {
		if !shellword.Visible(c.Dir) {
			continue // who agrees is to see to what
		}
		why := "of the same repository"
		if c.Same {
			why = "the same directory under another name"
		}
		all = append(all, house{c.Dir, why})
	}
	if !slices.ContainsFunc(all, func(h house) bool { return a.sameDir(h.dir, a.Dir) }) {
		all = append(all, house{a.Dir, "this directory"})
	}
	return all
}

// rehouse asks where to move a session whose directory is gone, and moves it.
// The error is errCancelled when it is to stay.
func (a *app) rehouse(ctx context.Context, arg string, t target) (target, error) {
	all := a.houses(ctx, t)
	if !a.asks() {
		p := problem{exit: exitRefused, path: t.path, todo: "run it on a terminal to be asked, or move the session first",
			text: fmt.Sprintf("Session %q belongs to a directory that no longer exists (%s)", arg, t.cwd)}
		for _, h := range all {
			p.candidates = append(p.candidates, h.dir)
			if line, ok := (hint{run: []string{ownProgram, "move"}, of: []string{t.path, h.dir}}).line(); ok {
				p.hints = append(p.hints, line+"  ("+h.why+")")
			}
		}
		return t, p
	}
	h, err := a.chooseHouse(ctx, t, all)
	if err != nil {
		return t, err
	}
	s, err := a.openAny(ctx, t.path)
	if err != nil {
		return t, err
	}
	err = s.Move(ctx, h.dir)
	now := targetOf(s)
	now.dir = h.dir
	if closed := s.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return t, a.failed(t.path, err)
	}
	return now, nil
}

// chooseHouse asks which of several directories it is to be.
func (a *app) chooseHouse(ctx context.Context, t target, all []house) (house, error) {
	if len(all) == 1 {
		h := all[0]
		yes, err := a.agreed(ctx, fmt.Sprintf("Session's directory no longer exists (%s). Move (re-root) it into %s, %s?", a.shown(t.cwd), a.shown(h.dir), h.why))
		if err == nil && !yes {
			err = errCancelled
		}
		return h, err
	}
	a.put(fmt.Sprintf("Session's directory no longer exists (%s).", a.shown(t.cwd)))
	for i, h := range all {
		a.put(fmt.Sprintf("  %d  %s  (%s)", i+1, a.shown(h.dir), h.why))
	}
	text, err := a.ask(ctx, "Move (re-root) it into which?", fmt.Sprintf("1-%d, or nothing for none", len(all)))
	if err != nil {
		return house{}, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 1 || n > len(all) {
		return house{}, errCancelled
	}
	return all[n-1], nil
}
