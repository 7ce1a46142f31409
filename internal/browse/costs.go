package browse

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/costview"
	"github.com/cambium-dev/cambium/internal/usage"
	"github.com/cambium-dev/cambium/internal/work"
)

// Costs is what all sessions cost, as a screen. What ends it (costview.Back, Exit and Read) is
// for whoever shows it.
type Costs struct {
	model costview.Model
	store *costStore
}

// NewCosts returns the screen of what sessions cost. It counts them when it is first asked.
func NewCosts(ctx context.Context, o Options) *Costs {
	ctx, stop := context.WithCancel(ctx)
	s := &costStore{ctx: ctx, stop: stop, lib: o.Library.Beside(work.Front{}), prices: o.Prices, explain: o.Explain, now: o.Library.Now()}
	by := []string{"model", "day", "project", "session", "agent", "tool", "provider", "role", "branch", "git-branch", "month", "origin"}
	return &Costs{store: s, model: costview.New(costview.Options{Theme: o.Theme, By: by, Sum: s.sum})}
}

// Open asks for the first sums.
func (c *Costs) Open() tea.Cmd { return c.model.Init() }

// Update takes a message.
func (c *Costs) Update(msg tea.Msg) (cmd tea.Cmd) {
	if answer, ok := msg.(costAnswer); ok {
		if answer.store != c.store {
			return nil // of a screen that was left meanwhile
		}
		msg = answer.sums
	}
	c.model, cmd = c.model.Update(msg)
	return cmd
}

// View draws the screen.
func (c *Costs) View() tea.View {
	v := tea.NewView(c.model.View())
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	return v
}

// Close ends what it counts.
func (c *Costs) Close() { c.store.stop() }

// A costAnswer is for the screen that asked, and not for the one that took its place.
type costAnswer struct {
	store *costStore
	sums  costview.Sums
}

// A costStore counts for the screen.
type costStore struct {
	ctx     context.Context
	stop    context.CancelFunc
	lib     *work.Library
	prices  usage.Prices
	explain func(error) Explanation
	now     time.Time

	mu   sync.Mutex
	book *usage.Book // guarded by mu: nil until it is made
}

// sum returns the command that answers what is asked.
func (s *costStore) sum(ask costview.Ask) tea.Cmd {
	return func() tea.Msg {
		sums, err := s.sums(ask)
		if s.ctx.Err() != nil {
			return nil
		}
		if err != nil {
			sums.Err = errors.New(s.explain(err).Text)
		}
		sums.Ask = ask
		return costAnswer{s, sums}
	}
}

// sums counts what is asked for.
func (s *costStore) sums(ask costview.Ask) (out costview.Sums, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.book == nil {
		if s.book, err = work.Stats(s.ctx, s.lib, s.prices); err != nil {
			return out, err
		}
		s.lib.CloseIndex()
	}
	g := grouping{book: s.book, zone: s.now.Location(), home: s.lib.Env.Home, rows: map[string]*costview.Row{}, days: map[string]usage.Micros{}}
	g.day, _ = usage.DimensionOf("day")
	if ask.By != "" {
		g.by, g.grouped = usage.DimensionOf(ask.By)
	}
	for _, step := range ask.Within {
		d, _ := usage.DimensionOf(step.By)
		g.within = append(g.within, within{d, step.Key})
	}
	var f usage.Filter
	if days := ask.Span.Days(); days > 0 {
		y, m, d := s.now.Date()
		f.Since = time.Date(y, m, d-days+1, 0, 0, 0, 0, g.zone)
	}
	for i := range g.book.Items {
		if it := &g.book.Items[i]; g.book.Matches(it, &f) {
			g.add(it)
		}
	}
	out.Total, out.Rows, out.Days = g.total, g.sorted(ask.By), g.span(f.Since, s.now)
	return out, nil
}

// A within is a group that was opened.
type within struct {
	by  usage.Dimension
	key string
}

// A grouping sums the charges of a screen.
type grouping struct {
	book    *usage.Book
	zone    *time.Location
	home    string
	by, day usage.Dimension
	grouped bool // else each charge is a row
	within  []within
	rows    map[string]*costview.Row
	each    []costview.Row
	days    map[string]usage.Micros
	total   usage.Sum
}

// add adds a charge, if it is in the groups that were opened.
func (g *grouping) add(it *usage.Item) {
	c := g.book.Charge(it)
	tool := g.grouped && g.by.Name == "tool"
	if !c.Spends() && !(tool && c.Ran) {
		return
	}
	for i := range g.within {
		if g.within[i].by.Of(g.book, it, g.zone) != g.within[i].key {
			return
		}
	}
	var one usage.Sum
	one.Count(it, c)
	g.total.Add(&one)
	if c.Time != usage.NoTime {
		g.days[g.day.Of(g.book, it, g.zone)] += it.Cost
	}
	l := g.book.Session(it)
	if !g.grouped {
		g.each = append(g.each, costview.Row{Name: named(c, g.zone), Path: l.Path, Line: c.Line, Sum: one})
		return
	}
	key := g.by.Of(g.book, it, g.zone)
	row := g.rows[key]
	if row == nil {
		row = &costview.Row{Key: key, Name: key}
		switch g.by.Name {
		case "session":
			row.Name, row.Path = cmp.Or(term.Line(l.Title), key), l.Path
		case "project":
			row.Name = work.Tilde(g.home, key)
		}
		g.rows[key] = row
	}
	row.Sum.Add(&one)
}

// named says which charge it is.
func named(c *usage.Charge, zone *time.Location) string {
	at := usage.Unrecorded
	if c.Time != usage.NoTime {
		at = time.UnixMilli(c.Time).In(zone).Format("2006-01-02 15:04")
	}
	what := cmp.Or(c.Role, c.Kind.String())
	return at + "  " + what + "  " + cmp.Or(c.ModelName(), c.Tool)
}

// sorted returns the rows: what has a time the newest first, charges as they were made, all
// others the dearest first.
func (g *grouping) sorted(by string) []costview.Row {
	if !g.grouped {
		return g.each
	}
	all := make([]costview.Row, 0, len(g.rows))
	for _, row := range g.rows {
		all = append(all, *row)
	}
	slices.SortFunc(all, func(x, y costview.Row) int {
		if by == "day" || by == "month" {
			return cmp.Compare(y.Key, x.Key)
		}
		return cmp.Or(cmp.Compare(y.Cost, x.Cost), cmp.Compare(y.Tokens.All(), x.Tokens.All()), cmp.Compare(y.Runs, x.Runs), cmp.Compare(x.Key, y.Key))
	})
	return all
}

// mostDays is how many days the bars show; older ones are left out of them.
const mostDays = 3660

// span returns all days since a time, or since the first that cost anything.
func (g *grouping) span(since, now time.Time) (days []costview.Day) {
	last := now.In(g.zone)
	for day := range g.days {
		if at, err := time.ParseInLocation(time.DateOnly, day, g.zone); err == nil && at.After(last) {
			last = at // a clock was wrong
		}
	}
	first := since
	if first.IsZero() {
		first = now
		for day := range g.days {
			if at, err := time.ParseInLocation(time.DateOnly, day, g.zone); err == nil && at.Before(first) {
				first = at
			}
		}
	}
	y, m, d := last.Date()
	for n := range mostDays {
		at := time.Date(y, m, d-n, 12, 0, 0, 0, g.zone)
		date := at.Format(time.DateOnly)
		if n > 0 && date < first.Format(time.DateOnly) {
			break
		}
		days = append(days, costview.Day{Date: date, Cost: g.days[date]})
	}
	slices.Reverse(days)
	return days
}
