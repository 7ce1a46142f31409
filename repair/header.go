package repair

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/storage"
)

// maxSiblings is how many sessions beside a torn one are asked for their
// working directory.
const maxSiblings = 50

// headBytes is how much of a session is read to find its header.
const headBytes = 64 << 10

// isHeader reports whether a damaged line looks like what is left of a header.
func isHeader(raw []byte) bool {
	spans := jsonl.Legible(raw, []string{"type", "cwd", "parentId"})
	if spans[0].Present() {
		return string(jsonl.Text(spans[0].In(raw))) == "session"
	}
	return spans[1].Present() && !spans[2].Present() || bytes.Contains(raw, []byte(`"session"`))
}

// tornHeader plans to put a header in the place of a torn one.
func (x *exam) tornHeader(ctx context.Context, b defects.Bad, line storage.Line) {
	h, from := x.madeUp(ctx, line.Bytes)
	x.plan.header, x.plan.before = x.encode(h), x.no
	x.plan.steps[x.no] = step{act: drop}
	x.header = true
	x.r.add(Finding{Kind: kindHeader, Line: b.Line, Byte: b.Byte, Fixable: true, Detail: "the header is torn: " + b.Reason,
		Plan: fmt.Sprintf("a header of id %q and directory %q (%s) takes its place; %s", h.ID, h.CWD, from, x.aside())})
}

// noHeader plans to put a header at the beginning, after a title slot.
func (x *exam) noHeader(ctx context.Context) {
	h, from := x.madeUp(ctx, x.torn)
	x.plan.header, x.plan.before = x.encode(h), 1
	if x.s.Header().Slot != nil || x.slotFirst(ctx) {
		x.plan.before = 2
	}
	x.header = true
	x.r.whole(Finding{Kind: kindHeader, Fixable: true, Detail: "there is no header",
		Plan: fmt.Sprintf("a header of id %q and directory %q (%s) is put before the entries", h.ID, h.CWD, from)})
}

// late plans to put a header that stands behind other records before them.
func (x *exam) late(line storage.Line, text []byte) {
	x.r.add(Finding{Kind: kindHeader, Line: x.no, Byte: line.Pos, Fixable: true,
		Detail: "the header stands behind other records: programs that look for it in the first line refuse the file",
		Plan:   "it is put before them"})
	if x.plan.header == nil {
		x.plan.header = bytes.Clone(text)
	}
	x.plan.before = 1
	if x.s.Header().Slot != nil {
		x.plan.before = 2
	}
	x.plan.steps[x.no] = step{act: drop, lost: true}
}

// slotFirst reports whether the first line is a title slot.
func (x *exam) slotFirst(ctx context.Context) bool {
	head, err := powers.ReadPrefix(ctx, x.d.store, x.path, headBytes)
	if err != nil {
		return false
	}
	first, _, _ := bytes.Cut(head, []byte{'\n'})
	var e entry.Envelope
	return e.Scan(jsonl.Trim(first, 0).In(first)) == nil && e.Kind == entry.Title
}

// madeUp returns a header out of what is legible of the torn one, the file's
// name, its first entry and the sessions beside it; from says where the working
// directory is from.
func (x *exam) madeUp(ctx context.Context, torn []byte) (h entry.Header, from string) {
	h.Version = entry.CurrentVersion
	base := filepath.Base(x.path)
	h.ID = strings.TrimSuffix(base, ident.Ext)
	if ts, id, ok := ident.ParseFileName(base); ok {
		h.Timestamp, h.ID = ts, id
	}
	ids := false
	for i := range x.list.Len() {
		if h.Timestamp == "" && x.list.Time(i) != entry.NoTime {
			h.Timestamp = jsonedit.FormatTime(x.list.Time(i))
		}
		if raw, err := x.s.Stored(i); err == nil && i < 10 {
			_, has := jsonedit.Get(raw, "id")
			ids = ids || has
		}
	}
	if x.list.Len() > 0 && !ids {
		h.Version = 1
	}
	keys := []string{"id", "timestamp", "cwd", "title", "titleSource", "parentSession"}
	into := []*string{&h.ID, &h.Timestamp, &h.CWD, &h.Title, &h.TitleSource, &h.ParentSession}
	for i, span := range jsonl.Legible(torn, keys) {
		if span.Present() {
			*into[i] = string(jsonl.Unquote(nil, span.In(torn)))
		}
	}
	if h.CWD != "" {
		return h, "as it can still be read"
	}
	if h.CWD = x.sibling(ctx); h.CWD != "" {
		return h, "as in the sessions beside it"
	}
	h.CWD = x.d.opt.Env.Cwd
	return h, "where this is run, for nothing else says it"
}

// encode writes a header as the session's program does.
func (x *exam) encode(h entry.Header) []byte {
	raw := h.Encode(spelling.For(x.s.Dialect()).CreateOrder...)
	if h.Version == 1 {
		return jsonedit.Delete(raw, "version")
	}
	return raw
}

// sibling returns the working directory of the sessions in the same directory
// of an agent's home, if its name stands for it; "" for none.
func (x *exam) sibling(ctx context.Context) string {
	env := x.d.opt.Env
	owner := places.Owner(x.path, env)
	dir := filepath.Dir(x.path)
	if owner == "" {
		return ""
	}
	fits := func(cwd string) bool {
		return cwd != "" && slices.Contains(places.DirNames(owner, cwd, env), filepath.Base(dir))
	}
	names, err := x.d.fs.Names(dir)
	if err != nil {
		return ""
	}
	tried := 0
	for _, name := range names {
		if !strings.HasSuffix(name, ident.Ext) || name == filepath.Base(x.path) {
			continue
		}
		if tried++; tried > maxSiblings {
			break
		}
		if h, ok := x.d.headerOf(ctx, filepath.Join(dir, name)); ok && fits(h.CWD) {
			return h.CWD
		}
	}
	if fits(env.Cwd) {
		return env.Cwd
	}
	return ""
}

// headerOf returns the header near the beginning of a file.
func (d *Doctor) headerOf(ctx context.Context, path string) (entry.Header, bool) {
	info, err := d.fs.Lstat(path)
	if err != nil || !info.Regular() {
		return entry.Header{}, false
	}
	head, err := powers.ReadPrefix(ctx, d.store, path, headBytes)
	if err != nil {
		return entry.Header{}, false
	}
	for raw := range bytes.Lines(head) {
		raw = bytes.TrimSuffix(raw, []byte{'\n'})
		var e entry.Envelope
		text := jsonl.Trim(raw, 0).In(raw)
		if e.Scan(text) == nil && e.Kind == entry.Session {
			return entry.ParseHeader(text)
		}
	}
	return entry.Header{}, false
}
