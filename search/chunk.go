package search

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/varint"
)

// A Branch says where in its session an entry stands.
type Branch uint8

// What a branch may be. Links are healed.
const (
	// Active is on the path to the entry where the session goes on.
	Active Branch = iota
	// Other is on another branch.
	Other
	// Compacted is on the path, but behind a summary: the model no longer sees
	// it.
	Compacted
)

// String returns "active", "other" or "compacted".
func (b Branch) String() string { return [...]string{"active", "other", "compacted"}[b%3] }

// chunkText is how much text a chunk has at most, in bytes, unless it is of one
// entry. Larger chunks make a smaller index, smaller ones are read faster.
const chunkText = 64 << 10

// A passage is the text of one entry in a chunk.
type passage struct {
	entry  int // position in the session, titleEntry for its title
	id     string
	kind   entry.Kind
	role   string
	tools  []string
	model  string
	time   int64 // milliseconds since 1970, or entry.NoTime
	branch Branch
	start  int // of its text in the chunk's
	end    int
}

// titleEntry is the position of the passage with the session's title.
const titleEntry = -1

// A chunk is what entries that follow each other say: all or some of a session.
type chunk struct {
	passages []passage
	text     []byte
}

// errChunk says that a packed chunk is not as it was written.
var errChunk = errors.New("read packed text: it is damaged")

// pack appends the chunk in the form in which an index keeps it: the strings that
// passages share; the passages; the text.
func (c *chunk) pack(dst []byte) []byte {
	var names []string
	name := func(s string) uint64 {
		i := slices.Index(names, s)
		if i < 0 {
			i, names = len(names), append(names, s)
		}
		return uint64(i)
	}
	var rows []byte
	was, at := titleEntry, int64(0)
	for _, p := range c.passages {
		rows = binary.AppendVarint(rows, int64(p.entry-was))
		rows = append(rows, byte(p.kind), byte(p.branch))
		if p.time == entry.NoTime {
			rows = append(rows, 0)
		} else {
			rows = binary.AppendVarint(append(rows, 1), p.time-at)
			at = p.time
		}
		rows = binary.AppendUvarint(rows, name(p.role))
		rows = binary.AppendUvarint(rows, name(p.model))
		rows = binary.AppendUvarint(rows, uint64(len(p.tools)))
		for _, t := range p.tools {
			rows = binary.AppendUvarint(rows, name(t))
		}
		rows = binary.AppendUvarint(rows, uint64(len(p.id)))
		rows = append(rows, p.id...)
		rows = binary.AppendUvarint(rows, uint64(p.end-p.start))
		was = p.entry
	}
	dst = binary.AppendUvarint(dst, uint64(len(names)))
	for _, s := range names {
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	dst = binary.AppendUvarint(dst, uint64(len(c.passages)))
	return append(append(dst, rows...), c.text...)
}

// unpack reads a packed chunk into c. The text aliases packed.
func (c *chunk) unpack(packed []byte) error {
	r := varint.Reader{Rest: packed}
	names := make([]string, 0, 16)
	for n := r.Count(); n > 0 && !r.Bad; n-- {
		names = append(names, string(r.Part()))
	}
	name := func() string {
		i := r.Uint()
		if i >= uint64(len(names)) {
			r.Bad = true
			return ""
		}
		return names[i]
	}
	c.passages = c.passages[:0]
	was, at, end := titleEntry, int64(0), 0
	for n := r.Count(); n > 0 && !r.Bad; n-- {
		p := passage{entry: was + int(r.Int()), kind: entry.Kind(r.Byte()), branch: Branch(r.Byte()), time: entry.NoTime}
		if r.Byte() != 0 {
			at += r.Int()
			p.time = at
		}
		p.role, p.model = name(), name()
		for n := r.Count(); n > 0 && !r.Bad; n-- {
			p.tools = append(p.tools, name())
		}
		p.id = string(r.Part())
		p.start, p.end = end, end+int(r.Uint())
		was, end = p.entry, p.end
		c.passages = append(c.passages, p)
	}
	if r.Bad || end != len(r.Rest) {
		return errChunk
	}
	c.text = r.Rest
	return nil
}
