package codex

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// version is that of the program whose lines are written.
const version = "0.169.0"

var _ foreign.Scribe = program{}

// Write returns a thread in the older form, whose lines have no ordinals. It has the branch of
// the leaf; Codex has no others.
func (program) Write(ctx context.Context, s foreign.Sheet) (foreign.Written, error) {
	w := &writer{sheet: s, left: map[int]convert.Reason{}, calls: map[string]string{}, patches: map[string]bool{}, when: s.Time}
	w.choose()
	w.begin()
	for n, line := range s.Lines {
		if err := ctx.Err(); err != nil {
			return foreign.Written{}, err
		}
		if !w.way[n] {
			w.left[n] = foreign.Elsewhere
			continue
		}
		w.at = n
		w.entry(line)
	}
	w.turnEnds()
	day := "1970/01/01"
	clock := "1970-01-01T00-00-00"
	if _, ok := jsonedit.ParseTime(s.Time); ok {
		day = strings.ReplaceAll(s.Time[:10], "-", "/")
		clock = strings.ReplaceAll(s.Time[:19], ":", "-")
	}
	return foreign.Written{
		Name: filepath.Join(home(s.Env), "sessions", filepath.FromSlash(day), prefix+clock+"-"+s.ID+ext), Text: w.text, Left: w.left,
	}, nil
}

// A writer writes the lines of one thread.
type writer struct {
	sheet   foreign.Sheet
	way     []bool // the entries on the way to the leaf
	last    int    // the last compaction on it
	at      int    // the entry that is written
	left    map[int]convert.Reason
	calls   map[string]string // the ids of calls, as they are written
	patches map[string]bool   // those of tools that take a text
	text    []byte
	when    string // of the last entry
	turn    string // the turn that is under way, "" for none
	turns   int
}

// choose finds the way to the leaf, and the calls that were answered on it.
func (w *writer) choose() {
	at, parents := map[string]int{}, make([]string, len(w.sheet.Lines))
	for n, line := range w.sheet.Lines {
		id, _ := jsonedit.Text(line, "id")
		parents[n], _ = jsonedit.Text(line, "parentId")
		at[id] = n
	}
	w.way = make([]bool, len(w.sheet.Lines))
	for id := w.sheet.Leaf; ; {
		n, ok := at[id]
		if !ok || w.way[n] {
			return
		}
		w.way[n] = true
		if kind, _ := jsonedit.Text(w.sheet.Lines[n], "type"); kind == "compaction" && w.last == 0 {
			w.last = n
		}
		id = parents[n]
	}
}

// line writes one line.
func (w *writer) line(kind string, payload *jsonedit.Object) {
	o := new(jsonedit.Object).String("timestamp", w.when).String("type", kind).Add("payload", payload.Value())
	w.text = append(append(w.text, jsonedit.Compact(o.Value())...), '\n')
}

func (w *writer) begin() {
	own := new(jsonedit.Object).String("from", string(w.sheet.From))
	w.line("session_meta", new(jsonedit.Object).String("id", w.sheet.ID).String("timestamp", w.sheet.Time).String("cwd", w.sheet.CWD).
		String("originator", "cambium").String("cli_version", version).String("source", "cli").String("model_provider", w.provider()).
		Add("cambium", own.Value()))
}

// provider returns who answers: the program goes on with a thread by the provider that began
// it only.
func (w *writer) provider() string {
	provider := "openai"
	for n, line := range w.sheet.Lines {
		m, _ := jsonedit.Get(line, "message")
		if api, _ := jsonedit.Text(m, "api"); w.way[n] && api == "openai-responses" {
			if name, _ := jsonedit.Text(m, "provider"); name != "" {
				provider = name
			}
		}
	}
	return provider
}

// turnBegins begins a turn with a prompt.
func (w *writer) turnBegins() {
	w.turnEnds()
	w.turns++
	w.turn = w.id("turn", w.turns)
	w.line("event_msg", new(jsonedit.Object).String("type", "task_started").String("turn_id", w.turn).Int("model_context_window", 258400).
		String("collaboration_mode_kind", "default"))
}

func (w *writer) turnEnds() {
	if w.turn != "" {
		w.line("event_msg", new(jsonedit.Object).String("type", "task_complete").String("turn_id", w.turn).Null("last_agent_message"))
		w.turn = ""
	}
}

// id returns an id that is always the same one.
func (w *writer) id(what string, n int) string {
	sum := sha256.Sum256([]byte(w.sheet.ID + "\x00" + what + "\x00" + string(rune(n))))
	b := sum[:16]
	b[6], b[8] = b[6]&0x0f|0x70, b[8]&0x3f|0x80
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// entry writes one entry.
func (w *writer) entry(line entry.JSON) {
	if when, _ := jsonedit.Text(line, "timestamp"); when != "" {
		if _, ok := jsonedit.ParseTime(when); ok {
			w.when = when
		}
	}
	if kind, _ := jsonedit.Text(line, "type"); kind == "compaction" {
		w.compaction(line)
		return
	}
	items, prompt := w.items(line)
	if prompt {
		w.turnBegins()
	}
	for _, item := range items {
		w.line("response_item", item)
		w.shown(item.Value(), prompt)
	}
}

// shown writes the event by which a prompt or an answer is shown.
func (w *writer) shown(item entry.JSON, prompt bool) {
	role, _ := jsonedit.Text(item, "role")
	content, _ := jsonedit.Get(item, "content")
	o := new(jsonedit.Object)
	switch {
	case role == "user" && prompt:
		images := new(jsonedit.Array)
		for block := range jsonedit.Elements(content) {
			if url, ok := jsonedit.Get(block, "image_url"); ok {
				images.Add(url)
			}
		}
		w.line("event_msg", o.String("type", "user_message").String("message", said(content)).Add("images", images.Value()))
	case role == "assistant":
		w.line("event_msg", o.String("type", "agent_message").String("message", said(content)))
	}
}

// items returns what an entry is to the model, and whether it is a prompt that a person typed.
func (w *writer) items(line entry.JSON) (all []*jsonedit.Object, prompt bool) {
	kind, _ := jsonedit.Text(line, "type")
	switch kind {
	case "message":
		m, _ := jsonedit.Get(line, "message")
		return w.message(m)
	case "branch_summary":
		w.left[w.at] = foreign.Reworded
		summary, _ := jsonedit.Get(line, "summary")
		return []*jsonedit.Object{spoken(w.content(summary))}, false
	case "custom_message":
		content, _ := jsonedit.Get(line, "content")
		return []*jsonedit.Object{spoken(w.content(content))}, false
	}
	w.left[w.at] = foreign.Silent
	return nil, false
}

// spoken is a message of a person, or for them.
func spoken(content entry.JSON) *jsonedit.Object {
	return new(jsonedit.Object).String("type", "message").String("role", "user").Add("content", content)
}

func (w *writer) message(m entry.JSON) (all []*jsonedit.Object, prompt bool) {
	content, _ := jsonedit.Get(m, "content")
	role, _ := jsonedit.Text(m, "role")
	if foreign.Aside(m) {
		w.left[w.at] = foreign.Silent
		return nil, false
	}
	switch role {
	case "user":
		return []*jsonedit.Object{spoken(w.content(content))}, true
	case "assistant":
		return w.answer(m, content), false
	case "toolResult":
		return w.result(m, content), false
	case "bashExecution":
		w.left[w.at] = foreign.Reworded
		command, _ := jsonedit.Text(m, "command")
		out, _ := jsonedit.Text(m, "output")
		return []*jsonedit.Object{spoken(w.content(jsonedit.Quoted("$ " + command + "\n" + out)))}, false
	}
	if content == nil {
		w.left[w.at] = foreign.Silent
		return nil, false
	}
	w.left[w.at] = foreign.Reworded
	return []*jsonedit.Object{spoken(w.content(content))}, false
}

// content returns a content as the program has it.
func (w *writer) content(content entry.JSON) entry.JSON {
	list := new(jsonedit.Array)
	text := func(raw entry.JSON) {
		list.Add(new(jsonedit.Object).String("type", "input_text").Add("text", raw).Value())
	}
	if jsonedit.Kind(content) == '"' {
		text(content)
		return list.Value()
	}
	for block := range jsonedit.Elements(content) {
		switch kind, _ := jsonedit.Text(block, "type"); kind {
		case "text":
			if raw, ok := jsonedit.Get(block, "text"); ok {
				text(raw)
			}
		case "image":
			data, _ := jsonedit.Text(block, "data")
			mime, _ := jsonedit.Text(block, "mimeType")
			list.Add(new(jsonedit.Object).String("type", "input_image").String("image_url", "data:"+mime+";base64,"+data).Value())
		default:
			w.left[w.at] = foreign.Reworded
			text(jsonedit.Quoted(string(block)))
		}
	}
	return list.Value()
}

// answer returns the items of an answer.
func (w *writer) answer(m, content entry.JSON) (all []*jsonedit.Object) {
	api, _ := jsonedit.Text(m, "api")
	own := strings.HasPrefix(api, "openai-")
	say := func(raw entry.JSON) {
		list := new(jsonedit.Array).Add(new(jsonedit.Object).String("type", "output_text").Add("text", raw).Value())
		all = append(all, new(jsonedit.Object).String("type", "message").String("role", "assistant").Add("content", list.Value()))
	}
	if jsonedit.Kind(content) == '"' {
		say(content)
		return all
	}
	for block := range jsonedit.Elements(content) {
		switch kind, _ := jsonedit.Text(block, "type"); kind {
		case "text":
			if text, _ := jsonedit.Text(block, "text"); text != "" {
				raw, _ := jsonedit.Get(block, "text")
				say(raw)
			}
		case "thinking", "redactedThinking":
			if item := reasoning(block); item != nil && own {
				all = append(all, item)
			} else {
				w.left[w.at] = foreign.Unsigned
			}
		case "toolCall":
			all = append(all, w.calling(block))
		default:
			w.left[w.at] = foreign.Reworded
			say(jsonedit.Quoted(string(block)))
		}
	}
	if len(all) == 0 && w.left[w.at] == "" {
		w.left[w.at] = foreign.Silent
	}
	return all
}

// reasoning returns reasoning that the provider sealed, nil for any other.
func reasoning(block entry.JSON) *jsonedit.Object {
	text, _ := jsonedit.Text(block, "thinking")
	sealed, _ := jsonedit.Get(block, "thinkingSignature")
	if s, _ := jsonedit.String(sealed); s == "" {
		return nil
	}
	summary := new(jsonedit.Array)
	if text != "" {
		summary.Add(new(jsonedit.Object).String("type", "summary_text").String("text", text).Value())
	}
	return new(jsonedit.Object).String("type", "reasoning").Add("summary", summary.Value()).Add("encrypted_content", sealed)
}

// call returns the id of a call as the provider takes it.
func (w *writer) call(id string) string {
	if as, ok := w.calls[id]; ok {
		return as
	}
	as := id
	if as == "" || len(as) > 64 || strings.Trim(as, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		as = "call_" + strings.ReplaceAll(w.id("call "+id, 0), "-", "")
	}
	w.calls[id] = as
	return as
}

// calling returns a call of a tool. One that takes a text only is such a one.
func (w *writer) calling(block entry.JSON) *jsonedit.Object {
	id, _ := jsonedit.Text(block, "id")
	tool, _ := jsonedit.Text(block, "name")
	args, _ := jsonedit.Get(block, "arguments")
	if jsonedit.Kind(args) != '{' {
		args = entry.JSON("{}")
	}
	if input, ok := jsonedit.Get(args, "input"); ok && tool == "apply_patch" && jsonedit.Kind(input) == '"' {
		w.patches[id] = true
		return new(jsonedit.Object).String("type", "custom_tool_call").String("call_id", w.call(id)).String("name", tool).Add("input", input)
	}
	o := new(jsonedit.Object).String("type", "function_call").String("call_id", w.call(id))
	if space, name, ok := strings.Cut(tool, "."); ok {
		o.String("namespace", space)
		tool = name
	}
	return o.String("name", tool).String("arguments", string(jsonedit.Compact(args)))
}

// result returns what a tool answered. One without its call is left out: the provider refuses
// it.
func (w *writer) result(m, content entry.JSON) []*jsonedit.Object {
	id, _ := jsonedit.Text(m, "toolCallId")
	as, known := w.calls[id]
	if !known {
		w.left[w.at] = "orphan"
		return nil
	}
	kind := "function_call_output"
	if w.patches[id] {
		kind = "custom_tool_call_output"
	}
	o := new(jsonedit.Object).String("type", kind).String("call_id", as)
	items := w.content(content)
	if jsonedit.Len(items) == 1 {
		for block := range jsonedit.Elements(items) {
			if text, ok := jsonedit.Get(block, "text"); ok {
				return []*jsonedit.Object{o.Add("output", text)}
			}
		}
	}
	return []*jsonedit.Object{o.Add("output", items)}
}

// compaction writes a compaction: what is kept, and the summary behind it.
func (w *writer) compaction(line entry.JSON) {
	if _, ok := jsonedit.Get(line, "systemMessage"); ok {
		w.left[w.at] = "system"
	}
	first, _ := jsonedit.Text(line, "firstKeptEntryId")
	summary, _ := jsonedit.Get(line, "summary")
	history := new(jsonedit.Array)
	here, keeping := w.at, false
	for n, before := range w.sheet.Lines[:here] {
		if here != w.last {
			break // a later one says what is kept
		}
		if !w.way[n] {
			continue
		}
		if id, _ := jsonedit.Text(before, "id"); id == first {
			keeping = true
		}
		if kind, _ := jsonedit.Text(before, "type"); !keeping || kind == "compaction" {
			continue // of an earlier one the model sees nothing here
		}
		w.at = n
		items, _ := w.items(before)
		for _, item := range items {
			history.Add(item.Value())
		}
	}
	w.at = here
	text, _ := jsonedit.String(summary)
	history.Add(spoken(w.content(jsonedit.Quoted(text))).Value())
	w.turnEnds()
	w.line("compacted", new(jsonedit.Object).String("message", text).Add("replacement_history", history.Value()))
}
