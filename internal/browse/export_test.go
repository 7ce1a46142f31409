package browse

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/cambium-dev/cambium/internal/tui/costview"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
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
func Lists(ctx context.Context, home string, d *offline.Store, steps ...func()) []string {
	l := work.New(work.Machine{Env: layout.Env{Home: home, Cwd: "/", Getenv: func(string) string { return "" },
		LookupEnv: func(string) (string, bool) { return "", false }, Exists: func(string) bool { return false },
		Real: func(p string) (string, bool) { return p, false }}, Now: time.Now}, work.Front{})
	defer l.CloseIndex()
	l.Attach(ctx, &work.Shared{Store: d, Offline: d})
	m := picker.New(picker.Options{})
	f := newFeed(l, l.Catalog(), "", func(msg tea.Msg) { m, _ = m.Update(msg) })
	m, _ = m.Update(tea.WindowSizeMsg{Width: 120, Height: 12})
	var screens []string
	for _, step := range steps {
		step()
		f.scan(ctx)
		screens = append(screens, m.View().Content)
	}
	return screens
}

// ReaderOf returns a reader of an open session.
func ReaderOf(s *session.Session, o Options, what Reading) *Reader {
	r := NewReader(context.Background(), o, s.Path(), what)
	r.of(s)
	return r
}

// MarksOf is what is marked of what was searched for.
var MarksOf = marksOf

// SumsOf counts what is asked of the sessions of a library.
func SumsOf(ctx context.Context, o Options, now time.Time, asks ...costview.Ask) (all []costview.Sums, err error) {
	c := NewCosts(ctx, o)
	defer c.Close()
	c.store.now = now
	for _, ask := range asks {
		sums, err := c.store.sums(ask)
		if err != nil {
			return nil, err
		}
		all = append(all, sums)
	}
	return all, nil
}
