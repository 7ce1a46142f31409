package entry

import (
	"iter"

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
// no bodies: about 30 bytes an entry, free of pointers. The number of an entry,
// from 0, is its position in that order; it never changes while entries are
// only added. Parents and lookups are by position, so that duplicate ids and
// cycles do no harm. An Index is not safe for concurrent use while it grows.
type Index struct {
	chunks []chunk  // of rowChunk rows, so that growing moves nothing
	n      int      // rows
	has    uint64   // a bit for each kind that there may be
	names  [][]byte // what is spelt, in chunks of at most nameChunk
	*table
	wait  delay
	spare []row // for the first chunk
	salt  salt

	idsShared bool   // with a snapshot: the table
	shared    []bool // with a snapshot: by chunk
}

// NewIndex returns an empty index.
func NewIndex() *Index { return &Index{table: &table{}, salt: newSalt()} }

// NewStretch returns an empty index in which nothing can be looked up by id,
// parents included, before [Index.Rehash]: it is quick to fill, and to merge.
func NewStretch() *Index {
	x := NewIndex()
	x.wait = delay{late: true}
	return x
}

// Reset makes x as [NewStretch] returns one, for which it uses what memory it
// has. Nothing that was taken from x may be used afterwards.
func (x *Index) Reset() {
	was := *x
	*x = Index{table: &table{}, salt: was.salt, wait: delay{late: true}}
	if was.shared != nil {
		return
	}
	if len(was.chunks) > 0 {
		x.chunks, x.spare = was.chunks[:0], was.chunks[0].rows[:0]
	}
	if len(was.names) > 0 {
		x.names = append(was.names[:0], was.names[0][:0])
	}
}

// Len returns the number of entries.
func (x *Index) Len() int { return x.n }

func (x *Index) at(i int) *row { return &x.chunks[i>>rowBits].rows[i&(rowChunk-1)] }

func (x *Index) place(i int) place { return x.chunks[i>>rowBits].place(i & (rowChunk - 1)) }

// Add appends an entry and returns its position. It copies what it keeps of e.
func (x *Index) Add(e *Envelope, at At) int {
	i := x.n
	x.has |= 1 << e.Kind
	r := row{kind: e.Kind, role: e.Role}
	r.mark(e)
	x.keep(&r, i, e.ID, e.Parent, e.Ref)
	if i&(rowChunk-1) == 0 {
		size := rowChunk
		if i == 0 {
			size = 16
		}
		rows := x.spare
		if x.spare = nil; cap(rows) == 0 {
			rows = make([]row, 0, size)
		}
		x.chunks = append(x.chunks, chunk{rows: rows})
	}
	x.chunks[len(x.chunks)-1].add(r, placeOf(e, at))
	x.n++
	if !x.wait.late {
		x.enter(i)
	}
	return i
}

// Merge appends all entries of y, which lists lines that follow those of x
// and counts its lines from 1; lines is what to add to them. Both are from
// [NewStretch]. y is empty afterwards.
func (x *Index) Merge(y *Index, lines int) {
	seam := x.n
	x.has |= y.has
	base := uint32(len(x.names)) << nameBits
	x.names = append(x.names, y.names...)
	var spare [][]row // rows that were copied, to be filled again
	for n := range y.chunks {
		from := &y.chunks[n]
		for j, r := range from.rows {
			if r.flags&spelt != 0 {
				r.name += base
			}
			if x.n&(rowChunk-1) == 0 {
				if len(spare) == 0 {
					spare = append(spare, make([]row, 0, rowChunk))
				}
				x.chunks = append(x.chunks, chunk{rows: spare[0]})
				spare = spare[1:]
			}
			p := from.place(j)
			p.line += uint32(lines)
			x.chunks[len(x.chunks)-1].add(r, p)
			x.n++
		}
		if cap(from.rows) == rowChunk {
			spare = append(spare, from.rows[:0])
		}
		*from = chunk{}
	}
	*y = *NewStretch()
	x.join(seam)
}

// join has entry i, which was added to another index, take its parent from the
// entry before it, if it can.
func (x *Index) join(i int) {
	if i == 0 || i >= x.n || x.at(i).flags&hasParent == 0 {
		return
	}
	id, has := x.id(i)
	parent, _ := x.parent(i)
	if before, ok := x.id(i - 1); !ok || !before.is(parent) {
		return
	}
	var own []byte
	if has {
		own = []byte(id.String())
	}
	x.keep(x.at(i), i, own, []byte(parent.String()), x.ref(i))
}

// Has reports whether there is, or was, an entry of a kind.
func (x *Index) Has(k Kind) bool { return x.has&(1<<k) != 0 }

// Kinds yields the kinds of entry that there are, or were.
func (x *Index) Kinds() iter.Seq[Kind] {
	return func(yield func(Kind) bool) {
		for k := range kinds {
			if x.Has(k) && !yield(k) {
				return
			}
		}
	}
}

// Kind returns the kind of entry i.
func (x *Index) Kind(i int) Kind { return x.at(i).kind }

// Role returns the role of message entry i, RoleNone for other kinds.
func (x *Index) Role(i int) Role { return x.at(i).role }

// Time returns the timestamp of entry i in milliseconds since 1970, or
// [NoTime].
func (x *Index) Time(i int) int64 { return x.place(i).time }

// At returns where the line of entry i stands.
func (x *Index) At(i int) At {
	p := x.place(i)
	return At{Off: p.off, Len: int64(p.len), Line: int(p.line)}
}

// Move says that the line of entry i now stands at at.
func (x *Index) Move(i int, at At) {
	p := x.place(i)
	p.off, p.len, p.line = at.Off, uint32(min(at.Len, maxLen)), uint32(at.Line)
	x.own(i)
	x.chunks[i>>rowBits].put(i&(rowChunk-1), p)
}

// Body returns where the message of entry i stands in its line, a zero span
// where it has none.
func (x *Index) Body(i int) jsonl.Span {
	p := x.place(i)
	return jsonl.Span{Start: int(p.body), End: int(p.body) + int(p.bodyLen)}
}

// ID returns the id of entry i, and false when its line has none.
func (x *Index) ID(i int) (string, bool) {
	id, ok := x.id(i)
	return id.String(), ok
}

// ParentID returns the parentId of entry i as written, and false when it is
// null, absent or not a string.
func (x *Index) ParentID(i int) (string, bool) {
	parent, ok := x.parent(i)
	return parent.String(), ok
}

// Unsaid reports whether entry i says neither which parent it has nor that it has
// none; see [Envelope].
func (x *Index) Unsaid(i int) bool { return x.at(i).flags&unsaid != 0 }

// Ref returns the further name the index keeps of entry i; see [Envelope].
func (x *Index) Ref(i int) string { return string(x.ref(i)) }

// Todos reports whether entry i may hold todos: it is the result of a tool whose
// details seem to; see [Envelope].
func (x *Index) Todos(i int) bool { return x.at(i).flags&listed != 0 }

// Amend says that the line of entry i now reads as e; where it stands stays. It
// is for migration: [Index.Rehash] must follow before the next look-up.
func (x *Index) Amend(i int, e *Envelope) {
	x.name(i, e.ID, e.Parent, e.Ref)
	r := x.at(i)
	x.has |= 1 << e.Kind
	r.kind, r.role = e.Kind, e.Role
	r.mark(e)
	x.chunks[i>>rowBits].put(i&(rowChunk-1), placeOf(e, x.At(i)))
}

// name gives entry i other names. The one after it keeps its parent.
func (x *Index) name(i int, id, parent, ref []byte) {
	if after := i + 1; after < x.n && x.at(after).flags&prev != 0 {
		x.own(after)
		r := x.at(after)
		was, _ := x.id(after)
		up, _ := x.parent(after)
		further := x.ref(after)
		r.flags &^= prev | spelt
		r.name = was.number
		x.spell(r, was.text, []byte(up.String()), further)
	}
	x.own(i)
	x.at(i).flags &^= unsaid
	x.keep(x.at(i), i, id, parent, ref)
}

// Find returns the position of the last entry with that id, or -1.
func (x *Index) Find(id string) int {
	return x.lookup(keyOf([]byte(id)))
}

// Around returns the position of the last entry with that id that stands before
// position i, and that of the first that does not, -1 for none.
func (x *Index) Around(id string, i int) (before, after int) {
	at := x.Find(id)
	if at < i {
		return at, -1
	}
	return x.around(at, i)
}

// Twin returns the position of the previous entry with the same id as entry i,
// or -1.
func (x *Index) Twin(i int) int {
	x.ready()
	if from := x.n - x.wait.tail; i >= from {
		id, ok := x.id(i)
		if !ok {
			return -1
		}
		if at := x.scan(id, i, from); at >= 0 || len(x.ids) == 0 {
			return at
		}
		return x.find(id)
	}
	if before, ok := x.twins[int32(i)]; ok {
		return int(before.before)
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
	switch {
	case r.flags&hasParent == 0:
		return None
	case x.wait.late:
		return Orphan
	case r.flags&prev != 0:
		return i - 1
	}
	x.ready()
	at := x.lookup(keyOf(x.spelt(r).parent))
	if before, _ := x.around(at, i); before >= 0 {
		return before
	}
	if _, after := x.around(at, i+1); after >= 0 {
		return after
	}
	return Orphan
}

// Straight returns how many entries from i on, at least none, name the entry before
// them as their parent and are no labels: a stretch of one branch. There may be more.
func (x *Index) Straight(i int) int {
	if x.wait.late || i >= x.n {
		return 0
	}
	rows := x.chunks[i>>rowBits].rows[i&(rowChunk-1):]
	for n := range rows {
		if r := &rows[n]; r.flags&(hasParent|prev) != hasParent|prev || r.kind == Label {
			return n
		}
	}
	return len(rows)
}

// Answers of [Index.Parent] for an entry without a parent in the index.
const (
	None   = -1 // parentId is null or absent
	Orphan = -2 // parentId names no other entry
)
