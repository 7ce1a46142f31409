package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/work"
)

// goneHouse says what to do with a session whose directory is gone.
func goneHouse(e *work.Gone) problem {
	p := problem{exit: exitRefused, path: e.Target.Path, todo: "run it on a terminal to be asked, or move the session first", text: e.Error()}
	for _, h := range e.Houses {
		p.candidates = append(p.candidates, h.Dir)
		if line, ok := (hint{run: []string{ownProgram, "move"}, of: []string{e.Target.Path, h.Dir}}).line(); ok {
			p.hints = append(p.hints, line+"  ("+h.Why+")")
		}
	}
	return p
}

// askHouse asks where to move a session whose directory is gone.
func askHouse(ctx context.Context, a *app, t work.Target, all []work.House) (work.House, bool, error) {
	if len(all) == 1 {
		h := all[0]
		yes, err := a.agreed(ctx, fmt.Sprintf("Session's directory no longer exists (%s). Move (re-root) it into %s, %s?", a.shown(t.CWD), a.shown(h.Dir), h.Why))
		return h, yes, err
	}
	a.put(fmt.Sprintf("Session's directory no longer exists (%s).", a.shown(t.CWD)))
	for i, h := range all {
		a.put(fmt.Sprintf("  %d  %s  (%s)", i+1, a.shown(h.Dir), h.Why))
	}
	text, err := a.ask(ctx, "Move (re-root) it into which?", fmt.Sprintf("1-%d, or nothing for none", len(all)))
	if err != nil {
		return work.House{}, false, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 1 || n > len(all) {
		return work.House{}, false, nil
	}
	return all[n-1], true, nil
}
