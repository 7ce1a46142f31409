package treeview

import (
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/tree"
)

// An Outline is what is known of a session without the bodies of its entries:
// who follows whom, and in what order they are drawn. It does not change and is
// safe for concurrent use.
type Outline struct {
	index  *entry.Index
	leaf   int
	order  []int32 // every entry once, parents before children, the leaf's path first
	parent []int32 // by entry, cycles cut; -1 for a root
	active []bool  // by entry: it is on the path of the leaf
	labels map[int32]label
	facts  Facts
}

// A label is a name in effect.
type label struct {
	text string
	time int64
}

// Facts are what is shown of a session as a whole.
type Facts struct {
	// Name is the session's name, or what stands for it.
	Name string
	// Notes are what is wrong with it. They are said at first; a badge stays.
	Notes []string
	// Marks are what is wrong with single entries, by position.
	Marks map[int]string
	// ReadOnly is why the session cannot be gone on with; "" when it can.
	ReadOnly string
}

// NewOutline returns the outline of the session whose entries l lists and t
// links. leaf is the position of its leaf, -1 for none. It reads the label
// entries and no other body; the error is that of one that cannot be read. The
// list may grow afterwards.
func NewOutline(l *entry.List, t *tree.Tree, leaf int, f Facts) (*Outline, error) {
	n := t.Len()
	o := &Outline{index: l.Snapshot().Index, leaf: leaf, active: make([]bool, n), labels: map[int32]label{}, facts: f}
	names, err := t.Labels()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		for i := l.Find(name.TargetID); i >= 0; i = l.Twin(i) {
			o.labels[int32(i)] = label{text: name.Text, time: l.Time(name.At)}
		}
	}
	for _, i := range t.Path(leaf, tree.Healed) {
		o.active[i] = true
	}
	o.lay(t)
	return o, nil
}

// lay settles the order of the entries: the children of each as the full tree
// has them, but the one on the leaf's path before the others.
func (o *Outline) lay(t *tree.Tree) {
	n := t.Len()
	o.parent = make([]int32, n)
	first, next := make([]int32, n+1), make([]int32, n) // children, the last one first
	for i := range first {
		first[i] = -1
	}
	var path []int32
	for node := range t.Nodes(tree.Healed) {
		at := int32(node.Entry)
		path = append(path[:node.Depth], at)
		up := int32(-1)
		if node.Depth > 0 {
			up = path[node.Depth-1]
		}
		o.parent[at] = up
		above := &first[up+1]
		if head := *above; head >= 0 && o.active[head] {
			next[at], next[head] = next[head], at // the active one stays at the end
			continue
		}
		next[at], *above = *above, at
	}
	o.order = make([]int32, 0, n)
	var todo []int32
	push := func(up int32) {
		from := len(todo)
		for at := first[up+1]; at >= 0; at = next[at] {
			todo = append(todo, at)
		}
		// The active one is at the head of its list and is to be taken first,
		// which is last.
		if len(todo) > from+1 && o.active[todo[from]] {
			head := todo[from]
			copy(todo[from:], todo[from+1:])
			todo[len(todo)-1] = head
		}
	}
	for push(-1); len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		o.order = append(o.order, at)
		push(at)
	}
}

// Len returns how many entries there are.
func (o *Outline) Len() int { return len(o.parent) }

// Leaf returns the position of the leaf, -1 for none.
func (o *Outline) Leaf() int { return o.leaf }

// Facts returns what is shown of the session as a whole.
func (o *Outline) Facts() Facts { return o.facts }

// ID returns the id of entry i, "" when it has none.
func (o *Outline) ID(i int) string {
	id, _ := o.index.ID(i)
	return id
}

// Named reports whether the id of entry i names it and no later one.
func (o *Outline) Named(i int) bool {
	id, ok := o.index.ID(i)
	return ok && o.index.Find(id) == i
}

// Find returns the position of the entry with that id, -1 for none.
func (o *Outline) Find(id string) int { return o.index.Find(id) }

// Label returns the name of entry i, "" for none.
func (o *Outline) Label(i int) string { return o.labels[int32(i)].text }

// Labels returns how many entries have a name.
func (o *Outline) Labels() int { return len(o.labels) }

// Time returns when entry i was made; the zero time when it does not say.
func (o *Outline) Time(i int) time.Time { return at(o.index.Time(i)) }

// LabelTime returns when entry i got its name.
func (o *Outline) LabelTime(i int) time.Time {
	l, ok := o.labels[int32(i)]
	if !ok {
		return time.Time{}
	}
	return at(l.time)
}

func at(ms int64) time.Time {
	if ms == entry.NoTime {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
