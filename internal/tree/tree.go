package tree

import (
	"slices"

	"github.com/cambium-dev/cambium/entry"
)

// Links says how parents are read.
type Links uint8

const (
	// Strict takes parentId as written: orphans and self-parents are roots.
	Strict Links = iota
	// Healed gives orphans the parent they most likely had; see [Heal].
	Healed
)

// None is the parent of a root, and the position of what is not there.
const None = -1

// orphan marks an entry whose parent is named and not there.
const orphan = -2

// A Tree is the links between the entries of a list. It follows the list as
// entries are added. It must be made anew when entries are renamed. A Tree is
// not safe for concurrent use.
type Tree struct {
	list *entry.List
	gaps []Gap

	parents []int32 // by position: a position, None or orphan
	heals   []Heal  // by Entry, ascending; see mend
	ahead   bool    // some heal leads to where its entry stands, or behind it
	stale   bool    // they have to be found anew
	spare   []int   // see nameless
	until   int     // entries before this position may say more of them
	spent   effort  // to find them
	// gapsAt and gapsOf are the numbers of damaged lines, by place and by id.
	gapsAt map[int][]int32
	gapsOf map[string][]int32
	// waiting holds the orphans by the id they name, because an entry with
	// that id may still be added.
	waiting map[string][]int32
	// forward counts parents that stand after their child: without any there
	// is no cycle.
	forward int
	// kids are the children of both readings, nil until asked for.
	kids   [2]*kids
	labels labels
}

// effort is how many lines were read, and how many entries and damaged lines looked at.
type effort struct{ loads, steps int }

// Of returns the tree behind what a session shows of it, which must be one of this
// package.
func Of(shown any) *Tree { return shown.(*Tree) }

// New returns the tree of the entries of l. gaps are what is still legible of
// damaged lines, in file order; it may be nil. It takes time in proportion to
// the number of entries and four bytes an entry.
func New(l *entry.List, gaps []Gap) *Tree {
	t := &Tree{list: l, gaps: gaps}
	t.parents = make([]int32, 0, l.Len())
	t.Grow()
	return t
}

// Len returns the number of entries.
func (t *Tree) Len() int {
	t.Grow()
	return len(t.parents)
}

// Grow takes in the entries that were added to the list. All other methods do
// so themselves.
func (t *Tree) Grow() {
	for i := len(t.parents); i < t.list.Len(); i = len(t.parents) {
		if t.waiting == nil && !t.stale && i >= t.until && t.kids == [2]*kids{} {
			n := t.list.Straight(i)
			t.parents = slices.Grow(t.parents, n)[:i+n]
			for j := range t.parents[i:] {
				t.parents[i+j] = int32(i + j - 1)
			}
		}
		if i = len(t.parents); i < t.list.Len() {
			t.add(i)
		}
	}
}

// add links entry i, the next one.
func (t *Tree) add(i int) {
	if t.waiting != nil {
		t.adopt(i)
	}
	p := t.list.Parent(i)
	if i < t.until {
		t.stale = true
	}
	switch {
	case p == entry.Orphan && t.named(i):
		name, _ := t.list.ParentID(i)
		if t.waiting == nil {
			t.waiting = map[string][]int32{}
		}
		t.waiting[name] = append(t.waiting[name], int32(i))
		t.parents = append(t.parents, orphan)
		t.stale = true
	case p == entry.None && i > 0 && t.list.Unsaid(i):
		t.parents = append(t.parents, orphan)
		t.stale = true
	case p < 0, p > i && !t.named(i):
		t.parents = append(t.parents, None)
	default:
		t.parents = append(t.parents, int32(p))
		if p > i {
			t.forward++
		}
	}
	if t.list.Kind(i) == entry.Label {
		t.labels.at = append(t.labels.at, int32(i))
	}
	if t.stale {
		t.kids[Healed] = nil
	}
	for links, k := range t.kids {
		if k == nil {
			continue
		}
		switch p := t.parent(i, Links(links)); {
		case p > i: // not among the kids yet
			t.kids[links] = nil
		default:
			k.add(i, p)
		}
	}
}

// named reports whether entry i names a parent other than itself.
func (t *Tree) named(i int) bool {
	parent, _ := t.list.ParentID(i)
	id, has := t.list.ID(i)
	return !has || parent != id
}

// adopt gives the orphans that name entry i their parent.
func (t *Tree) adopt(i int) {
	id, has := t.list.ID(i)
	if !has {
		return
	}
	orphans, ok := t.waiting[id]
	if !ok {
		return
	}
	delete(t.waiting, id)
	for _, o := range orphans {
		t.parents[o] = int32(i)
		t.forward++
	}
	t.stale = true
	t.kids = [2]*kids{}
}

// Parent returns the position of the parent of entry i, or [None] for a root.
// With [Strict] links, orphans and self-parents are roots.
func (t *Tree) Parent(i int, links Links) int {
	t.Grow()
	return t.parent(i, links)
}

func (t *Tree) parent(i int, links Links) int {
	p := int(t.parents[i])
	if p != orphan {
		return p
	}
	if links == Healed {
		t.mend()
		if at, ok := t.healOf(i); ok {
			return t.heals[at].To
		}
	}
	return None
}

// Orphan reports whether entry i names a parent that is not among the entries, or
// does not say which it has.
func (t *Tree) Orphan(i int) bool {
	t.Grow()
	return t.parents[i] == orphan
}
