package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/tree"
)

// collapse is from how many entries on a run of them is drawn as one line.
const collapse = 3

// A drawing is the tree of a session as text. Below each entry one child goes
// straight down: the one on the way to the leaf, else the one with the most
// below it. The others are set off to the right, so that n entries never need
// more than log₂(n)+1 steps of indentation. Nothing here is recursive.
type drawing struct {
	*view
	tree   *tree.Tree
	links  tree.Links
	active map[int]bool // the entries on the leaf's path
	leaf   int
	kids   [][]int32 // by entry, the one that goes straight down last
	roots  []int
	tips   int
}

// A stretch is a branch that is yet to be drawn: its first entry and what
// stands before its lines.
type stretch struct {
	from          int
	first, prefix string
}

func newDrawing(v *view, links tree.Links) *drawing {
	t := v.s.Tree()
	d := &drawing{view: v, tree: t, links: links, leaf: v.s.LeafPosition(),
		active: map[int]bool{}, kids: make([][]int32, t.Len()), roots: t.Roots(links)}
	if d.leaf >= 0 {
		for _, i := range t.Path(d.leaf, links) {
			d.active[i] = true
		}
	}
	// The parents come from the order of nodes, in which cycles are cut.
	size := make([]int32, t.Len())
	var order, parents, path []int
	for n := range t.Nodes(links) {
		path = append(path[:n.Depth], n.Entry)
		parent := -1
		if n.Depth > 0 {
			parent = path[n.Depth-1]
			d.kids[parent] = append(d.kids[parent], int32(n.Entry))
		}
		if n.Children == 0 {
			d.tips++
		}
		order, parents = append(order, n.Entry), append(parents, parent)
		size[n.Entry] = 1
	}
	for at := len(order) - 1; at >= 0; at-- {
		if parents[at] >= 0 {
			size[parents[at]] += size[order[at]]
		}
	}
	for _, kids := range d.kids {
		d.straight(kids, size)
	}
	return d
}

// straight moves the child that goes straight down to the end.
func (d *drawing) straight(kids []int32, size []int32) {
	best := len(kids) - 1
	for at, k := range kids {
		if d.active[int(k)] {
			best = at
			break
		}
		if size[k] > size[kids[best]] && !d.active[int(kids[best])] {
			best = at
		}
	}
	if best >= 0 && best < len(kids)-1 {
		k := kids[best]
		copy(kids[best:], kids[best+1:])
		kids[len(kids)-1] = k
	}
}

// draw writes all branches.
func (d *drawing) draw(ctx context.Context) error {
	var todo []stretch
	for n := len(d.roots) - 1; n >= 0; n-- {
		todo = append(todo, stretch{from: d.roots[n]})
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if err := ctx.Err(); err != nil {
			return err
		}
		// A run ends at a branching: what is set off there comes first.
		run := d.run(at.from)
		d.drawRun(run, at)
		kids := d.kids[run[len(run)-1]]
		if n := len(kids); n > 0 {
			todo = append(todo, stretch{from: int(kids[n-1]), first: at.prefix, prefix: at.prefix})
			for k := n - 2; k >= 0; k-- {
				todo = append(todo, stretch{from: int(kids[k]), first: at.prefix + "├─", prefix: at.prefix + "│ "})
			}
		}
		if d.err != nil {
			return d.err
		}
	}
	return nil
}

// run returns the entries from one to the next branching or end.
func (d *drawing) run(from int) []int {
	run := []int{from}
	for len(d.kids[from]) == 1 {
		from = int(d.kids[from][0])
		run = append(run, from)
	}
	return run
}

// drawRun writes the entries of a run, those that say little collapsed.
func (d *drawing) drawRun(run []int, at stretch) {
	prefix := at.first
	line := func(text string) {
		d.println(d.palette.Dim(prefix) + text)
		prefix = at.prefix
	}
	for n := 0; n < len(run); {
		end := n
		for end < len(run) && !d.telling(run, end) {
			end++
		}
		if end-n >= collapse {
			line(d.palette.Dim(term.Cut("⋮ "+d.collapsed(run[n:end]), d.cols-len([]rune(prefix)))))
			n = end
			continue
		}
		for end = max(end, n+1); n < end; n++ {
			line(d.node(run[n], len([]rune(prefix))))
		}
	}
}

// telling reports whether entry n of a run is drawn by itself.
func (d *drawing) telling(run []int, n int) bool {
	i := run[n]
	if d.full || n == 0 || n == len(run)-1 || i == d.leaf || d.label(i) != "" {
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

// collapsed says what is in a collapsed run.
func (d *drawing) collapsed(run []int) string {
	var answers, results, others int
	for _, i := range run {
		switch d.list.Role(i) {
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
			parts = append(parts, plural(c.n, c.one))
		}
	}
	return plural(len(run), "entry") + ": " + strings.Join(parts, ", ")
}

// node draws one entry behind a prefix of that many cells.
func (d *drawing) node(i, prefix int) string {
	p := d.palette
	mark, style := "○ ", func(s string) string { return s }
	if d.active[i] {
		mark, style = "● ", p.Bold
	}
	side := ""
	if id, ok := d.list.ID(i); ok {
		side = term.Cut(term.Line(id), 12)
	}
	tail := ""
	if label := d.label(i); label != "" {
		tail += " [" + label + "]"
	}
	if i == d.leaf {
		tail += " ← leaf"
	}
	room := max(d.cols-prefix-2-term.Width(side)-2, 6)
	tail = term.Cut(tail, max(room-6, 0))
	text := term.Cut(d.gist(i), room-term.Width(tail))
	gap := strings.Repeat(" ", max(room-term.Width(text)-term.Width(tail), 0)+2)
	if prefix+2+6 > d.cols {
		return mark + text
	}
	return p.Green(mark) + style(text) + p.Yellow(tail) + gap + p.Dim(side)
}

// counts says how much there is.
func (d *drawing) counts() string {
	text := plural(d.tree.Len(), "entry") + ", " + plural(d.tips, "branch")
	if len(d.roots) > 1 {
		text += ", " + plural(len(d.roots), "root")
	}
	if len(d.labels) > 0 {
		text += ", " + plural(len(d.labels), "label")
	}
	if n := len(d.tree.Heals()); n > 0 && d.links == tree.Healed {
		text += fmt.Sprintf(", %s healed", plural(n, "link"))
	}
	return text
}
