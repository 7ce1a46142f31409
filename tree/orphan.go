package tree

import (
	"slices"
)

// A Gap is what is still legible of a damaged line, or of a part of one that may be
// of another record.
type Gap struct {
	// ID is the id that can be read in it, "" when none can.
	ID string
	// ParentID is the parentId that can be read in it, if HasParent.
	ParentID  string
	HasParent bool
	// Root says that what can be read is that its parentId is null.
	Root bool
	// At is the number of entries before it.
	At int
}

// A Heal is a link that is not in the file: the parent that a [Healed] reading
// gives to an orphan.
type Heal struct {
	// Entry is the orphan, To its parent.
	Entry, To int
	// Gap is the number of the damaged line that the orphan names, in the
	// order given to [New], or [None] when it names nothing legible.
	Gap int
}

// Heals returns the healed links by ascending position of the orphan. The
// slice must not be changed.
func (t *Tree) Heals() []Heal {
	t.Grow()
	t.mend()
	return t.heals
}

// mend finds a parent for every orphan, if one may have another now. An orphan that
// what is legible calls a root, and one with no entry before it, stays a root.
func (t *Tree) mend() {
	if !t.stale {
		return
	}
	t.stale, t.heals, t.until, t.loads = false, t.heals[:0], 0, 0
	places := map[string]int{} // of lost entries that nothing legible is left of
	t.spare = t.nameless()
	for i, p := range t.parents {
		if p != orphan {
			continue
		}
		name, named := t.list.ParentID(i)
		var to, gap int
		if named {
			to, gap = t.through(name, i, places)
		} else {
			to, gap = t.unsaid(i), None
		}
		if to == i {
			to = i - 1
		}
		if to >= 0 {
			t.heals = append(t.heals, Heal{Entry: i, To: t.meant(to, i), Gap: gap})
		}
	}
}

// through follows name, the parent of entry i, through damaged lines to an
// entry. Each damaged line is used once at most. What nothing legible has the name
// of is where the first entry that names it says; see place.
func (t *Tree) through(name string, i int, places map[string]int) (to, gap int) {
	gap = None
	limit := i
	var used []bool
	for {
		g := t.gapNamed(name, limit, used)
		if g < 0 {
			if at := t.misspelt(name, min(limit, i)); at >= 0 {
				return at, gap
			}
			if gap >= 0 {
				return t.place(min(limit, i), min(limit, i), name), gap
			}
			to, known := places[name]
			if !known {
				to = t.place(t.before(i), i, name)
				places[name] = to
			}
			return to, gap
		}
		if gap < 0 {
			gap = g
		}
		if used == nil {
			used = make([]bool, len(t.gaps))
		}
		used[g] = true
		limit = t.gaps[g].At
		switch {
		case t.gaps[g].Root:
			return None, gap
		case !t.gaps[g].HasParent:
			return t.place(min(limit, i), min(limit, i), t.gaps[g].ID), gap
		}
		name = t.gaps[g].ParentID
		if at := t.find(name, limit); at >= 0 {
			return at, gap
		}
	}
}

// nameless returns the places of damaged lines in which nothing names an entry.
func (t *Tree) nameless() []int {
	var all []int
	for _, g := range t.gaps {
		if g.ID == "" && (len(all) == 0 || all[len(all)-1] != g.At) {
			all = append(all, g.At)
		}
	}
	return all
}

// before returns before which position an entry was lost that entry k is the first
// to name: before that one, unless there is one place in which it may have stood and
// none stands there, or room for more than one is.
func (t *Tree) before(k int) int {
	if len(t.spare) != 1 || t.spare[0] >= k || t.spare[0] == 0 {
		return k
	}
	at, room := t.spare[0], 0
	for _, g := range t.gaps {
		if g.At == k {
			return k
		}
		if g.At == at {
			room++
		}
	}
	if room < 2 && t.parents[at] == orphan {
		return k
	}
	return at
}

// gapNamed returns the number of the damaged line with that id nearest before
// position at, else the first after it, or None.
func (t *Tree) gapNamed(name string, at int, used []bool) int {
	after := None
	for g := len(t.gaps) - 1; g >= 0; g-- {
		if t.gaps[g].ID != name || name == "" || used != nil && used[g] {
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
