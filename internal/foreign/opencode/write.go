package opencode

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/foreign/database"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// Options say what a written session has of its own.
type Options struct {
	// Now is the time of writing in milliseconds since 1970. Ids are made of it.
	Now int64
	// Version is that of OpenCode; "" is 1.18.34.
	Version string
	// Provider and Model are asked where the session does not say which; "" is "unknown".
	Provider, Model string
}

// Write returns a file that `opencode import` takes, of the entries of one branch, root first,
// and what became of each. It is a function of what it is given.
//
// The session's own id and those of its entries are kept as metadata.
func Write(h entry.Header, branch []entry.Entry, o Options) ([]byte, convert.Report) {
	w := newWriter(h, branch, o)
	for n := range branch {
		w.at = n
		w.entry(&branch[n])
	}
	return w.file(), w.report
}

// A writer is one run of Write.
type writer struct {
	Options
	header  entry.Header
	branch  []entry.Entry
	report  convert.Report
	session string // the new session's id
	ids     int64  // how many there were

	at       int
	messages jsonedit.Array
	asked    string         // the last prompt
	of       []string       // the message that each entry became, "" for none
	results  map[string]int // the first result that no call took, by the id of the call
	next     []int          // the next result of the same call, by entry; -1 for none
	taken    map[int]bool   // results that a call took
	title    string
	provider string // that of the newest answer or change
	model    string
	asks     [][2]string // provider and model that answer behind each entry
	time     int64       // of the message before
	started  int64
}

func newWriter(h entry.Header, branch []entry.Entry, o Options) *writer {
	if o.Version == "" {
		o.Version = "1.18.34"
	}
	if o.Provider == "" {
		o.Provider = "unknown"
	}
	if o.Model == "" {
		o.Model = "unknown"
	}
	w := &writer{
		Options: o, header: h, branch: branch, provider: o.Provider, model: o.Model,
		of: make([]string, len(branch)), next: make([]int, len(branch)), asks: make([][2]string, len(branch)),
		results: map[string]int{}, taken: map[int]bool{},
		report: convert.Report{From: dialect.Cambium, To: name, Entries: len(branch), Counts: map[convert.Reason]int{}, Items: []convert.Item{}},
	}
	w.session = w.id("ses_")
	w.title, _ = h.Effective()
	if w.started, _ = jsonedit.ParseTime(h.Timestamp); w.started <= 0 {
		w.started = o.Now
	}
	var asks [2]string
	for n := len(branch) - 1; n >= 0; n-- {
		w.next[n] = -1
		m := branch[n].Message()
		switch branch[n].Role {
		case entry.RoleToolResult:
			call, _ := jsonedit.Text(m, "toolCallId")
			if later, ok := w.results[call]; ok {
				w.next[n] = later
			}
			w.results[call] = n
		case entry.RoleAssistant:
			if provider, model := origin(m); model != "" {
				asks = [2]string{provider, model}
			}
		}
		w.asks[n] = asks
	}
	return w
}

// origin returns who made an answer.
func origin(m []byte) (provider, model string) {
	provider, _ = jsonedit.Text(m, "provider")
	model, _ = jsonedit.Text(m, "model")
	return provider, model
}

// note says something of the entry at n.
func (w *writer) note(n int, reason convert.Reason, changed bool) {
	for i := len(w.report.Items) - 1; i >= 0; i-- {
		if is := w.report.Items[i]; is.Position == n && is.Reason == reason {
			return
		} else if is.Position < n {
			break
		}
	}
	e := &w.branch[n]
	w.report.Counts[reason]++
	w.report.Items = append(w.report.Items, convert.Item{Entry: e.ID, Position: n, Type: e.Type, Reason: reason, Changed: changed})
}

// changes notes that the entry is written in another form.
func (w *writer) changes(reason convert.Reason) { w.note(w.at, reason, true) }

// lacks notes that the entry, or something of it, is left out.
func (w *writer) lacks(reason convert.Reason) { w.note(w.at, reason, false) }

// file returns the whole.
func (w *writer) file() []byte {
	slices.SortStableFunc(w.report.Items, func(a, b convert.Item) int { return a.Position - b.Position })
	changed := map[int]bool{}
	for _, is := range w.report.Items {
		if is.Changed && !changed[is.Position] {
			changed[is.Position] = true
			w.report.Changed++
		}
	}
	if w.title == "" {
		w.title = "New session - " + jsonedit.FormatTime(w.started)
	}
	own := new(jsonedit.Object).String("session", w.header.ID)
	if w.header.ParentSession != "" {
		own.String("parentSession", w.header.ParentSession)
	}
	time := new(jsonedit.Object).Int("created", w.started).Int("updated", max(w.time, w.started))
	info := new(jsonedit.Object).String("id", w.session).String("slug", "cambium-"+w.session[4:12]).String("projectID", "global").
		String("directory", w.header.CWD).String("title", w.title).String("version", w.Version).
		Add("metadata", new(jsonedit.Object).Add("cambium", own.Value()).Value()).Add("time", time.Value())
	return new(jsonedit.Object).Add("info", info.Value()).Add("messages", w.messages.Value()).Value()
}

// digits are those of ids.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// id returns a new id. Those of messages and parts ascend from the time of writing on, so that
// what OpenCode adds comes behind them; those of sessions descend with the time.
func (w *writer) id(prefix string) string {
	w.ids++
	at := w.Now<<12 + w.ids
	if prefix == "ses_" {
		at = ^at
	}
	var seed [8]byte
	binary.BigEndian.PutUint64(seed[:], uint64(at))
	sum := sha256.Sum256(append(seed[:], w.header.ID...))
	text := fmt.Appendf([]byte(prefix), "%012x", uint64(at)&(1<<48-1))
	for _, b := range sum[:14] {
		text = append(text, digits[int(b)%len(digits)])
	}
	return string(text)
}

// when returns the time of a message: its own, the entry's, or that of the one before. No
// message is before the one before it, because OpenCode orders them by time.
func (w *writer) when(e *entry.Entry, m []byte) int64 {
	at := int64(number(m, "timestamp"))
	if at <= 0 || at > database.MaxTime {
		at = e.Time
	}
	if at <= 0 || at > database.MaxTime {
		at = w.started
	}
	w.time = max(w.time, at)
	return w.time
}

// A draft is a message that is being written.
type draft struct {
	*writer
	id    string
	info  *jsonedit.Object
	parts jsonedit.Array
}

// draft begins a message of the entry.
func (w *writer) draft(role string) *draft {
	d := &draft{writer: w, id: w.id("msg_")}
	d.info = new(jsonedit.Object).String("id", d.id).String("sessionID", w.session).String("role", role)
	if w.of[w.at] == "" {
		w.of[w.at] = d.id
	}
	return d
}

// part adds a part.
func (d *draft) part(kind string, add func(*jsonedit.Object)) {
	p := new(jsonedit.Object).String("id", d.writer.id("prt_")).String("sessionID", d.session).String("messageID", d.id).String("type", kind)
	if add != nil {
		add(p)
	}
	d.parts.Add(p.Value())
}

// source returns metadata that names the entry.
func (w *writer) source(more ...func(*jsonedit.Object)) []byte {
	o := new(jsonedit.Object)
	for _, add := range more {
		add(o)
	}
	return o.Add("cambium", new(jsonedit.Object).String("entry", w.branch[w.at].ID).Value()).Value()
}

// done writes the message.
func (d *draft) done() {
	d.messages.Add(new(jsonedit.Object).Add("info", d.info.Value()).Add("parts", d.parts.Value()).Value())
}

// prompt begins a prompt.
func (w *writer) prompt(at int64) *draft {
	provider, model := w.asks[w.at][0], w.asks[w.at][1]
	if model == "" {
		provider, model = w.provider, w.model
	}
	d := w.draft("user")
	w.asked = d.id
	d.info.Add("time", new(jsonedit.Object).Int("created", at).Value()).String("agent", "build").
		Add("model", new(jsonedit.Object).String("providerID", provider).String("modelID", model).Value())
	return d
}

// reply begins an answer. It ends with ended.
func (w *writer) reply(at int64, provider, model, agent string) *draft {
	if w.asked == "" {
		// An answer follows a prompt.
		d := w.prompt(at)
		d.part("text", func(o *jsonedit.Object) { o.String("text", beginning).Bool("synthetic", true) })
		d.done()
		w.report.Added++
		w.of[w.at] = ""
	}
	d := w.draft("assistant")
	path := new(jsonedit.Object).String("cwd", w.header.CWD).String("root", w.header.CWD)
	d.info.String("parentID", w.asked).String("mode", agent).String("agent", agent).Add("path", path.Value()).
		String("modelID", model).String("providerID", provider).
		Add("time", new(jsonedit.Object).Int("created", at).Int("completed", at).Value())
	return d
}

// beginning stands where a branch begins with an answer.
const beginning = "(What was said before is not known.)"

// entry writes one entry.
func (w *writer) entry(e *entry.Entry) {
	line := e.Raw()
	switch e.Kind {
	case entry.Message:
		w.message(e, e.Message())
	case entry.CustomMessage, entry.BranchSummary:
		w.aside(e, nil)
	case entry.Compaction:
		w.compaction(e, line)
	case entry.ModelChange:
		w.changeModel(line)
	case entry.SessionInfo:
		w.entitle(line, "name")
	case entry.TitleChange:
		w.entitle(line, "title")
	default:
		w.lacks(Kind)
	}
}

func (w *writer) entitle(line []byte, key string) {
	name, ok := jsonedit.Text(line, key)
	if !ok {
		w.lacks(Kind)
		return
	}
	w.title = name
	w.changes(Title)
}

func (w *writer) changeModel(line []byte) {
	if role, ok := jsonedit.Text(line, "role"); ok && role != "default" && role != "" {
		w.lacks(Kind)
		return
	}
	provider, _ := jsonedit.Text(line, "provider")
	model, _ := jsonedit.Text(line, "modelId")
	if name, ok := jsonedit.Text(line, "model"); ok {
		provider, model = cut(name)
	}
	if model == "" {
		w.lacks(Kind)
		return
	}
	w.provider, w.model = provider, model
	w.changes(Model)
}

// message writes a message.
func (w *writer) message(e *entry.Entry, m []byte) {
	switch e.Role {
	case entry.RoleUser:
		w.user(e, m)
	case entry.RoleAssistant:
		w.answer(e, m)
	case entry.RoleToolResult:
		if !w.taken[w.at] {
			w.lacks(Orphan)
		}
	case entry.RoleBash:
		w.command(e, m)
	default:
		w.aside(e, m)
	}
}

// plainUser are the members of a prompt that OpenCode has a place for.
var plainUser = map[string]bool{"role": true, "content": true, "timestamp": true}

// fields notes members that are not among some.
func (w *writer) fields(obj []byte, plain map[string]bool) {
	for key, value := range jsonedit.Members(obj) {
		if !plain[key] && !jsonedit.IsNull(value) {
			w.lacks(Field)
			return
		}
	}
}

// user writes what a person said.
func (w *writer) user(e *entry.Entry, m []byte) {
	d := w.prompt(w.when(e, m))
	content, _ := jsonedit.Get(m, "content")
	d.content(content, false)
	w.fields(m, plainUser)
	d.done()
}

// plainBlock are the members of blocks that OpenCode has a place for.
var plainBlock = map[string]bool{
	"type": true, "text": true, "thinking": true, "thinkingSignature": true, "redacted": true, "data": true, "mimeType": true, "id": true, "name": true, "arguments": true,
}

// content adds texts and pictures.
func (d *draft) content(content []byte, synthetic bool) {
	text := func(raw []byte) {
		d.part("text", func(o *jsonedit.Object) {
			o.Add("text", raw)
			if synthetic {
				o.Bool("synthetic", true)
			}
			o.Add("metadata", d.source())
		})
	}
	if jsonedit.Kind(content) == '"' {
		text(content)
		return
	}
	for block := range jsonedit.Elements(content) {
		kind, _ := jsonedit.Text(block, "type")
		raw, _ := jsonedit.Get(block, "text")
		switch {
		case kind == "text" && jsonedit.Kind(raw) == '"':
			text(raw)
			d.fields(block, plainBlock)
		case kind == "image":
			mime, url, ok := link(block)
			if !ok {
				d.lacks(Image)
				continue
			}
			d.part("file", func(o *jsonedit.Object) { o.Add("mime", mime).Add("url", url) })
			d.fields(block, plainBlock)
		default:
			d.lacks(Block)
		}
	}
}
