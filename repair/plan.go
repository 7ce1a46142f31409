package repair

import (
	"bytes"
	"crypto/sha256"
	"iter"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/storage"
)

// An action is what becomes of physical lines.
type action int

const (
	drop   action = iota + 1 // take them out
	part                     // objects on lines of their own
	join                     // the lines are one object: on one line
	trim                     // cut off what surrounds the object
	relink                   // entries in it get the parents below which they are read
)

// A step is what is done at one line.
type step struct {
	act    action
	lines  int          // how many physical lines it covers, 0 for one
	lost   bool         // what is dropped is not moved aside: zero bytes
	spans  []jsonl.Span // entries in the line, of part and relink
	texts  [][]byte     // what they become, of relink
	header bool         // there is a header among the rest, of part
	array  bool         // the line is of a JSON array, of part
}

// A plan says what a session file becomes. It knows lines by their numbers: it
// is only good for the file that it was made of.
type plan struct {
	steps   map[int]step
	links   map[int]step // done first: what is read of the damaged lines counts for them
	header  []byte       // written anew, nil for no
	before  int          // the line that it comes before
	newline bool         // a last newline is added
	size    int64
	lines   int   // how many lines it was made of
	sum     check // of them
}

// A check tells lines from others.
type check [sha256.Size]byte

// add adds a line.
func (c *check) add(line storage.Line) {
	h := sha256.New()
	_, _ = h.Write(c[:]) // never fails
	_, _ = h.Write(line.Bytes)
	if line.LF {
		_, _ = h.Write([]byte{'\n'})
	}
	h.Sum(c[:0])
}

// nothing reports whether the file stays as it is.
func (p *plan) nothing() bool {
	return len(p.steps) == 0 && len(p.links) == 0 && p.header == nil && !p.newline
}

// first is the part of a plan that is done before all other: what is to be done
// then shows when the file is looked at again.
func (p *plan) first() plan {
	if len(p.links) == 0 {
		return *p
	}
	return plan{steps: p.links, size: p.size, lines: p.lines, sum: p.sum}
}

// rewrite makes the new lines of the old ones. aside is given the bytes that
// are in none of them; an error of it ends the rewrite.
func (p *plan) rewrite(aside func([]byte) error) storage.Rewrite {
	return func(lines iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			w := &rewriter{p: p, aside: aside, yield: yield}
			for line, err := range lines {
				if err != nil {
					yield(nil, err)
					return
				}
				if !w.line(line) {
					return
				}
			}
			if p.header != nil && w.no < p.before {
				yield(p.header, nil)
			}
		}
	}
}

// A rewriter is one pass over the lines.
type rewriter struct {
	p     *plan
	aside func([]byte) error
	yield func([]byte, error) bool
	no    int
	left  int  // lines that the step still covers
	now   step // the step
	open  [][]byte
	pos   int64 // where the first of them begins
}

// put gives lines, and reports whether more are wanted.
func (w *rewriter) put(lines ...[]byte) bool {
	for _, l := range lines {
		if !w.yield(l, nil) {
			return false
		}
	}
	return true
}

// away hands bytes over that are in no line any more.
func (w *rewriter) away(raw []byte) bool {
	if err := w.aside(raw); err != nil {
		w.yield(nil, err)
		return false
	}
	return true
}

// line takes one physical line.
func (w *rewriter) line(line storage.Line) bool {
	w.no++
	raw := line.Bytes
	if w.p.header != nil && w.no == w.p.before {
		if !w.put(w.p.header) {
			return false
		}
		if line.Pos == 0 {
			raw = bytes.TrimPrefix(raw, []byte("\ufeff")) // it counts at the beginning of a file only
		}
	}
	if w.left > 0 {
		w.left--
		return w.step(raw, line)
	}
	st, ok := w.p.steps[w.no]
	if !ok {
		return w.put(raw)
	}
	w.now, w.left, w.open = st, max(st.lines, 1)-1, nil
	return w.step(raw, line)
}

// step does to a line what the step says.
func (w *rewriter) step(raw []byte, line storage.Line) bool {
	switch w.now.act {
	case drop:
		return w.now.lost || w.away(raw)
	case trim:
		return w.put(jsonl.Trim(line.Bytes, line.Pos).In(line.Bytes))
	case join:
		if len(w.open) == 0 {
			w.pos = line.Pos
		}
		w.open = append(w.open, slices.Clone(raw))
		if w.left > 0 {
			return true
		}
		var j jsonl.Joiner
		for n, piece := range w.open {
			if n == 0 {
				piece = bytes.TrimRight(piece[jsonl.Trim(piece, w.pos).Start:], "\x00")
			}
			j.Add(piece)
		}
		one := j.Value()
		if one == nil {
			return w.put(w.open...) // it was told to be one; as it is, then
		}
		return w.put(flat(one))
	case relink:
		return w.link(raw)
	}
	return w.part(raw)
}

// link puts what they become in the place of entries. Of an object over several
// lines all is in the place of the first.
func (w *rewriter) link(raw []byte) bool {
	if w.now.lines > 1 {
		if w.left < w.now.lines-1 {
			return true
		}
		return w.put(w.now.texts...)
	}
	var out []byte
	done := 0
	for n, s := range w.now.spans {
		out = append(append(out, raw[done:s.Start]...), w.now.texts[n]...)
		done = s.End
	}
	return w.put(append(out, raw[done:]...))
}

// part gives each entry of a line, and each header, a line of its own.
func (w *rewriter) part(raw []byte) bool {
	for _, p := range w.now.pieces(raw) {
		ok := false
		if p.keep {
			ok = w.put(p.text)
		} else {
			ok = w.away(p.text)
		}
		if !ok {
			return false
		}
	}
	return true
}

// A piece is a part of a line.
type piece struct {
	text []byte
	keep bool // it is a record
	head bool // a header, to be precise
}

// pieces cuts a line into the entries in it, other whole records, and what is between
// them. Blanks and zero bytes at the edges belong to nothing, nor do the brackets and
// commas of an array.
func (st *step) pieces(raw []byte) []piece {
	var all []piece
	blanks := "\x00 \t\r"
	if st.array {
		blanks += "[,]"
	}
	junk := func(text []byte) {
		if text = bytes.Trim(text, blanks); len(text) > 0 {
			all = append(all, piece{text: text})
		}
	}
	between := func(text []byte) {
		done := 0
		spans := jsonl.Salvage(text, `{"type":`)
		if st.array && len(spans) == 0 {
			spans = jsonl.Objects(text, "")
		}
		for _, s := range spans {
			var e entry.Envelope
			if e.Scan(s.In(text)) != nil || e.Kind != entry.Session && e.Kind != entry.Title {
				continue
			}
			junk(text[done:s.Start])
			all = append(all, piece{text: s.In(text), keep: true, head: e.Kind == entry.Session})
			done = s.End
		}
		junk(text[done:])
	}
	done := 0
	for _, s := range st.spans {
		if s.Start < done {
			continue
		}
		between(raw[done:s.Start])
		all = append(all, piece{text: s.In(raw), keep: true})
		done = s.End
	}
	between(raw[done:])
	return all
}

// rest counts the bytes of a line that are no record, and notes a header.
func (st *step) rest(raw []byte) int {
	n := 0
	for _, p := range st.pieces(raw) {
		if !p.keep {
			n += len(p.text)
		}
		st.header = st.header || p.head
	}
	return n
}

// flat returns a JSON text with its line ends replaced by spaces: outside of
// strings they are white space, and inside of them there are none.
func flat(raw []byte) []byte {
	one := bytes.ReplaceAll(raw, []byte{'\n'}, []byte{' '})
	return bytes.ReplaceAll(one, []byte{'\r'}, []byte{' '})
}
