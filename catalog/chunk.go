package catalog

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/cambium-dev/cambium/entry"
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
	r := cutter{b: packed}
	names := make([]string, 0, 16)
	for n := r.count(); n > 0 && !r.bad; n-- {
		names = append(names, string(r.bytes(r.count())))
	}
	name := func() string {
		i := r.uint()
		if i >= uint64(len(names)) {
			r.bad = true
			return ""
		}
		return names[i]
	}
	c.passages = c.passages[:0]
	was, at, end := titleEntry, int64(0), 0
	for n := r.count(); n > 0 && !r.bad; n-- {
		p := passage{entry: was + int(r.int()), kind: entry.Kind(r.byte()), branch: Branch(r.byte()), time: entry.NoTime}
		if r.byte() != 0 {
			at += r.int()
			p.time = at
		}
		p.role, p.model = name(), name()
		for n := r.count(); n > 0 && !r.bad; n-- {
			p.tools = append(p.tools, name())
		}
		p.id = string(r.bytes(r.count()))
		p.start, p.end = end, end+int(r.uint())
		was, end = p.entry, p.end
		c.passages = append(c.passages, p)
	}
	if r.bad || end != len(r.b) {
		return errChunk
	}
	c.text = r.b
	return nil
}

// A cutter reads packed values one by one; bad says that they ended early.
type cutter struct {
	b   []byte
	bad bool
}

func (r *cutter) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads a number of things that are still to come, each a byte at least.
func (r *cutter) count() int {
	v := r.uint()
	if v > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return 0
	}
	return int(v)
}

func (r *cutter) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *cutter) byte() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	b := r.b[0]
	r.b = r.b[1:]
	return b
}

func (r *cutter) bytes(n int) []byte {
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}
