package entry

import (
	"bytes"
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
// no bodies: about 70 bytes an entry, free of pointers. The number of an entry,
// from 0, is its position in that order; it never changes while entries are
// only added. Parents and lookups are by position, so that duplicate ids and
// cycles do no harm. An Index is not safe for concurrent use while it grows.
type Index struct {
	rows  [][]row  // in chunks of rowChunk, so that growing moves nothing
	n     int      // rows
	names [][]byte // ids, parents and refs, in chunks of at most nameChunk
	ids   []uint32 // open addressing: position+1 of the last row with an id
	used  int      // ids in the table
	late  bool     // the table waits for Rehash
	twins map[int32]int32
	seed  maphash.Seed

	idsShared bool   // with a snapshot: ids and twins
	shared    []bool // with a snapshot: by chunk of rows
}

type row struct {
	off, time int64
	len       uint32
	name      uint32 // ref, then parent, then id: chunk and offset in Index.names
	body      uint32 // offset of the message in the line
	bodyLen   uint32
	line      uint32
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

const (
	rowBits   = 12
	rowChunk  = 1 << rowBits
	nameBits  = 18
	nameChunk = 1 << nameBits
	// maxName is the longest id, parent or ref that is indexed, in bytes; a
	// longer one counts as absent. Three of them fit in a chunk.
	maxName = 1<<16 - 1
	// maxLen is the longest line, in bytes; a longer one counts as this long.
	maxLen = 1<<32 - 1
)

// NewIndex returns an empty index.
func NewIndex() *Index { return &Index{seed: maphash.MakeSeed()} }

// NewStretch returns an empty index in which nothing can be looked up by id,
// parents included, before [Index.Rehash]: it is quick to fill, and to merge.
func NewStretch() *Index {
	x := NewIndex()
	x.late = true
	return x
}

// Len returns the number of entries.
func (x *Index) Len() int { return x.n }

func (x *Index) at(i int) *row { return &x.rows[i>>rowBits][i&(rowChunk-1)] }

// Add appends an entry and returns its position. It copies what it keeps of e.
func (x *Index) Add(e *Envelope, at At) int {
	i := x.push(x.row(e, at))
	if !x.late {
		x.enter(i)
	}
	return i
}

func (x *Index) push(r row) int {
	i := x.n
	if i&(rowChunk-1) == 0 {
		size := rowChunk
		if i == 0 {
			size = 16
		}
		x.rows = append(x.rows, make([]row, 0, size))
	}
	last := len(x.rows) - 1
	x.rows[last] = append(x.rows[last], r)
	x.n++
	return i
}

// row keeps the names of e and returns the rest as a row.
func (x *Index) row(e *Envelope, at At) row {
	r := row{off: at.Off, len: uint32(min(at.Len, maxLen)), line: uint32(at.Line), time: e.Time, kind: e.Kind, role: e.Role}
	if e.Body.End > e.Body.Start && e.Body.End <= maxLen {
		r.body, r.bodyLen = uint32(e.Body.Start), uint32(e.Body.End-e.Body.Start)
	}
	x.keep(&r, e.ID, e.Parent, e.Ref)
	return r
}

// keep gives a row its names; nil is none.
func (x *Index) keep(r *row, id, parent, ref []byte) {
	r.flags, r.idLen, r.parentLen, r.refLen = 0, 0, 0, 0
	if len(x.names) == 1<<(32-nameBits) {
		return // four gigabytes of names: none are kept from here on
	}
	put := func(name []byte, n *uint16, f flag) []byte {
		if name == nil || len(name) > maxName {
			return nil
		}
		r.flags |= f
		*n = uint16(len(name))
		return name
	}
	id, parent, ref = put(id, &r.idLen, hasID), put(parent, &r.parentLen, hasParent), put(ref, &r.refLen, hasRef)
	last := len(x.names) - 1
	if last < 0 || len(x.names[last])+len(id)+len(parent)+len(ref) > nameChunk {
		size := nameChunk
		if last < 0 {
			size = 256
		}
		x.names = append(x.names, make([]byte, 0, size))
		last++
	}
	c := x.names[last]
	// A parent that is the name kept last, as nearly always the id of the
	// entry before, is not kept again.
	if len(ref) == 0 && bytes.HasSuffix(c, parent) {
		r.name = uint32(last)<<nameBits | uint32(len(c)-len(parent))
		x.names[last] = append(c, id...)
		return
	}
	r.name = uint32(last)<<nameBits | uint32(len(c))
	x.names[last] = append(append(append(c, ref...), parent...), id...)
}

// name returns n bytes of names, skip bytes into those of a row.
func (x *Index) name(r *row, skip int, n uint16) []byte {
	if n == 0 {
		return nil
	}
	at := int(r.name&(nameChunk-1)) + skip
	return x.names[r.name>>nameBits][at : at+int(n)]
}

func (x *Index) ref(r *row) []byte    { return x.name(r, 0, r.refLen) }
func (x *Index) parent(r *row) []byte { return x.name(r, int(r.refLen), r.parentLen) }
func (x *Index) id(r *row) []byte     { return x.name(r, int(r.refLen)+int(r.parentLen), r.idLen) }

// Merge appends all entries of y, which lists lines that follow those of x
// and counts its lines from 1; lines is what to add to them. Both are from
// [NewStretch]. y is empty afterwards.
func (x *Index) Merge(y *Index, lines int) {
	base := uint32(len(x.names)) << nameBits
	x.names = append(x.names, y.names...)
	var spare [][]row // chunks that were emptied, to be filled again
	for c, rows := range y.rows {
		y.rows[c] = nil
		for i := range rows {
			rows[i].name += base
			rows[i].line += uint32(lines)
		}
		for left := rows; len(left) > 0; {
			last := len(x.rows) - 1
			if x.n&(rowChunk-1) == 0 {
				if len(spare) == 0 {
					spare = append(spare, make([]row, 0, rowChunk))
				}
				last++
				x.rows = append(x.rows, spare[0])
				spare = spare[1:]
			}
			n := min(len(left), rowChunk-len(x.rows[last]))
			x.rows[last] = append(x.rows[last], left[:n]...)
			x.n += n
			left = left[n:]
		}
		if cap(rows) == rowChunk {
			spare = append(spare, rows[:0])
		}
	}
	*y = *NewStretch()
}

// Kind returns the kind of entry i.
func (x *Index) Kind(i int) Kind { return x.at(i).kind }

// Role returns the role of message entry i, RoleNone for other kinds.
func (x *Index) Role(i int) Role { return x.at(i).role }

// Time returns the timestamp of entry i in milliseconds since 1970, or
// [NoTime].
func (x *Index) Time(i int) int64 { return x.at(i).time }

// At returns where the line of entry i stands.
func (x *Index) At(i int) At {
	r := x.at(i)
	return At{Off: r.off, Len: int64(r.len), Line: int(r.line)}
}

// Move says that the line of entry i now stands at at.
func (x *Index) Move(i int, at At) {
	x.own(i)
	r := x.at(i)
	r.off, r.len, r.line = at.Off, uint32(min(at.Len, maxLen)), uint32(at.Line)
}

// Body returns where the message of entry i stands in its line, a zero span
// where it has none.
func (x *Index) Body(i int) jsonl.Span {
	r := x.at(i)
	return jsonl.Span{Start: int(r.body), End: int(r.body) + int(r.bodyLen)}
}

// ID returns the id of entry i, and false when its line has none.
func (x *Index) ID(i int) (string, bool) {
	r := x.at(i)
	return string(x.id(r)), r.flags&hasID != 0
}

// ParentID returns the parentId of entry i as written, and false when it is
// null, absent or not a string.
func (x *Index) ParentID(i int) (string, bool) {
	r := x.at(i)
	return string(x.parent(r)), r.flags&hasParent != 0
}

// Ref returns the further name the index keeps of entry i; see [Envelope].
func (x *Index) Ref(i int) string { return string(x.ref(x.at(i))) }

// Rename gives entry i another id and parent. It is for migration, and
// [Index.Rehash] must follow before the next look-up. A nil parent is null.
func (x *Index) Rename(i int, id string, parent *string) {
	x.own(i)
	r := x.at(i)
	var up, ref []byte
	if parent != nil {
		up = []byte(*parent)
		if up == nil {
			up = []byte{}
		}
	}
	if r.flags&hasRef != 0 {
		ref = []byte(x.Ref(i))
	}
	x.keep(r, []byte(id), up, ref)
}

// Amend says that the line of entry i now reads as e; where it stands stays. It
// is for migration: [Index.Rehash] must follow before the next look-up.
func (x *Index) Amend(i int, e *Envelope) {
	x.own(i)
	*x.at(i) = x.row(e, x.At(i))
}

// Rehash enters all ids anew, after [Index.Rename], [Index.Amend] and
// [Index.Merge].
func (x *Index) Rehash() {
	x.ids, x.used, x.late, x.twins = nil, 0, false, nil
	x.grow(x.n)
	for i := range x.n {
		x.enter(i)
	}
}

// Find returns the position of the last entry with that id, or -1.
func (x *Index) Find(id string) int {
	if len(x.ids) == 0 {
		return -1
	}
	return int(x.ids[x.slot([]byte(id))]) - 1
}

// FindBefore returns the position of the last entry with that id that stands
// before position i, or -1.
func (x *Index) FindBefore(id string, i int) int {
	at := x.Find(id)
	for at >= i {
		at = x.Twin(at)
	}
	return at
}

// Twin returns the position of the previous entry with the same id as entry i,
// or -1.
func (x *Index) Twin(i int) int {
	if before, ok := x.twins[int32(i)]; ok {
		return int(before)
	}
	return -1
}

// Parent returns the position of the entry that entry i names as its parent:
// the nearest before it with that id, else the first after it. It returns -1
// when it names none and -2 when no entry has that id or it names itself.
//
// The programs keep one entry an id, the last (dialects of pi 0.87.1, omp
// 18.2.3, xcsh 17.4.4); by position instead, duplicates cannot form a cycle.
func (x *Index) Parent(i int) int {
	r := x.at(i)
	if r.flags&hasParent == 0 {
		return None
	}
	if len(x.ids) == 0 {
		return Orphan
	}
	if i > 0 { // as nearly always: the entry before it
		p := x.at(i - 1)
		if p.flags&hasID != 0 && string(x.id(p)) == string(x.parent(r)) {
			return i - 1
		}
	}
	at := int(x.ids[x.slot(x.parent(r))]) - 1
	for after := -1; ; at = x.Twin(at) {
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

func (x *Index) enter(i int) {
	r := x.at(i)
	if r.flags&hasID == 0 {
		return
	}
	x.ownIDs()
	if 2*(x.used+1) > len(x.ids) {
		x.grow(2 * (x.used + 8))
	}
	s := x.slot(x.id(r))
	if was := x.ids[s]; was != 0 {
		if x.twins == nil {
			x.twins = map[int32]int32{}
		}
		x.twins[int32(i)] = int32(was) - 1
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
		if at == 0 || string(x.id(x.at(int(at)-1))) == string(id) {
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
			x.ids[x.slot(x.id(x.at(int(at)-1)))] = at
		}
	}
}
