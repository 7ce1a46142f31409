package tree

import (
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// Ways returns what reports whether entry at is on the [Tree.Path] to entry from. It
// takes time in proportion to the number of entries once, and none for an answer. It is
// good until entries are added.
func (t *Tree) Ways(links Links) func(at, from int) bool {
	t.Grow()
	begins, ends := make([]int32, len(t.parents)), make([]int32, len(t.parents))
	var open []int
	n := int32(0)
	shut := func(depth int) {
		for len(open) > depth {
			ends[open[len(open)-1]] = n
			open = open[:len(open)-1]
		}
	}
	for node := range t.Nodes(links) {
		shut(node.Depth)
		begins[node.Entry], open = n, append(open, node.Entry)
		n++
	}
	shut(0)
	rings := map[int]int{} // entries of cycles, each with the first of its cycle
	for _, head := range t.heads(links) {
		rings[head] = head
		for i := t.parent(head, links); i != head; i = t.parent(i, links) {
			rings[i] = head
		}
	}
	return func(at, from int) bool {
		above := at
		if head, is := rings[at]; is {
			above = head // the way goes round the whole cycle
		}
		return begins[above] <= begins[from] && begins[from] < ends[above]
	}
}

// keep has compactions that keep from a lost entry keep from what followed it.
func (r *Relink) keep(t *Tree) {
	if len(t.waiting) == 0 {
		return
	}
	if len(t.heads(Healed)) > 0 {
		r.keepByPaths(t)
		return
	}
	var open []int
	followed := followers{}
	for node := range t.Nodes(Healed) {
		for len(open) > node.Depth {
			followed.leave(t, open[len(open)-1])
			open = open[:len(open)-1]
		}
		open = append(open, node.Entry)
		if node.Depth > 0 {
			followed.enter(t, node.Entry)
		}
		r.keepFrom(t, node.Entry, followed)
	}
}

// keepByPaths is keep where parents lead in circles: it ends when too many entries
// were looked at.
func (r *Relink) keepByPaths(t *Tree) {
	for i := range t.list.Len() {
		if t.list.Kind(i) != entry.Compaction {
			continue
		}
		path := t.Path(i, Healed)
		if !t.step(len(path) + len(t.parents)/64) {
			return
		}
		followed := followers{}
		for _, at := range path[min(1, len(path)):] {
			followed.enter(t, at)
		}
		r.keepFrom(t, i, followed)
	}
}

// keepFrom has entry i, if it is a compaction that keeps from a lost entry, keep from
// what followed that.
func (r *Relink) keepFrom(t *Tree, i int, followed followers) {
	if t.list.Kind(i) != entry.Compaction || len(followed) == 0 {
		return
	}
	line, err := t.list.Load(i)
	if err != nil {
		return
	}
	lost, _ := jsonedit.Text(line, "firstKeptEntryId")
	now := followed.id(t, lost)
	if now == "" {
		return
	}
	if r.kept == nil {
		r.kept = map[int]kept{}
	}
	r.kept[i] = kept{lost, now}
}

// followers are the entries of a path that are the first to follow a lost one, by its
// id.
type followers map[string]int

// enter takes in the next entry of the path.
func (f followers) enter(t *Tree, i int) {
	if t.parents[i] != orphan {
		return
	}
	if lost, named := t.list.ParentID(i); named {
		if _, there := f[lost]; !there {
			f[lost] = i
		}
	}
}

// leave takes the last entry of the path out.
func (f followers) leave(t *Tree, i int) {
	if t.parents[i] != orphan {
		return
	}
	if lost, named := t.list.ParentID(i); named && f[lost] == i {
		delete(f, lost)
	}
}

// id returns the id of the entry that followed a lost one, "" if none did or it has
// no id.
func (f followers) id(t *Tree, lost string) string {
	i, ok := f[lost]
	if !ok || t.waiting[lost] == nil {
		return ""
	}
	id, _ := t.list.ID(i)
	return id
}
