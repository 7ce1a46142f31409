package usage

import (
	"encoding/binary"

	"github.com/cambium-dev/cambium/internal/varint"
)

// packForm is the form of packed charges. A change of what is read of the same bytes is
// a new form, too: then the sessions are read again.
const packForm = 3

// What the flags of a packed charge say, besides its kind and the origin of its cost; in
// the order in which Charge.flags has them.
const (
	flagActive = 1 << (iota + 6)
	flagAborted
	flagFailed
	flagRan
	flagAbsurd
	flagTimed
	flagTokens
	flagResponse
	flagEntry
	flagBare
	flagUnique
)

// Pack returns charges as bytes that an index keeps.
func Pack(charges []Charge) []byte {
	places, words := map[string]uint64{"": 0}, []string(nil)
	place := func(s string) uint64 {
		n, ok := places[s]
		if !ok {
			words = append(words, s)
			n = uint64(len(words))
			places[s] = n
		}
		return n
	}
	var b []byte
	line, at := 0, int64(0)
	for i := range charges {
		c := &charges[i]
		b = binary.AppendUvarint(b, c.flags())
		b = binary.AppendVarint(b, int64(c.Line-line))
		line = c.Line
		if c.Time != NoTime {
			b = binary.AppendVarint(b, c.Time-at)
			at = c.Time
		}
		for _, s := range [...]string{c.Provider, c.Model, c.Role, c.Tool, c.Branch} {
			b = binary.AppendUvarint(b, place(s))
		}
		if c.Tokens != (Tokens{}) {
			for _, n := range c.Tokens.each() {
				b = binary.AppendUvarint(b, uint64(*n))
			}
		}
		b = binary.AppendUvarint(b, uint64(c.Cost))
		b = binary.AppendUvarint(b, uint64(c.Took))
		for _, key := range [...]uint64{c.keys.response, c.keys.entry, c.keys.bare, c.keys.unique} {
			if key != 0 {
				b = binary.LittleEndian.AppendUint64(b, key)
			}
		}
	}
	head := []byte{packForm}
	head = binary.AppendUvarint(head, uint64(len(words)))
	for _, s := range words {
		head = binary.AppendUvarint(head, uint64(len(s)))
		head = append(head, s...)
	}
	return append(binary.AppendUvarint(head, uint64(len(charges))), b...)
}

// each are the counts in the order in which they are packed.
func (t *Tokens) each() [6]*int64 {
	return [...]*int64{&t.Input, &t.Output, &t.CacheRead, &t.CacheWrite, &t.CacheWriteLong, &t.Reasoning}
}

// flags are what a packed charge begins with.
func (c *Charge) flags() uint64 {
	f := uint64(c.Kind) | uint64(c.Origin)<<3
	for i, set := range [...]bool{
		c.Active, c.Aborted, c.Failed, c.Ran, c.Absurd, c.Time != NoTime, c.Tokens != Tokens{},
		c.keys.response != 0, c.keys.entry != 0, c.keys.bare != 0, c.keys.unique != 0,
	} {
		if set {
			f |= flagActive << i
		}
	}
	return f
}

// Unpack reads what Pack returned. It reports false for what is of another form, or is
// not as it was written. words holds the texts that were read before, so that equal ones
// share their memory; it may be nil.
func Unpack(data []byte, words map[string]string) ([]Charge, bool) {
	p := varint.Reader{Rest: data}
	if p.Byte() != packForm {
		return nil, false
	}
	texts := make([]string, p.Count()+1)
	for i := range texts[1:] {
		texts[i+1] = shared(p.Part(), words)
	}
	all := make([]Charge, p.Count())
	line, at := 0, int64(0)
	for i := range all {
		c := &all[i]
		f := p.Uint()
		c.Kind, c.Origin = Kind(f&7), Origin(f>>3&7)
		c.Active, c.Aborted, c.Failed = f&flagActive != 0, f&flagAborted != 0, f&flagFailed != 0
		c.Ran, c.Absurd, c.Time = f&flagRan != 0, f&flagAbsurd != 0, NoTime
		line += int(p.Int())
		c.Line = line
		if f&flagTimed != 0 {
			at += p.Int()
			c.Time = at
		}
		for _, to := range [...]*string{&c.Provider, &c.Model, &c.Role, &c.Tool, &c.Branch} {
			n := p.Uint()
			if n >= uint64(len(texts)) {
				return nil, false
			}
			*to = texts[n]
		}
		if f&flagTokens != 0 {
			for _, to := range c.Tokens.each() {
				*to = int64(p.Uint())
			}
		}
		c.Cost, c.Took = Micros(p.Uint()), int64(p.Uint())
		c.keys = keys{response: key(&p, f&flagResponse), entry: key(&p, f&flagEntry), bare: key(&p, f&flagBare), unique: key(&p, f&flagUnique)}
		if p.Bad || c.Kind >= kinds || c.Origin >= origins || !c.believed() {
			return nil, false
		}
	}
	return all, !p.Bad && len(p.Rest) == 0
}

// believed reports whether the numbers of a charge are some that a reader lets pass.
func (c *Charge) believed() bool {
	for _, n := range c.Tokens.each() {
		if *n < 0 || *n > mostTokens {
			return false
		}
	}
	return c.Cost >= 0 && c.Cost <= mostMicros && c.Took >= 0 && c.Took <= mostTime
}

// key reads a key that is there.
func key(p *varint.Reader, there uint64) uint64 {
	if there == 0 {
		return 0
	}
	if b := p.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// shared returns bytes as a text, one that is there already if there is one.
func shared(b []byte, words map[string]string) string {
	if s, ok := words[string(b)]; ok {
		return s
	}
	s := string(b)
	if words != nil {
		words[s] = s
	}
	return s
}
