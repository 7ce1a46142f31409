package claude

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/conversion"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/layout"
)

// version is that of the program whose records are written.
const version = "2.1.330"

// Write returns a session with the whole tree. What has a record is one; what has none is in
// one that the program passes over, and is an entry again when the session is read here.
func (program) Write(ctx context.Context, s foreign.Sheet) (foreign.Written, error) {
	w := &writer{sheet: s, at: map[string]place{}, way: map[string]bool{}, inner: map[string]bool{}, left: map[int]convert.Reason{}, calls: map[string]string{}, responses: map[string]int{}}
	w.survey()
	for i, line := range s.Lines {
		if err := ctx.Err(); err != nil {
			return foreign.Written{}, err
		}
		w.entry(i, line)
	}
	w.finish()
	text, err := w.remembering(ctx)
	return foreign.Written{Name: fileName(s.Env, s.CWD, s.ID), Text: text, Beside: true, Left: w.left}, err
}

// fileName returns where the program looks for a session.
func fileName(env layout.Env, cwd, id string) string {
	if env.Real != nil {
		if to, ok := env.Real(cwd); ok {
			cwd = to
		}
	}
	return filepath.Join(projects(env), folderName(cwd), id+ext)
}

// maxFolder is how many UTF-16 units of a path are in a folder's name.
const maxFolder = 200

// folderName returns the name of the folder of a working directory.
func folderName(cwd string) string {
	var hash int32
	var name []byte
	for _, u := range utf16.Encode([]rune(cwd)) {
		hash = hash*31 + int32(u)
		if u < 128 && (u >= '0' && u <= '9' || u >= 'A' && u <= 'Z' || u >= 'a' && u <= 'z') {
			name = append(name, byte(u))
		} else {
			name = append(name, '-')
		}
	}
	if len(name) <= maxFolder {
		return string(name)
	}
	n := int64(hash)
	return string(name[:maxFolder]) + "-" + strconv.FormatInt(max(n, -n), 36)
}

// A place is where an entry is among the records.
type place struct {
	parent string // the entry that it follows
	line   int
	uuid   string // of its last record, or of that of the nearest entry before it; "" for none
	first  string // of its first record; "" for none
}

// A writer writes the records of one session.
type writer struct {
	sheet     foreign.Sheet
	at        map[string]place
	way       map[string]bool // the entries on the way to the leaf
	last      string          // the last compaction on it
	inner     map[string]bool // the records that others follow
	left      map[int]convert.Reason
	calls     map[string]string // the ids of calls, as they are written
	responses map[string]int    // how many answers have each id of the provider
	records   []out
	model     string
	effort    string
}

// An out is a record, and the entry that it tells first; -1 for none.
type out struct {
	raw  []byte
	line int
}

// survey notes which entry follows which.
func (w *writer) survey() {
	for i, line := range w.sheet.Lines {
		id, _ := jsonedit.Text(line, "id")
		parent, _ := jsonedit.Text(line, "parentId")
		w.at[id] = place{parent: parent, line: i}
		if response := responseOf(line); response != "" {
			w.responses[response]++
		}
	}
	for id := w.sheet.Leaf; ; id = w.at[id].parent {
		if _, ok := w.at[id]; !ok || w.way[id] {
			return
		}
		w.way[id] = true
		if kind, _ := jsonedit.Text(w.sheet.Lines[w.at[id].line], "type"); kind == "compaction" && w.last == "" {
			w.last = id
		}
	}
}

// responseOf returns the provider's id of an answer, "" for none.
func responseOf(line entry.JSON) string {
	v, _ := jsonedit.Path(line, "message", "responseId")
	id, _ := jsonedit.String(v)
	return id
}

// uuid returns an id for the n-th record of an entry. It is always the same one.
func (w *writer) uuid(id string, n int) string {
	sum := sha256.Sum256([]byte(w.sheet.ID + "\x00" + id + "\x00" + strconv.Itoa(n)))
	b := sum[:16]
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// before returns the record that one of an entry follows, "" for none.
func (w *writer) before(id string) string {
	return w.at[w.at[id].parent].uuid
}

// record begins a record of the chain.
func (w *writer) record(kind, uuid, parent, when string) *jsonedit.Object {
	o := new(jsonedit.Object)
	if parent == "" {
		o.Add("parentUuid", entry.JSON("null"))
	} else {
		w.inner[parent] = true
		o.String("parentUuid", parent)
	}
	return o.Bool("isSidechain", false).String("type", kind).String("uuid", uuid).String("timestamp", when).
		String("userType", "external").String("entrypoint", "cli").String("cwd", w.sheet.CWD).String("sessionId", w.sheet.ID).
		String("version", version)
}

// put puts a record of an entry behind the others.
func (w *writer) put(id, uuid string, line int, o *jsonedit.Object) {
	p := w.at[id]
	if p.first == "" {
		p.first = uuid
	} else {
		line = -1
	}
	p.uuid = uuid
	w.at[id] = p
	w.records = append(w.records, out{o.Value(), line})
}

// entry writes one entry.
func (w *writer) entry(i int, line entry.JSON) {
	kind, _ := jsonedit.Text(line, "type")
	switch kind {
	case "message":
		if w.message(i, line) {
			return
		}
	case "compaction":
		if id, _ := idOf(line); w.way[id] {
			w.compaction(i, line)
			return
		}
		// The program passes over all that stands before a boundary, of whatever branch.
		w.left[i] = foreign.Reworded
		summary, _ := jsonedit.Get(line, "summary")
		w.user(i, line, w.content(summary), true)
		return
	case "branch_summary":
		summary, _ := jsonedit.Get(line, "summary")
		w.left[i] = foreign.Reworded
		w.user(i, line, summary, false)
		return
	case "custom_message":
		content, _ := jsonedit.Get(line, "content")
		w.user(i, line, w.content(content), true)
		return
	case "model_change":
		w.model, _ = jsonedit.Text(line, "modelId")
	case "thinking_level_change":
		w.effort, _ = jsonedit.Text(line, "thinkingLevel")
	case "session_info":
	default:
		w.left[i] = foreign.Silent
	}
	w.aside(line)
}

// aside keeps an entry in a record that the program passes over.
func (w *writer) aside(line entry.JSON) {
	id, _ := idOf(line)
	p := w.at[id]
	p.uuid = w.before(id)
	w.at[id] = p
	var o jsonedit.Object
	o.String("type", kept).String("sessionId", w.sheet.ID).Add("entry", line)
	w.records = append(w.records, out{o.Value(), -1})
}

// kept is the type of a record that the program passes over.
const kept = "cambium-entry"

// idOf returns the id of an entry, and its time.
func idOf(line entry.JSON) (id, when string) {
	id, _ = jsonedit.Text(line, "id")
	when, _ = jsonedit.Text(line, "timestamp")
	return id, when
}

// user writes an entry as what a person said, or, if it is meta, the program for them.
func (w *writer) user(i int, line, content entry.JSON, meta bool) {
	id, when := idOf(line)
	uuid := w.uuid(id, 0)
	o := w.record("user", uuid, w.before(id), when)
	var m jsonedit.Object
	o.Add("message", m.String("role", "user").Add("content", content).Value())
	if meta {
		o.Bool("isMeta", true)
	}
	w.put(id, uuid, i, o)
}

// message writes a message, and reports false for one that is not told.
func (w *writer) message(i int, line entry.JSON) bool {
	m, _ := jsonedit.Get(line, "message")
	content, _ := jsonedit.Get(m, "content")
	role, _ := jsonedit.Text(m, "role")
	if foreign.Aside(m) {
		w.left[i] = foreign.Silent
		return false
	}
	switch role {
	case "user":
		w.user(i, line, w.content(content), false)
	case "assistant":
		w.answer(i, line, m)
	case "toolResult":
		w.result(i, line, m)
	case "bashExecution":
		w.left[i] = foreign.Reworded
		command, _ := jsonedit.Text(m, "command")
		said, _ := jsonedit.Text(m, "output")
		w.user(i, line, jsonedit.Quoted("<bash-input>"+command+"</bash-input>\n<bash-stdout>"+said+"</bash-stdout><bash-stderr></bash-stderr>"), false)
	default:
		if content == nil {
			w.left[i] = foreign.Silent
			return false
		}
		w.left[i] = foreign.Reworded
		w.user(i, line, w.content(content), true)
	}
	return true
}

// content returns a content as the program has it.
func (w *writer) content(content entry.JSON) entry.JSON {
	switch jsonedit.Kind(content) {
	case '"':
		return content
	case '[':
	default:
		return jsonedit.Quoted("")
	}
	var list jsonedit.Array
	for block := range jsonedit.Elements(content) {
		switch kind, _ := jsonedit.Text(block, "type"); kind {
		case "image":
			list.Add(image(block))
		case "text":
			list.Add(block)
		default:
			var o jsonedit.Object
			list.Add(o.String("type", "text").String("text", string(block)).Value())
		}
	}
	if jsonedit.Len(list.Value()) == 0 {
		return jsonedit.Quoted("")
	}
	return list.Value()
}

// image returns a picture as the program has it.
func image(block entry.JSON) entry.JSON {
	data, _ := jsonedit.Get(block, "data")
	mime, _ := jsonedit.Get(block, "mimeType")
	if data == nil || mime == nil {
		var o jsonedit.Object
		return o.String("type", "text").String("text", "[image]").Value()
	}
	var source, o jsonedit.Object
	return o.String("type", "image").Add("source", source.String("type", "base64").Add("media_type", mime).Add("data", data).Value()).Value()
}

// call returns the id of a call of a tool as the provider takes it.
func (w *writer) call(id string) string {
	if as, ok := w.calls[id]; ok {
		return as
	}
	as := id
	if as == "" || strings.Trim(as, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" || len(as) > 64 {
		as = "toolu_" + strings.ReplaceAll(w.uuid("call "+id, 0), "-", "")
	}
	w.calls[id] = as
	return as
}

// result writes what a tool answered.
func (w *writer) result(i int, line, m entry.JSON) {
	id, when := idOf(line)
	call, _ := jsonedit.Text(m, "toolCallId")
	failed, _ := jsonedit.Get(m, "isError")
	is, _ := jsonedit.Bool(failed)
	content, _ := jsonedit.Get(m, "content")
	var block jsonedit.Object
	block.String("tool_use_id", w.call(call)).String("type", "tool_result").Add("content", w.content(content))
	if is {
		block.Bool("is_error", true)
	}
	uuid := w.uuid(id, 0)
	var message jsonedit.Object
	message.String("role", "user").Add("content", jsonedit.List([]entry.JSON{block.Value()}))
	o := w.record("user", uuid, w.before(id), when).Add("message", message.Value())
	if details, ok := jsonedit.Get(m, "details"); ok {
		o.Add("toolUseResult", details)
	}
	w.put(id, uuid, i, o)
}

// compaction writes the boundary and the summary.
func (w *writer) compaction(i int, line entry.JSON) {
	id, when := idOf(line)
	if _, ok := jsonedit.Get(line, "systemMessage"); ok {
		w.left[i] = conversion.System
	}
	behind := w.before(id)
	boundary, summary := w.uuid(id, 1), w.uuid(id, 0)
	tokens, _ := jsonedit.Get(line, "tokensBefore")
	if tokens == nil {
		tokens = entry.JSON("0")
	}
	var meta jsonedit.Object
	meta.String("trigger", "manual").Add("preTokens", tokens)
	if head := w.head(line); head != "" && behind != "" {
		var segment jsonedit.Object
		meta.Add("preservedSegment", segment.String("headUuid", head).String("anchorUuid", summary).String("tailUuid", behind).Value())
	}
	o := w.record("system", boundary, "", when)
	if behind != "" {
		o.String("logicalParentUuid", behind)
	}
	var skip jsonedit.Object
	o.String("subtype", "compact_boundary").String("content", "Conversation compacted").String("level", "info").Bool("isMeta", false).
		Add("compactMetadata", meta.Value()).Add("cambium", skip.Bool("skip", true).Value())
	w.records = append(w.records, out{o.Value(), -1})
	text, _ := jsonedit.Text(line, "summary")
	var m jsonedit.Object
	m.String("role", "user").String("content", "This session is being continued from a previous conversation that ran out of context.\n\nSummary:\n"+text)
	w.put(id, summary, i, w.record("user", summary, boundary, when).Add("message", m.Value()).Bool("isCompactSummary", true).Bool("isVisibleInTranscriptOnly", true))
}

// head returns the first record that stays at a compaction, "" for none: that of the first
// entry that is kept, or of the next one on the way that has one.
func (w *writer) head(line entry.JSON) string {
	id, _ := idOf(line)
	if id != w.last {
		return "" // a later one says what is kept
	}
	first, _ := jsonedit.Text(line, "firstKeptEntryId")
	head := ""
	for range len(w.at) {
		id = w.at[id].parent
		p, ok := w.at[id]
		if !ok {
			return "" // the first that is kept is not on the way
		}
		if p.first != "" {
			head = p.first
		}
		if id == first {
			return head
		}
	}
	return ""
}

// finish names the session and the branch on which it goes on.
func (w *writer) finish() {
	var skip jsonedit.Object
	note := skip.Bool("skip", true).Value()
	if w.sheet.Title != "" {
		var o jsonedit.Object
		o.String("type", "custom-title").String("customTitle", w.sheet.Title).String("sessionId", w.sheet.ID).Add("cambium", note)
		w.records = append(w.records, out{o.Value(), -1})
	}
	leaf := w.sheet.Leaf
	for range len(w.at) {
		p, ok := w.at[leaf]
		if !ok {
			return
		}
		if p.uuid != "" {
			w.goesOn(p.uuid)
			return
		}
		leaf = p.parent
	}
}

// goesOn says behind which record the session goes on. The program takes none that others
// follow: such a one gets a record behind it that says nothing.
func (w *writer) goesOn(uuid string) {
	if w.inner[uuid] {
		behind := w.uuid("leaf", 0)
		var skip jsonedit.Object
		o := w.record("system", behind, uuid, w.sheet.Time).String("subtype", "informational").String("content", "Continued here.").
			String("level", "info").Bool("isMeta", false).Add("cambium", skip.Bool("skip", true).Value())
		w.records = append(w.records, out{o.Value(), -1})
		uuid = behind
	}
	var o jsonedit.Object
	o.String("type", "last-prompt").String("leafUuid", uuid).String("sessionId", w.sheet.ID)
	w.records = append(w.records, out{o.Value(), -1})
}

// remembering returns the records, each with what takes the entry that will be read of it
// back to the one that it was.
func (w *writer) remembering(ctx context.Context) ([]byte, error) {
	for n := range w.records {
		if r := &w.records[n]; r.line >= 0 {
			r.raw = jsonedit.Set(r.raw, "cambium", w.identity(n).Value())
		}
	}
	read, err := w.readBack(ctx)
	if err != nil {
		return nil, err
	}
	for n := range w.records {
		r := &w.records[n]
		if r.line < 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		line := w.sheet.Lines[r.line]
		id, _ := idOf(line)
		if seen, ok := read[id]; ok {
			if how := conversion.Remember(w.sheet.From, line, jsonedit.Delete(seen, "cambium")); how != nil {
				r.raw = jsonedit.Set(r.raw, "cambium", w.identity(n).Add("converted", how).Value())
			}
		}
	}
	return w.text(), nil
}

// identity says which entry a record tells, the first one also when the session was begun and
// of which it was made.
func (w *writer) identity(n int) *jsonedit.Object {
	line := w.records[n].line
	id, _ := idOf(w.sheet.Lines[line])
	parent, _ := jsonedit.Get(w.sheet.Lines[line], "parentId")
	if parent == nil {
		parent = entry.JSON("null")
	}
	o := new(jsonedit.Object)
	o.String("id", id).Add("parent", parent)
	if n == 0 {
		o.String("begun", w.sheet.Time).String("session", w.sheet.Parent)
	}
	return o
}

func (w *writer) text() []byte {
	var all []byte
	for _, r := range w.records {
		all = append(append(all, jsonedit.Compact(r.raw)...), '\n')
	}
	return all
}

// A memory is the bytes of a file.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// readBack returns the entries that are read of the records, by their ids.
func (w *writer) readBack(ctx context.Context) (map[string]entry.JSON, error) {
	text := w.text()
	m, err := newReader(ctx, memory{bytes.NewReader(text)}, int64(len(text)), w.sheet.ID+ext).read()
	if err != nil {
		return nil, err
	}
	all := make([]byte, m.Size())
	if _, err := m.ReadAt(all, 0); err != nil {
		return nil, err
	}
	read := map[string]entry.JSON{}
	for line := range bytes.Lines(all) {
		id, _ := jsonedit.Text(line, "id")
		read[id] = entry.JSON(bytes.TrimSuffix(line, []byte{'\n'}))
	}
	return read, nil
}
