package codex

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// harness are the beginnings of what the program says in the place of a person.
var harness = []string{"<environment_context>", "<user_instructions>", "# AGENTS.md", "<permissions instructions>", "<skills_instructions>", "<collaboration_mode>", "<tools>"}

// item writes something that the model was sent, or said.
func (r *reader) item(p []byte) {
	kind, _ := jsonedit.Text(p, "type")
	want, _ := jsonedit.Text(p, "id")
	if want == "" {
		want = r.place()
	}
	switch kind {
	case "message":
		switch role, _ := jsonedit.Text(p, "role"); role {
		case "user":
			r.user(p, want)
		case "assistant":
			r.begin(want)
			content, _ := jsonedit.Get(p, "content")
			r.blocks(content)
		default:
			r.custom("codex.context", want, p)
		}
	case "reasoning":
		r.begin(want)
		r.reasoning(p)
	case "function_call", "custom_tool_call":
		r.begin(want)
		r.call(p)
	case "function_call_output", "custom_tool_call_output":
		r.result(p, want)
	default:
		r.custom("codex."+kind, want, p)
	}
}

// said returns the first text of a content.
func said(content []byte) string {
	for block := range jsonedit.Elements(content) {
		if text, ok := jsonedit.Text(block, "text"); ok {
			return text
		}
	}
	return ""
}

// user writes what a person said, or the program for them.
func (r *reader) user(p []byte, want string) {
	content, _ := jsonedit.Get(p, "content")
	text := said(content)
	if isHarness(text) {
		r.custom("codex.context", want, p)
		return
	}
	r.flush()
	before := r.last
	id := r.id(want)
	if strings.HasPrefix(text, "<turn_aborted>") || strings.HasPrefix(text, "<subagent_notification>") {
		r.w.Entry("custom_message", id, r.last, r.time())
		r.w.Text("customType", "codex.notice")
		r.w.Key("content")
		r.w.Open('[')
		r.blocks(content)
		r.w.Close(']')
		r.w.Raw("display", jsonedit.BoolValue(true))
		r.done(id)
		return
	}
	r.turns = append(r.turns, before)
	r.w.Entry("message", id, r.last, r.time())
	r.w.Key("message")
	r.w.Open('{')
	r.w.Text("role", "user")
	r.w.Key("content")
	r.w.Open('[')
	r.blocks(content)
	r.w.Close(']')
	r.stamp()
	r.w.Close('}')
	r.done(id)
}

// blocks writes the blocks of a content.
func (r *reader) blocks(content []byte) {
	if jsonedit.Kind(content) == '"' {
		r.text(content)
		return
	}
	for block := range jsonedit.Elements(content) {
		switch kind, _ := jsonedit.Text(block, "type"); kind {
		case "input_text", "output_text", "text":
			text, _ := jsonedit.Get(block, "text")
			r.text(text)
		case "input_image":
			r.image(block)
		default:
			r.cut("", block)
		}
	}
}

func (r *reader) text(raw []byte) {
	r.w.Open('{')
	r.w.Text("type", "text")
	if jsonedit.Kind(raw) == '"' {
		r.cut("text", raw)
	} else {
		r.w.Text("text", "")
	}
	r.w.Close('}')
}

// image writes a picture. One that is elsewhere stays as it is.
func (r *reader) image(block []byte) {
	raw, _ := jsonedit.Get(block, "image_url")
	begin := []byte(`"data:`)
	at := bytes.Index(raw, []byte(";base64,"))
	if !bytes.HasPrefix(raw, begin) || at < 0 || bytes.ContainsAny(raw[len(begin):at], `\"`) {
		r.cut("", block)
		return
	}
	r.w.Open('{')
	r.w.Text("type", "image")
	r.w.Key("data")
	r.w.Lines.Bytes([]byte{'"'})
	r.cut("", raw[at+len(";base64,"):])
	r.w.Text("mimeType", string(raw[len(begin):at]))
	r.w.Close('}')
}

// begin begins an answer, unless one is being written.
func (r *reader) begin(want string) {
	if r.answer.open {
		return
	}
	r.answer.open, r.answer.id = true, r.id(want)
	r.w.Entry("message", r.answer.id, r.last, r.time())
	r.w.Key("message")
	r.w.Open('{')
	r.w.Text("role", "assistant")
	r.w.Key("content")
	r.w.Open('[')
}

// flush ends the answer that is being written.
func (r *reader) flush() {
	a := &r.answer
	if !a.open {
		return
	}
	r.w.Close(']')
	r.w.Text("api", "openai-responses")
	r.w.Text("provider", r.meta.provider)
	r.w.Text("model", r.model)
	r.spent(a.usage)
	switch {
	case a.aborted:
		r.w.Text("stopReason", "aborted")
	case a.failed != "":
		r.w.Text("stopReason", "error")
		r.w.Text("errorMessage", a.failed)
	case a.calls > 0:
		r.w.Text("stopReason", "toolUse")
	default:
		r.w.Text("stopReason", "stop")
	}
	if a.response != "" {
		r.w.Text("responseId", a.response)
	}
	r.stamp()
	r.w.Close('}')
	id := a.id
	*a = answer{usage: a.usage[:0]}
	r.done(id)
}

// spent writes what an answer took. What it cost is not known.
func (r *reader) spent(usage []byte) {
	n := func(key string) int64 {
		v, _ := jsonedit.Get(usage, key)
		n, _ := jsonedit.Int(v)
		return n
	}
	cached, written := n("cached_input_tokens"), n("cache_write_input_tokens")
	r.w.Key("usage")
	r.w.Open('{')
	for _, m := range []struct {
		key string
		n   int64
	}{{"input", n("input_tokens") - cached}, {"output", n("output_tokens")}, {"cacheRead", cached}, {"cacheWrite", written}, {"totalTokens", n("input_tokens") + n("output_tokens")}} {
		r.w.Raw(m.key, strconv.AppendInt(nil, m.n, 10))
	}
	if think := n("reasoning_output_tokens"); think > 0 {
		r.w.Raw("reasoning", strconv.AppendInt(nil, think, 10))
	}
	r.w.Close('}')
}

func (r *reader) stamp() {
	ms, _ := jsonedit.ParseTime(r.time())
	r.w.Raw("timestamp", strconv.AppendInt(nil, ms, 10))
}

func (r *reader) reasoning(p []byte) {
	summary, _ := jsonedit.Get(p, "summary")
	var parts []string
	for block := range jsonedit.Elements(summary) {
		text, _ := jsonedit.Text(block, "text")
		parts = append(parts, text)
	}
	r.w.Open('{')
	r.w.Text("type", "thinking")
	r.w.Text("thinking", strings.Join(parts, "\n"))
	if sealed, ok := jsonedit.Get(p, "encrypted_content"); ok && jsonedit.Kind(sealed) == '"' {
		r.cut("thinkingSignature", sealed)
	}
	r.w.Close('}')
}

// call writes a call of a tool.
func (r *reader) call(p []byte) {
	r.answer.calls++
	id, _ := jsonedit.Text(p, "call_id")
	tool, _ := jsonedit.Text(p, "name")
	if space, _ := jsonedit.Text(p, "namespace"); space != "" {
		tool = space + "." + tool
	}
	r.names[id] = tool
	r.w.Open('{')
	r.w.Text("type", "toolCall")
	r.w.Text("id", id)
	r.w.Text("name", tool)
	if input, ok := jsonedit.Get(p, "input"); ok {
		r.w.Key("arguments")
		r.w.Open('{')
		r.cut("input", input)
		r.w.Close('}')
	} else {
		text, _ := jsonedit.Text(p, "arguments")
		raw := []byte(text)
		if jsonedit.Kind(raw) != '{' || valid(raw) != nil {
			raw = []byte("{}")
		}
		r.w.Raw("arguments", jsonedit.Compact(raw)) // it may stand on several lines
	}
	r.w.Close('}')
}

// result writes what a tool answered.
func (r *reader) result(p []byte, want string) {
	r.flush()
	call, _ := jsonedit.Text(p, "call_id")
	output, _ := jsonedit.Get(p, "output")
	id := r.id(want)
	r.w.Entry("message", id, r.last, r.time())
	r.w.Key("message")
	r.w.Open('{')
	r.w.Text("role", "toolResult")
	r.w.Text("toolCallId", call)
	r.w.Text("toolName", r.names[call])
	r.w.Key("content")
	r.w.Open('[')
	r.blocks(output)
	r.w.Close(']')
	r.w.Raw("isError", jsonedit.BoolValue(false))
	r.stamp()
	r.w.Close('}')
	r.done(id)
}

// context writes that another model answers from here on, or thinks harder.
func (r *reader) context(p []byte) {
	model, _ := jsonedit.Text(p, "model")
	if model != "" && model != r.model {
		r.flush()
		r.model = model
		id := r.id(r.place() + ":model")
		r.w.Entry("model_change", id, r.last, r.time())
		r.w.Text("provider", r.meta.provider)
		r.w.Text("modelId", model)
		r.done(id)
	}
	effort, _ := jsonedit.Text(p, "effort")
	if effort != "" && effort != r.effort {
		r.flush()
		r.effort = effort
		id := r.id(r.place() + ":effort")
		r.w.Entry("thinking_level_change", id, r.last, r.time())
		r.w.Text("thinkingLevel", effort)
		r.done(id)
	}
}

// event takes in what is shown and not sent: how an answer ended, and turns that were taken
// back.
func (r *reader) event(p []byte) {
	switch kind, _ := jsonedit.Text(p, "type"); kind {
	case "turn_aborted":
		r.answer.aborted = r.answer.open
	case "token_count": // programs before there were records of it have this alone
		if usage, ok := jsonedit.Path(p, "info", "last_token_usage"); ok && r.answer.open && len(r.answer.usage) == 0 {
			r.answer.usage = append(r.answer.usage, usage...)
		}
	case "task_complete":
		if why, ok := jsonedit.Path(p, "error", "message"); ok {
			text, _ := jsonedit.String(why)
			if !r.answer.open && text != "" {
				r.begin(r.place())
			}
			r.answer.failed = text
		}
		r.flush()
	case "thread_rolled_back":
		raw, _ := jsonedit.Get(p, "num_turns")
		n, _ := jsonedit.Int(raw)
		r.flush()
		if n = min(n, int64(len(r.turns))); n > 0 {
			r.last = r.turns[int64(len(r.turns))-n]
			r.turns = r.turns[:int64(len(r.turns))-n]
		}
	}
}

// compacted writes a compaction, and behind it what the program keeps of the history.
func (r *reader) compacted(p []byte) {
	r.flush()
	text, _ := jsonedit.Text(p, "message")
	for _, end := range []string{"analysis:\n", "]:\n"} {
		if strings.HasPrefix(text, "Another language model started") {
			if at := strings.Index(text, end); at >= 0 {
				text = text[at+len(end):]
				break
			}
		}
	}
	id := r.id(r.place())
	r.w.Entry("compaction", id, r.last, r.time())
	r.w.Text("summary", strings.TrimSpace(text))
	r.w.Text("firstKeptEntryId", id)
	r.w.Raw("tokensBefore", []byte("0"))
	r.done(id)
	history, _ := jsonedit.Get(p, "replacement_history")
	all := 0
	for range jsonedit.Elements(history) {
		all++
	}
	n := 0
	for item := range jsonedit.Elements(history) {
		n++
		content, _ := jsonedit.Get(item, "content")
		role, _ := jsonedit.Text(item, "role")
		kind, _ := jsonedit.Text(item, "type")
		if kind != "" && kind != "message" || role == "assistant" {
			r.item(item) // Codex itself keeps prompts only
			continue
		}
		r.flush()
		if text := said(content); role != "user" || n == all || isHarness(text) || strings.HasPrefix(text, "Another language model started") {
			continue
		}
		id := r.id(r.place() + ":kept")
		r.w.Entry("custom_message", id, r.last, r.time())
		r.w.Text("customType", "codex.kept")
		r.w.Key("content")
		r.w.Open('[')
		r.blocks(content)
		r.w.Close(']')
		r.w.Raw("display", jsonedit.BoolValue(false))
		r.done(id)
	}
}

func isHarness(text string) bool {
	for _, begin := range harness {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}
