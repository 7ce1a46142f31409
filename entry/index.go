package entry

import (
	"hash/maphash"

	"github.com/cambium-dev/cambium/internal/jsonl"
)

// An At says where an entry's line stands in its log.
type At struct {
	// Off is the byte offset of the line (the row number in a store that
	// has no bytes). Negative: the line is not in the log.
	Off int64
	// Len is the line's length in bytes, without the newline.
	Len int64
	// Line is the line's number in the log, from 1; 0 if it is not in it.
	Line int
}

// An Index holds the envelope of every entry of a session, in file order, and
// no bodies: about 80 bytes an entry, free of pointers. The number of an entry,
// from 0, is its position in that order; it never changes while entries are
// only added. Parents and lookups are by position, so that duplicate ids and
// cycles do no harm. An Index is not safe for concurrent use while it grows.
type Index struct {
	rows []row
	text []byte   // ids, parents and refs, one after the other
	ids  []uint32 // open addressing: position+1 of the last row with an id
	used int
	seed maphash.Seed
}

type row struct {
	off, len  int64
	time      int64
	text      uint64 // id, then parent, then ref, in Index.text
	body      uint32 // offset of the message in the line
	bodyLen   uint32
	line      uint32
	before    int32 // position of the previous row with the same id, or -1
	idLen     uint16
	parentLen uint16
	refLen    uint16
	kind      Kind
	role      Role
	flags     flag
}

type flag uint8

const (
	hasID flag = 1 << iota
	hasParent
	hasRef
)

// maxName is the longest id, parent or ref that is indexed, in bytes; a longer
// one counts as absent.
const maxName = 1<<16 - 1

// NewIndex returns an empty index.
func NewIndex() *Index { return &Index{seed: maphash.MakeSeed()} }

// Len returns the number of entries.
func (x *Index) Len() int { return len(x.rows) }

// Add appends an entry and returns its position. It copies what it keeps of e.
func (x *Index) Add(e *Envelope, at At) int {
	x.rows = append(x.rows, x.row(e, at))
	i := len(x.rows) - 1
	x.enter(i)
	return i
}

// row keeps the names of e in the text and returns the rest as a row.
func (x *Index) row(e *Envelope, at At) row {
	r := row{off: at.Off, len: at.Len, line: uint32(at.Line), time: e.Time, kind: e.Kind, role: e.Role, before: -1}
	if e.Body.End > e.Body.Start && e.Body.End <= 1<<32-1 {
		r.body, r.bodyLen = uint32(e.Body.Start), uint32(e.Body.End-e.Body.Start)
	}
	r.text = uint64(len(x.text))
	if e.ID != nil && len(e.ID) <= maxName {
		r.flags |= hasID
		r.idLen = uint16(len(e.ID))
		x.text = append(x.text, e.ID...)
	}
	if e.Parent != nil && len(e.Parent) <= maxName {
		r.flags |= hasParent
		r.parentLen = uint16(len(e.Parent))
		x.text = append(x.text, e.Parent...)
	}
	if e.Ref != nil && len(e.Ref) <= maxName {
		r.flags |= hasRef
		r.refLen = uint16(len(e.Ref))
		x.text = append(x.text, e.Ref...)
	}
	return r
}

// Merge appends all entries of y, which lists lines that follow those of x
// and counts its lines from 1; lines is what to add to them. y must not be used
// afterwards.
func (x *Index) Merge(y *Index, lines int) {
	base := uint64(len(x.text))
	x.text = append(x.text, y.text...)
	x.grow(x.used + y.used)
	for _, r := range y.rows {
		r.text += base
		r.line += uint32(lines)
		r.before = -1
		x.rows = append(x.rows, r)
		x.enter(len(x.rows) - 1)
	}
}

// Reserve makes room for n entries in all with names of size bytes.
func (x *Index) Reserve(n int, size int) {
	if n > cap(x.rows) {
		x.rows = append(make([]row, 0, n), x.rows...)
	}
	if size > cap(x.text) {
		x.text = append(make([]byte, 0, size), x.text...)
	}
	x.grow(n)
}

// Kind returns the kind of entry i.
func (x *Index) Kind(i int) Kind { return x.rows[i].kind }

// Role returns the role of message entry i, RoleNone for other kinds.
func (x *Index) Role(i int) Role { return x.rows[i].role }

// Time returns the timestamp of entry i in milliseconds since 1970, or
// [NoTime].
func (x *Index) Time(i int) int64 { return x.rows[i].time }

// At returns where the line of entry i stands.
func (x *Index) At(i int) At {
	r := &x.rows[i]
	return At{Off: r.off, Len: r.len, Line: int(r.line)}
}

// Move says that the line of entry i now stands at at.
func (x *Index) Move(i int, at At) {
	r := &x.rows[i]
	r.off, r.len, r.line = at.Off, at.Len, uint32(at.Line)
}

// Body returns where the message of entry i stands in its line, a zero span
// where it has none.
func (x *Index) Body(i int) jsonl.Span {
	r := &x.rows[i]
	return jsonl.Span{Start: int(r.body), End: int(r.body) + int(r.bodyLen)}
}

// ID returns the id of entry i, and false when its line has none.
func (x *Index) ID(i int) (string, bool) {
	r := &x.rows[i]
	return string(x.id(r)), r.flags&hasID != 0
}

// ParentID returns the parentId of entry i as written, and false when it is
// null, absent or not a string.
func (x *Index) ParentID(i int) (string, bool) {
	r := &x.rows[i]
	return string(x.parent(r)), r.flags&hasParent != 0
}

// Ref returns the further name the index keeps of entry i; see [Envelope].
func (x *Index) Ref(i int) string {
	r := &x.rows[i]
	at := r.text + uint64(r.idLen) + uint64(r.parentLen)
	return string(x.text[at : at+uint64(r.refLen)])
}

// Rename gives entry i another id and parent. It is for migration; a nil
// parent is null.
func (x *Index) Rename(i int, id string, parent *string) {
	r := &x.rows[i]
	ref := x.Ref(i)
	r.text = uint64(len(x.text))
	r.flags = r.flags&hasRef | hasID
	r.idLen, r.parentLen = uint16(len(id)), 0
	x.text = append(x.text, id...)
	if parent != nil {
		r.flags |= hasParent
		r.parentLen = uint16(len(*parent))
		x.text = append(x.text, *parent...)
	}
	x.text = append(x.text, ref...)
}

// Amend says that the line of entry i now reads as e; where it stands stays. It
// is for migration: [Index.Rehash] must follow before the next look-up.
func (x *Index) Amend(i int, e *Envelope) {
	x.rows[i] = x.row(e, x.At(i))
}

// Rehash enters all ids anew, after [Index.Rename] and [Index.Amend].
func (x *Index) Rehash() {
	x.ids, x.used = nil, 0
	for i := range x.rows {
		x.rows[i].before = -1
		x.enter(i)
	}
}

// Find returns the position of the last entry with that id, or -1.
func (x *Index) Find(id string) int {
	if len(x.ids) == 0 {
		return -1
	}
	slot := x.slot([]byte(id))
	return int(x.ids[slot]) - 1
}

// FindBefore returns the position of the last entry with that id that stands
// before position i, or -1.
func (x *Index) FindBefore(id string, i int) int {
	at := x.Find(id)
	for at >= i {
		at = int(x.rows[at].before)
	}
	return at
}

// Twin returns the position of the previous entry with the same id as entry i,
// or -1.
func (x *Index) Twin(i int) int { return int(x.rows[i].before) }

// Parent returns the position of the entry that entry i names as its parent:
// the nearest before it with that id, else the first after it. It returns -1
// when it names none and -2 when no entry has that id or it names itself.
//
// The programs keep one entry an id, the last (dialects of pi 0.87.1, omp
// 18.2.3, xcsh 17.4.4); by position instead, duplicates cannot form a cycle.
func (x *Index) Parent(i int) int {
	r := &x.rows[i]
	if r.flags&hasParent == 0 {
		return None
	}
	if len(x.ids) == 0 {
		return Orphan
	}
	if i > 0 { // as nearly always: the entry before it
		p := &x.rows[i-1]
		if p.flags&hasID != 0 && string(x.id(p)) == string(x.parent(r)) {
			return i - 1
		}
	}
	at := int(x.ids[x.slot(x.parent(r))]) - 1
	for after := -1; ; at = int(x.rows[at].before) {
		switch {
		case at < 0 && after < 0:
			return Orphan
		case at < 0:
			return after
		case at < i:
			return at
		case at > i:
			after = at
		}
	}
}

// Answers of [Index.Parent] for an entry without a parent in the index.
const (
	None   = -1 // parentId is null or absent
	Orphan = -2 // parentId names no other entry
)

func (x *Index) id(r *row) []byte {
	return x.text[r.text : r.text+uint64(r.idLen)]
}

func (x *Index) parent(r *row) []byte {
	at := r.text + uint64(r.idLen)
	return x.text[at : at+uint64(r.parentLen)]
}

func (x *Index) enter(i int) {
	r := &x.rows[i]
	if r.flags&hasID == 0 {
		return
	}
	if 2*(x.used+1) > len(x.ids) {
		x.grow(2 * (x.used + 8))
	}
	s := x.slot(x.id(r))
	if was := x.ids[s]; was != 0 {
		r.before = int32(was) - 1
	} else {
		x.used++
	}
	x.ids[s] = uint32(i) + 1
}

// slot returns the place of an id in the table: where it is, or where it would
// go.
func (x *Index) slot(id []byte) int {
	mask := len(x.ids) - 1
	for s := int(maphash.Bytes(x.seed, id)) & mask; ; s = (s + 1) & mask {
		at := x.ids[s]
		if at == 0 || string(x.id(&x.rows[at-1])) == string(id) {
			return s
		}
	}
}

// grow makes the table fit for n ids.
func (x *Index) grow(n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	if size <= len(x.ids) {
		return
	}
	old := x.ids
	x.ids = make([]uint32, size)
	for _, at := range old {
		if at != 0 {
			x.ids[x.slot(x.id(&x.rows[at-1]))] = at
		}
	}
}

// Names returns how many bytes of ids, parents and refs the index holds.
func (x *Index) Names() int { return len(x.text) }
