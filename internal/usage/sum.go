package usage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Sum is what several charges took and cost.
type Sum struct {
	// Charges counts the calls of models, Answers those that are answers in the
	// conversation.
	Charges, Answers int64
	Tokens           Tokens
	// Cost is the sum of Costs.
	Cost Micros
	// Costs is the cost by where it comes from, Counts the calls by the same.
	Costs  [origins]Micros
	Counts [origins]int64
	// Runs counts the runs of tools, Failures those that ended with an error, and
	// Took how long all that say so were, in milliseconds.
	Runs, Failures, Took int64
	// Saved is how much the cache saved by the table of prices, Rated how many
	// tokens of prompts that is about.
	Saved Micros
	Rated int64
}

// Count adds a charge.
func (s *Sum) Count(it *Item, c *Charge) {
	if c.Ran {
		s.Runs++
		s.Took += c.Took
		if c.Failed {
			s.Failures++
		}
	}
	if !c.Spends() {
		return
	}
	s.Charges++
	if c.Kind == Answer {
		s.Answers++
	}
	s.Tokens.add(&c.Tokens)
	s.Cost += it.Cost
	s.Costs[it.Origin] += it.Cost
	s.Counts[it.Origin]++
}

// Add adds another sum.
func (s *Sum) Add(o *Sum) {
	s.Charges += o.Charges
	s.Answers += o.Answers
	s.Tokens.add(&o.Tokens)
	s.Cost += o.Cost
	for i := range s.Costs {
		s.Costs[i] += o.Costs[i]
		s.Counts[i] += o.Counts[i]
	}
	s.Runs += o.Runs
	s.Failures += o.Failures
	s.Took += o.Took
	s.Saved += o.Saved
	s.Rated += o.Rated
}

// Prompt is how many tokens of prompts there were, however they were read.
func (s *Sum) Prompt() int64 { return s.Tokens.Input + s.Tokens.CacheRead + s.Tokens.CacheWrite }

// Money yields the amounts of a sum with their names: the cost, what of it comes from
// where, and what the cache saved.
func (s *Sum) Money(yield func(name string, m Micros) bool) {
	_ = yield("cost", s.Cost) && yield("stored", s.Costs[Stored]) && yield("billed", s.Costs[Billed]) && yield("priced", s.Costs[Priced]) &&
		yield("cacheSaved", s.Saved)
}

// A Filter says which charges are meant. The zero value means all that count, on every
// branch.
type Filter struct {
	// Since and Until limit them to a time, Until not included; the zero time does
	// not. A charge that does not say its time is of no time.
	Since, Until time.Time
	// Project, Agent, Model and Session limit them to what has this in its working
	// directory, is of this agent, has this in "provider/model", and is of the
	// session with this id or path.
	Project, Agent, Model, Session string
	// Active leaves out what is on no active branch.
	Active bool
	// Copies lets those pass, too, that do not count.
	Copies bool
}

// Matches reports whether an item is meant.
func (b *Book) Matches(it *Item, f *Filter) bool {
	if it.Of >= 0 && !f.Copies {
		return false
	}
	c, l := b.Charge(it), b.Session(it)
	switch {
	case f.Active && !it.Active,
		f.Agent != "" && l.Agent != f.Agent,
		f.Session != "" && l.ID != f.Session && l.Path != f.Session,
		f.Project != "" && !strings.Contains(strings.ToLower(l.CWD), strings.ToLower(f.Project)),
		f.Model != "" && !strings.Contains(strings.ToLower(c.ModelName()), strings.ToLower(f.Model)):
		return false
	case f.Since.IsZero() && f.Until.IsZero():
		return true
	}
	return c.Time != NoTime && (f.Since.IsZero() || c.Time >= f.Since.UnixMilli()) && (f.Until.IsZero() || c.Time < f.Until.UnixMilli())
}

// A Dimension is what charges are grouped by. It is for one goroutine.
type Dimension struct {
	// Name is what it is called.
	Name string
	// key returns the group of a charge: a text that sorts as the groups do.
	key func(b *Book, it *Item, zone *time.Location) string
	// calls says that only calls of models have such a group, tool that runs of tools
	// have one all the same.
	calls, tool bool
}

// Unrecorded is the group of what does not say its group, NoTool that of what no tool
// took.
const (
	Unrecorded = "(not recorded)"
	NoTool     = "(no tool)"
)

// Dimensions are all there are, in the order in which they are offered.
func Dimensions() []Dimension {
	timed := func(name, layout string) Dimension {
		quarter, last, text := int64(0), (*time.Location)(nil), "" // charges of one time come one after the other
		return Dimension{Name: name, key: func(b *Book, it *Item, zone *time.Location) string {
			ms := b.Charge(it).Time
			if now := ms / quarterHour; now != quarter || zone != last || ms < 0 {
				quarter, last, text = now, zone, stamp(ms, zone, layout)
			}
			return text
		}}
	}
	said := func(name string, of func(l *Ledger, c *Charge) string) Dimension {
		return Dimension{Name: name, key: func(b *Book, it *Item, _ *time.Location) string {
			return cmp.Or(of(b.Session(it), b.Charge(it)), Unrecorded)
		}}
	}
	calls := func(d Dimension) Dimension { d.calls = true; return d }
	return []Dimension{
		timed("hour", "2006-01-02 15:00"), timed("day", "2006-01-02"), timed("week", ""), timed("month", "2006-01"),
		said("project", func(l *Ledger, _ *Charge) string { return l.CWD }),
		said("session", func(l *Ledger, _ *Charge) string { return cmp.Or(l.ID, l.Path) }),
		{Name: "branch", key: func(_ *Book, it *Item, _ *time.Location) string {
			if it.Active {
				return "active"
			}
			return "abandoned"
		}},
		said("git-branch", func(_ *Ledger, c *Charge) string { return c.Branch }),
		calls(said("model", func(_ *Ledger, c *Charge) string { return c.ModelName() })),
		calls(said("provider", func(_ *Ledger, c *Charge) string { return c.Provider })),
		said("agent", func(l *Ledger, _ *Charge) string { return l.Agent }),
		{Name: "tool", tool: true, key: func(b *Book, it *Item, _ *time.Location) string {
			return cmp.Or(b.Charge(it).Tool, NoTool)
		}},
		calls(said("role", func(_ *Ledger, c *Charge) string { return cmp.Or(c.Role, c.Kind.String()) })),
		calls(Dimension{Name: "origin", key: func(_ *Book, it *Item, _ *time.Location) string { return it.Origin.String() }}),
	}
}

// Of returns the group of an item.
func (d *Dimension) Of(b *Book, it *Item, zone *time.Location) string { return d.key(b, it, zone) }

// quarterHour is what all offsets of zones are multiples of since 1972, in milliseconds.
const quarterHour = 15 * 60 * 1000

// stamp writes a time in a zone; without a layout its week.
func stamp(ms int64, zone *time.Location, layout string) string {
	if ms == NoTime {
		return Unrecorded
	}
	t := time.UnixMilli(ms).In(zone)
	if layout != "" {
		return t.Format(layout)
	}
	year, week := t.ISOWeek()
	return fmt.Sprintf("%04d-W%02d", year, week)
}

// DimensionOf returns the dimension of a name.
func DimensionOf(name string) (Dimension, bool) {
	for _, d := range Dimensions() {
		if d.Name == name {
			return d, true
		}
	}
	return Dimension{}, false
}

// A Row is the sum of a group.
type Row struct {
	// Keys are the group's, in the order of the dimensions.
	Keys []string
	Sum
}

// Group sums the charges that are meant, by all combinations of the dimensions that
// occur, in the order of their keys. The rows add up to the same whatever the
// dimensions are. prices are what Sum.Saved is counted with; nil is for none.
func (b *Book) Group(f Filter, by []Dimension, zone *time.Location, prices Prices) []Row {
	rows := map[string]*Row{}
	rate := rating{prices: prices, known: map[string]*Price{}}
	calls := slices.ContainsFunc(by, func(d Dimension) bool { return d.calls }) &&
		!slices.ContainsFunc(by, func(d Dimension) bool { return d.tool })
	var text []byte
	keys := make([]string, len(by))
	for i := range b.Items {
		it := &b.Items[i]
		c := b.Charge(it)
		if calls && !c.Spends() || !b.Matches(it, &f) {
			continue
		}
		text = text[:0]
		for n, d := range by {
			keys[n] = d.key(b, it, zone)
			text = append(append(text, keys[n]...), 0)
		}
		row := rows[string(text)]
		if row == nil {
			row = &Row{Keys: slices.Clone(keys)}
			rows[string(text)] = row
		}
		row.Count(it, c)
		rate.save(&row.Sum, c)
	}
	all := make([]Row, 0, len(rows))
	for _, row := range rows {
		all = append(all, *row)
	}
	slices.SortFunc(all, func(x, y Row) int { return slices.Compare(x.Keys, y.Keys) })
	return all
}

// Total adds rows up.
func Total(rows []Row) (all Sum) {
	for i := range rows {
		all.Add(&rows[i].Sum)
	}
	return all
}

// A rating says what the cache saved.
type rating struct {
	prices Prices
	known  map[string]*Price // nil for a model without one
}

// save counts what a call saved.
func (r *rating) save(s *Sum, c *Charge) {
	if r.prices == nil || !c.Spends() || c.Model == "" || c.Tokens.CacheRead == 0 && c.Tokens.CacheWrite == 0 {
		return
	}
	name := c.ModelName()
	price, asked := r.known[name]
	if !asked {
		if p, ok := r.prices(c.Provider, c.Model); ok {
			price = &p
		}
		r.known[name] = price
	}
	if price != nil {
		s.Saved += price.saved(&c.Tokens)
		s.Rated += c.Tokens.Input + c.Tokens.CacheRead + c.Tokens.CacheWrite
	}
}
