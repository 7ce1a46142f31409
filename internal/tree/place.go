package tree

import (
	"bytes"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxAhead is how many entries behind a lost one are asked what they hang on.
	maxAhead = 48
	// maxTurns is how many answers are asked for a tool call.
	maxTurns = 64
	// maxBack is how far back the branch that entries belong to is looked for.
	maxBack = 1 << 16
	// maxLoads is how many lines are read to heal the links of a session.
	maxLoads = 2000
	// maxSteps is how many entries and damaged lines are looked at for that, beside
	// those that stand next to an orphan.
	maxSteps = 1 << 22
)

// place returns the parent of a lost entry of which nothing can be read, and which
// stood before position at; entry k is the first that names it. That is the entry
// before, unless a damaged line between them says what it followed, or what hangs
// on the lost entry belongs to another branch: the result of a tool to its call, a
// compaction to what it keeps, an edit to what it edits.
func (t *Tree) place(at, k int, name string) int {
	to := at - 1
	for _, n := range slices.Backward(t.gapsAt[at]) {
		g := &t.gaps[n]
		if g.Root {
			return None
		}
		if !t.step(1) {
			break
		}
		if up := t.find(g.ParentID, at); g.HasParent && up >= 0 && up < at {
			to = up
			break
		}
	}
	below := t.below(k, name)
	if wanted := t.wanted(k, below, to); len(wanted) > 0 {
		return t.branchWith(k, wanted, to)
	}
	if at != k {
		return to
	}
	return t.inTime(k, below, to)
}

// below returns what hangs on a lost entry, of the entries that stand nearest
// behind it.
func (t *Tree) below(k int, name string) []int {
	end := min(k+maxAhead, len(t.parents))
	t.until = max(t.until, k+maxAhead)
	var in [maxAhead]bool
	var all []int
	for j := k; j < end; j++ {
		p := int(t.parents[j])
		parent, named := t.list.ParentID(j)
		if j == k || p >= k && p < end && in[p-k] || p == orphan && named && parent == name {
			in[j-k] = true
			all = append(all, j)
		}
	}
	return all
}

// wanted returns the entries before position k that have to be on the way to those
// below.
func (t *Tree) wanted(k int, below []int, to int) map[int]bool {
	all := map[int]bool{}
	for n, j := range below {
		switch {
		case t.list.Role(j) == entry.RoleToolResult:
			if at := t.callOf(k, below[:n], j, to); at >= 0 {
				all[at] = true
			}
		case t.list.Kind(j) == entry.ContextEdit:
			if at, _ := t.list.Around(t.list.Ref(j), j); at >= 0 && at < k {
				all[at] = true
			}
		case t.list.Kind(j) == entry.Compaction:
			first, _ := jsonedit.Text(t.line(j), "firstKeptEntryId")
			if at, _ := t.list.Around(first, j); first != "" && at >= 0 && at < k {
				all[at] = true
			}
		}
	}
	return all
}

// callOf returns the answer before position k that made the call of which entry j
// is the result; None if one of those that stand between did, or none that can be
// found. One on the way to the entry to comes first: the names of calls may come
// again.
func (t *Tree) callOf(k int, between []int, j, to int) int {
	id := t.list.Ref(j)
	if id == "" {
		return None
	}
	call := jsonedit.Quoted(id)
	calls := func(i int) bool {
		return t.list.Role(i) == entry.RoleAssistant && bytes.Contains(t.line(i), call)
	}
	for _, i := range between {
		if calls(i) {
			return None
		}
	}
	found, turns := None, 0
	if t.mayCycle(Healed) && !t.step(len(t.parents)/64) {
		return None
	}
	t.up(to, Healed, func(i int) bool {
		if !t.step(1) {
			return false
		}
		if t.list.Role(i) == entry.RoleAssistant {
			turns++
		}
		if calls(i) {
			found = i
		}
		return found < 0 && turns < maxTurns
	})
	for i := k - 1; i >= 0 && found < 0 && turns < 2*maxTurns && t.step(1); i-- {
		if t.list.Role(i) == entry.RoleAssistant {
			turns++
		}
		if calls(i) {
			found = i
		}
	}
	return found
}

// branchWith returns the newest entry before position k that follows the most of
// the wanted ones: the entry to, if it follows as many.
func (t *Tree) branchWith(k int, wanted map[int]bool, to int) int {
	from := k
	for i := range wanted {
		from = min(from, i)
	}
	if k-from > maxBack || !t.step(k-from) {
		return to
	}
	follows := make([]int32, k-from)
	best := to
	count := func(i int) int32 {
		if i < from || i >= k {
			return 0
		}
		return follows[i-from]
	}
	for i := from; i < k; i++ {
		n := count(t.parent(i, Healed))
		if wanted[i] {
			n++
		}
		follows[i-from] = n
	}
	for i := k - 1; i >= from; i-- {
		if count(i) > count(best) {
			best = i
		}
	}
	return best
}

// inTime returns the entry to, unless the file is not in the order of time here,
// as after two copies were united: then the nearest before position k that is not
// newer than what follows.
func (t *Tree) inTime(k int, below []int, to int) int {
	if len(below) < 2 || k < 3 || to != k-1 {
		return to
	}
	now := int64(entry.NoTime)
	for _, j := range below[:2] {
		if t.list.Time(j) == entry.NoTime {
			return to
		}
		now = max(now, t.list.Time(j))
	}
	for i := k - 3; i < k; i++ {
		if t.list.Time(i) <= now { // or has none
			return to
		}
	}
	for i := k - 4; i >= 0 && k-i < maxBack && t.step(1); i-- {
		if at := t.list.Time(i); at != entry.NoTime && at <= now {
			return i
		}
	}
	return to
}

// misspelt returns the entry before position at whose id is name but for one bit,
// None if there is not exactly one. Where ids are a bit apart anyway, as numbers
// are, nothing follows from that.
func (t *Tree) misspelt(name string, at int) int {
	found := t.bitFrom(name)
	if len(found) != 1 || found[0] >= at {
		return None
	}
	id, _ := t.list.ID(found[0])
	if len(t.bitFrom(id)) > 0 {
		return None
	}
	return found[0]
}

// bitFrom returns the entries whose ids are a bit from name.
func (t *Tree) bitFrom(name string) []int {
	if len(name) < 8 || len(name) > 64 {
		return nil
	}
	var all []int
	spelt := []byte(name)
	for i := range spelt {
		for bit := range 8 {
			spelt[i] ^= 1 << bit
			if at := t.list.Find(string(spelt)); at >= 0 {
				all = append(all, at)
			}
			spelt[i] ^= 1 << bit
		}
	}
	return all
}

// unsaid returns the parent of entry i, whose line does not say which it has: what
// stands under a name that is parentId but for one letter, else the entry before.
func (t *Tree) unsaid(i int) int {
	for key, value := range jsonedit.Members(t.line(i)) {
		if !alike(key, "parentId") {
			continue
		}
		if jsonedit.Kind(value) == jsontext.KindNull {
			return None
		}
		name, ok := jsonedit.String(value)
		if !ok {
			continue
		}
		if at := t.find(name, i); at >= 0 && at != i {
			return at
		}
		to, _ := t.through(name, i, map[string]int{})
		return to
	}
	return t.place(i, i, "")
}

// alike reports whether two names differ in one letter at most.
func alike(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	n := 0
	for i := range len(a) {
		if a[i] != b[i] {
			n++
		}
	}
	return n <= 1
}

// line returns the line of entry i, nil when it cannot be read or enough were.
func (t *Tree) line(i int) []byte {
	if t.spent.loads++; t.spent.loads > maxLoads {
		return nil
	}
	line, err := t.list.Load(i)
	if err != nil {
		return nil
	}
	return line
}
