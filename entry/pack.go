package entry

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"strings"
	"unsafe"
)

// packVersion is that of what [Index.AppendBinary] writes. It changes with the
// form and with what is found in a line: an index that was packed before is then
// of no use.
const packVersion = 4

// errPacked says that bytes are not a packed index of this version.
var errPacked = errors.New("not a packed index of this version")

// Sizes of what is packed, in bytes.
const (
	rowSize   = 20
	rowAlign  = 4
	placeSize = 32
)

// vocabulary is a checksum of the kinds and roles and of their numbers.
func vocabulary() uint32 {
	return crc32.ChecksumIEEE([]byte(strings.Join(kindNames[:], ",") + ";" + strings.Join(roleNames[:], ",")))
}

// AppendBinary appends the index to b, in a form that [ParseIndex] reads, most quickly
// where it begins at an address that is a multiple of four: some 20 bytes an entry. What is renamed is packed as it is called now.
func (x *Index) AppendBinary(b []byte) []byte {
	le, from := binary.LittleEndian, len(b)
	b = le.AppendUint32(append(b, packVersion), vocabulary())
	b = le.AppendUint32(le.AppendUint32(b, uint32(x.n)), uint32(len(x.names)))
	for _, names := range x.names {
		b = append(le.AppendUint32(b, uint32(len(names))), names...)
	}
	for n := range x.chunks {
		b = x.chunks[n].append(b, from)
	}
	return b
}

// append appends a chunk to b, in which what is packed begins at from.
func (c *chunk) append(b []byte, from int) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(le.AppendUint64(b, uint64(c.off)), uint64(c.time))
	b = append(le.AppendUint32(b, c.line), bit(c.timed)|bit(c.wide != nil)<<1)
	for (len(b)-from)%rowAlign != 0 { // the rows are used where they stand
		b = append(b, 0)
	}
	for _, r := range c.rows {
		var p [rowSize]byte
		le.PutUint32(p[0:], r.off)
		le.PutUint32(p[4:], r.len)
		le.PutUint32(p[8:], r.time)
		le.PutUint32(p[12:], r.name)
		p[16], p[17], p[18], p[19] = r.body, byte(r.kind), byte(r.role), byte(r.flags)
		b = append(b, p[:]...)
	}
	for _, w := range c.wide {
		b = le.AppendUint64(le.AppendUint64(b, uint64(w.off)), uint64(w.time))
		b = le.AppendUint32(le.AppendUint32(b, w.line), w.len)
		b = le.AppendUint32(le.AppendUint32(b, w.body), w.bodyLen)
	}
	return b
}

func bit(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// ParseIndex reads what [Index.AppendBinary] wrote of a log of size bytes in so
// many lines; of anything else it returns an error or an index of which no method
// fails: every entry has a known kind and its own place in the log, behind the
// one before. The index is like one of [NewStretch]: [Index.Rehash] or
// [Index.RehashLater] has to follow. It holds on to b.
func ParseIndex(b []byte, size int64, lines int) (*Index, error) {
	u := unpacker{b: b, size: len(b)}
	if u.byte() != packVersion || u.uint32() != vocabulary() {
		return nil, errPacked
	}
	x := NewStretch()
	n, names := int(u.uint32()), int(u.uint32())
	if n > len(u.b)/rowSize || names > len(u.b)/4 || n > math.MaxInt32 {
		return nil, errPacked
	}
	for range names {
		text := u.bytes(int(u.uint32()))
		if len(text) > nameChunk {
			return nil, errPacked
		}
		x.names = append(x.names, text[:len(text):len(text)])
	}
	x.chunks = make([]chunk, 0, (n+rowChunk-1)/rowChunk)
	end := int64(0)
	for x.n < n {
		x.chunks = append(x.chunks, chunk{})
		c := &x.chunks[len(x.chunks)-1]
		if !c.parse(&u, min(n-x.n, rowChunk)) {
			return nil, errPacked
		}
		x.has |= c.has()
		x.shared = append(x.shared, true) // with b
		from := x.n
		x.n += len(c.rows)
		ok := false
		if end, ok = x.sound(c, from, end, size, lines); !ok {
			return nil, errPacked
		}
	}
	if u.bad || len(u.b) > 0 {
		return nil, errPacked
	}
	return x, nil
}

// usual are the flags of most entries.
const usual = hasID | hasParent | packed | prev

// sound reports whether the entries of a chunk, from a position on, have names as
// keep leaves them and stand in a log of size bytes in so many lines, one behind
// the other from an offset on. It returns where the last one ends.
func (x *Index) sound(c *chunk, from int, end, size int64, lines int) (int64, bool) {
	before := flag(0)
	if from > 0 {
		before = x.at(from - 1).flags
	}
	for j := range c.rows {
		r := &c.rows[j]
		if (r.flags != usual || before&hasID == 0) && !x.named(from+j, r) {
			return 0, false
		}
		before = r.flags
		if c.wide != nil {
			if p := c.wide[j]; !p.fits(end, size, lines) {
				return 0, false
			}
			end = c.wide[j].off + int64(c.wide[j].len)
			continue
		}
		off, line := c.off+int64(r.off), c.line+uint32(j)
		if off < end || off > size-int64(r.len) || line < 1 || int64(line) > int64(lines) {
			return 0, false
		}
		end = off + int64(r.len)
	}
	return end, true
}

// parse reads a chunk of n rows.
func (c *chunk) parse(u *unpacker, n int) bool {
	le := binary.LittleEndian
	c.off, c.time, c.line = int64(u.uint64()), int64(u.uint64()), u.uint32()
	flags := u.byte()
	c.timed = flags&1 != 0
	u.pad()
	rows := u.bytes(n * rowSize)
	if u.bad || flags > 3 || n == 0 {
		return false
	}
	c.rows = rowsOf(rows)
	for j := range c.rows {
		if r := &c.rows[j]; r.kind >= kinds || r.role >= roles || r.body != 0 && uint32(r.body) >= r.len {
			return false
		}
	}
	if flags&2 == 0 {
		return true
	}
	wide := u.bytes(n * placeSize)
	if u.bad {
		return false
	}
	c.wide = make([]place, n, rowChunk)
	for j := range c.wide {
		p := wide[j*placeSize : (j+1)*placeSize]
		c.wide[j] = place{
			off: int64(le.Uint64(p[0:])), time: int64(le.Uint64(p[8:])), line: le.Uint32(p[16:]),
			len: le.Uint32(p[20:]), body: le.Uint32(p[24:]), bodyLen: le.Uint32(p[28:]),
		}
	}
	return true
}

// has returns a bit for each kind of entry in the chunk.
func (c *chunk) has() (kinds uint64) {
	for j := range c.rows {
		kinds |= 1 << c.rows[j].kind
	}
	return kinds
}

// rowsOf returns packed rows, not copied where a row lies in memory as it is packed:
// there are hundreds of thousands of a long session, and few are changed.
func rowsOf(b []byte) []row {
	n := len(b) / rowSize
	if at := unsafe.Pointer(unsafe.SliceData(b)); packedAsIs && uintptr(at)%rowAlign == 0 {
		return unsafe.Slice((*row)(at), n)
	}
	le := binary.LittleEndian
	rows := make([]row, n)
	for j := range rows {
		p := b[j*rowSize : (j+1)*rowSize]
		rows[j] = row{
			off: le.Uint32(p[0:]), len: le.Uint32(p[4:]), time: le.Uint32(p[8:]), name: le.Uint32(p[12:]),
			body: p[16], kind: Kind(p[17]), role: Role(p[18]), flags: flag(p[19]),
		}
	}
	return rows
}

// packedAsIs reports whether a row lies in the memory of this machine as it is packed.
var packedAsIs = func() bool {
	r := row{off: 0x04030201, len: 0x08070605, time: 0x0c0b0a09, name: 0x100f0e0d, body: 0x11, kind: 0x12, role: 0x13, flags: 0x14}
	for i, b := range (*[rowSize]byte)(unsafe.Pointer(&r)) {
		if int(b) != i+1 {
			return false
		}
	}
	return unsafe.Sizeof(r) == rowSize && unsafe.Alignof(r) == rowAlign
}()

// fits reports whether a place is one in a log of size bytes in so many lines,
// not before from.
func (p place) fits(from, size int64, lines int) bool {
	return p.off >= from && p.off <= size-int64(p.len) && p.line >= 1 && int64(p.line) <= int64(lines) &&
		uint64(p.body)+uint64(p.bodyLen) <= uint64(p.len)
}

// named reports whether the names of entry i are as keep leaves them.
func (x *Index) named(i int, r *row) bool {
	has := func(f flag) bool { return r.flags&f != 0 }
	own := has(hasID) && !has(packed) || has(hasRef) || has(hasParent) && !has(prev)
	switch {
	case has(unsaid) && has(hasParent), has(packed) && !has(hasID), own && !has(spelt):
		return false
	case has(prev) && (!has(hasParent) || i == 0 || x.at(i-1).flags&hasID == 0):
		return false
	case !has(spelt):
		return true
	}
	chunk, at := int(r.name>>nameBits), int(r.name&(nameChunk-1))
	if chunk >= len(x.names) || at > len(x.names[chunk]) {
		return false
	}
	b, total := x.names[chunk][at:], uint64(0)
	for _, of := range [...]struct{ has, known flag }{{hasID, packed}, {hasParent, prev}, {hasRef, 0}} {
		if !has(of.has) || has(of.known) {
			continue
		}
		v, n := binary.Uvarint(b)
		if n <= 0 || v > maxName {
			return false
		}
		b, total = b[n:], total+v
	}
	if has(packed) {
		total += 4
	}
	return total <= uint64(len(b))
}

// An unpacker reads values one by one; bad says that there were not enough.
type unpacker struct {
	b    []byte
	size int // of b at first
	bad  bool
}

// pad passes over the zeros that stand before rows.
func (u *unpacker) pad() {
	for (u.size-len(u.b))%rowAlign != 0 && !u.bad {
		u.bad = u.byte() != 0 || u.bad
	}
}

func (u *unpacker) bytes(n int) []byte {
	if n < 0 || n > len(u.b) {
		u.b, u.bad = nil, true
		return nil
	}
	b := u.b[:n]
	u.b = u.b[n:]
	return b
}

func (u *unpacker) byte() byte {
	if b := u.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (u *unpacker) uint32() uint32 {
	if b := u.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (u *unpacker) uint64() uint64 {
	if b := u.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
