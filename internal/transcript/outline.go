package transcript

import (
	"context"
	"iter"

	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/replay"
)

// A Turn says what a step of an outline is.
type Turn uint8

// The turns.
const (
	// Along is a part of the branch that is read, or of a side branch.
	Along Turn = iota
	// Enter begins a side branch, Leave ends it.
	Enter
	Leave
	// Elsewhere names a side branch that is not read.
	Elsewhere
)

// A Step is one thing in an outline.
type Step struct {
	Turn Turn
	// ID is that of the entry; of a side branch it is that of its first entry. It is "" for
	// what comes of no entry, and for an entry without one.
	ID string
	// Label is the label of the entry, "" for none.
	Label string
	// Time is when the entry was written, in milliseconds since 1970, 0 where that is not
	// known.
	Time int64
	// Part is what is said. The text of a side branch is its first entry in short.
	Part Part
	// Entries is how many a side branch has, with those that leave it again.
	Entries int
}

// Outline yields a branch in order and, behind the entry where it leaves, each side branch:
// as steps of its own if all is wanted, else by name. Side branches nest no deeper than
// log₂ of the number of entries.
func (r *Reader) Outline(ctx context.Context, c *replay.Context, leaf int, all bool, links tree.Links) iter.Seq2[Step, error] {
	parts := r.branch(ctx, c, nil)
	return func(yield func(Step, error) bool) {
		o := &outline{r: r, ctx: ctx, d: drawn(r.s, DrawOptions{Links: links}, leaf), all: all, yield: yield}
		labels, err := tree.Of(r.s.Tree()).Labels()
		if err != nil {
			yield(Step{}, err)
			return
		}
		o.labels = make(map[string]string, len(labels))
		for _, l := range labels {
			o.labels[l.TargetID] = l.Text
		}
		o.path, o.place = o.d.tree.Path(leaf, links), none(o.d.tree.Len())
		for at, i := range o.path {
			o.place[i] = int32(at)
		}
		for _, root := range o.d.roots {
			if !o.d.active[root] && !o.side(int32(root)) {
				return
			}
		}
		for part, err := range parts {
			if err != nil {
				yield(Step{}, err)
				return
			}
			if !o.until(part.Entry) || !yield(o.step(part), nil) {
				return
			}
		}
		o.until(-1)
	}
}

// An outline is one that is being yielded.
type outline struct {
	r      *Reader
	ctx    context.Context // of the one call
	d      *Drawing
	all    bool
	yield  func(Step, error) bool
	labels map[string]string // by id
	path   []int             // of the branch, from its beginning
	place  []int32           // by entry, where on the path it stands, -1 for nowhere
	done   int               // how much of the path is passed
}

// until yields the side branches of the entries before one, all of them for -1: a rule
// stands in front of what comes next.
func (o *outline) until(i int) bool {
	end := len(o.path)
	if i >= 0 {
		end = int(o.place[i]) // what is not on it passes nothing
	}
	for ; o.done < end; o.done++ {
		kids := o.d.kids(int32(o.path[o.done]))
		for _, k := range kids {
			if !o.d.active[k] && !o.side(k) {
				return false
			}
		}
	}
	return true
}

// side yields the branch that begins with entry i.
func (o *outline) side(i int32) bool {
	if err := o.ctx.Err(); err != nil {
		o.yield(Step{}, err)
		return false
	}
	first := o.step(Part{Entry: int(i), Text: GistAt(o.r.list, int(i)).String()})
	first.Turn, first.Entries = Elsewhere, int(o.d.size[i])
	if !o.all {
		return o.yield(first, nil)
	}
	if first.Turn = Enter; !o.yield(first, nil) {
		return false
	}
	for {
		for part := range o.r.Alone(o.ctx, int(i)) {
			if !o.yield(o.step(part), nil) {
				return false
			}
		}
		kids := o.d.kids(i)
		if len(kids) == 0 {
			break
		}
		i = kids[len(kids)-1]
		for _, k := range kids[:len(kids)-1] {
			if !o.side(k) {
				return false
			}
		}
	}
	return o.yield(Step{Turn: Leave}, nil)
}

// step is a part with what is known of its entry.
func (o *outline) step(p Part) Step {
	s := Step{Part: p}
	if p.Entry < 0 {
		return s
	}
	list := o.r.list
	s.Time = max(list.Time(p.Entry), 0)
	id, ok := list.ID(p.Entry)
	if ok {
		s.ID, s.Label = id, o.labels[id]
	}
	return s
}
