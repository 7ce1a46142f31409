package repair

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

// An exam is one look at a session file.
type exam struct {
	d     *Doctor
	r     *Report
	path  string // links followed
	s     *session.Session
	list  *entry.List
	harm  *journal.Damage
	plan  plan
	needy map[string]bool // ids that are only legible in damaged lines, and that entries hang on
	newer bool

	no     int // the line that was read last
	next   int // the entry that comes next
	bad    int // the damaged line that comes next
	skip   int // lines that belong to a damaged one
	header bool
	torn   []byte // what is left of a header that an entry is glued to
	ends   bool   // the last line is a good one, without newline
	refs   map[string]bool
	blobs  []lostBlob
}

// examine looks at the session file at path, whose links were followed, and
// adds what it finds to r.
func (d *Doctor) examine(ctx context.Context, r *Report, path string) error {
	x, err := d.look(ctx, r, path)
	if err != nil {
		return err
	}
	if err := x.s.Close(); err != nil {
		return err
	}
	if r.Fixable() {
		r.fix = func(ctx context.Context) (string, error) { return d.mend(ctx, r, path, x.blobs) }
	}
	return nil
}

// look reads a session file, finds what is wrong and plans. The caller closes
// the session.
func (d *Doctor) look(ctx context.Context, r *Report, path string) (*exam, error) {
	s, err := session.Open(ctx, path, d.sessionOptions())
	if err != nil {
		return nil, err
	}
	x := &exam{d: d, r: r, path: path, s: s, list: s.List(), harm: s.Damage(), needy: map[string]bool{}, refs: map[string]bool{}}
	x.newer = s.Header().Version > entry.CurrentVersion
	d.locked[path] = s.Dialect().Name == dialect.Omp
	x.plan.steps = map[int]step{}
	x.needs()
	if err := x.lines(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	x.tail()
	x.links()
	if x.newer {
		for i := range r.Findings {
			f := &r.Findings[i]
			f.Fixable, f.Plan = false, "nothing: its version is newer than this program knows"
		}
		x.plan, x.blobs = plan{}, nil
	}
	if d.opt.Store != nil {
		for i := range r.Findings {
			r.Findings[i].Byte = -1 // it has lines, not bytes
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	return x, nil
}

// needs finds the ids in damaged lines that entries hang on, directly or
// through other damaged lines.
func (x *exam) needs() {
	parents := map[string][]string{}
	for _, b := range x.harm.Bad {
		if b.ID != "" {
			parents[b.ID] = append(parents[b.ID], b.ParentID)
		}
	}
	var mark func(id string)
	mark = func(id string) {
		if _, ok := parents[id]; !ok || x.needy[id] {
			return
		}
		x.needy[id] = true
		for _, p := range parents[id] {
			mark(p)
		}
	}
	for _, h := range x.harm.Healed {
		mark(h.ParentID)
	}
}

// lines goes through the physical lines.
func (x *exam) lines(ctx context.Context) error {
	log, err := x.d.store.Open(ctx, x.path, storage.Read)
	if err != nil {
		return err
	}
	for line, lineErr := range log.Read(ctx, storage.Mark{}) {
		if err = lineErr; err != nil {
			break
		}
		if err = x.line(ctx, line); err != nil {
			break
		}
	}
	if err := errors.Join(err, log.Close()); err != nil {
		return err
	}
	if !x.header && x.harm.HeaderRebuilt && !x.newer {
		x.noHeader(ctx)
	}
	return nil
}

// line looks at one physical line.
func (x *exam) line(ctx context.Context, line storage.Line) error {
	x.no++
	x.ends, x.plan.size = false, line.Pos+int64(len(line.Bytes))
	var here []int
	for x.next < x.list.Len() && x.list.At(x.next).Line <= x.no {
		if x.list.At(x.next).Line == x.no {
			here = append(here, x.next)
		}
		x.next++
	}
	if err := x.references(ctx, line, here); err != nil {
		return err
	}
	if x.skip > 0 {
		x.skip--
		return nil
	}
	for x.bad < len(x.harm.Bad) && x.harm.Bad[x.bad].Line < x.no {
		x.bad++
	}
	if x.bad < len(x.harm.Bad) && x.harm.Bad[x.bad].Line == x.no {
		b := x.harm.Bad[x.bad]
		x.bad++
		if b.Kind != journal.BadName {
			x.skip = max(b.Lines, 1) - 1
			x.damaged(ctx, b, line, here)
			return nil
		}
		x.r.add(Finding{Kind: Name, Line: b.Line, Byte: b.Byte, Detail: b.Reason,
			Plan: "nothing: the entry can be read, only not be named"})
	}
	text := jsonl.Trim(line.Bytes, line.Pos)
	x.ends = !line.LF
	if i := bytes.IndexByte(line.Bytes, 0); i >= 0 && text.Present() {
		x.r.add(Finding{Kind: Zeros, Line: x.no, Byte: line.Pos + int64(i), Fixable: true,
			Detail: fmt.Sprintf("%d zero bytes around an entry", bytes.Count(line.Bytes, []byte{0})), Plan: "the zero bytes are cut off"})
		x.plan.steps[x.no] = step{act: trim}
	}
	if len(here) == 0 && text.Present() {
		x.record(line, text.In(line.Bytes))
	}
	return nil
}

// record looks at a line that holds no entry: a header, maybe.
func (x *exam) record(line storage.Line, text []byte) {
	var e entry.Envelope
	if e.Scan(text) != nil || e.Kind != entry.Session {
		return
	}
	if !x.header {
		if _, x.header = entry.ParseHeader(text); x.header && x.harm.WrongVersion {
			x.r.add(Finding{Kind: Version, Line: x.no, Byte: line.Pos, Fixable: true,
				Detail: fmt.Sprintf("the header says version %v, and the entries have ids, as only later versions have: programs that believe it give all of them new ones", x.s.Header().Version),
				Plan:   fmt.Sprintf("the header says version %d", entry.CurrentVersion)})
			x.plan.header, x.plan.before = dialect.MigrateHeader(text), x.no
			x.plan.steps[x.no] = step{act: drop, lost: true}
		}
		return
	}
	x.r.add(Finding{Kind: Headers, Line: x.no, Byte: line.Pos, Fixable: true,
		Detail: "another header; the first one counts", Plan: x.aside()})
	x.plan.steps[x.no] = step{act: drop}
}

// aside says where damaged bytes go.
func (x *exam) aside() string {
	return fmt.Sprintf("the line is moved to %q", filepath.Base(sideName(x.path)))
}

// damaged plans what becomes of a damaged line.
func (x *exam) damaged(ctx context.Context, b journal.Bad, line storage.Line, here []int) {
	f := Finding{Kind: Kind(b.Kind), Line: b.Line, Byte: b.Byte, Detail: b.Reason, Fixable: true}
	lines := max(b.Lines, 1)
	switch {
	case x.harm.HeaderRebuilt && !x.header && !x.newer && b.Recovered == 0 && x.next == 0 && isHeader(line.Bytes):
		x.tornHeader(ctx, b, line)
		return
	case b.Kind == journal.BadZeros:
		f.Detail = fmt.Sprintf("%d zero bytes and nothing else", b.Len)
		f.Plan = "the zero bytes are taken out"
		x.plan.steps[b.Line] = step{act: drop, lost: true, lines: lines}
	case b.Kind == journal.BadSplit:
		f.Plan = "the object is written on one line"
		x.plan.steps[b.Line] = step{act: join, lines: lines}
	case b.Recovered > 0:
		f.Plan = "each object gets a line of its own"
		st := step{act: part}
		for _, i := range here {
			at := x.list.At(i)
			from := int(at.Off - line.Pos)
			if to := from + int(at.Len); from >= 0 && to <= len(line.Bytes) {
				st.spans = append(st.spans, jsonl.Span{Start: from, End: to})
			}
		}
		if junk := st.rest(line.Bytes); junk > 0 {
			f.Plan += fmt.Sprintf("; the other %d bytes are moved to %q", junk, filepath.Base(sideName(x.path)))
		}
		x.header = x.header || st.header
		if first := pieces(line.Bytes, st.spans)[0]; x.no == 1 && !first.keep && isHeader(first.text) {
			x.torn = bytes.Clone(first.text)
		}
		x.plan.steps[b.Line] = st
	case b.ID != "" && x.needy[b.ID]:
		f.Fixable = false
		f.Plan = fmt.Sprintf("nothing: it stays where it is, for entries hang on the id %q that can still be read in it", b.ID)
	default:
		f.Plan = x.aside()
		x.plan.steps[b.Line] = step{act: drop, lines: lines}
	}
	x.r.add(f)
}

// tail looks at how the file ends.
func (x *exam) tail() {
	if !x.harm.Torn || !x.ends {
		return
	}
	x.r.add(Finding{Kind: Newline, Line: x.no, Byte: x.plan.size, Fixable: true,
		Detail: "no newline at the end: other programs would glue their next entry to it", Plan: "a newline is added"})
	x.plan.newline = true
}

// links reports what is wrong between entries. None of it is repaired.
func (x *exam) links() {
	at := func(kind Kind, line int, detail, plan string) {
		f := Finding{Kind: kind, Line: line, Byte: -1, Detail: detail, Plan: "nothing: " + plan}
		x.r.add(f)
	}
	for _, h := range x.harm.Healed {
		to := fmt.Sprintf("%q", h.To)
		if h.To == "" {
			to = fmt.Sprintf("the entry of line %d, which has no id", h.ToLine)
		}
		at(Parent, h.Line, fmt.Sprintf("the parent %q of entry %q is nowhere", h.ParentID, h.ID),
			"it is read as a child of "+to+"; a guess must not become the record")
	}
	for _, c := range x.harm.Cycles {
		at(Cycle, c.Line, fmt.Sprintf("entry %q: %s", c.ID, c.Detail), "every entry is read once, and which link is wrong cannot be told")
	}
	for _, dup := range x.harm.Duplicates {
		at(Duplicate, dup.Lines[1], fmt.Sprintf("the id %q stands on %d lines, the first is %d", dup.ID, len(dup.Lines), dup.Lines[0]),
			"all of them are read; another id would cut off what hangs on this one")
	}
	for _, u := range x.harm.Flagged {
		at(Unusable, u.Line, fmt.Sprintf("entry %q: %s", u.ID, u.Detail), "what it said is not there any more")
	}
	for _, u := range x.harm.DanglingFirstKept {
		at(FirstKept, u.Line, fmt.Sprintf("entry %q: %s", u.ID, u.Detail), "what it kept cannot be told")
	}
}

// references looks whether the blobs that the entries of a line name are there.
func (x *exam) references(ctx context.Context, line storage.Line, here []int) error {
	if !bytes.Contains(line.Bytes, []byte(blob.Prefix)) {
		return nil
	}
	for _, i := range here {
		raw, err := x.s.Stored(i)
		if err != nil {
			return err
		}
		why := map[string]error{}
		_, missing, err := dialect.Resolve(raw, x.s.Dialect().Persist, func(ref string) ([]byte, error) {
			data, err := x.s.Blob(ctx, ref)
			why[ref] = err
			return data, err
		})
		if err != nil {
			continue // not an object: it is flagged
		}
		for _, ref := range missing {
			if !x.refs[ref] {
				x.refs[ref] = true
				x.lostBlob(ctx, ref, why[ref], line.Pos)
			}
		}
	}
	return ctx.Err()
}
