package tree

import (
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// A Branched is the plan of a session that holds one path of another: the
// published createBranchedSession, in the manner of pi 0.87.1 for every dialect
// (omp 18.2.3 and xcsh 17.4.4 leave the children of dropped labels dangling,
// which cuts their context).
type Branched struct {
	// Kept are the entries of the path without its labels, root first.
	Kept []Kept
	// Labels are to be written after them, in this order, each a child of the
	// one before, the first of the last kept entry.
	Labels []Relabel
}

// A Kept is an entry that goes into the new session.
type Kept struct {
	// Entry is its position in the old one.
	Entry int
	// ID is its new id, "" where it stays; see [Branched.Name].
	ID string
	// parentID is its new parent; a root when HasParent is false.
	parentID  string
	hasParent bool
	// firstKept is the new firstKeptEntryId of a compaction that named a
	// dropped label, "" where it stays; Through the new
	// providerReplayThroughEntryId of one.
	firstKept, through string
}

// A Relabel is a label that is written anew.
type Relabel struct {
	TargetID, Label string
	// Time is when it was given, in milliseconds since 1970, or
	// [entry.NoTime].
	Time int64
}

// Branched plans the session of the path to entry leaf. Kept is empty when leaf
// is outside the list or the path holds labels only. The error is that of an
// entry that cannot be loaded.
func (t *Tree) Branched(leaf int, links Links) (Branched, error) {
	var plan Branched
	var parent string
	var has bool
	moved := map[string]string{}  // id of a dropped label → of what follows it
	before := map[string]string{} // id of a dropped label → of what it follows
	var dropped []string
	followed := followers{}
	onPath := map[string]bool{}
	for _, i := range t.Path(leaf, links) {
		id, named := t.list.ID(i)
		if t.list.Kind(i) == entry.Label {
			dropped, before[id] = append(dropped, id), parent
			continue
		}
		for _, label := range dropped {
			moved[label] = id
		}
		dropped = dropped[:0]
		k := Kept{Entry: i, parentID: parent, hasParent: has}
		if t.list.Kind(i) == entry.Compaction && (len(moved) > 0 || len(t.waiting) > 0) {
			line, err := t.list.Load(i)
			if err != nil {
				return Branched{}, err
			}
			if first, _ := jsonedit.Text(line, "firstKeptEntryId"); first != id {
				if k.firstKept = moved[first]; k.firstKept == "" {
					k.firstKept = followed.id(t, first)
				}
			}
			if through, _ := jsonedit.Text(line, "providerReplayThroughEntryId"); through != "" {
				k.through = before[through]
			}
		}
		if plan.Kept = append(plan.Kept, k); len(plan.Kept) > 1 {
			followed.enter(t, i)
		}
		// An entry without an id cannot be named: what follows hangs on the
		// one before it.
		if named {
			parent, has = id, true
			onPath[id] = true
		}
	}
	all, err := t.Labels()
	if err != nil {
		return Branched{}, err
	}
	for _, l := range all {
		if onPath[l.TargetID] {
			plan.Labels = append(plan.Labels, Relabel{TargetID: l.TargetID, Label: l.Text, Time: t.list.Time(l.At)})
		}
	}
	return plan, nil
}

// Name gives ids to the entries of the plan that have none and that something
// follows: without one, what follows hangs on the entry before. newID makes an id
// that is not taken; the error is its own.
func (b *Branched) Name(l *entry.List, newID func(taken func(id string) bool) (string, error)) error {
	used := map[string]bool{}
	taken := func(id string) bool { return used[id] || l.Find(id) >= 0 }
	for n := range b.Kept {
		k := &b.Kept[n]
		if _, has := l.ID(k.Entry); has || n == len(b.Kept)-1 && len(b.Labels) == 0 {
			continue
		}
		id, err := newID(taken)
		if err != nil {
			return err
		}
		used[id], k.ID = true, id
		if n+1 < len(b.Kept) {
			b.Kept[n+1].parentID, b.Kept[n+1].hasParent = id, true
		}
	}
	return nil
}

// Line returns the line of the kept entry as the new session has it. line is
// the old one; all bytes but the named members stay, and line itself is
// returned when nothing changes.
func (k Kept) Line(line []byte) []byte {
	if k.ID != "" {
		line = jsonedit.SetAfter(line, "type", "id", jsonedit.Quoted(k.ID))
	}
	line = parentLine(line, k.parentID, k.hasParent)
	if k.firstKept != "" {
		line = jsonedit.Set(line, "firstKeptEntryId", jsonedit.Quoted(k.firstKept))
	}
	if k.through != "" {
		line = jsonedit.Set(line, "providerReplayThroughEntryId", jsonedit.Quoted(k.through))
	}
	return line
}
