package picker

import (
	"cmp"
	"slices"

	"github.com/cambium-dev/cambium/catalog"
)

// An order is how the list is sorted.
type order uint8

const (
	byDefault   order = iota // by time, by relevance while something is searched for
	byTime                   // the last changed first
	byThread                 // forks under what they came from
	bySize                   // the greatest first
	byCost                   // the dearest first
	byRelevance              // what fits best first
	orders
)

// String names the order.
func (o order) String() string {
	return [...]string{"newest first", "newest first", "by thread", "largest first", "dearest first", "best match first"}[o]
}

// now is the order that counts.
func (l *list) now() order {
	switch {
	case l.order == byDefault && len(l.query.terms) > 0:
		return byRelevance
	case l.order == byDefault, l.order == byRelevance && len(l.query.terms) == 0:
		return byTime
	}
	return l.order
}

// next chooses the order after the one that counts.
func (l *list) next() {
	o := l.now() + 1
	if o == byRelevance && len(l.query.terms) == 0 || o == orders {
		o = byTime
	}
	l.order = o
}

// sort orders what is shown. What is pinned comes first, except by relevance.
func (l *list) sort() {
	var less func(a, b *row) int
	switch l.now() {
	case byThread:
		l.thread()
		return
	case byRelevance:
		for _, r := range l.shown {
			r.depth = 0
		}
		slices.SortStableFunc(l.shown, func(a, b *row) int {
			return cmp.Or(cmp.Compare(l.relevance(b), l.relevance(a)), newer(a, b))
		})
		return
	case bySize:
		less = func(a, b *row) int { return cmp.Or(cmp.Compare(b.Info.Size, a.Info.Size), newer(a, b)) }
	case byCost:
		less = func(a, b *row) int { return cmp.Or(cmp.Compare(b.Info.Usage.Cost, a.Info.Usage.Cost), newer(a, b)) }
	default:
		less = newer
	}
	by := func(a, b *row) int { return cmp.Or(pinned(a, b), less(a, b)) }
	for _, r := range l.shown {
		r.depth = 0
	}
	if !slices.IsSortedFunc(l.shown, by) {
		slices.SortFunc(l.shown, by)
	}
}

// newer orders by time, the last changed first.
func newer(a, b *row) int {
	return cmp.Or(b.Info.Modified.Compare(a.Info.Modified), cmp.Compare(a.Info.Path, b.Info.Path))
}

func pinned(a, b *row) int {
	switch {
	case a.Info.Pinned == b.Info.Pinned:
		return 0
	case a.Info.Pinned:
		return -1
	}
	return 1
}

// thread orders what is shown as trees: forks under the session that they came
// from, if it is shown, the tree in which something changed last first (pi 0.87).
func (l *list) thread() {
	byName := make(map[string]*row, 2*len(l.shown))
	for _, r := range l.shown {
		byName[r.Info.Path] = r
		if r.Info.ID != "" {
			if other := byName[r.Info.ID]; other == nil || newer(r, other) > 0 {
				byName[r.Info.ID] = r // of copies with one id the oldest
			}
		}
	}
	forks := map[*row][]*row{}
	var roots []*row
	for _, r := range l.shown {
		parent := byName[r.Info.Parent]
		if r.Info.Parent == "" || parent == nil || circle(byName, parent, r) {
			roots = append(roots, r)
			continue
		}
		forks[parent] = append(forks[parent], r)
	}
	latest := make(map[*row]catalog.Info, len(roots))
	for _, r := range roots {
		latest[r] = lastOf(forks, r, r.Info)
	}
	slices.SortFunc(roots, func(a, b *row) int {
		x, y := latest[a], latest[b]
		return cmp.Or(pinned(a, b), y.Modified.Compare(x.Modified), cmp.Compare(a.Info.Path, b.Info.Path))
	})
	l.shown = l.shown[:0]
	for _, r := range roots {
		l.plant(forks, r, 0)
	}
}

// circle reports whether a session is its own ancestor, or its line is too long
// to tell.
func circle(byName map[string]*row, from, r *row) bool {
	for range 1000 {
		if from == r {
			return true
		}
		if from.Info.Parent == "" || byName[from.Info.Parent] == nil {
			return false
		}
		from = byName[from.Info.Parent]
	}
	return true
}

// lastOf returns the session of a tree that changed last.
func lastOf(forks map[*row][]*row, r *row, last catalog.Info) catalog.Info {
	if r.Info.Modified.After(last.Modified) {
		last = r.Info
	}
	for _, f := range forks[r] {
		last = lastOf(forks, f, last)
	}
	return last
}

// plant adds a tree.
func (l *list) plant(forks map[*row][]*row, r *row, depth int) {
	r.depth = depth
	l.shown = append(l.shown, r)
	slices.SortFunc(forks[r], newer)
	for _, f := range forks[r] {
		l.plant(forks, f, depth+1)
	}
}
