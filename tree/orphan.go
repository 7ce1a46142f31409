package tree

import (
	"slices"
)

// A Gap is what is still legible of a damaged line.
type Gap struct {
	// ID is the id that can be read in it, "" when none can.
	ID string
	// ParentID is the parentId that can be read in it, if HasParent.
	ParentID  string
	HasParent bool
	// At is the number of entries before it.
	At int
}

// A Heal is a link that is not in the file: the parent that a [Healed] reading
// gives to an orphan.
type Heal struct {
	// Entry is the orphan, To its parent.
	Entry, To int
	// Gap is the number of the damaged line that the orphan names, in the
	// order given to [New], or [None] when it names nothing legible and To is
	// the readable entry before it.
	Gap int
}

// Heals returns the healed links by ascending position of the orphan. The
// slice must not be changed.
func (t *Tree) Heals() []Heal {
	t.Grow()
	return t.heals
}

// heal notes that entry i is an orphan, and finds it a parent. An orphan with
// no entry before it stays a root.
func (t *Tree) heal(i int) {
	name, _ := t.list.ParentID(i)
	if t.waiting == nil {
		t.waiting = map[string][]int32{}
	}
	t.waiting[name] = append(t.waiting[name], int32(i))
	to, gap := t.through(name, i)
	if to == i {
		to = i - 1
	}
	if to >= 0 {
		t.heals = append(t.heals, Heal{Entry: i, To: to, Gap: gap})
	}
}

// through follows name, the parent of entry i, through damaged lines to an
// entry. Each damaged line is used once at most.
func (t *Tree) through(name string, i int) (to, gap int) {
	gap = None
	limit := i
	used := make([]bool, len(t.gaps))
	for {
		g := t.gapNamed(name, limit, used)
		if g < 0 {
			return min(limit, i) - 1, gap
		}
		if gap < 0 {
			gap = g
		}
		used[g] = true
		limit = t.gaps[g].At
		if !t.gaps[g].HasParent {
			return min(limit, i) - 1, gap
		}
		name = t.gaps[g].ParentID
		if at := t.find(name, limit); at >= 0 {
			return at, gap
		}
	}
}

// gapNamed returns the number of the damaged line with that id nearest before
// position at, else the first after it, or None.
func (t *Tree) gapNamed(name string, at int, used []bool) int {
	after := None
	for g := len(t.gaps) - 1; g >= 0; g-- {
		if t.gaps[g].ID != name || name == "" || used[g] {
			continue
		}
		if t.gaps[g].At <= at {
			return g
		}
		after = g
	}
	return after
}

// find returns the nearest entry before position at with that id, else the
// first after it, or None.
func (t *Tree) find(id string, at int) int {
	after := None
	for i := t.list.Find(id); i >= 0; i = t.list.Twin(i) {
		if i < at {
			return i
		}
		after = i
	}
	return after
}

func (t *Tree) healOf(i int) (int, bool) {
	return slices.BinarySearchFunc(t.heals, i, func(h Heal, i int) int { return h.Entry - i })
}

func (t *Tree) unheal(i int) {
	if at, ok := t.healOf(i); ok {
		t.heals = slices.Delete(t.heals, at, at+1)
	}
}
