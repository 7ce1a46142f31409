package spelling

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// Old reports whether a session of that version is to be migrated. It compares
// as JavaScript does: what is no number at all is neither old nor new.
func Old(version float64) bool { return version < entry.CurrentVersion }

// MigrateHeader returns a header line with the current version, and otherwise as
// it is: the version keeps its place, or comes last where there was none. A line
// that is not old is returned itself.
func MigrateHeader(line entry.JSON) entry.JSON {
	h, ok := entry.ParseHeader(line)
	if !ok || !Old(h.Version) {
		return line
	}
	return jsonedit.Set(line, "version", jsonedit.IntValue(entry.CurrentVersion))
}

// Migrate brings the index of a session whose header is h to the current version
// and returns what brings the line of each entry there: line is a pure function
// of the stored line of entry i, and is nil when there is nothing to migrate.
// load returns stored lines; it is not called after Migrate has returned. x is
// changed: ids, parents, roles and the places of messages are those of the
// migrated lines.
//
// From version 1 to 2 (all programs, published P1) every entry gets a new id and
// the entry before it as parent, and a compaction's firstKeptEntryIndex, which
// counts the header as 0 and then the entries, becomes the firstKeptEntryId: the
// new id of the entry it names, for a later entry the id that it had before, none
// for the header, a second header or a place that does not exist. From 2 to 3 the
// role hookMessage becomes custom.
//
// New ids are derived, so that every reading and the later rewrite agree (D2): the
// first 8 hexadecimal digits of the SHA-256 of session id, LF and line number in
// decimal; the next 8 where an earlier entry has those. The error is of a line
// that could not be loaded or read.
//
// Whether a session is of version 1 is what its entries say: those of version 1 have
// no id and no parentId, and an entry that has both keeps them. A header that says
// version 1 of nothing but such entries is wrong in a bit, and nothing is migrated; one
// that says a later version where no entry has an id is, too.
func Migrate(x *entry.Index, h entry.Header, load func(i int) ([]byte, error)) (line func(i int, raw []byte) ([]byte, error), err error) {
	m := &migration{tree: h.Version < 2 || !x.Named()}
	if m.tree {
		if err := m.linked(x, load); err != nil || x.Len() > 0 && len(m.keeps) == x.Len() {
			return nil, err
		}
		if err := m.plan(x, h, load); err != nil {
			return nil, err
		}
	} else if !Old(h.Version) {
		return nil, nil
	}
	for i := range x.Len() {
		if !m.tree && x.Role(i) != entry.RoleHook {
			continue
		}
		raw, err := load(i)
		if err != nil {
			return nil, fmt.Errorf("migrate line %d: %w", x.At(i).Line, err)
		}
		var e entry.Envelope
		if err := e.Scan(m.line(i, raw)); err != nil {
			return nil, fmt.Errorf("migrate line %d: %w", x.At(i).Line, err)
		}
		x.Amend(i, &e)
	}
	x.Rehash()
	return func(i int, raw []byte) ([]byte, error) {
		if m.tree && i >= len(m.ids) {
			return nil, fmt.Errorf("migrate entry %d: it was not there when the session was migrated", i)
		}
		return m.line(i, raw), nil
	}, nil
}

// linked finds the entries that have an id and say what their parent is.
func (m *migration) linked(x *entry.Index, load func(i int) ([]byte, error)) error {
	m.keeps = map[int]bool{}
	for i := range x.Len() {
		if _, has := x.ID(i); !has || x.Kind(i) == entry.Session {
			continue
		}
		_, has := x.ParentID(i)
		if !has { // null, or not there
			raw, err := load(i)
			if err != nil {
				return fmt.Errorf("migrate line %d: %w", x.At(i).Line, err)
			}
			_, has = jsonedit.Get(raw, "parentId")
		}
		if has {
			m.keeps[i] = true
		}
	}
	return nil
}

// migration is what Migrate finds out beforehand.
type migration struct {
	tree bool // from version 1
	ids  []string
	// keeps has the entries that have ids and parents as they are.
	keeps map[int]bool
	// parents has the id before, "" for none: second headers have no ids.
	parents []string
	kept    map[int]entry.JSON // firstKeptEntryId by compaction
}

// plan derives the ids and looks up what compactions keep. The index still has
// the old ids.
func (m *migration) plan(x *entry.Index, h entry.Header, load func(int) ([]byte, error)) error {
	missing := 0 // lines: the header of a session that lost it is put before its first
	if h.Raw == nil && x.Len() > 0 && x.At(0).Line == 1 {
		missing = 1
	}
	taken := make(map[string]bool, x.Len())
	for i := range m.keeps {
		id, _ := x.ID(i)
		taken[id] = true
	}
	m.ids, m.parents = make([]string, x.Len()), make([]string, x.Len())
	last := ""
	for i := range m.ids {
		m.parents[i] = last
		if m.keeps[i] {
			m.ids[i], _ = x.ID(i)
		} else if x.Kind(i) != entry.Session {
			m.ids[i] = derive(h.ID, x.At(i).Line+missing, taken)
		}
		last = cmp.Or(m.ids[i], last)
	}
	m.kept = map[int]entry.JSON{}
	for i := range m.ids {
		if x.Kind(i) != entry.Compaction {
			continue
		}
		raw, err := load(i)
		if err != nil {
			return fmt.Errorf("migrate line %d: %w", x.At(i).Line, err)
		}
		index, _ := jsonedit.Get(raw, "firstKeptEntryIndex")
		n, ok := jsonedit.Number(index)
		at := int(min(max(n, -1), float64(len(m.ids)+1))) - 1
		if !ok || n != float64(at+1) || at < 0 || at >= len(m.ids) || x.Kind(at) == entry.Session {
			continue
		}
		if at <= i {
			m.kept[i] = jsonedit.Quoted(m.ids[at])
			continue
		}
		later, err := load(at)
		if err != nil {
			return fmt.Errorf("migrate line %d: %w", x.At(at).Line, err)
		}
		m.kept[i], _ = jsonedit.Get(later, "id")
	}
	return nil
}

// line returns the migrated line of entry i. Members that are there keep their
// place, new ones come last, in the order in which the programs add them.
func (m *migration) line(i int, raw entry.JSON) entry.JSON {
	kind := entry.KindOf(typeOf(raw))
	out := raw
	if m.tree && kind != entry.Session && !m.keeps[i] {
		parent := entry.JSON("null")
		if m.parents[i] != "" {
			parent = jsonedit.Quoted(m.parents[i])
		}
		out = jsonedit.Set(out, "id", jsonedit.Quoted(m.ids[i]))
		out = jsonedit.Set(out, "parentId", parent)
		if kind == entry.Compaction {
			out = m.compaction(i, out)
		}
	}
	if kind == entry.Session {
		return MigrateHeader(out)
	}
	if kind == entry.Message {
		message, _ := jsonedit.Get(out, "message")
		if role, ok := jsonedit.Text(message, "role"); ok && role == entry.RoleHook.String() {
			out = jsonedit.Set(out, "message", jsonedit.Set(message, "role", jsonedit.Quoted(entry.RoleCustom.String())))
		}
	}
	return out
}

// compaction turns the index into an id, where the index is a number.
func (m *migration) compaction(i int, line entry.JSON) entry.JSON {
	index, _ := jsonedit.Get(line, "firstKeptEntryIndex")
	if _, ok := jsonedit.Number(index); !ok {
		return line
	}
	if kept, ok := m.kept[i]; ok {
		if kept == nil {
			line = jsonedit.Delete(line, "firstKeptEntryId")
		} else {
			line = jsonedit.Set(line, "firstKeptEntryId", kept)
		}
	}
	return jsonedit.Delete(line, "firstKeptEntryIndex")
}

func typeOf(line entry.JSON) string {
	name, _ := jsonedit.Text(line, "type")
	return name
}

// derive returns an id that is not taken, and takes it.
func derive(session string, line int, taken map[string]bool) string {
	seed := session + "\n" + strconv.Itoa(line)
	for {
		hash := sha256.Sum256([]byte(seed))
		sum := hex.EncodeToString(hash[:])
		for at := 0; at < len(sum); at += 8 {
			if id := sum[at : at+8]; !taken[id] {
				taken[id] = true
				return id
			}
		}
		seed = sum
	}
}
