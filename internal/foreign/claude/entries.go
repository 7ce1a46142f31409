package claude

import (
	"bytes"
	"strconv"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// custom writes an entry of a record that has no equal: all of it is its data.
func (r *reader) custom(want, parent string) string {
	id := r.id(want)
	r.w.Entry("custom", id, parent, r.when())
	r.w.Text("customType", "claude."+r.text(kType))
	r.cut("data", r.line)
	return r.done(id)
}

// entitle writes the name that a record gives the session.
func (r *reader) entitle(of int) {
	if r.skips() {
		r.name = r.text(of)
	} else if name := r.text(of); name != "" {
		r.entitled(r.place(), name)
	}
}

// entitled writes a name of the session, unless it has that name.
func (r *reader) entitled(want, name string) {
	if name == r.name {
		return
	}
	r.name = name
	id := r.id(want)
	r.w.Entry("session_info", id, r.newest(), r.when())
	r.w.Text("name", name)
	r.splice(r.done(id))
}

// user writes what a person said, or the program for them, and the results of tools that
// were not written with their answer.
func (r *reader) user(rec *record) {
	if r.is(kSummary) {
		r.summary(rec)
		return
	}
	content := r.raw(mContent)
	tail := r.behind(rec)
	if own := r.tails[rec.uuid]; own != nil && rec.answer != nil {
		tail = *own // the results were written with the answer
	} else if behind := r.results(rec, tail); behind != tail {
		tail = behind
		r.chain(rec, tail)
	}
	if !said(content) {
		if r.tails[rec.uuid] == nil {
			r.chain(rec, r.custom(rec.uuid, tail))
		}
		return
	}
	kind, shown := "", true
	switch text := r.begins(content); {
	case r.is(kMeta):
		kind, shown = "claude.meta", false
	case bytes.HasPrefix(text, []byte("[Request interrupted by user")):
		kind = "claude.interrupt"
	case bytes.HasPrefix(text, []byte("<local-command-caveat>")):
		kind, shown = "claude.command", false
	case bytes.HasPrefix(text, []byte("<command-")), bytes.HasPrefix(text, []byte("<local-command-")), bytes.HasPrefix(text, []byte("<bash-")):
		kind = "claude.command"
	}
	id, tail := r.identity(rec.uuid, tail)
	if kind != "" {
		r.w.Entry("custom_message", id, tail, r.when())
		r.w.Text("customType", kind)
		r.content(content)
		r.w.Raw("display", jsonedit.BoolValue(shown))
	} else {
		r.w.Entry("message", id, tail, r.when())
		r.w.Key("message")
		r.w.Open('{')
		r.w.Text("role", "user")
		r.content(content)
		r.stamp()
		r.w.Close('}')
	}
	r.rest()
	r.chain(rec, r.done(id))
}

// said reports whether there is more in a content than results of tools.
func said(content []byte) bool {
	for block := range jsonedit.Elements(content) {
		if kind, _ := jsonedit.Text(block, "type"); kind != "tool_result" {
			return true
		}
	}
	return jsonedit.Kind(content) == '"'
}

// begins returns the beginning of what a content says, with its escapes.
func (r *reader) begins(content []byte) []byte {
	if jsonedit.Kind(content) == '[' {
		for block := range jsonedit.Elements(content) {
			text, _ := jsonedit.Get(block, "text")
			content = text
			break
		}
	}
	return bytes.TrimPrefix(bytes.TrimSpace(content), []byte(`"`))
}

// content writes what was said, results of tools left out.
func (r *reader) content(content []byte) {
	if jsonedit.Kind(content) != '[' {
		r.cut("content", content)
		return
	}
	r.w.Key("content")
	r.w.Open('[')
	r.blocks(content)
	r.w.Close(']')
}

// blocks writes the blocks of a content, results of tools left out.
func (r *reader) blocks(content []byte) {
	for block := range jsonedit.Elements(content) {
		kind, _ := jsonedit.Text(block, "type")
		switch kind {
		case "tool_result":
		case "image":
			r.image(block)
		case "thinking":
			r.thinking(block)
		case "redacted_thinking":
			data, _ := jsonedit.Get(block, "data")
			r.w.Open('{')
			r.w.Text("type", "thinking")
			r.w.Text("thinking", "")
			r.cut("thinkingSignature", data)
			r.w.Raw("redacted", jsonedit.BoolValue(true))
			r.w.Close('}')
		case "tool_use":
			r.call(block)
		default: // a text is one here, too
			r.cut("", block)
		}
	}
}

// image writes a picture. One that is not in the record stays as it is.
func (r *reader) image(block []byte) {
	data, ok := jsonedit.Path(block, "source", "data")
	if !ok {
		r.cut("", block)
		return
	}
	mime, _ := jsonedit.Path(block, "source", "media_type")
	r.w.Open('{')
	r.w.Text("type", "image")
	r.cut("data", data)
	r.cut("mimeType", mime)
	r.w.Close('}')
}

func (r *reader) thinking(block []byte) {
	text, _ := jsonedit.Get(block, "thinking")
	signature, signed := jsonedit.Get(block, "signature")
	r.w.Open('{')
	r.w.Text("type", "thinking")
	r.cut("thinking", text)
	if signed {
		r.cut("thinkingSignature", signature)
	}
	r.w.Close('}')
}

func (r *reader) call(block []byte) {
	id, _ := jsonedit.Get(block, "id")
	name, _ := jsonedit.Get(block, "name")
	input, _ := jsonedit.Get(block, "input")
	r.w.Open('{')
	r.w.Text("type", "toolCall")
	r.cut("id", id)
	r.cut("name", name)
	if jsonedit.Kind(input) == '{' {
		r.cut("arguments", input)
	} else {
		r.w.Raw("arguments", []byte("{}"))
	}
	r.w.Close('}')
}

// stamp writes the time of a message, in milliseconds.
func (r *reader) stamp() {
	ms, _ := jsonedit.ParseTime(r.when())
	r.w.Raw("timestamp", strconv.AppendInt(nil, ms, 10))
}

// remembered writes what takes an entry back to the one that its record was written for, and
// reports whether there is a record of that.
func (r *reader) remembered() bool {
	own := r.raw(kOwn)
	if how, ok := jsonedit.Get(own, "converted"); ok {
		r.w.Key("cambium")
		r.w.Open('{')
		r.cut("converted", how)
		r.w.Close('}')
	}
	return own != nil
}

// rest writes what of a record has no place in its entry.
func (r *reader) rest() {
	if r.remembered() {
		return
	}
	open := false
	for key, value := range jsonedit.Members(r.line) {
		if text, _ := jsonedit.String(value); plain[key] && (key != "gitBranch" || text == r.first.branch || text == "") {
			continue
		}
		if !open {
			r.w.Key("claude")
			r.w.Open('{')
			open = true
		}
		r.cut(key, value)
	}
	if open {
		r.w.Close('}')
	}
}

// results writes the results of tools in a record behind an entry, and returns the last.
func (r *reader) results(rec *record, last string) string {
	want := rec.uuid
	for block := range jsonedit.Elements(r.raw(mContent)) {
		call := resultOf(block)
		if call == "" {
			continue
		}
		id, behind := r.identity(want, last)
		r.w.Entry("message", id, behind, r.when())
		r.w.Key("message")
		r.w.Open('{')
		r.w.Text("role", "toolResult")
		raw, _ := jsonedit.Get(block, "tool_use_id")
		r.cut("toolCallId", raw)
		if name := r.calls[call].name; len(name) > 0 {
			r.w.Raw("toolName", name)
		} else {
			r.w.Text("toolName", "")
		}
		r.answered(block)
		r.stamp()
		r.w.Close('}')
		r.remembered()
		last = r.done(id)
		want = rec.uuid + ":result"
	}
	return last
}

// answered writes what a tool answered.
func (r *reader) answered(block []byte) {
	content, _ := jsonedit.Get(block, "content")
	r.w.Key("content")
	r.w.Open('[')
	switch jsonedit.Kind(content) {
	case '"':
		r.w.Open('{')
		r.w.Text("type", "text")
		r.cut("text", content)
		r.w.Close('}')
	case '[':
		r.blocks(content)
	}
	r.w.Close(']')
	if details := r.raw(kResult); details != nil {
		r.cut("details", details)
	}
	failed, _ := jsonedit.Get(block, "is_error")
	is, _ := jsonedit.Bool(failed)
	r.w.Raw("isError", jsonedit.BoolValue(is))
}

// spoke writes what a command of the program said, which the model is sent, and reports
// whether the record is that.
func (r *reader) spoke(rec *record) bool {
	what := r.raw(kContent)
	if r.text(kSubtype) != "local_command" || jsonedit.Kind(what) != '"' {
		return false
	}
	id := r.id(rec.uuid)
	r.w.Entry("custom_message", id, r.behind(rec), r.when())
	r.w.Text("customType", "claude.command")
	r.cut("content", what)
	r.w.Raw("display", jsonedit.BoolValue(true))
	r.chain(rec, r.done(id))
	return true
}

// queued writes a prompt that waited while an answer was made, and reports whether the
// record is one.
func (r *reader) queued(rec *record) bool {
	what := r.raw(kAttachment)
	if kind, _ := jsonedit.Text(what, "type"); kind != "queued_command" {
		return false
	}
	prompt, _ := jsonedit.Get(what, "prompt")
	if k := jsonedit.Kind(prompt); k != '"' && k != '[' {
		return false
	}
	id := r.id(rec.uuid)
	r.w.Entry("message", id, r.behind(rec), r.when())
	r.w.Key("message")
	r.w.Open('{')
	r.w.Text("role", "user")
	r.content(prompt)
	r.stamp()
	r.w.Close('}')
	r.w.Key("claude")
	r.w.Open('{')
	r.w.Text("queued", "true")
	r.w.Close('}')
	r.chain(rec, r.done(id))
	return true
}
