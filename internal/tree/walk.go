package tree

import (
	"cmp"
	"io"
	"iter"
	"slices"
	"strconv"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// A Node is one entry of the full tree, as [Tree.Nodes] meets it.
type Node struct {
	// Entry is its position.
	Entry int
	// Depth is the number of nodes above it, 0 for a root.
	Depth int
	// Children is how many children it has.
	Children int
	// Last reports whether no sibling (no root, for a root) follows.
	Last bool
}

// Nodes yields every entry once, each before its children: roots in file order,
// children oldest to newest by timestamp. The sort is stable and an entry
// without a readable timestamp is equal to all, as in the programs (pi 0.87.1,
// omp 18.2.3, xcsh 17.4.4). The cycle entries that [Tree.Roots] names are roots
// here, not children.
func (t *Tree) Nodes(links Links) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		w := t.walker(links)
		for len(w.stack) > 0 {
			if !yield(w.step()) {
				return
			}
		}
	}
}

// walker is a walk over the full tree with its own stack.
type walker struct {
	t     *Tree
	kids  *kids
	heads []int
	stack []pending
	sort  []int32
}

type pending struct {
	at, depth int32
	last      bool
}

func (t *Tree) walker(links Links) *walker {
	w := &walker{t: t, kids: t.children(links), heads: t.heads(links)}
	slices.Sort(w.heads)
	roots := t.Roots(links)
	w.stack = make([]pending, 0, len(roots)+1)
	for n, r := range slices.Backward(roots) {
		w.stack = append(w.stack, pending{at: int32(r), last: n == len(roots)-1})
	}
	return w
}

func (w *walker) step() Node {
	top := w.stack[len(w.stack)-1]
	w.stack = w.stack[:len(w.stack)-1]
	children := w.children(top.at)
	for n, c := range slices.Backward(children) {
		w.stack = append(w.stack, pending{at: c, depth: top.depth + 1, last: n == len(children)-1})
	}
	return Node{Entry: int(top.at), Depth: int(top.depth), Children: len(children), Last: top.last}
}

// children returns the children of one entry in the order of the full tree. The
// slice is good until the next call.
func (w *walker) children(at int32) []int32 {
	w.sort = w.sort[:0]
	for c := w.kids.first[at]; c >= 0; c = w.kids.next[c] {
		if len(w.heads) > 0 {
			if _, head := slices.BinarySearch(w.heads, int(c)); head {
				continue
			}
		}
		w.sort = append(w.sort, c)
	}
	if len(w.sort) > 1 {
		slices.SortStableFunc(w.sort, func(a, b int32) int {
			ta, tb := w.t.list.Time(int(a)), w.t.list.Time(int(b))
			if ta == entry.NoTime || tb == entry.NoTime {
				return 0
			}
			return cmp.Compare(ta, tb)
		})
	}
	return w.sort
}

// AppendJSON appends the full tree to dst as the published getTree returns it:
// [{"entry":{…},"label":"…","children":[…]}], label only where there is one.
// Entries are the lines as stored. The error is that of the first line that
// cannot be loaded.
func (t *Tree) AppendJSON(dst []byte, links Links) ([]byte, error) {
	return t.AppendForm(dst, links, Form{})
}

// A Form is how the full tree is written. The zero Form is the published one.
type Form struct {
	// Flat writes a list instead of a tree, in the order of the tree, each with the
	// number of nodes above it: [{"entry":{…},"label":"…","depth":0}]. It is as deep
	// as an entry, however long the conversation.
	Flat bool
	// Times adds labelTimestamp to a label: when it was given, as written (pi 0.87.1).
	Times bool
}

// AppendForm is AppendJSON in a form.
func (t *Tree) AppendForm(dst []byte, links Links, form Form) ([]byte, error) {
	err := t.json(links, form, func(part []byte) error {
		dst = append(dst, part...)
		return nil
	})
	return dst, err
}

// WriteJSON writes to w what [Tree.AppendJSON] appends, holding one entry at a
// time. The error is that of w or of a line that cannot be loaded; what was
// written until then stays written.
func (t *Tree) WriteJSON(w io.Writer, links Links) error { return t.WriteForm(w, links, Form{}) }

// WriteForm is WriteJSON in a form.
func (t *Tree) WriteForm(w io.Writer, links Links, form Form) error {
	buf := make([]byte, 0, 64<<10)
	err := t.json(links, form, func(part []byte) error {
		if len(buf)+len(part) > cap(buf) {
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
		if len(part) > cap(buf) {
			_, err := w.Write(part)
			return err
		}
		buf = append(buf, part...)
		return nil
	})
	if err != nil {
		return err
	}
	_, err = w.Write(buf)
	return err
}

func (t *Tree) json(links Links, form Form, put func([]byte) error) error {
	if err := put([]byte{'['}); err != nil {
		return err
	}
	depth := -1 // of the last node, whose array and object are open
	var text []byte
	for n := range t.Nodes(links) {
		above := n.Depth
		if form.Flat {
			above = 0
		}
		text = closing(text[:0], depth-above+1, form)
		if depth >= above {
			text = append(text, ',')
		}
		depth = above
		text = append(text, `{"entry":`...)
		line, err := t.list.Load(n.Entry)
		if err != nil {
			return err
		}
		if err := put(text); err != nil {
			return err
		}
		if err := put(line); err != nil {
			return err
		}
		text, err = t.appendLabel(text[:0], n.Entry, form)
		if err != nil {
			return err
		}
		if form.Flat {
			text = strconv.AppendInt(append(text, `,"depth":`...), int64(n.Depth), 10)
		} else {
			text = append(text, `,"children":[`...)
		}
		if err := put(text); err != nil {
			return err
		}
	}
	return put(append(closing(text[:0], depth+1, form), ']'))
}

// closing ends n nodes.
func closing(dst []byte, n int, form Form) []byte {
	end := "]}"
	if form.Flat {
		end = "}"
	}
	for range n {
		dst = append(dst, end...)
	}
	return dst
}

func (t *Tree) appendLabel(dst []byte, i int, form Form) ([]byte, error) {
	id, has := t.list.ID(i)
	if !has {
		return dst, nil
	}
	label, ok, err := t.Label(id)
	if err != nil || !ok {
		return dst, err
	}
	dst = jsonedit.Quote(append(dst, `,"label":`...), label)
	if !form.Times {
		return dst, nil
	}
	given := t.labels.list[t.labels.byID[id]]
	line, err := t.list.Load(given.At)
	if err != nil {
		return dst, err
	}
	if at, ok := jsonedit.Get(line, "timestamp"); ok {
		dst = append(append(dst, `,"labelTimestamp":`...), at...)
	}
	return dst, nil
}
