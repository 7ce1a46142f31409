package cli

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/work"
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

// Lists lists the sessions of a store, as the browser does, once for each of steps, which
// are done before, and returns what its screen says of the store then.
func Lists(ctx context.Context, env []string, d *offline.Store, steps ...func()) []string {
	a := newApp(System{Env: env, Dir: "/", Now: time.Now})
	a.lib.Attach(ctx, &work.Shared{Store: d, Offline: d})
	m := picker.New(picker.Options{})
	f := a.newFeed(a.lib.Catalog(), "", func(msg tea.Msg) { m, _ = m.Update(msg) })
	m, _ = m.Update(tea.WindowSizeMsg{Width: 120, Height: 12})
	var screens []string
	for _, step := range steps {
		step()
		f.scan(ctx)
		screens = append(screens, m.View().Content)
	}
	return screens
}

// Pins pins sessions, or no longer, and returns which of some sessions are
// pinned then: p1 and p2 of pi, o1 and o2 of omp.
func Pins(env []string, dir string, ids []string, on bool) (refused, pinned []string, err error) {
	a := newApp(System{Env: env, Dir: dir})
	if refused, err = a.lib.Pin(ids, on); err != nil {
		return refused, nil, err
	}
	all := a.lib.Pins()
	for _, info := range []catalog.Info{{ID: "p1", Agent: "pi"}, {ID: "p2", Agent: "pi"}, {ID: "o1", Agent: "omp"}, {ID: "o2", Agent: "omp"}} {
		if all.Has(&info) {
			pinned = append(pinned, info.ID)
		}
	}
	return refused, pinned, nil
}
