package journal

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/tree"
)

// A memo is what is remembered of a log: what a reading of its first size bytes
// found.
type memo struct {
	p       *part
	size    int64
	witness sum
	index   []byte // of a memo that was parsed: p.x is still to be read of it
}

// memoVersion begins every memo. It changes with the form, and with what is
// found in a log.
const memoVersion = "cambium memo 4\n"

// memoAlign is a multiple of which the index stands behind the beginning of a memo.
const memoAlign = 8

// checksum is of all behind it.
func checksum(data []byte) uint32 {
	return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
}

// appendMemo appends a memo to b: the version, a checksum of the rest, then the
// members in order.
func appendMemo(b []byte, m *memo) []byte {
	b = append(append(b, memoVersion...), 0, 0, 0, 0)
	from := len(b)
	w := packer{append(b, m.witness[:]...)}
	p := m.p
	w.int(m.size)
	w.int(int64(p.lines))
	w.int(int64(p.known))
	w.bool(p.torn)
	w.bool(p.open)
	w.int(int64(p.damage.BadCount))
	w.int(int64(p.damage.Recovered))
	w.int(int64(p.damage.OtherRecords))
	w.int(int64(len(p.damage.Bad)))
	for i := range p.damage.Bad {
		w.bad(&p.damage.Bad[i])
	}
	w.int(int64(len(p.gaps)))
	for _, g := range p.gaps {
		w.text(g.ID)
		w.text(g.ParentID)
		w.bool(g.HasParent)
		w.bool(g.Root)
		w.int(int64(g.At))
	}
	w.int(int64(len(p.headers)))
	for _, r := range p.headers {
		w.record(r)
	}
	for len(w.b)%memoAlign != 0 {
		w.b = append(w.b, 0)
	}
	b = p.x.AppendBinary(w.b)
	binary.LittleEndian.PutUint32(b[from-4:], checksum(b[from:]))
	return b
}

// parseMemo reads a memo, but for its index, and reports whether data is one. It
// holds on to data.
func parseMemo(data []byte) (*memo, bool) {
	from := len(memoVersion) + 4
	if len(data) < from+len(sum{}) || string(data[:len(memoVersion)]) != memoVersion ||
		binary.LittleEndian.Uint32(data[from-4:]) != checksum(data[from:]) {
		return nil, false
	}
	m := &memo{p: &part{}, witness: sum(data[from:])}
	p, u := m.p, &unpacker{b: data[from+len(sum{}):]}
	m.size, p.lines, p.known = u.int(), u.count(), u.count()
	p.torn, p.open = u.bool(), u.bool()
	p.damage.BadCount, p.damage.Recovered, p.damage.OtherRecords = u.count(), u.count(), u.count()
	for range u.length() {
		p.damage.Bad = append(p.damage.Bad, u.badLine())
	}
	for range u.length() {
		p.gaps = append(p.gaps, tree.Gap{ID: u.text(), ParentID: u.text(), HasParent: u.bool(), Root: u.bool(), At: u.count()})
	}
	for range u.length() {
		p.headers = append(p.headers, u.record())
	}
	for (len(data)-len(u.b))%memoAlign != 0 && len(u.b) > 0 {
		u.b = u.b[1:]
	}
	m.index = u.b
	return m, !u.wrong
}

// sound reports whether what a part says of its lines can be of a log of size
// bytes, so that nobody trips over it.
func (p *part) sound(size int64) bool {
	in := func(off, n int64) bool { return off <= size && n <= size-off }
	for _, b := range p.damage.Bad {
		if !in(b.Byte, b.Len) {
			return false
		}
	}
	for _, g := range p.gaps {
		if g.At > p.x.Len() {
			return false
		}
	}
	for _, r := range p.headers {
		if !in(r.at.Off, r.at.Len) || r.pos > p.x.Len() || r.kind != entry.Session && r.kind != entry.Title {
			return false
		}
	}
	return len(p.damage.Bad) <= min(p.damage.BadCount, defects.MaxTold) && p.known <= p.x.Len()
}

// A packer appends values; none of the numbers is negative.
type packer struct{ b []byte }

func (w *packer) int(v int64) { w.b = binary.AppendUvarint(w.b, uint64(v)) }

func (w *packer) bool(is bool) {
	if is {
		w.int(1)
	} else {
		w.int(0)
	}
}

func (w *packer) text(s string) {
	w.int(int64(len(s)))
	w.b = append(w.b, s...)
}

func (w *packer) at(at entry.At) {
	w.int(at.Off)
	w.int(at.Len)
	w.int(int64(at.Line))
}

func (w *packer) bad(b *defects.Bad) {
	w.at(entry.At{Off: b.Byte, Len: b.Len, Line: b.Line})
	w.int(int64(b.Lines))
	w.int(int64(b.Recovered))
	for _, text := range []string{b.Kind, b.Reason, b.ID, b.ParentID} {
		w.text(text)
	}
}

func (w *packer) record(r record) {
	w.at(r.at)
	w.int(int64(r.kind))
	w.int(int64(r.pos))
	w.bool(r.lf)
	w.bool(r.raw != nil)
	w.text(string(r.raw))
}

// An unpacker reads what a packer wrote; wrong says that it was something else.
type unpacker struct {
	b     []byte
	wrong bool
}

func (u *unpacker) int() int64 {
	v, n := binary.Uvarint(u.b)
	if n <= 0 || int64(v) < 0 {
		u.b, u.wrong = nil, true
		return 0
	}
	u.b = u.b[n:]
	return int64(v)
}

// count reads a number of lines or entries.
func (u *unpacker) count() int {
	v := u.int()
	if v > 1<<40 {
		u.b, u.wrong = nil, true
		return 0
	}
	return int(v)
}

// length reads how many bytes, or values of at least a byte, follow.
func (u *unpacker) length() int {
	v := u.int()
	if v > int64(len(u.b)) {
		u.b, u.wrong = nil, true
		return 0
	}
	return int(v)
}

func (u *unpacker) bool() bool { return u.int() != 0 }

func (u *unpacker) bytes() []byte {
	n := u.length()
	b := u.b[:n:n]
	u.b = u.b[n:]
	return b
}

func (u *unpacker) text() string { return string(u.bytes()) }

func (u *unpacker) at() entry.At {
	return entry.At{Off: u.int(), Len: u.int(), Line: u.count()}
}

func (u *unpacker) badLine() defects.Bad {
	at := u.at()
	return defects.Bad{
		Byte: at.Off, Len: at.Len, Line: at.Line, Lines: u.count(), Recovered: u.count(),
		Kind: u.text(), Reason: u.text(), ID: u.text(), ParentID: u.text(),
	}
}

func (u *unpacker) record() record {
	r := record{at: u.at(), kind: entry.Kind(u.int() & 0xff), pos: u.count(), lf: u.bool()}
	has := u.bool()
	if raw := u.bytes(); has {
		r.raw = raw
	}
	return r
}
