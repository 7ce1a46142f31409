package transcript

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
)

// collapse is from how many entries on a run of them is drawn as one line.
const collapse = 3

// A Drawing is the tree of a session as lines. Below each entry one child goes
// straight down: the one on the way to the leaf, else the one with the most
// below it. The others are set off to the right, so that n entries never need
// more than log₂(n)+1 steps of indentation. Nothing here is recursive.
type Drawing struct {
	list   *entry.List
	tree   *tree.Tree
	links  tree.Links
	o      DrawOptions
	active []bool // by entry, whether it is on the leaf's path
	leaf   int
	// first is the first child of an entry, next the child of the same parent that
	// comes after it, -1 for none; size counts an entry and all below it.
	first, next, size []int32
	roots             []int
	tips              int
}

// DrawOptions are those of a Drawing.
type DrawOptions struct {
	Links tree.Links
	// Full draws every entry.
	Full bool
	// Labels are those of the session, by id.
	Labels map[string]string
}

// A Row is one line of a drawing: an entry or, where Entry is -1, a run of them.
type Row struct {
	// Prefix are the branches before it.
	Prefix string
	Entry  int
	// Active says that it is on the way to the leaf, Leaf that it is the leaf.
	Active, Leaf bool
	// Run says what is in a run.
	Run string
}

// A stretch is a branch that is yet to be drawn: its first entry and what
// stands before its lines.
type stretch struct {
	from          int32
	first, prefix string
}

// Draw returns the drawing of a session as it is now.
func Draw(s *session.Session, o DrawOptions) *Drawing { return drawn(s, o, s.LeafPosition()) }

// drawn is Draw with another leaf.
func drawn(s *session.Session, o DrawOptions, leaf int) *Drawing {
	t, links := tree.Of(s.Tree()), o.Links
	d := &Drawing{list: s.List(), tree: t, links: links, o: o, leaf: leaf, roots: t.Roots(links)}
	d.active = make([]bool, t.Len())
	if d.leaf >= 0 {
		for _, i := range t.Path(d.leaf, links) {
			d.active[i] = true
		}
	}
	d.measure()
	return d
}

// measure finds the children of all entries, and how much is below each. The parents
// come from the order of nodes, in which cycles are cut.
func (d *Drawing) measure() {
	n := d.tree.Len()
	d.first, d.next, d.size = none(n), none(n), make([]int32, n)
	order, parents, last := make([]int32, 0, n), make([]int32, 0, n), none(n)
	var path []int32
	for node := range d.tree.Nodes(d.links) {
		i, parent := int32(node.Entry), int32(-1)
		path = append(path[:node.Depth], i)
		if node.Depth > 0 {
			parent = path[node.Depth-1]
			if before := last[parent]; before >= 0 {
				d.next[before] = i
			} else {
				d.first[parent] = i
			}
			last[parent] = i
		}
		if node.Children == 0 {
			d.tips++
		}
		order, parents = append(order, i), append(parents, parent)
		d.size[i] = 1
	}
	for at := len(order) - 1; at >= 0; at-- {
		if parents[at] >= 0 {
			d.size[parents[at]] += d.size[order[at]]
		}
	}
}

// none is n times no entry.
func none(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = -1
	}
	return all
}

// kids returns the children of an entry, the one that goes straight down last.
func (d *Drawing) kids(i int32) []int32 {
	var kids []int32
	for k := d.first[i]; k >= 0; k = d.next[k] {
		kids = append(kids, k)
	}
	d.straight(kids)
	return kids
}

// straight moves the child that goes straight down to the end.
func (d *Drawing) straight(kids []int32) {
	best := len(kids) - 1
	for at, k := range kids {
		if d.active[k] {
			best = at
			break
		}
		if d.size[k] > d.size[kids[best]] && !d.active[kids[best]] {
			best = at
		}
	}
	if best >= 0 && best < len(kids)-1 {
		k := kids[best]
		copy(kids[best:], kids[best+1:])
		kids[len(kids)-1] = k
	}
}

// Rows yields all branches.
func (d *Drawing) Rows(ctx context.Context) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		var todo []stretch
		var run []int32
		for _, root := range d.roots {
			todo = append(todo, stretch{from: int32(root)})
			for len(todo) > 0 {
				at := todo[len(todo)-1]
				todo = todo[:len(todo)-1]
				if err := ctx.Err(); err != nil {
					yield(Row{}, err)
					return
				}
				// A run ends at a branching: what is set off there comes first.
				run = d.run(run[:0], at.from)
				if !d.rows(run, at, yield) {
					return
				}
				todo = d.below(todo, run[len(run)-1], at.prefix)
			}
		}
	}
}

// below adds the branches that begin below an entry to those that are yet to be drawn,
// the one that is drawn first as the last.
func (d *Drawing) below(todo []stretch, i int32, prefix string) []stretch {
	kids := d.kids(i)
	if n := len(kids); n > 0 {
		todo = append(todo, stretch{from: kids[n-1], first: prefix, prefix: prefix})
		for k := n - 2; k >= 0; k-- {
			todo = append(todo, stretch{from: kids[k], first: prefix + "├─", prefix: prefix + "│ "})
		}
	}
	return todo
}

// run adds the entries from one to the next branching or end.
func (d *Drawing) run(run []int32, from int32) []int32 {
	run = append(run, from)
	for d.first[from] >= 0 && d.next[d.first[from]] < 0 {
		from = d.first[from]
		run = append(run, from)
	}
	return run
}

// rows yields the entries of a run, those that say little collapsed.
func (d *Drawing) rows(run []int32, at stretch, yield func(Row, error) bool) bool {
	prefix := at.first
	row := func(r Row) bool {
		r.Prefix, prefix = prefix, at.prefix
		return yield(r, nil)
	}
	for n := 0; n < len(run); {
		end := n
		for end < len(run) && !d.telling(run, end) {
			end++
		}
		if end-n >= collapse {
			if !row(Row{Entry: -1, Run: d.collapsed(run[n:end])}) {
				return false
			}
			n = end
			continue
		}
		for end = max(end, n+1); n < end; n++ {
			i := int(run[n])
			if !row(Row{Entry: i, Active: d.active[i], Leaf: i == d.leaf}) {
				return false
			}
		}
	}
	return true
}

// telling reports whether entry n of a run is drawn by itself.
func (d *Drawing) telling(run []int32, n int) bool {
	i := int(run[n])
	if d.o.Full || n == 0 || n == len(run)-1 || i == d.leaf || d.labelled(i) {
		return true
	}
	switch d.list.Kind(i) {
	case entry.Message:
		return d.list.Role(i) == entry.RoleUser
	case entry.Compaction, entry.BranchSummary, entry.ResetBoundary, entry.Unknown:
		return true
	}
	return false
}

// labelled reports whether an entry has a label.
func (d *Drawing) labelled(i int) bool {
	id, ok := d.list.ID(i)
	return ok && d.o.Labels[id] != ""
}

// collapsed says what is in a collapsed run.
func (d *Drawing) collapsed(run []int32) string {
	var answers, results, others int
	for _, i := range run {
		switch d.list.Role(int(i)) {
		case entry.RoleAssistant:
			answers++
		case entry.RoleToolResult:
			results++
		default:
			others++
		}
	}
	var parts []string
	for _, c := range []struct {
		n   int
		one string
	}{{answers, "answer"}, {results, "result"}, {others, "other"}} {
		if c.n > 0 {
			parts = append(parts, term.Plural(c.n, c.one))
		}
	}
	return term.Plural(len(run), "entry") + ": " + strings.Join(parts, ", ")
}

// Counts says how much there is.
func (d *Drawing) Counts() string {
	text := term.Plural(d.tree.Len(), "entry") + ", " + term.Plural(d.tips, "branch")
	if len(d.roots) > 1 {
		text += ", " + term.Plural(len(d.roots), "root")
	}
	if len(d.o.Labels) > 0 {
		text += ", " + term.Plural(len(d.o.Labels), "label")
	}
	if n := len(d.tree.Heals()); n > 0 && d.links == tree.Healed {
		text += fmt.Sprintf(", %s healed", term.Plural(n, "link"))
	}
	return text
}
