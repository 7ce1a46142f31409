package journal

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/tree"
)

// A part is what was read of a stretch of a log. Two stretches read side by
// side are joined by [part.merge]; what others append is read into the part
// that is there.
type part struct {
	x       *entry.Index
	headers []record
	gaps    []tree.Gap
	damage  defects.Report
	lines   int  // physical lines seen
	known   int  // entries of a kind that a dialect knows
	open    bool // the first stretch: the header has not been seen
	torn    bool // the last line has no newline
	// unfinished says that the log ended where an object over several lines
	// may have been open: what follows is read differently with it.
	unfinished bool
	keep       func(pos int, line []byte)
	see        *Pass          // who is told of every entry, beside the index
	run        *run           // of a pass that does without the index if it can
	env        entry.Envelope // of the line that is looked at

	pending []piece // lines that may be one object together
	joiner  jsonl.Joiner
}

// A record is an object that is not an entry: a header, or a title slot.
type record struct {
	kind entry.Kind
	raw  []byte
	at   entry.At
	pos  int // entries before it
	lf   bool
}

// A piece is a physical line kept back.
type piece struct {
	raw []byte
	at  entry.At
}

var errPending = errors.New("the log has to be read in one go")

func newPart(first bool) *part {
	return &part{x: entry.NewStretch(), open: first}
}

// line takes the next physical line: its bytes without the newline, valid
// until it returns. off is where it begins in the log.
func (p *part) line(raw []byte, off int64, lf bool) {
	p.lines++
	at := entry.At{Off: off, Len: int64(len(raw)), Line: p.lines}
	p.torn = !lf
	if len(p.pending) > 0 && p.join(raw, at) {
		return
	}
	p.whole(raw, at)
}

// whole takes a line that is not part of an object over several lines.
func (p *part) whole(raw []byte, at entry.At) {
	text := jsonl.Trim(raw, at.Off)
	if !text.Present() {
		if bytes.IndexByte(raw, 0) >= 0 {
			p.bad(defects.Bad{Kind: defects.BadZeros, Reason: "nothing but zero bytes"}, raw, at)
		}
		return
	}
	at.Off += int64(text.Start)
	at.Len = int64(text.Len())
	line := text.In(raw)
	err := p.scan(&p.env, line)
	if err == nil {
		p.object(&p.env, line, at)
		return
	}
	if p.array(line, at) {
		return
	}
	if errors.Is(err, jsonl.ErrNotObject) {
		p.bad(defects.Bad{Kind: defects.BadScalar, Reason: "not a JSON object"}, line, at)
		return
	}
	// Blanks at its end may stand in a string that goes on.
	if line[0] == '{' && p.begin(bytes.TrimRight(raw[text.Start:], "\x00"), at) {
		return
	}
	p.salvage(line, at, err)
}

// scan reads the envelope of a line, and what the pass wants of it besides.
func (p *part) scan(e *entry.Envelope, line []byte) error {
	if p.see != nil {
		return p.see.Scanner.Scan(e, line)
	}
	return e.Scan(line)
}

// object takes one whole JSON object, which was scanned last.
func (p *part) object(e *entry.Envelope, line []byte, at entry.At) {
	switch {
	case e.Kind == entry.Session || e.Kind == entry.Title:
		p.headers = append(p.headers, record{
			kind: e.Kind, raw: bytes.Clone(line), at: at, pos: p.count(), lf: !p.torn,
		})
		if e.Kind == entry.Session {
			p.open = false
		}
		return
	case p.open && e.Kind == entry.Unknown && e.ID == nil:
		p.damage.OtherRecords++
		return
	}
	if e.Kind != entry.Unknown {
		p.known++
	}
	if len(e.ID) > maxIndexed || len(e.Parent) > maxIndexed {
		note(&p.damage, defects.Bad{Line: at.Line, Byte: at.Off, Len: at.Len, Lines: 1, Kind: defects.BadName,
			Reason: "id longer than 65,535 bytes", Recovered: 1})
	}
	if p.run != nil && p.run.takes(p.x, e) {
		p.see.Entry(e, line, at)
		return
	}
	i := p.x.Add(e, at)
	if p.keep != nil {
		p.keep(i, line)
	}
	if p.see != nil {
		p.see.Entry(e, line, at)
	}
}

// count returns the number of entries so far.
func (p *part) count() int {
	if p.run != nil {
		return p.run.n
	}
	return p.x.Len()
}

// maxIndexed is the longest id that an index holds, in bytes.
const maxIndexed = 1<<16 - 1

// bad notes a damaged line and what is legible of it.
func (p *part) bad(b defects.Bad, raw []byte, at entry.At) {
	b.Line, b.Byte, b.Len = at.Line, at.Off, at.Len
	if b.Lines == 0 {
		b.Lines = 1
	}
	if b.Recovered == 0 && len(raw) > 0 {
		head, tail, cut := bytes.Cut(raw, []byte{0})
		g := p.gap(head)
		if b.ID = g.ID; b.ID != "" {
			b.ParentID = g.ParentID
		}
		if cut {
			p.behind(tail)
		}
	}
	note(&p.damage, b)
}

// behind notes what is legible behind zero bytes, which may hide the ends of lines:
// it may be of another record. An id without a parentId is of something in a record.
func (p *part) behind(tail []byte) {
	n := len(p.gaps)
	if g := p.gap(tail); len(p.gaps) > n && !g.HasParent && !g.Root {
		p.gaps[n].ID = ""
	}
}

// gap notes what is legible of the links of a record in damaged bytes.
func (p *part) gap(raw []byte) tree.Gap {
	spans := jsonl.Legible(raw, []string{"id", "parentId"})
	id, parent := jsonl.Text(spans[0].In(raw)), jsonl.Text(spans[1].In(raw))
	g := tree.Gap{At: p.count()}
	if len(id) <= maxIndexed {
		g.ID = string(id)
	}
	switch {
	case parent != nil && len(parent) <= maxIndexed:
		g.ParentID, g.HasParent = string(parent), true
	case parent == nil:
		g.Root = bytes.Contains(raw, []byte(`"parentId":null,`)) || bytes.Contains(raw, []byte(`"parentId": null,`))
	}
	if len(p.gaps) < defects.MaxTold {
		p.gaps = append(p.gaps, g)
	}
	return g
}

// marker is how the programs begin every record.
const marker = `{"type":`

// salvage reads the whole objects out of a damaged line.
func (p *part) salvage(line []byte, at entry.At, cause error) {
	found := jsonl.Salvage(line, marker)
	if s := lastRecord(line, found); s.Present() {
		found = append(found, s)
	}
	b := defects.Bad{Kind: defects.BadSyntax, Reason: reason(cause)}
	var syntax *jsonl.SyntaxError
	if errors.As(cause, &syntax) && syntax.Torn() {
		b.Kind = defects.BadTorn
	}
	var envelopes []entry.Envelope
	records := found[:0]
	for _, s := range found {
		var e entry.Envelope
		if err := e.Scan(line[s.Start:s.End]); err != nil || e.Kind == entry.Unknown && e.ID == nil {
			continue // a block of a torn message, most likely
		}
		envelopes, records = append(envelopes, e), append(records, s)
	}
	if len(records) > 0 {
		b.Kind, b.Recovered = defects.BadGlued, len(records)
		b.Reason = fmt.Sprintf("%d whole objects among other bytes", len(records))
		if len(records) == 1 {
			b.Reason = "one whole object among other bytes"
		}
	}
	p.bad(b, line, at)
	done := 0
	for i, s := range records {
		if s.Start > done {
			p.gap(line[done:s.Start])
		}
		done = s.End
		if p.see != nil { // the last scan was of another
			_ = p.scan(&envelopes[i], line[s.Start:s.End]) // it was scanned before
		}
		p.object(&envelopes[i], line[s.Start:s.End], entry.At{Off: at.Off + int64(s.Start), Len: int64(s.Len()), Line: at.Line})
	}
	if len(records) > 0 && done < len(line) {
		p.gap(line[done:])
	}
}

const (
	// maxTail is the longest line that is searched for a record that begins
	// otherwise than with the marker, in bytes, and maxTails in how many places.
	maxTail  = 1 << 20
	maxTails = 256
)

// lastRecord returns a whole record at the end of a damaged line, behind the objects
// that were found, whatever it begins with.
func lastRecord(line []byte, found []jsonl.Span) jsonl.Span {
	from := 1
	if len(found) > 0 {
		from = found[len(found)-1].End
	}
	if len(line) > maxTail || from >= len(line) || line[len(line)-1] != '}' {
		return jsonl.Span{}
	}
	for range maxTails {
		n := bytes.Index(line[from:], []byte(`{"`))
		if n < 0 {
			break
		}
		from += n
		var e entry.Envelope
		if text := line[from:]; e.Scan(text) == nil && e.Kind != entry.Unknown && e.ID != nil {
			return jsonl.Span{Start: from, End: len(line)}
		}
		from++
	}
	return jsonl.Span{}
}

// reason says what is wrong with a line, and where in it.
func reason(err error) string {
	var syntax *jsonl.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("%s at byte %d of it", syntax.Reason, syntax.Offset)
	}
	return err.Error()
}

// begin starts to collect the lines of an object over several lines, if line
// may be its first.
func (p *part) begin(line []byte, at entry.At) bool {
	if p.torn {
		return false
	}
	p.joiner.Reset()
	if p.joiner.Add(line) != jsonl.JoinMore {
		return false
	}
	p.pending = append(p.pending[:0], piece{bytes.Clone(line), at})
	return true
}

// join takes a line while an object over several lines may be open, and
// reports whether it used the line.
func (p *part) join(raw []byte, at entry.At) bool {
	switch p.joiner.Add(raw) {
	case jsonl.JoinNever:
		p.giveUp()
		return false
	case jsonl.JoinMore:
		p.pending = append(p.pending, piece{bytes.Clone(raw), at})
		if p.torn {
			p.giveUp()
		}
		return true
	}
	first, lines := p.pending[0].at, p.joiner.Lines()
	p.pending = p.pending[:0]
	whole := entry.At{Off: first.Off, Len: at.Off + at.Len - int64(p.joiner.Behind()) - first.Off, Line: first.Line}
	joined := flat(p.joiner.Value())
	if err := p.scan(&p.env, joined); err != nil {
		p.bad(defects.Bad{Kind: defects.BadSyntax, Reason: reason(err), Lines: lines}, joined, whole)
		return true
	}
	p.bad(defects.Bad{Kind: defects.BadSplit, Reason: fmt.Sprintf("one object over %d lines", lines), Lines: lines, Recovered: 1}, nil, whole)
	p.object(&p.env, joined, whole)
	return true
}

// giveUp takes the collected lines one by one: they are no object together.
func (p *part) giveUp() {
	lines := p.pending
	p.pending = nil
	torn := p.torn
	// None of them begins another search: that bounds the work on a file
	// made of beginnings.
	p.torn = true
	for i, q := range lines {
		if i == 0 {
			p.salvage(q.raw, q.at, jsonl.Valid(q.raw))
			continue
		}
		p.whole(q.raw, q.at)
	}
	p.torn = torn
}

// end finishes a stretch. Only the last one of a log may end inside an object
// over several lines; the error says that the log has to be read in one go.
func (p *part) end(last bool) error {
	if len(p.pending) == 0 {
		return nil
	}
	if !last {
		return errPending
	}
	p.unfinished = true
	p.giveUp()
	return nil
}

// merge appends what was read of the stretch that follows.
func (p *part) merge(q *part) {
	base := p.x.Len()
	p.x.Merge(q.x, p.lines)
	for _, r := range q.headers {
		r.at.Line += p.lines
		r.pos += base
		p.headers = append(p.headers, r)
	}
	for _, g := range q.gaps {
		g.At += base
		p.gaps = append(p.gaps, g)
	}
	for _, b := range q.damage.Bad {
		b.Line += p.lines
		if len(p.damage.Bad) < defects.MaxTold {
			p.damage.Bad = append(p.damage.Bad, b)
		}
	}
	p.damage.BadCount += q.damage.BadCount
	p.damage.Recovered += q.damage.Recovered
	p.damage.Array = p.damage.Array || q.damage.Array
	p.damage.OtherRecords += q.damage.OtherRecords
	p.lines += q.lines
	p.known += q.known
	if q.lines > 0 {
		p.torn = q.torn
	}
	p.unfinished = q.unfinished
}

// note adds a bad line to a report.
func note(d *defects.Report, b defects.Bad) {
	d.BadCount++
	d.Recovered += b.Recovered
	if len(d.Bad) < defects.MaxTold {
		d.Bad = append(d.Bad, b)
	}
}
