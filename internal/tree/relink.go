package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// A Relink is what has to change in the lines of a list for a [Strict] reading of
// a copy to give the links of a [Healed] reading of the original. A copy holds
// the same entries in the same order and none of the damaged lines.
type Relink struct {
	parents map[int]*string // nil is null
	ids     map[int]string
	taken   map[string]bool // the values of ids
	kept    map[int]kept    // of compactions that keep from a lost entry
}

// A kept is the entry from which a compaction keeps.
type kept struct{ lost, now string }

// Relink plans a copy of all entries. newID makes an id that is not taken, for a
// parent that has none, and for those of the entries in also that have none. The
// error is that of newID.
func (t *Tree) Relink(newID func(taken func(id string) bool) (string, error), also ...int) (Relink, error) {
	var r Relink
	for _, i := range also {
		if _, has := t.list.ID(i); !has {
			if _, err := r.name(t, i, newID); err != nil {
				return Relink{}, err
			}
		}
	}
	t.Grow()
	for _, h := range t.Heals() {
		id, has := t.list.ID(h.To)
		if !has {
			var err error
			if id, err = r.name(t, h.To, newID); err != nil {
				return Relink{}, err
			}
		}
		r.set(h.Entry, &id)
	}
	for i, p := range t.parents {
		if p == orphan && i > 0 && t.parent(i, Healed) < 0 {
			r.set(i, nil) // a copy would heal it
		}
	}
	r.keep(t)
	return r, nil
}

func (r *Relink) set(i int, parent *string) {
	if r.parents == nil {
		r.parents = map[int]*string{}
	}
	r.parents[i] = parent
}

// name gives entry i an id.
func (r *Relink) name(t *Tree, i int, newID func(taken func(id string) bool) (string, error)) (string, error) {
	if id, ok := r.ids[i]; ok {
		return id, nil
	}
	id, err := newID(func(id string) bool {
		return r.taken[id] || t.list.Find(id) >= 0 || t.waiting[id] != nil
	})
	if err != nil {
		return "", err
	}
	if r.ids == nil {
		r.ids, r.taken = map[int]string{}, map[string]bool{}
	}
	r.ids[i], r.taken[id] = id, true
	return id, nil
}

// Names returns what makes ids for entries that have none and that others hang on:
// for the same seed always the same, so that two copies agree.
func Names(seed string) func(taken func(id string) bool) (string, error) {
	n := 0
	return func(taken func(id string) bool) (string, error) {
		for range 1000 {
			n++
			sum := sha256.Sum256(fmt.Appendf(nil, "cambium name\n%s\n%d", seed, n))
			if id := hex.EncodeToString(sum[:4]); !taken(id) {
				return id, nil
			}
		}
		return "", errors.New("every id for an entry without one is taken")
	}
}

// Parent returns the id that entry i names as its parent in the copy, nil for
// null, and false where that is what it says already.
func (r *Relink) Parent(i int) (*string, bool) {
	id, ok := r.parents[i]
	return id, ok
}

// ID returns the id that entry i gets in the copy, and false where it gets none.
func (r *Relink) ID(i int) (string, bool) {
	id, ok := r.ids[i]
	return id, ok
}

// Changed returns the entries whose lines change, by ascending position.
func (r *Relink) Changed() []int {
	all := slices.Collect(maps.Keys(r.parents))
	all = slices.AppendSeq(slices.AppendSeq(all, maps.Keys(r.ids)), maps.Keys(r.kept))
	slices.Sort(all)
	return slices.Compact(all)
}

// Changes reports whether the line of entry i changes.
func (r *Relink) Changes(i int) bool {
	_, named := r.ids[i]
	_, keeps := r.kept[i]
	_, linked := r.parents[i]
	return named || keeps || linked
}

// FirstKept returns the entry from which compaction i keeps in the copy, and false
// where that is what it says already.
func (r *Relink) FirstKept(i int) (string, bool) {
	k, ok := r.kept[i]
	return k.now, ok
}

// KeptFrom returns the lost entry from which compaction i says that it keeps, and
// false where FirstKept does.
func (r *Relink) KeptFrom(i int) (string, bool) {
	k, ok := r.kept[i]
	return k.lost, ok
}

// Line returns the line of entry i as the copy has it. All bytes but the named
// members stay, and line itself is returned when nothing changes.
func (r *Relink) Line(i int, line []byte) []byte {
	if id, ok := r.ids[i]; ok {
		line = jsonedit.SetAfter(line, "type", "id", quoted(id))
	}
	if parent, ok := r.parents[i]; ok && parent == nil {
		line = parentLine(line, "", false)
	} else if ok {
		line = parentLine(line, *parent, true)
	}
	if k, ok := r.kept[i]; ok {
		line = jsonedit.Set(line, "firstKeptEntryId", quoted(k.now))
	}
	return line
}

// parentLine returns line with another parent; null when has is false.
func parentLine(line []byte, parent string, has bool) []byte {
	value := entry.JSON("null")
	if has {
		value = quoted(parent)
	}
	return jsonedit.SetAfter(line, "id", "parentId", value)
}

// quoted returns a name as JSON text that is read as the same name, also when it is
// not UTF-8: a bit of it may have flipped.
func quoted(name string) entry.JSON {
	if utf8.ValidString(name) {
		return jsonedit.Quoted(name)
	}
	out := []byte{'"'}
	for _, c := range []byte(name) {
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c < ' ':
			out = fmt.Appendf(out, "\\u%04x", c)
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}

// meant returns the entry that a parentId of entry i that is the id of entry to
// would mean: the nearest before it with that id, else the first after it.
func (t *Tree) meant(to, i int) int {
	id, has := t.list.ID(to)
	if !has {
		return to
	}
	if at := t.find(id, i); at >= 0 && at != i {
		return at
	}
	return to
}
