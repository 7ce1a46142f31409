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
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
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
	harm  *defects.Report
	plan  plan
	links tree.Relink    // of entries whose parent is nowhere
	kept  map[int]string // by line: what compactions keep from instead of a lost entry
	newer bool

	no     int // the line that was read last
	next   int // the entry that comes next
	bad    int // the damaged line that comes next
	skip   int // lines that belong to a damaged one
	header bool
	others bool   // a record that is no entry stands before the header
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
	if x.harm.HeaderRebuilt && !x.newer {
		whole := &Report{Path: r.Path}
		if d.leftBehind(ctx, whole, path) {
			*r = *whole
			return nil
		}
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
	links, err := linksOf(ctx, s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	x := &exam{links: links, d: d, r: r, path: path, s: s, list: s.List(), harm: defects.Of(s.Damage()), refs: map[string]bool{}}
	x.newer = s.Header().Version > entry.CurrentVersion
	d.locked[path] = s.Dialect() == dialect.Omp
	x.plan.steps, x.plan.links = map[int]step{}, map[int]step{}
	if x.tooLong() {
		return x, nil
	}
	if err := x.lines(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	x.tail()
	x.between()
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
		if err = errors.Join(ctx.Err(), x.line(ctx, line)); err != nil {
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
	x.plan.lines = x.no
	x.plan.sum.add(line)
	x.ends, x.plan.size = false, line.Pos+int64(len(line.Bytes))
	var here []int
	for x.next < x.list.Len() && x.list.At(x.next).Line <= x.no {
		if x.list.At(x.next).Line == x.no {
			here = append(here, x.next)
		}
		x.next++
	}
	if err := errors.Join(x.references(ctx, line, here), x.link(line, here)); err != nil {
		return err
	}
	x.content(line, here)
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
		if b.Kind != defects.BadName {
			x.skip = max(b.Lines, 1) - 1
			x.damaged(ctx, b, line, here)
			return nil
		}
		x.r.add(Finding{Kind: kindName, Line: b.Line, Byte: b.Byte, Detail: b.Reason,
			Plan: "nothing: the entry can be read, only not be named"})
	}
	text := jsonl.Trim(line.Bytes, line.Pos)
	x.ends = !line.LF
	if i := bytes.IndexByte(line.Bytes, 0); i >= 0 && text.Present() {
		x.r.add(Finding{Kind: kindZeros, Line: x.no, Byte: line.Pos + int64(i), Fixable: true,
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
		x.others = x.others || !x.header && e.Kind != entry.Title
		return
	}
	if !x.header {
		late := x.next > 0 || x.others
		if _, x.header = entry.ParseHeader(text); x.header && x.harm.WrongVersion {
			x.r.add(Finding{Kind: kindVersion, Line: x.no, Byte: line.Pos, Fixable: true,
				Detail: fmt.Sprintf("the header says version %v, and the entries have ids, as only later versions have: programs that believe it give all of them new ones", x.s.Header().Version),
				Plan:   fmt.Sprintf("the header says version %d", entry.CurrentVersion)})
			x.plan.header, x.plan.before = spelling.MigrateHeader(text), x.no
			x.plan.steps[x.no] = step{act: drop, lost: true}
		}
		if x.header && late {
			x.late(line, text)
		}
		return
	}
	x.r.add(Finding{Kind: kindHeaders, Line: x.no, Byte: line.Pos, Fixable: true,
		Detail: "another header; the first one counts", Plan: x.aside()})
	x.plan.steps[x.no] = step{act: drop}
}

// aside says where damaged bytes go.
func (x *exam) aside() string {
	return fmt.Sprintf("the line is moved to %q", filepath.Base(sideName(x.path)))
}

// damaged plans what becomes of a damaged line.
func (x *exam) damaged(ctx context.Context, b defects.Bad, line storage.Line, here []int) {
	f := Finding{Kind: Kind(b.Kind), Line: b.Line, Byte: b.Byte, Detail: b.Reason, Fixable: true}
	lines := max(b.Lines, 1)
	switch {
	case x.harm.HeaderRebuilt && !x.header && !x.newer && b.Recovered == 0 && x.next == 0 && isHeader(line.Bytes):
		x.tornHeader(ctx, b, line)
		return
	case b.Kind == defects.BadZeros:
		f.Detail = fmt.Sprintf("%d zero bytes and nothing else", b.Len)
		f.Plan = "the zero bytes are taken out"
		x.plan.steps[b.Line] = step{act: drop, lost: true, lines: lines}
	case b.Kind == defects.BadArray && b.Recovered == 0:
		f.Plan = "the brackets and commas are taken out"
		x.plan.steps[b.Line] = step{act: drop, lost: true, lines: lines}
	case b.Kind == defects.BadSplit:
		f.Plan = "the object is written on one line"
		x.plan.steps[b.Line] = step{act: join, lines: lines}
	case b.Recovered > 0:
		f.Plan = "each object gets a line of its own"
		st := step{act: part, array: b.Kind == defects.BadArray}
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
		if first := st.pieces(line.Bytes)[0]; x.no == 1 && !first.keep && isHeader(first.text) {
			x.torn = bytes.Clone(first.text)
		}
		x.plan.steps[b.Line] = st
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
	x.r.add(Finding{Kind: kindNewline, Line: x.no, Byte: x.plan.size, Fixable: true,
		Detail: "no newline at the end: other programs would glue their next entry to it", Plan: "a newline is added"})
	x.plan.newline = true
}

// alike is the plan of what is not listed and repaired all the same.
const alike = "the same as of those that are listed"

// between reports what is wrong between entries. None of it is repaired but a
// parent that is nowhere.
func (x *exam) between() {
	at := func(kind Kind, line int, detail, plan string) {
		f := Finding{Kind: kind, Line: line, Byte: -1, Detail: detail, Plan: "nothing: " + plan}
		x.r.add(f)
	}
	heals := tree.Of(x.s.Tree()).Heals()
	for n, h := range x.harm.Healed {
		x.orphan(heals[n].Entry, h)
	}
	more := func(kind Kind, n int, what, plan string) {
		if n > 0 {
			x.r.add(Finding{Kind: kind, Byte: -1, Detail: fmt.Sprintf("%d more %s, which are not listed", n, what), Plan: plan, Fixable: plan == alike})
		}
	}
	more(kindParent, x.harm.HealedMore, "entries whose parent is nowhere", alike)
	x.beginnings()
	for _, c := range x.harm.Cycles {
		at(kindCycle, c.Line, fmt.Sprintf("entry %q: %s", c.ID, c.Detail), "every entry is read once, and which link is wrong cannot be told")
	}
	for _, dup := range x.harm.Duplicates {
		at(kindDuplicate, dup.Lines[1], fmt.Sprintf("the id %q stands on %d lines, the first is %d", dup.ID, len(dup.Lines), dup.Lines[0]),
			"all of them are read; another id would cut off what hangs on this one")
	}
	for _, u := range x.harm.Flagged {
		at(kindUnusable, u.Line, fmt.Sprintf("entry %q: %s", u.ID, u.Detail), "what it said is not there any more")
	}
	x.kept = map[int]string{}
	for _, i := range x.links.Changed() {
		if first, ok := x.links.FirstKept(i); ok {
			x.kept[x.list.At(i).Line] = first
		}
	}
	more(kindUnusable, x.harm.FlaggedMore, "entries that say nothing usable", "nothing: what they said is not there any more")
	more(kindSyntax, x.harm.BadCount-len(x.harm.Bad), "damaged lines", "nothing yet: those that are listed come first, and the next look finds these")
	for _, u := range x.harm.DanglingFirstKept {
		x.firstKept(u)
	}
}

// content reports the answers of a line that have none: pi takes them for empty, and
// omp cannot load the session (18.2.3).
func (x *exam) content(line storage.Line, here []int) {
	if bytes.Contains(line.Bytes, []byte(`"content"`)) {
		return // it is escaped within a text
	}
	for _, i := range here {
		raw, err := x.s.Stored(i)
		if err != nil || x.list.Kind(i) != entry.Message {
			continue
		}
		body, _ := jsonedit.Get(raw, "message")
		if role, _ := jsonedit.Text(body, "role"); role != "assistant" {
			continue
		}
		if _, there := jsonedit.Get(body, "content"); !there {
			id, _ := x.list.ID(i)
			x.r.add(Finding{Kind: kindUnusable, Line: x.no, Byte: line.Pos, Detail: fmt.Sprintf("entry %q: an answer without content, which omp cannot load", id),
				Plan: "nothing: what it said is not there any more"})
		}
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
		_, missing, err := spelling.Resolve(raw, spelling.For(x.s.Dialect()).Persist, func(ref string) ([]byte, error) {
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
