package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/work"
)

// errCancelled says that a person did not want to go on.
var errCancelled = errors.New("cancelled")

// rehouse asks where to move a session whose directory is gone, and moves it.
// The error is errCancelled when it is to stay.
func (a *app) rehouse(ctx context.Context, arg string, t target) (target, error) {
	all := a.lib.Houses(ctx, t.cwd)
	if !a.asks() {
		p := problem{exit: exitRefused, path: t.path, todo: "run it on a terminal to be asked, or move the session first",
			text: fmt.Sprintf("Session %q belongs to a directory that no longer exists (%s)", arg, t.cwd)}
		for _, h := range all {
			p.candidates = append(p.candidates, h.Dir)
			if line, ok := (hint{run: []string{ownProgram, "move"}, of: []string{t.path, h.Dir}}).line(); ok {
				p.hints = append(p.hints, line+"  ("+h.Why+")")
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
	err = s.Move(ctx, h.Dir)
	now := targetOf(s)
	now.dir = h.Dir
	if closed := s.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return t, failed(t.path, err)
	}
	return now, nil
}

// chooseHouse asks which of several directories it is to be.
func (a *app) chooseHouse(ctx context.Context, t target, all []work.House) (work.House, error) {
	if len(all) == 1 {
		h := all[0]
		yes, err := a.agreed(ctx, fmt.Sprintf("Session's directory no longer exists (%s). Move (re-root) it into %s, %s?", a.shown(t.cwd), a.shown(h.Dir), h.Why))
		if err == nil && !yes {
			err = errCancelled
		}
		return h, err
	}
	a.put(fmt.Sprintf("Session's directory no longer exists (%s).", a.shown(t.cwd)))
	for i, h := range all {
		a.put(fmt.Sprintf("  %d  %s  (%s)", i+1, a.shown(h.Dir), h.Why))
	}
	text, err := a.ask(ctx, "Move (re-root) it into which?", fmt.Sprintf("1-%d, or nothing for none", len(all)))
	if err != nil {
		return work.House{}, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 1 || n > len(all) {
		return work.House{}, errCancelled
	}
	return all[n-1], nil
}
