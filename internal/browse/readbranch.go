package browse

import (
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/tui/readview"
	"github.com/cambium-dev/cambium/session"
)

// A branch is the way to an entry, as a reader shows it. Making one reads no entry.
type branch struct {
	path  []int
	where []int32 // by entry, the place on the path, -1 for none
	rows  []readview.Row
}

// branchTo returns the branch that ends with an entry; it is empty for -1. full has the
// records of programs be rows, too.
func branchTo(s *session.Session, leaf int, links tree.Links, full bool) *branch {
	t, list := tree.Of(s.Tree()), s.List()
	b := &branch{}
	if leaf >= 0 {
		b.path = t.Path(leaf, links)
	}
	b.where = make([]int32, t.Len())
	kids := make([]int32, t.Len())
	for i := range b.where {
		b.where[i] = -1
		if up := t.Parent(i, links); up >= 0 {
			kids[up]++
		}
	}
	for at, i := range b.path {
		b.where[i] = int32(at)
	}
	b.rows = make([]readview.Row, 0, len(b.path))
	if len(b.others(t, list, -1, links)) > 0 {
		b.rows = append(b.rows, readview.Row{Sort: readview.Fork, Entry: -1})
	}
	for at, i := range b.path {
		if full || transcript.Tells(list, i) {
			b.rows = append(b.rows, readview.Row{Sort: sortOf(list, i), Entry: i})
		}
		if (kids[i] > 1 || kids[i] > 0 && at == len(b.path)-1) && len(b.others(t, list, i, links)) > 0 {
			b.rows = append(b.rows, readview.Row{Sort: readview.Fork, Entry: i})
		}
	}
	return b
}

// sortOf says what row an entry is.
func sortOf(list *entry.List, i int) readview.Sort {
	if list.Kind(i) == entry.Compaction {
		return readview.Compaction
	}
	switch list.Role(i) {
	case entry.RoleUser:
		return readview.Prompt
	case entry.RoleToolResult, entry.RoleBash, entry.RolePython:
		return readview.Tool
	}
	return readview.Entry
}

// row is that of an entry, -1 for none. An entry that is no row has that before it.
func (b *branch) row(i int) int {
	at := b.place(i)
	if at < 0 {
		return -1
	}
	row, _ := slices.BinarySearchFunc(b.rows, at, func(r readview.Row, at int) int { return b.at(r) - at })
	for ; row < len(b.rows) && b.rows[row].Sort == readview.Fork; row++ {
	}
	if row == len(b.rows) || b.at(b.rows[row]) > at {
		row--
	}
	return row
}

// at is where on the path the entry of a row is.
func (b *branch) at(r readview.Row) int { return b.place(r.Entry) }

// place is where on the path an entry is, -1 for nowhere.
func (b *branch) place(i int) int {
	if i < 0 || i >= len(b.where) {
		return -1
	}
	return int(b.where[i])
}

// fork is the row of the branch point behind an entry, -1 for none.
func (b *branch) fork(behind int) int {
	return slices.Index(b.rows, readview.Row{Sort: readview.Fork, Entry: behind})
}

// next is the entry on the branch that follows another, or -1 the first one; -1 for none.
func (b *branch) next(behind int) int {
	if at := b.place(behind) + 1; at < len(b.path) {
		return b.path[at]
	}
	return -1
}

// others are the first entries of the branches that leave behind an entry, or for -1
// begin beside the first one. Those on which nothing is said are none.
func (b *branch) others(t *tree.Tree, list *entry.List, behind int, links tree.Links) (all []int) {
	kids := t.Roots(links)
	if behind >= 0 {
		kids = t.Children(behind, links)
	}
	on := b.next(behind)
	for _, k := range kids {
		if k != on && said(t, list, k, links) >= 0 {
			all = append(all, k)
		}
	}
	return all
}

// other is the first entry of the branch behind an entry that comes after the one that is
// read, -1 for none.
func (b *branch) other(t *tree.Tree, list *entry.List, behind int, links tree.Links) int {
	all := b.others(t, list, behind, links)
	if len(all) == 0 {
		return -1
	}
	on := b.next(behind)
	for _, k := range all {
		if k > on {
			return k
		}
	}
	return all[0]
}

// below yields an entry and all below it, parents before children.
func below(t *tree.Tree, i int, links tree.Links) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		todo := []int{i}
		for n := 0; len(todo) > 0 && n < t.Len(); n++ { // of a circle each is met once
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !yield(at) {
				return
			}
			kids := t.Children(at, links)
			slices.Reverse(kids)
			todo = append(todo, kids...)
		}
	}
}

// said is the first entry of the conversation from one on, -1 for none.
func said(t *tree.Tree, list *entry.List, i int, links tree.Links) int {
	for at := range below(t, i, links) {
		if tree.Conversation(list.Kind(at)) {
			return at
		}
	}
	return -1
}

// newest is the newest entry of the conversation below one, that entry itself where there
// is none.
func newest(t *tree.Tree, list *entry.List, i int, links tree.Links) int {
	last := i
	for at := range below(t, i, links) {
		if at > last && tree.Conversation(list.Kind(at)) {
			last = at
		}
	}
	return last
}
