package catalog

import (
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/pack"
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
	p := unpacker{Reader: pack.Reader{Rest: b[2:]}, all: string(b[2:])}
	i := &r.Info
	r.None = has(0)
	r.Path = p.text()
	r.Stamp = Stamp{Dev: uint64(p.Int()), Ino: uint64(p.Int()), Size: p.Int(), ModTime: p.Int()}
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
		i.Created = unix(p.Int())
	}
	i.Modified, i.ModTime = unix(p.Int()), unix(p.Int())
	i.Size, i.Messages = p.Int(), int(p.Int())
	if has(5) {
		p.usage(&i.Usage)
	}
	if has(6) {
		p.usage(&i.Inherited)
	}
	if has(7) {
		n := p.Int()
		if n < 0 || n > int64(len(p.Rest)) {
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
	p := unpacker{Reader: pack.Reader{Rest: b[2:]}}
	g.none, g.damaged = b[1]&1 != 0, b[1]&2 != 0
	g.path = p.Part()
	g.stamp = Stamp{Dev: uint64(p.Int()), Ino: uint64(p.Int()), Size: p.Int(), ModTime: p.Int()}
	if g.none {
		return g, p.end() == nil
	}
	_, g.cwd, _, g.agent = p.Part(), p.Part(), p.Part(), p.Part() // id and parent are left out
	for range 5 {
		_ = p.Part() // title, first message, status, model, detail
	}
	if b[1]&(1<<4) != 0 {
		_ = p.Int() // when it was created
	}
	g.modified = p.Int()
	_, _ = p.Int(), p.Int() // when the file changed, its size
	g.messages = int(p.Int())
	for _, has := range [...]bool{b[1]&(1<<5) != 0, b[1]&(1<<6) != 0} {
		if has {
			p.usage(&Usage{})
		}
	}
	if b[1]&(1<<7) != 0 {
		n := p.Int()
		if n < 0 || n > int64(len(p.Rest)) {
			return g, false
		}
		for range n {
			_ = p.Part() // a tip
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

// An unpacker is a record being read.
type unpacker struct {
	pack.Reader
	all string // what was there first
}

func (p *unpacker) text() string {
	b := p.Part()
	from := len(p.all) - len(p.Rest) - len(b)
	return p.all[from : from+len(b)]
}

func (p *unpacker) usage(u *Usage) {
	u.Messages = int(p.Int())
	for _, to := range [...]*float64{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite, &u.PremiumRequests, &u.Cost} {
		if b := p.Bytes(8); b != nil {
			*to = math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
	}
}

// end is the error of what was read.
func (p *unpacker) end() error {
	if p.Bad || len(p.Rest) > 0 {
		return errRecord
	}
	return nil
}

func unix(ns int64) time.Time { return time.Unix(0, ns).UTC() }
