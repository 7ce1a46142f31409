package tree

import (
	"slices"

	"github.com/cambium-dev/cambium/entry"
)

// exitType is the custom type of what omp 18.2.3 appends when it ends.
const exitType = "session_exit"

// Leaf returns the entry where the session goes on by default: the last of the
// list, of whatever kind (published P1). Only trailing notes that a program
// ended are passed over, where their parent is not the newest entry of the
// conversation: they were written beside it. It returns [None] when there are
// no entries.
func (t *Tree) Leaf() int {
	t.Grow()
	last := len(t.parents) - 1
	newest := last
	for newest >= 0 && !Conversation(t.list.Kind(newest)) {
		newest--
	}
	if newest < 0 {
		return last
	}
	leaf := last
	for leaf > newest && t.list.Kind(leaf) == entry.Custom && t.list.Ref(leaf) == exitType &&
		t.parent(leaf, Healed) != newest {
		leaf--
	}
	return leaf
}

// Conversation reports whether entries of kind k hold part of what was said, as
// against settings, labels and records.
func Conversation(k entry.Kind) bool {
	switch k {
	case entry.Message, entry.CustomMessage, entry.BranchSummary, entry.Compaction:
		return true
	}
	return false
}

// Tips returns the live ends of branches in file order, the newest last: for
// each entry of the conversation after which nothing was said, the end of what
// hangs on it (settings, labels and records; of several such branches the
// newest). Links are healed.
func (t *Tree) Tips() []int {
	k := t.children(Healed)
	heads := t.heads(Healed)
	slices.Sort(heads)
	head := func(i int) bool {
		_, is := slices.BinarySearch(heads, i)
		return is
	}
	above := newBitmap(len(t.parents)) // what was said below it
	for i := range t.parents {
		if !Conversation(t.list.Kind(i)) {
			continue
		}
		for j := i; !head(j); {
			j = t.parent(j, Healed)
			if j < 0 || above.set(j) {
				break
			}
		}
	}
	var tips []int
	for i := range t.parents {
		if above.has(i) || !Conversation(t.list.Kind(i)) {
			continue
		}
		tip := i
		for k.last[tip] >= 0 && !head(int(k.last[tip])) {
			tip = int(k.last[tip])
		}
		tips = append(tips, tip)
	}
	slices.Sort(tips)
	return tips
}

// A Tip is the live end of a branch.
type Tip struct {
	// Entry is its last entry, Said the last of the conversation on it.
	Entry, Said int
}

// Elsewhere returns the live ends of the branches on which something was said
// that is not on the path to leaf, in file order. Links are healed.
func (t *Tree) Elsewhere(leaf int) []Tip {
	here := newBitmap(len(t.parents))
	for _, i := range t.Path(leaf, Healed) {
		here.set(i)
	}
	var all []Tip
	for _, i := range t.Tips() {
		said := i
		for said >= 0 && !Conversation(t.list.Kind(said)) {
			said = t.parent(said, Healed)
		}
		if said >= 0 && !here.has(said) {
			all = append(all, Tip{Entry: i, Said: said})
		}
	}
	return all
}
