package crush

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/database"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/mosaic"
)

// An emitter writes the entries of a session.
type emitter struct {
	foreign.Thread
	s               *stored
	start           int64
	provider, model string // of the last model_change
}

// A part is one of a message.
type part struct {
	kind string
	data []byte
	raw  []byte
}

// lines returns the lines of a session.
func lines(s *stored) *mosaic.Mosaic {
	e := &emitter{s: s, start: s.time("created_at")}
	if e.start == 0 && len(s.messages) > 0 {
		e.start = s.messages[0].created
	}
	e.header()
	for _, wrong := range s.wrong {
		e.Custom("crush.damaged", "damaged", e.start, jsonedit.Quoted(wrong))
	}
	sum := s.fields["summary_message_id"].Text()
	last := slices.IndexFunc(s.messages, func(m message) bool { return sum != "" && m.id == sum })
	answer := -1
	for n, m := range s.messages {
		if m.role == "assistant" && n != last {
			answer = n
		}
	}
	for n := range s.messages {
		m := &s.messages[n]
		e.message(m, n == last || m.summary && n < last, n == answer)
	}
	at := max(s.time("updated_at"), e.start)
	if todos := s.fields["todos"].Value(); todos != nil && string(todos) != `""` {
		e.Custom("crush.todos", "todos", at, todos)
	}
	if title := s.fields["title"].Text(); title != "" && title != "New Session" && title != "Untitled Session" {
		e.Name(at, title)
	}
	return e.W.Lines.Mosaic(nil)
}

// time returns a time of the session in milliseconds, 0 for none.
func (s *stored) time(column string) int64 { return milliseconds(s.fields[column].Time()) }

func (e *emitter) header() {
	e.W.Open('{')
	e.W.Text("type", "session")
	e.W.Raw("version", []byte("3"))
	e.W.Text("id", e.s.id)
	e.W.Text("timestamp", jsonedit.FormatTime(e.start))
	e.W.Text("cwd", e.s.cwd)
	if parent := e.s.fields["parent_session_id"].Text(); parent != "" {
		e.W.Text("parentSession", parent)
	}
	own := map[string]bool{"id": true, "title": true, "parent_session_id": true, "created_at": true, "todos": true}
	e.W.Key("crush")
	e.W.Open('{')
	for _, name := range slices.Sorted(maps.Keys(e.s.fields)) {
		if v := e.s.fields[name].Value(); v != nil && !own[name] {
			e.W.Raw(name, v)
		}
	}
	e.W.Close('}')
	e.W.Close('}')
	e.W.End()
}

// message writes what a message became. last is the last answer, which has the cost of the
// session: Crush keeps no other.
func (e *emitter) message(m *message, sums, last bool) {
	all, ok := partsOf(m.parts)
	switch {
	case !ok:
		e.Custom("crush.damaged", m.id, m.created, jsonedit.Quoted(string(m.parts)))
	case sums:
		e.summary(m, all)
	case m.role == "user":
		e.user(m, all)
	case m.role == "assistant":
		e.answer(m, all, last)
	case m.role == "tool":
		e.results(m, all)
	default:
		e.aside(m, all)
	}
}

// partsOf cuts the parts of a message, false for what is no list.
func partsOf(text []byte) (all []part, ok bool) {
	v, ok := database.Whole(text)
	if !ok || jsonedit.Kind(v) != '[' {
		return nil, false
	}
	for raw := range jsonedit.Elements(v) {
		p := part{raw: raw}
		p.kind, _ = jsonedit.Text(raw, "type")
		p.data, _ = jsonedit.Get(raw, "data")
		all = append(all, p)
	}
	return all, true
}

// raw returns a text of a part as it stands there, nil for none.
func (p part) text(key string) []byte {
	v, ok := jsonedit.Get(p.data, key)
	if !ok || jsonedit.Kind(v) != '"' {
		return nil
	}
	return v
}

// word returns a text of a part.
func (p part) word(key string) string {
	s, _ := jsonedit.Text(p.data, key)
	return s
}

// is reports whether a member of a part is true.
func (p part) is(key string) bool {
	v, _ := jsonedit.Get(p.data, key)
	is, _ := jsonedit.Bool(v)
	return is
}

// aside writes parts that have no equal.
func (e *emitter) aside(m *message, parts []part) {
	for _, p := range parts {
		kind := p.kind
		if kind == "" {
			kind = "part"
		}
		e.Custom("crush."+kind, m.id+":"+kind, m.created, p.raw)
	}
}

// extra writes the message's id, and some parts as they are.
func (e *emitter) extra(m *message, parts []part) {
	e.W.Key("crush")
	e.W.Open('{')
	e.W.Text("id", m.id)
	if len(parts) > 0 {
		e.W.Key("parts")
		e.W.Open('[')
		for _, p := range parts {
			e.W.Raw("", p.raw)
		}
		e.W.Close(']')
	}
	e.W.Close('}')
}

// picture returns a picture among the parts of a prompt.
func picture(p part) (data, mime string, ok bool) {
	data, mime = p.word("Data"), p.word("MIMEType")
	return data, mime, p.kind == "binary" && strings.HasPrefix(mime, "image/")
}

// user writes what a person said: the text, files that are text, commands, pictures.
func (e *emitter) user(m *message, all []part) {
	var aside, beside []part
	id := e.Begin("message", m.id, m.created)
	e.W.Key("message")
	e.W.Open('{')
	e.W.Text("role", "user")
	e.W.Key("content")
	e.W.Open('[')
	for _, p := range all {
		text := p.text("text")
		data, mime, ok := picture(p)
		switch {
		case p.kind == "text" && text != nil:
			e.Text(text)
			if p.is("hidden") {
				beside = append(beside, p)
			}
		case ok:
			e.Image(data, mime)
		case p.kind == "binary" && strings.HasPrefix(mime, "text/"):
			file, err := base64.StdEncoding.DecodeString(data)
			if err != nil {
				aside = append(aside, p)
				continue
			}
			e.Text(jsonedit.Quoted(fmt.Sprintf("<file path='%s'>\n\n%s\n</file>\n", p.word("Path"), file)))
		case p.kind == "shell_command":
			exit, _ := jsonedit.Get(p.data, "exit_code")
			code, _ := jsonedit.Int(exit)
			e.Text(jsonedit.Quoted(fmt.Sprintf("$ %s\n%s\n(exit code %d)", p.word("command"), p.word("output"), code)))
			beside = append(beside, p)
		case p.kind == "finish":
			beside = append(beside, p)
		default:
			aside = append(aside, p)
		}
	}
	e.W.Close(']')
	e.W.Raw("timestamp", jsonedit.IntValue(m.created))
	e.W.Close('}')
	e.extra(m, beside)
	e.Done(id)
	e.aside(m, aside)
}

// answer writes an answer.
func (e *emitter) answer(m *message, all []part, last bool) {
	if m.model != "" && (m.model != e.model || m.provider != e.provider) {
		e.provider, e.model = m.provider, m.model
		e.Model(m.id+":model", m.created, m.provider, m.model)
	}
	var aside, beside []part
	stop, fault, calls := "aborted", "", false // one that did not end
	id := e.Begin("message", m.id, m.created)
	e.W.Key("message")
	e.W.Open('{')
	e.W.Text("role", "assistant")
	e.W.Key("content")
	e.W.Open('[')
	for _, p := range all {
		switch {
		case p.kind == "text" && p.text("text") != nil:
			e.Text(p.text("text"))
		case p.kind == "reasoning" && p.text("thinking") != nil:
			e.thinking(p)
			beside = append(beside, p)
		case p.kind == "tool_call":
			e.call(p)
			calls = true
		case p.kind == "finish":
			stop, fault = ended(p)
			beside = append(beside, p)
		default:
			aside = append(aside, p)
		}
	}
	e.W.Close(']')
	e.W.Text("api", "")
	e.W.Text("provider", m.provider)
	e.W.Text("model", m.model)
	e.W.Raw("usage", e.usage(last))
	if calls && stop == "stop" {
		stop = "toolUse"
	}
	e.W.Text("stopReason", stop)
	if fault != "" {
		e.W.Text("errorMessage", fault)
	}
	e.W.Raw("timestamp", jsonedit.IntValue(m.created))
	e.W.Close('}')
	e.extra(m, beside)
	e.Done(id)
	e.aside(m, aside)
}

// ended returns why an answer ended, and what went wrong.
func ended(p part) (stop, fault string) {
	fault = strings.TrimSpace(p.word("message") + "\n" + p.word("details"))
	switch p.word("reason") {
	case "max_tokens":
		return "length", fault
	case "tool_use":
		return "toolUse", fault
	case "canceled", "permission_denied":
		return "aborted", fault
	case "error", "content_filter":
		return "error", fault
	}
	return "stop", fault
}

func (e *emitter) thinking(p part) {
	e.W.Open('{')
	e.W.Text("type", "thinking")
	e.W.Raw("thinking", p.text("thinking"))
	if proof := p.text("signature"); proof != nil && string(proof) != `""` {
		e.W.Raw("thinkingSignature", proof)
	}
	e.W.Close('}')
}

// call writes the call of a tool. Its input is the text of an object.
func (e *emitter) call(p part) {
	input, ok := database.Whole([]byte(p.word("input")))
	if !ok || jsonedit.Kind(input) != '{' {
		input = []byte("{}")
		if text := p.text("input"); text != nil && string(text) != `""` {
			input = new(jsonedit.Object).Add("input", text).Value()
		}
	}
	e.W.Open('{')
	e.W.Text("type", "toolCall")
	e.W.Text("id", p.word("id"))
	e.W.Text("name", p.word("name"))
	e.W.Raw("arguments", input)
	e.W.Close('}')
}

// usage returns what an answer took. Crush keeps the tokens of the last request and the cost of
// the session.
func (e *emitter) usage(last bool) []byte {
	number := func(column string) float64 {
		n, _ := jsonedit.Number(e.s.fields[column].Value())
		if !last {
			n = 0
		}
		return n
	}
	in, out := number("prompt_tokens"), number("completion_tokens")
	var cost, o jsonedit.Object
	cost.Int("input", 0).Int("output", 0).Int("cacheRead", 0).Int("cacheWrite", 0).Number("total", number("cost"))
	return o.Number("input", in).Number("output", out).Int("cacheRead", 0).Int("cacheWrite", 0).Number("totalTokens", in+out).
		Add("cost", cost.Value()).Value()
}

// results writes the results of tools, each as an entry.
func (e *emitter) results(m *message, all []part) {
	var aside []part
	for _, p := range all {
		switch p.kind {
		case "tool_result":
			e.result(m, p)
		case "finish":
		default:
			aside = append(aside, p)
		}
	}
	e.aside(m, aside)
}

func (e *emitter) result(m *message, p part) {
	id := e.Begin("message", m.id, m.created)
	e.W.Key("message")
	e.W.Open('{')
	e.W.Text("role", "toolResult")
	e.W.Text("toolCallId", p.word("tool_call_id"))
	e.W.Text("toolName", p.word("name"))
	e.W.Key("content")
	e.W.Open('[')
	data, mime := p.word("data"), p.word("mime_type")
	pictured := data != "" && strings.HasPrefix(mime, "image/") && !p.is("is_error")
	if pictured {
		e.Image(data, mime)
	} else if text := p.text("content"); text != nil {
		e.Text(text)
	}
	e.W.Close(']')
	if details, ok := database.Whole([]byte(p.word("metadata"))); ok && jsonedit.Kind(details) == '{' {
		e.W.Raw("details", details)
	} else if text := p.text("metadata"); text != nil && string(text) != `""` {
		e.W.Raw("details", new(jsonedit.Object).Add("metadata", text).Value())
	}
	e.W.Raw("isError", jsonedit.BoolValue(p.is("is_error")))
	e.W.Raw("timestamp", jsonedit.IntValue(m.created))
	e.W.Close('}')
	if pictured && p.word("content") != "" || data != "" && !pictured {
		e.extra(m, []part{p})
	} else {
		e.extra(m, nil)
	}
	e.Done(id)
}

// summary writes a compaction. What is before it is not sent any more.
func (e *emitter) summary(m *message, all []part) {
	var texts []string
	var aside, beside []part
	for _, p := range all {
		switch {
		case p.kind == "text" && p.text("text") != nil:
			texts = append(texts, p.word("text"))
		case p.kind == "finish":
			beside = append(beside, p)
		default:
			aside = append(aside, p)
		}
	}
	id := e.Begin("compaction", m.id, m.created)
	e.W.Text("summary", strings.TrimSpace(strings.Join(texts, "\n")))
	e.W.Text("firstKeptEntryId", id)
	e.W.Raw("tokensBefore", []byte("0"))
	e.extra(m, beside)
	e.Done(id)
	e.aside(m, aside)
}
