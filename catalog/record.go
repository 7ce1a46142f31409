package catalog

import (
	"encoding/binary"
	"math"
	"strings"
	"time"
	"unsafe"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/varint"
)

// What a body says of itself in its first two bytes.
const (
	isNamed = 1 << iota
	isForked
	hasID // it is not the one in the file's name
	hasCreated
	hasModTime // it is not that of the stamp
	hasSize
	hasUsage
	hasInherited
	hasTips
)

// appendBody appends what a bundle keeps of a record besides its brief.
func appendBody(dst []byte, r *Record) []byte {
	i := &r.Info
	b := packer(dst)
	b.text(r.Path)
	if r.None {
		return b
	}
	flags := uint16(0)
	for n, set := range [...]bool{
		i.Named, i.Forked, i.ID != idIn(r.Path), !i.Created.IsZero(), i.ModTime.UnixNano() != r.Stamp.ModTime,
		i.Size != r.Stamp.Size, spends(&i.Usage), spends(&i.Inherited), len(i.Tips) > 0,
	} {
		if set {
			flags |= 1 << n
		}
	}
	b = binary.LittleEndian.AppendUint16(b, flags)
	if flags&hasID != 0 {
		b.text(i.ID)
	}
	b.text(i.Parent)
	b.text(i.Title)
	b.text(i.FirstMessage)
	b.text(i.Detail)
	if flags&hasCreated != 0 {
		b.whole(i.Created.UnixNano())
	}
	if flags&hasModTime != 0 {
		b.whole(i.ModTime.UnixNano())
	}
	if flags&hasSize != 0 {
		b.whole(i.Size)
	}
	b.whole(int64(i.Messages))
	if flags&hasUsage != 0 {
		b.usage(&i.Usage)
	}
	if flags&hasInherited != 0 {
		b.usage(&i.Inherited)
	}
	if flags&hasTips != 0 {
		b = binary.AppendUvarint(b, uint64(len(i.Tips)))
		for _, tip := range i.Tips {
			b.text(tip)
		}
	}
	return b
}

// parseBody reads what appendBody wrote behind the path, but for what the brief
// says; false for what is damaged. Texts alias the body, which must not change any
// more.
func parseBody(i *Info, body []byte, stamp *source.Stamp) bool {
	p := unpacker{varint.Reader{Rest: body}}
	raw := p.Bytes(2)
	if raw == nil {
		return false
	}
	flags := binary.LittleEndian.Uint16(raw)
	i.Named, i.Forked = flags&isNamed != 0, flags&isForked != 0
	if flags&hasID != 0 {
		i.ID = p.text()
	} else {
		i.ID = idIn(i.Path)
	}
	i.Parent, i.Title, i.FirstMessage, i.Detail = p.text(), p.text(), p.text(), p.text()
	if flags&hasCreated != 0 {
		i.Created = unix(p.Int())
	}
	i.ModTime, i.Size = unix(stamp.ModTime), stamp.Size
	if flags&hasModTime != 0 {
		i.ModTime = unix(p.Int())
	}
	if flags&hasSize != 0 {
		i.Size = p.Int()
	}
	i.Messages = int(p.Int())
	if flags&hasUsage != 0 {
		p.usage(&i.Usage)
	}
	if flags&hasInherited != 0 {
		p.usage(&i.Inherited)
	}
	if flags&hasTips != 0 {
		i.Tips = make([]string, p.Count())
		for k := range i.Tips {
			i.Tips[k] = p.text()
		}
	}
	return !p.Bad && len(p.Rest) == 0
}

// idIn is the end of a file's name, which usually is the session's id.
func idIn(path string) string {
	name := strings.TrimSuffix(base(path), ident.Ext)
	return name[strings.LastIndexByte(name, '_')+1:]
}

// A packer is a body being written.
type packer []byte

func (b *packer) whole(n int64) { *b = binary.AppendVarint(*b, n) }

func (b *packer) text(s string) {
	*b = binary.AppendUvarint(*b, uint64(len(s)))
	*b = append(*b, s...)
}

// spends reports whether there is anything in a usage, to the bit.
func spends(u *Usage) bool {
	for _, n := range numbers(u) {
		if math.Float64bits(*n) != 0 {
			return true
		}
	}
	return u.Messages != 0
}

func numbers(u *Usage) [6]*float64 {
	return [...]*float64{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite, &u.PremiumRequests, &u.Cost}
}

// mostWhole is above every number that is written as a whole one.
const mostWhole = 1 << 50

// usage writes the numbers that are not zero, most of which are whole.
func (b *packer) usage(u *Usage) {
	b.whole(int64(u.Messages))
	at := len(*b)
	*b = append(*b, 0)
	for n, f := range numbers(u) {
		bits := math.Float64bits(*f)
		if bits == 0 {
			continue
		}
		(*b)[at] |= 1 << n
		if *f >= 1 && *f < mostWhole && *f == math.Trunc(*f) {
			*b = binary.AppendUvarint(*b, uint64(*f))
			continue
		}
		*b = append(*b, 0)
		*b = binary.LittleEndian.AppendUint64(*b, bits)
	}
}

// An unpacker is a body being read.
type unpacker struct{ varint.Reader }

func (p *unpacker) text() string { return alias(p.Part()) }

func (p *unpacker) usage(u *Usage) {
	u.Messages = int(p.Int())
	set := p.Byte()
	for n, f := range numbers(u) {
		if set&(1<<n) == 0 {
			continue
		}
		if v := p.Uint(); v != 0 {
			*f = float64(v)
		} else if b := p.Bytes(8); b != nil {
			*f = math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
	}
}

// alias is the text of bytes that nobody changes any more.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func unix(ns int64) time.Time { return time.Unix(0, ns).UTC() }
