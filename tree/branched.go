package tree

import (
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/go-json-experiment/json/jsontext"
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
	// ParentID is its new parent; a root when HasParent is false.
	ParentID  string
	HasParent bool
	// FirstKept is the new firstKeptEntryId of a compaction that named a
	// dropped label, "" where it stays.
	FirstKept string
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
	moved := map[string]string{} // id of a dropped label → of what follows it
	var dropped []string
	onPath := map[string]bool{}
	for _, i := range t.Path(leaf, links) {
		id, named := t.list.ID(i)
		if t.list.Kind(i) == entry.Label {
			dropped = append(dropped, id)
			continue
		}
		for _, label := range dropped {
			moved[label] = id
		}
		dropped = dropped[:0]
		k := Kept{Entry: i, ParentID: parent, HasParent: has}
		if t.list.Kind(i) == entry.Compaction && len(moved) > 0 {
			first, err := t.firstKept(i)
			if err != nil {
				return Branched{}, err
			}
			if first != id {
				k.FirstKept = moved[first]
			}
		}
		plan.Kept = append(plan.Kept, k)
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

func (t *Tree) firstKept(i int) (string, error) {
	line, err := t.list.Load(i)
	if err != nil {
		return "", err
	}
	first, _ := splice.Text(line, "firstKeptEntryId")
	return first, nil
}

// Line returns the line of the kept entry as the new session has it. line is
// the old one; all bytes but the named members stay, and line itself is
// returned when nothing changes.
func (k Kept) Line(line []byte) []byte {
	parent := jsontext.Value("null")
	if k.HasParent {
		parent = splice.Quoted(k.ParentID)
	}
	line = splice.SetAfter(line, "id", "parentId", parent)
	if k.FirstKept != "" {
		line = splice.Set(line, "firstKeptEntryId", splice.Quoted(k.FirstKept))
	}
	return line
}
