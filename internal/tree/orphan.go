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
	t.stale, t.ahead, t.heals, t.until, t.spent = false, false, t.heals[:0], 0, effort{}
	t.sortGaps()
	lost := 0
	for _, p := range t.parents {
		if p == orphan {
			lost++
		}
	}
	t.heals = slices.Grow(t.heals, lost)
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
			to = t.meant(to, i)
			t.heals = append(t.heals, Heal{Entry: i, To: to, Gap: gap})
			t.ahead = t.ahead || to >= i
		}
	}
}

// through follows name, the parent of entry i, through damaged lines to an
// entry. Each damaged line is used once at most. What nothing legible has the name
// of is where the first entry that names it says; see place.
func (t *Tree) through(name string, i int, places map[string]int) (to, gap int) {
	gap = None
	limit := i
	var used map[int]bool
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
			used = map[int]bool{}
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
	at := t.spare[0]
	if len(t.gapsAt[k]) > 0 || len(t.gapsAt[at]) < 2 && t.parents[at] == orphan {
		return k
	}
	return at
}

// gapNamed returns the number of the damaged line with that id nearest before
// position at, else the first after it, or None.
func (t *Tree) gapNamed(name string, at int, used map[int]bool) int {
	after := None
	for _, n := range slices.Backward(t.gapsOf[name]) {
		g := int(n)
		if !t.step(1) {
			break
		}
		if used[g] {
			continue
		}
		if t.gaps[g].At <= at {
			return g
		}
		after = g
	}
	return after
}

// sortGaps lists the damaged lines by their ids and by their places.
func (t *Tree) sortGaps() {
	if t.gapsAt != nil || len(t.gaps) == 0 {
		return
	}
	t.gapsAt, t.gapsOf = map[int][]int32{}, map[string][]int32{}
	for n, g := range t.gaps {
		t.gapsAt[g.At] = append(t.gapsAt[g.At], int32(n))
		if g.ID != "" {
			t.gapsOf[g.ID] = append(t.gapsOf[g.ID], int32(n))
		}
	}
}

// step reports whether n more entries or damaged lines may be looked at to heal the
// links of a session.
func (t *Tree) step(n int) bool {
	if t.spent.steps > maxSteps-n {
		return false
	}
	t.spent.steps += n
	return true
}

// find returns the nearest entry before position at with that id, else the
// first after it, or None.
func (t *Tree) find(id string, at int) int {
	before, after := t.list.Around(id, at)
	if before >= 0 {
		return before
	}
	return after
}

func (t *Tree) healOf(i int) (int, bool) {
	return slices.BinarySearchFunc(t.heals, i, func(h Heal, i int) int { return h.Entry - i })
}
