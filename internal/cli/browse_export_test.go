package cli

import (
	"context"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/tui/picker"
)

// FindTexts searches texts as the browser does and returns the paths found for
// each term.
func FindTexts(ctx context.Context, o catalog.Options, terms []picker.Term) ([]map[string]bool, error) {
	f := newFinder(ctx, o, time.Now)
	all := make([]map[string]bool, len(terms))
	for i := range all {
		all[i] = map[string]bool{}
	}
	for next := f.search(picker.Search{Terms: terms}); ; {
		m, ok := next().(picker.Matches)
		if !ok {
			return all, nil
		}
		for _, found := range m.Found {
			all[m.Term][found.Path] = true
		}
		if m.Err != nil {
			return all, m.Err
		}
		next = m.Next
	}
}

// Pins pins sessions, or no longer, and returns which of some sessions are
// pinned then: p1 and p2 of pi, o1 and o2 of omp.
func Pins(env []string, dir string, ids []string, on bool) (refused, pinned []string, err error) {
	a := newApp(System{Env: env, Dir: dir})
	if refused, err = a.pin(ids, on); err != nil {
		return refused, nil, err
	}
	all := a.pinned()
	for _, info := range []catalog.Info{{ID: "p1", Agent: "pi"}, {ID: "p2", Agent: "pi"}, {ID: "o1", Agent: "omp"}, {ID: "o2", Agent: "omp"}} {
		if all.has(&info) {
			pinned = append(pinned, info.ID)
		}
	}
	return refused, pinned, nil
}
