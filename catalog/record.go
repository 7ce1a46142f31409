package catalog

import (
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/cambium-dev/cambium/dialect"
)

// recordForm is the form that AppendRecord writes. A change of what a listing
// says of the same bytes is a new form too: then everything is read again.
const recordForm = 2

// errRecord is the answer of ParseRecord to what it cannot read.
var errRecord = errors.New("read record: another form, or damaged")

// AppendRecord appends a record in a compact form, for an index to keep, and
// returns the longer slice. Text, Busy and Pinned are left out.
func AppendRecord(dst []byte, r *Record) []byte {
	i := &r.Info
	b := packer(append(dst, recordForm))
	b.flags(r.None, i.Damaged, i.Named, i.Forked, !i.Created.IsZero(), i.Usage != Usage{}, i.Inherited != Usage{}, len(i.Tips) > 0)
	b.text(r.Path)
	b.whole(int64(r.Stamp.Dev))
	b.whole(int64(r.Stamp.Ino))
	b.whole(r.Stamp.Size)
	b.whole(r.Stamp.ModTime)
	if r.None {
		return b
	}
	for _, s := range [...]string{
		i.ID, i.CWD, i.Parent, string(i.Agent), i.Title, i.FirstMessage, string(i.Status), i.Model, i.Detail,
	} {
		b.text(s)
	}
	if !i.Created.IsZero() {
		b.whole(i.Created.UnixNano())
	}
	b.whole(i.Modified.UnixNano())
	b.whole(i.ModTime.UnixNano())
	b.whole(i.Size)
	b.whole(int64(i.Messages))
	for _, u := range [...]*Usage{&i.Usage, &i.Inherited} {
		if *u != (Usage{}) {
			b.usage(u)
		}
	}
	if len(i.Tips) > 0 {
		b.whole(int64(len(i.Tips)))
		for _, tip := range i.Tips {
			b.text(tip)
		}
	}
	return b
}

// ParseRecord reads what AppendRecord wrote, all of b. The record does not
// alias b. What is of another form, or damaged, is an error: such a record
// counts as not there.
func ParseRecord(b []byte) (r Record, err error) {
	if len(b) < 2 || b[0] != recordForm {
		return r, errRecord
	}
	flags := b[1]
	has := func(bit int) bool { return flags&(1<<bit) != 0 }
	// One string for all texts: they are cut out of it.
	p := unpacker{b: b[2:], all: string(b[2:])}
	i := &r.Info
	r.None = has(0)
	r.Path = p.text()
	r.Stamp = Stamp{Dev: uint64(p.whole()), Ino: uint64(p.whole()), Size: p.whole(), ModTime: p.whole()}
	i.Path = r.Path
	if r.None {
		return r, p.end()
	}
	i.Damaged, i.Named, i.Forked = has(1), has(2), has(3)
	i.ID, i.CWD, i.Parent = p.text(), p.text(), p.text()
	i.Agent = dialect.Name(p.text())
	i.Title, i.FirstMessage = p.text(), p.text()
	i.Status = Status(p.text())
	i.Model, i.Detail = p.text(), p.text()
	if has(4) {
		i.Created = unix(p.whole())
	}
	i.Modified, i.ModTime = unix(p.whole()), unix(p.whole())
	i.Size, i.Messages = p.whole(), int(p.whole())
	if has(5) {
		p.usage(&i.Usage)
	}
	if has(6) {
		p.usage(&i.Inherited)
	}
	if has(7) {
		n := p.whole()
		if n < 0 || n > int64(len(p.b)) {
			return Record{}, errRecord
		}
		i.Tips = make([]string, n)
		for k := range i.Tips {
			i.Tips[k] = p.text()
		}
	}
	return r, p.end()
}

// glanced is the part of a record that a listing needs before it is asked for
// the session. The slices are the record's own.
type glanced struct {
	path, cwd, agent []byte
	stamp            Stamp
	none, damaged    bool
	modified         int64 // nanoseconds since 1970
	messages         int
}

// glanceAt looks at what AppendRecord wrote; false says what ParseRecord says with
// an error.
func glanceAt(b []byte) (g glanced, ok bool) {
	if len(b) < 2 || b[0] != recordForm {
		return g, false
	}
	p := unpacker{b: b[2:]}
	g.none, g.damaged = b[1]&1 != 0, b[1]&2 != 0
	g.path = p.bytes()
	g.stamp = Stamp{Dev: uint64(p.whole()), Ino: uint64(p.whole()), Size: p.whole(), ModTime: p.whole()}
	if g.none {
		return g, p.end() == nil
	}
	_, g.cwd, _, g.agent = p.bytes(), p.bytes(), p.bytes(), p.bytes() // id and parent are left out
	for range 5 {
		_ = p.bytes() // title, first message, status, model, detail
	}
	if b[1]&(1<<4) != 0 {
		_ = p.whole() // when it was created
	}
	g.modified = p.whole()
	_, _ = p.whole(), p.whole() // when the file changed, its size
	g.messages = int(p.whole())
	for _, has := range [...]bool{b[1]&(1<<5) != 0, b[1]&(1<<6) != 0} {
		if has {
			p.usage(&Usage{})
		}
	}
	if b[1]&(1<<7) != 0 {
		n := p.whole()
		if n < 0 || n > int64(len(p.b)) {
			return g, false
		}
		for range n {
			_ = p.bytes() // a tip
		}
	}
	return g, p.end() == nil
}

// A packer is a record being written.
type packer []byte

func (b *packer) flags(flags ...bool) {
	var all byte
	for k, set := range flags {
		if set {
			all |= 1 << k
		}
	}
	*b = append(*b, all)
}

func (b *packer) whole(n int64) { *b = binary.AppendVarint(*b, n) }

func (b *packer) text(s string) {
	*b = binary.AppendUvarint(*b, uint64(len(s)))
	*b = append(*b, s...)
}

func (b *packer) usage(u *Usage) {
	b.whole(int64(u.Messages))
	for _, n := range [...]float64{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.PremiumRequests, u.Cost} {
		*b = binary.LittleEndian.AppendUint64(*b, math.Float64bits(n))
	}
}

// An unpacker is a record being read. After the first thing that cannot be all
// else is zero.
type unpacker struct {
	b   []byte
	all string // b as it was first
	bad bool
}

func (p *unpacker) fail() { p.b, p.bad = nil, true }

func (p *unpacker) whole() int64 {
	v, n := binary.Varint(p.b)
	if n <= 0 {
		p.fail()
		return 0
	}
	p.b = p.b[n:]
	return v
}

func (p *unpacker) text() string {
	b := p.bytes()
	from := len(p.all) - len(p.b) - len(b)
	return p.all[from : from+len(b)]
}

func (p *unpacker) bytes() []byte {
	size, n := binary.Uvarint(p.b)
	if n <= 0 || size > uint64(len(p.b)-n) {
		p.fail()
		return nil
	}
	b := p.b[n : n+int(size)]
	p.b = p.b[n+int(size):]
	return b
}

func (p *unpacker) usage(u *Usage) {
	u.Messages = int(p.whole())
	for _, to := range [...]*float64{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite, &u.PremiumRequests, &u.Cost} {
		if len(p.b) < 8 {
			p.fail()
			return
		}
		*to = math.Float64frombits(binary.LittleEndian.Uint64(p.b))
		p.b = p.b[8:]
	}
}

// end is the error of what was read.
func (p *unpacker) end() error {
	if p.bad || len(p.b) > 0 {
		return errRecord
	}
	return nil
}

func unix(ns int64) time.Time { return time.Unix(0, ns).UTC() }
