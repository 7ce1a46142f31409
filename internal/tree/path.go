package tree

import (
	"slices"
)

// Path returns the positions from the root of entry from to from itself. It
// stops at the first repeat, so that it is bounded by the number of entries
// (pi 0.87.1 and xcsh 17.4.4 never return from a cycle; omp 18.2.3 stops as
// here). For a position outside the list it is nil.
func (t *Tree) Path(from int, links Links) []int {
	t.Grow()
	if from < 0 || from >= len(t.parents) {
		return nil
	}
	if path := t.plainPath(from); path != nil {
		return path
	}
	n := 0
	t.up(from, links, func(int) bool { n++; return true })
	path := make([]int, n)
	t.up(from, links, func(i int) bool {
		n--
		path[n] = i
		return true
	})
	return path
}

// plainPath is Path where no parent on it stands after its child or is missing: both
// readings of the links are the same there. Else it is nil.
func (t *Tree) plainPath(from int) []int {
	n, i := 0, int32(from)
	for i >= 0 {
		p := t.parents[i]
		if p >= i || p == orphan {
			return nil
		}
		n, i = n+1, p
	}
	path := make([]int, n)
	for i = int32(from); i >= 0; i = t.parents[i] {
		n--
		path[n] = int(i)
	}
	return path
}

// up calls yield with from and its ancestors until it returns false, the root
// is reached or an entry comes again.
func (t *Tree) up(from int, links Links, yield func(int) bool) {
	var seen bitmap // of a walk that may be in a cycle, else nil
	if t.mayCycle(links) {
		seen = newBitmap(len(t.parents))
	}
	for i := from; i >= 0; i = t.parent(i, links) {
		if seen != nil && seen.set(i) {
			return
		}
		if !yield(i) {
			return
		}
	}
}

// mayCycle reports whether some parent stands after its child, without which
// there is no cycle.
func (t *Tree) mayCycle(links Links) bool {
	if links == Healed {
		t.mend()
	}
	return t.forward > 0 || links == Healed && t.ahead
}

// Depth returns the number of ancestors of entry i.
func (t *Tree) Depth(i int, links Links) int {
	t.Grow()
	n := -1
	t.up(i, links, func(int) bool { n++; return true })
	return n
}

// CommonAncestor returns the last entry that the paths of a and b share (a or b
// itself where one is on the path of the other), or [None].
func (t *Tree) CommonAncestor(a, b int, links Links) int {
	t.Grow()
	if a < 0 || b < 0 || a >= len(t.parents) || b >= len(t.parents) {
		return None
	}
	above := newBitmap(len(t.parents))
	t.up(a, links, func(i int) bool { above.set(i); return true })
	found := None
	t.up(b, links, func(i int) bool {
		if above.has(i) {
			found = i
		}
		return found < 0
	})
	return found
}

// Children returns the children of entry i in file order, as the published
// getChildren does. Of [None] they are the entries whose parentId is null,
// without the orphans that [Tree.Roots] lists. The first call takes twelve
// bytes an entry.
func (t *Tree) Children(i int, links Links) []int {
	k := t.children(links)
	var list []int
	if i < 0 {
		for r, p := range t.parents {
			if _, named := t.list.ParentID(r); p == None && !named {
				list = append(list, r)
			}
		}
		return list
	}
	for c := k.first[i]; c >= 0; c = k.next[c] {
		list = append(list, int(c))
	}
	return list
}

// Roots returns the roots in file order: entries without a parent, with
// [Strict] links orphans and self-parents too, and of each cycle the entry that
// stands first, so that every entry is below a root.
func (t *Tree) Roots(links Links) []int {
	t.Grow()
	n := 0
	for i := range t.parents {
		if t.parent(i, links) < 0 {
			n++
		}
	}
	roots := slices.Grow([]int(nil), n)
	for i := range t.parents {
		if t.parent(i, links) < 0 {
			roots = append(roots, i)
		}
	}
	if heads := t.heads(links); len(heads) > 0 {
		roots = append(roots, heads...)
		slices.Sort(roots)
	}
	return roots
}

// heads returns the first entry of each cycle.
func (t *Tree) heads(links Links) []int {
	if !t.mayCycle(links) {
		return nil
	}
	var heads []int
	walk := make([]int32, len(t.parents)) // which walk came here first, from 1
	for start := range t.parents {
		i := start
		for i >= 0 && walk[i] == 0 {
			walk[i] = int32(start) + 1
			i = t.parent(i, links)
		}
		if i < 0 || walk[i] != int32(start)+1 {
			continue
		}
		head := i
		for j := t.parent(i, links); j != i; j = t.parent(j, links) {
			head = min(head, j)
		}
		heads = append(heads, head)
	}
	return heads
}

// Cycles returns, in file order, the entries whose parents as written lead back
// to them: of each cycle the entry that stands first, which [Tree.Roots] has as
// a root, and the entries that name themselves.
func (t *Tree) Cycles() []int {
	t.Grow()
	cycles := t.heads(Strict)
	for i, p := range t.parents {
		if _, named := t.list.ParentID(i); p == None && named {
			cycles = append(cycles, i)
		}
	}
	slices.Sort(cycles)
	return cycles
}

// kids are children by position, in file order, as chains.
type kids struct {
	first, last, next []int32
}

// children returns the chains of one reading.
func (t *Tree) children(links Links) *kids {
	t.Grow()
	if t.kids[links] == nil {
		n := len(t.parents)
		all := make([]int32, 0, 3*n)
		k := &kids{first: all[0:0:n], last: all[n : n : 2*n], next: all[2*n : 2*n : 3*n]}
		for range n {
			k.enter()
		}
		for i := range n {
			k.link(i, t.parent(i, links))
		}
		t.kids[links] = k
	}
	return t.kids[links]
}

// add enters entry i, the next one, as a child of p.
func (k *kids) add(i, p int) {
	k.enter()
	k.link(i, p)
}

func (k *kids) enter() {
	k.first, k.last, k.next = append(k.first, None), append(k.last, None), append(k.next, None)
}

func (k *kids) link(i, p int) {
	switch {
	case p < 0:
	case k.first[p] < 0:
		k.first[p], k.last[p] = int32(i), int32(i)
	default:
		k.next[k.last[p]] = int32(i)
		k.last[p] = int32(i)
	}
}

// bitmap is a set of positions.
type bitmap []uint64

func newBitmap(n int) bitmap { return make(bitmap, (n+63)/64) }

func (b bitmap) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

// set adds i and reports whether it was in already.
func (b bitmap) set(i int) bool {
	was := b.has(i)
	b[i/64] |= 1 << (i % 64)
	return was
}
