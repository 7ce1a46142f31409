package opencode

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/foreign/database"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// answer writes an answer: an entry for each of its steps, with the results of its tools behind
// it. Nearly always it has one.
func (e *emitter) answer(m *message) {
	if m.sums != nil {
		e.summary(m)
		return
	}
	provider, _ := jsonedit.Text(m.info, "providerID")
	model, _ := jsonedit.Text(m.info, "modelID")
	if !flag(m.info, "summary") {
		e.settings(m, provider, model, "")
	}
	a := answer{emitter: e, message: m, provider: provider, model: model}
	a.stop, a.fault = stopOf(m)
	a.unsent = !sent(m)
	steps := a.steps()
	for n, parts := range steps {
		a.step(parts, n == len(steps)-1)
	}
	if t := a.tokens(); t > 0 {
		e.spent = t
	}
}

// An answer is one that is being written.
type answer struct {
	*emitter
	*message
	provider, model string
	stop, fault     string
	unsent          bool
}

// sent reports whether an answer is sent to a model again: none that failed is, and of those
// that were stopped those that say something.
func sent(m *message) bool {
	if !has(m.info, "error") {
		return true
	}
	failure, _ := jsonedit.Path(m.info, "error", "name")
	name, _ := jsonedit.String(failure)
	return name == "MessageAbortedError" && slices.ContainsFunc(m.parts, func(p *piece) bool {
		return p.kind != "step-start" && p.kind != "reasoning"
	})
}

// stopOf returns why an answer ended, and what went wrong.
func stopOf(m *message) (stop, fault string) {
	if has(m.info, "error") {
		failure, _ := jsonedit.Get(m.info, "error")
		name, _ := jsonedit.Text(failure, "name")
		data, _ := jsonedit.Get(failure, "data")
		fault, ok := jsonedit.Text(data, "message")
		if !ok {
			fault = name
		}
		if name == "MessageAbortedError" {
			return "aborted", fault
		}
		return "error", fault
	}
	finish, _ := jsonedit.Text(m.info, "finish")
	switch finish {
	case "length":
		return "length", ""
	case "tool-calls":
		return "toolUse", ""
	case "error":
		return "error", "error"
	}
	if finish == "" && m.of("tool") == nil && number(m.info, "time", "completed") == 0 {
		return "aborted", "" // the program ended
	}
	return "stop", ""
}

// steps cuts the parts where another request to the model began.
func (a *answer) steps() (steps [][]*piece) {
	var step []*piece
	said := false
	for _, p := range a.parts {
		if p.kind == "step-start" && said {
			steps = append(steps, step)
			step, said = nil, false
		}
		said = said || p.kind == "text" || p.kind == "reasoning" || p.kind == "tool"
		step = append(step, p)
	}
	return append(steps, step)
}

// step writes one step: a message, the results of its tools and what has no equal.
func (a *answer) step(parts []*piece, last bool) {
	var said, tools, beside, aside []*piece
	for _, p := range parts {
		switch {
		case p.info == nil:
			aside = append(aside, p)
		case p.kind == "step-start", p.kind == "step-finish":
			beside = append(beside, p)
		case a.unsent:
			aside = append(aside, p)
		case (p.kind == "text" || p.kind == "reasoning") && isText(p):
			said = append(said, p)
			beside = append(beside, p)
		case p.kind == "tool" && !nested(p):
			said = append(said, p)
			tools = append(tools, p)
		default:
			aside = append(aside, p)
		}
	}
	id := a.Begin("message", a.message.id, a.when())
	a.W.Key("message")
	a.W.Open('{')
	a.W.Text("role", "assistant")
	a.W.Key("content")
	a.W.Open('[')
	for _, p := range said {
		a.said(p)
	}
	a.W.Close(']')
	a.W.Text("api", api(parts))
	a.W.Text("provider", a.provider)
	a.W.Text("model", a.model)
	a.usage(last)
	stop := a.stop
	if (stop == "stop" || !last) && len(tools) > 0 {
		stop = "toolUse"
	}
	a.W.Text("stopReason", stop)
	if a.fault != "" && last {
		a.W.Text("errorMessage", a.fault)
	}
	a.W.Raw("timestamp", jsonedit.IntValue(a.when()))
	a.W.Close('}')
	var own []string
	if last {
		own = []string{"role", "id", "providerID", "modelID", "cost"}
	}
	a.extra(a.message, own, beside)
	a.Done(id)
	a.began(a.message, id)
	for _, p := range tools {
		a.result(p)
	}
	a.rest(a.message, aside)
}

// api returns how a provider was spoken to, as far as the parts tell.
func api(parts []*piece) string {
	for _, p := range parts {
		meta, _ := jsonedit.Get(p.info, "metadata")
		for key := range jsonedit.Members(meta) {
			switch key {
			case "anthropic":
				return "anthropic-messages"
			case "openai":
				return "openai-responses"
			case "google":
				return "google-generative-ai"
			}
		}
	}
	return ""
}

// nested reports whether a tool was called by another one, which is what is sent.
func nested(p *piece) bool {
	at, ok := jsonedit.Path(p.info, "metadata", "codeMode", "parentCallID")
	return ok && jsonedit.Kind(at) == '"'
}

// said writes a block of an answer.
func (a *answer) said(p *piece) {
	text, _ := jsonedit.Get(p.info, "text")
	switch p.kind {
	case "text":
		a.Text(text)
	case "reasoning":
		a.thinking(p, text)
	default:
		a.call(p)
	}
}

// thinking writes what a model thought, with the provider's proof of it.
func (a *answer) thinking(p *piece, text []byte) {
	meta, _ := jsonedit.Get(p.info, "metadata")
	a.W.Open('{')
	a.W.Text("type", "thinking")
	for _, value := range jsonedit.Members(meta) {
		if hidden, ok := jsonedit.Get(value, "redactedData"); ok && jsonedit.Kind(hidden) == '"' {
			a.W.Text("thinking", "")
			a.W.Raw("thinkingSignature", hidden)
			a.W.Raw("redacted", []byte("true"))
			a.W.Close('}')
			return
		}
	}
	a.W.Raw("thinking", text)
	for _, value := range jsonedit.Members(meta) {
		if proof, ok := jsonedit.Get(value, "signature"); ok && jsonedit.Kind(proof) == '"' {
			a.W.Raw("thinkingSignature", proof)
			break
		}
	}
	a.W.Close('}')
}

// callID returns the id of a call.
func callID(p *piece) []byte {
	if id, ok := jsonedit.Get(p.info, "callID"); ok && jsonedit.Kind(id) == '"' {
		return id
	}
	return jsonedit.Quoted(p.id)
}

// toolName returns the name of a tool.
func toolName(p *piece) []byte {
	if name, ok := jsonedit.Get(p.info, "tool"); ok && jsonedit.Kind(name) == '"' {
		return name
	}
	return []byte(`""`)
}

// call writes the call of a tool.
func (a *answer) call(p *piece) {
	input, _ := jsonedit.Path(p.info, "state", "input")
	a.W.Open('{')
	a.W.Text("type", "toolCall")
	a.W.Raw("id", callID(p))
	a.W.Raw("name", toolName(p))
	switch jsonedit.Kind(input) {
	case '{':
		a.W.Raw("arguments", input)
	case 0:
		a.W.Raw("arguments", []byte("{}"))
	default:
		a.W.Raw("arguments", new(jsonedit.Object).Add("input", input).Value())
	}
	a.W.Close('}')
}

// result writes what a tool answered, as it is sent.
func (a *answer) result(p *piece) {
	state, _ := jsonedit.Get(p.info, "state")
	status, _ := jsonedit.Text(state, "status")
	end := int64(number(state, "time", "end"))
	if end <= 0 || end > database.MaxTime {
		end = a.when()
	}
	text, failed := jsonedit.Quoted(interrupted), true
	said := []string{"status", "input"}
	cleared := status == "completed" && number(state, "time", "compacted") > 0
	var pictures [][]byte
	switch status {
	case "completed":
		failed = false
		if cleared {
			text = jsonedit.Quoted(clearedResult)
			break
		}
		text, said = stringOf(state, "output"), append(said, "output", "attachments")
		files, _ := jsonedit.Get(state, "attachments")
		for file := range jsonedit.Elements(files) {
			if pictured(file) {
				pictures = append(pictures, file)
			}
		}
		if len(pictures) != jsonedit.Len(files) {
			said = said[:len(said)-1] // not all have an equal
		}
	case "error":
		before, ok := jsonedit.Path(state, "metadata", "output")
		if stopped, _ := jsonedit.Get(state, "metadata"); ok && flag(stopped, "interrupted") && jsonedit.Kind(before) == '"' {
			text, failed = before, false
		} else {
			text, said = stringOf(state, "error"), append(said, "error")
		}
	default:
		said = said[1:]
	}
	id := a.Begin("message", p.id, end)
	a.W.Key("message")
	a.W.Open('{')
	a.W.Text("role", "toolResult")
	a.W.Raw("toolCallId", callID(p))
	a.W.Raw("toolName", toolName(p))
	a.W.Key("content")
	a.W.Open('[')
	a.Text(text)
	for _, file := range pictures {
		a.image(file)
	}
	a.W.Close(']')
	if details, ok := jsonedit.Get(state, "metadata"); ok {
		a.W.Raw("details", details)
		said = append(said, "metadata")
	}
	a.W.Raw("isError", jsonedit.BoolValue(failed))
	if cleared {
		a.W.Raw("prunedAt", jsonedit.IntValue(int64(number(state, "time", "compacted"))))
	}
	a.W.Raw("timestamp", jsonedit.IntValue(end))
	a.W.Close('}')
	a.W.Key("opencode")
	a.W.Open('{')
	a.W.Text("id", a.message.id)
	a.left("part", p.info, p.id, saidBy["tool"]...)
	if jsonedit.Kind(state) == '{' {
		a.left("state", state, "", said...)
	}
	a.W.Close('}')
	a.Done(id)
}

// stringOf returns a text of an object as it stands there, an empty one for none.
func stringOf(obj []byte, key string) []byte {
	v, ok := jsonedit.Get(obj, key)
	switch {
	case !ok, jsonedit.IsNull(v):
		return []byte(`""`)
	case jsonedit.Kind(v) == '"':
		return v
	}
	return jsonedit.Quoted(string(v))
}

// tokens returns what an answer took in all.
func (a *answer) tokens() int64 {
	all := 0.0
	for _, keys := range [][]string{{"input"}, {"output"}, {"reasoning"}, {"cache", "read"}, {"cache", "write"}} {
		all += number(a.info, append([]string{"tokens"}, keys...)...)
	}
	if all < 0 || all > 1<<52 {
		return 0
	}
	return int64(all)
}

// usage writes what an answer took; the last step has all.
func (a *answer) usage(all bool) {
	info := a.info
	if !all {
		info = nil
	}
	a.W.Raw("usage", usage(info))
}

// usage returns what a message says that it took. Its output is without what was thought.
func usage(info []byte) []byte {
	tokens, _ := jsonedit.Get(info, "tokens")
	in, out, thought := number(tokens, "input"), number(tokens, "output"), number(tokens, "reasoning")
	read, write := number(tokens, "cache", "read"), number(tokens, "cache", "write")
	var cost jsonedit.Object
	for _, key := range []string{"input", "output", "cacheRead", "cacheWrite"} {
		cost.Int(key, 0)
	}
	cost.Number("total", number(info, "cost"))
	var o jsonedit.Object
	o.Number("input", in).Number("output", out+thought).Number("cacheRead", read).Number("cacheWrite", write)
	if thought > 0 {
		o.Number("reasoning", thought)
	}
	return o.Number("totalTokens", in+out+thought+read+write).Add("cost", cost.Value()).Value()
}

// summary writes a compaction.
func (e *emitter) summary(m *message) {
	var text strings.Builder
	var aside, beside []*piece
	for _, p := range m.parts {
		switch {
		case p.info == nil || p.kind != "text" && p.kind != "step-start" && p.kind != "step-finish":
			aside = append(aside, p)
		case p.kind == "text" && isText(p):
			if said, _ := jsonedit.Text(p.info, "text"); said != "" {
				if text.Len() > 0 {
					text.WriteString("\n")
				}
				text.WriteString(said)
			}
			fallthrough
		default:
			beside = append(beside, p)
		}
	}
	asked := m.sums.of("compaction")
	id := e.ID(m.id)
	kept := id
	if m.sums.next != "" {
		kept = m.sums.next
	}
	if tail, ok := jsonedit.Text(asked.info, "tail_start_id"); ok && e.first[tail] != "" {
		kept = e.first[tail]
	}
	e.W.Entry("compaction", id, e.Tail, jsonedit.FormatTime(m.when()))
	e.W.Text("summary", text.String())
	e.W.Text("firstKeptEntryId", kept)
	e.W.Raw("tokensBefore", jsonedit.IntValue(e.spent))
	e.W.Raw("usage", usage(m.info))
	e.W.Key("opencode")
	e.W.Open('{')
	e.W.Text("id", m.id)
	e.left("message", m.info, "", "role", "id")
	e.W.Key("parts")
	e.W.Open('[')
	for _, p := range beside {
		e.left("", p.info, p.id, saidBy[p.kind]...)
	}
	e.W.Close(']')
	e.left("asked", m.sums.info, m.sums.id, "role")
	e.left("compaction", asked.info, asked.id)
	e.W.Close('}')
	e.Done(id)
	e.first[m.id] = id
	e.rest(m, aside)
}
