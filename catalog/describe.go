package catalog

import (
	"context"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/storage/local"
	"github.com/cambium-dev/cambium/tree"
)

// headBytes is how much of a file is read to find its header, in bytes.
const headBytes = 64 << 10

// describe reads one file. It reports false for what is no session, belongs to
// another project or is empty and was not asked for.
func (o *Options) describe(ctx context.Context, f file) (Info, bool) {
	info := Info{
		Path: f.path, Agent: f.agent, Size: f.info.Size, Status: UnknownEnd,
		ModTime: unix(f.info.ModTime), Modified: unix(f.info.ModTime), FirstMessage: NoMessages,
	}
	if info.Agent == "" {
		info.Agent = dialect.Name(layout.Owner(f.path, o.Env))
	}
	flagged := func(detail string) (Info, bool) {
		info.Damaged, info.Detail = true, detail
		_, id, ok := layout.ParseFileName(base(f.path))
		if ok {
			info.ID = id
		}
		return info, o.CWD == ""
	}
	if !f.info.Regular() {
		return flagged("not a regular file")
	}
	if f.info.Size == 0 {
		return info, false
	}
	if o.CWD != "" && !o.mayBelong(ctx, f) {
		return info, false
	}
	name := f.path
	if f.target != "" {
		name = f.target
	}
	j, err := journal.Open(ctx, journal.Options{
		Store: local.New(local.Options{FS: o.fsys()}), Name: name, ParseSlot: dialect.ParseSlot,
	})
	if err != nil {
		return flagged(cause(err))
	}
	defer func() { _ = j.Close() }() // nothing was written
	switch j.Found() {
	case journal.NotASession:
		return flagged("not a session")
	case journal.Missing, journal.Empty:
		return info, false
	}
	o.fill(&info, f, j)
	if o.CWD != "" && !o.same(info.CWD) {
		return info, false
	}
	return info, o.Empty || info.Messages > 0 || info.Damaged
}

// mayBelong reports whether a file may be of the project that was asked for: it
// is, or its header is not at its beginning.
func (o *Options) mayBelong(ctx context.Context, f file) bool {
	name := f.path
	if f.target != "" {
		name = f.target
	}
	head, err := local.New(local.Options{FS: o.fsys()}).ReadPrefix(ctx, name, headBytes)
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(head)) {
		if !strings.HasSuffix(line, "\n") {
			return true
		}
		var e entry.Envelope
		raw := []byte(strings.TrimPrefix(strings.TrimSpace(line), "\ufeff"))
		if e.Scan(raw) != nil || e.Kind != entry.Session {
			continue
		}
		h, ok := entry.ParseHeader(raw)
		return !ok || o.same(h.CWD)
	}
	return true
}

// same reports whether a header's cwd is the working directory asked for.
func (o *Options) same(cwd string) bool {
	if cwd == o.CWD {
		return true
	}
	real := func(p string) string {
		if o.Env.Real != nil {
			if r, ok := o.Env.Real(p); ok {
				return r
			}
		}
		return strings.TrimSuffix(p, "/")
	}
	return cwd != "" && real(cwd) == real(o.CWD)
}

// fill tells what the entries say.
func (o *Options) fill(info *Info, f file, j *journal.Journal) {
	h, list := j.Header(), j.List()
	info.ID, info.CWD, info.Parent = h.ID, h.CWD, h.ParentSession
	if ms, ok := splice.ParseTime(h.Timestamp); ok {
		info.Created = time.UnixMilli(ms).UTC()
	}
	if j.Found() == journal.NoHeader {
		if _, id, ok := layout.ParseFileName(base(f.path)); ok {
			info.ID = id
		}
	}
	rules := dialect.Of(info.Agent, list, h)
	info.Agent = rules.Name
	if d := j.Damage(); d.Any() {
		info.Damaged, info.Detail = d.BadCount > 0 || d.HeaderRebuilt, d.String()
	}
	branches := tree.New(list, j.Gaps())
	for _, tip := range branches.Elsewhere(branches.Leaf()) {
		if id, ok := list.ID(tip.Entry); ok {
			info.Tips = append(info.Tips, id)
		}
	}
	last, lastUser, compaction, latest := -1, -1, -1, int64(0)
	var texts []string
	for i := range list.Len() {
		switch list.Kind(i) {
		case entry.Compaction:
			compaction = i
		case entry.Message:
			info.Messages++
			last = i
			role := list.Role(i)
			if role != entry.RoleUser && role != entry.RoleAssistant {
				continue
			}
			if t := list.Time(i); t != entry.NoTime {
				latest = max(latest, t)
			}
			if lastUser < 0 && role == entry.RoleUser {
				if text := messageText(list, i); text != "" {
					lastUser, info.FirstMessage = i, text
				}
			}
			if o.Text {
				if text := messageText(list, i); text != "" {
					texts = append(texts, text)
				}
			}
		}
	}
	info.Text = strings.Join(texts, " ")
	if rules.Name == dialect.Pi && latest > 0 {
		info.Modified = time.UnixMilli(latest).UTC()
	}
	if last >= 0 {
		info.Status = status(list, last)
	}
	if name, _, err := rules.Title(&h, list); err == nil {
		info.Title, info.Named = name, name != ""
	}
	if info.Title == "" && compaction >= 0 {
		if raw, err := list.Load(compaction); err == nil {
			info.Title, _ = splice.Text(raw, "shortSummary")
		}
	}
}

// messageText returns the text of message entry i: its string, or its text
// blocks joined by spaces.
func messageText(list *entry.List, i int) string {
	raw, err := list.Load(i)
	if err != nil {
		return ""
	}
	content, ok := splice.Path(raw, "message", "content")
	if !ok {
		return ""
	}
	if text, ok := splice.String(content); ok {
		return text
	}
	var parts []string
	for block := range splice.Elements(content) {
		if kind, _ := splice.Text(block, "type"); kind != "text" {
			continue
		}
		if text, ok := splice.Text(block, "text"); ok {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}

// status tells how a conversation stands by its last message.
func status(list *entry.List, i int) Status {
	switch list.Role(i) {
	case entry.RoleUser:
		return Pending
	case entry.RoleToolResult:
		return Interrupted
	case entry.RoleAssistant:
	default:
		return UnknownEnd
	}
	raw, err := list.Load(i)
	if err != nil {
		return UnknownEnd
	}
	message, _ := splice.Get(raw, "message")
	switch reason, _ := splice.Text(message, "stopReason"); reason {
	case "error":
		return Failed
	case "aborted":
		return Aborted
	case "length":
		return Interrupted
	}
	content, _ := splice.Get(message, "content")
	for block := range splice.Elements(content) {
		if kind, _ := splice.Text(block, "type"); kind == "toolCall" {
			return Interrupted
		}
	}
	return Complete
}

// cause returns the innermost message of an error: the row has the path.
func cause(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		return text[i+2:]
	}
	return text
}

func base(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }
