package exchange

import (
	"fmt"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/tree"
)

// linkAll has entries count with the link that they are read with, for a side that
// does not have the session: those that the whole copy would hang elsewhere. It
// looks at the copy again after each change, because a link that is written says
// more of other entries. It returns how many links those are.
func (r *reading) linkAll() (links int, err error) {
	if r.log.Damage().BadCount == 0 {
		return 0, nil // the copy has the same lines
	}
	r.linked = make(map[int]bool)
	lost := map[string]bool{} // parents: two lines that are equal go the same way
	for range maxLooks {
		copied, err := r.copied()
		if err != nil {
			return 0, err
		}
		before := len(lost)
		for _, i := range r.links.Changed() {
			_, moves := r.links.Parent(i)
			if parent, _ := r.list.ParentID(i); moves && copied.Parent(i, tree.Healed) != r.tree.Parent(i, tree.Healed) {
				lost[parent] = true
			}
		}
		if len(lost) == before {
			return r.relinked(r.links.Changed()), nil
		}
		r.linkTo(lost)
	}
	for _, i := range r.links.Changed() {
		parent, _ := r.list.ParentID(i)
		lost[parent] = true
	}
	r.linkTo(lost)
	return r.relinked(r.links.Changed()), nil
}

// maxLooks is how often a copy is looked at before all its links are written.
const maxLooks = 32

// copied returns the tree of the whole copy as the other side will read it.
func (r *reading) copied() (*tree.Tree, error) {
	x := entry.NewIndex()
	for i := range r.list.Len() {
		line, err := r.line(i)
		if err != nil {
			return nil, err
		}
		var e entry.Envelope
		if err := e.Scan(line); err != nil {
			return nil, fmt.Errorf("read entry %d: %w", i+1, err)
		}
		x.Add(&e, entry.At{Off: int64(i), Len: int64(len(line)), Line: i + 1})
	}
	return tree.New(&entry.List{Index: x, Load: r.line}, nil), nil
}

// linkTo has the entries whose parents are lost count with their links, the entries
// that they get as parents with their ids, and compactions with what they keep.
func (r *reading) linkTo(lost map[string]bool) {
	for _, i := range r.links.Changed() {
		if from, ok := r.links.KeptFrom(i); ok && lost[from] {
			r.linked[i] = true
		}
		parent, _ := r.list.ParentID(i)
		if _, moves := r.links.Parent(i); !moves || !lost[parent] {
			continue
		}
		r.linked[i] = true
		to := r.tree.Parent(i, tree.Healed)
		if _, named := r.links.ID(to); named {
			r.linked[to] = true
		}
	}
}

// link has the entries whose parent is nowhere count with the link that they are
// read with, where the other side has neither the entry nor the parent that it
// names: the damaged line that said more is not sent.
func (r *reading) link(other *reading) error {
	plain := map[string]bool{} // ids that an entry would get and does not
	for _, named := range []bool{true, false} {
		for _, i := range r.links.Changed() {
			id, names := r.links.ID(i)
			if names != named {
				continue
			}
			if r.whole(other, i, plain) {
				plain[id] = plain[id] || names
				continue
			}
			if err := r.count(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// whole reports whether entry i is to count as it is stored.
func (r *reading) whole(other *reading, i int, plain map[string]bool) bool {
	if other.known(r.digests[i]) {
		return true
	}
	if from, ok := r.links.KeptFrom(i); ok && other.list.Find(from) >= 0 {
		return true
	}
	parent, is := r.links.Parent(i)
	if !is {
		return false
	}
	was, says := r.list.ParentID(i)
	return parent != nil && plain[*parent] || says && other.list.Find(was) >= 0
}

// count has entry i count as the other side would be sent it.
func (r *reading) count(i int) error {
	if r.linked == nil {
		r.linked = make(map[int]bool)
		r.stored = append([]digest(nil), r.digests...)
	}
	r.linked[i] = true
	line, err := r.line(i)
	if err != nil {
		return err
	}
	d := digestOf(line)
	if r.digests[i] = d; !r.known(d) {
		r.has[d] = i
	}
	return nil
}

// parent returns the entry that entry i follows, as the other side reads it.
func (r *reading) parent(i int) int {
	if r.linked[i] {
		return r.tree.Parent(i, tree.Healed)
	}
	return r.list.Parent(i)
}

// relinked counts the entries that go with another link than is stored.
func (r *reading) relinked(entries []int) int {
	n := 0
	for _, i := range entries {
		if _, ok := r.links.Parent(i); ok && r.linked[i] {
			n++
		}
	}
	return n
}
