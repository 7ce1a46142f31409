package opencode

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// What OpenCode sends for parts that say nothing themselves.
const (
	askedSummary  = "What did we do so far?"
	ranTool       = "The following tool was executed by the user"
	clearedResult = "[Old tool result content cleared]"
	interrupted   = "[Tool execution was interrupted]"
)

// user writes what a person said, or the program for them.
func (e *emitter) user(m *message) {
	model, _ := jsonedit.Get(m.info, "model")
	provider, _ := jsonedit.Text(model, "providerID")
	id, _ := jsonedit.Text(model, "modelID")
	variant, _ := jsonedit.Text(model, "variant")
	if variant == "" {
		variant, _ = jsonedit.Text(m.info, "variant")
	}
	if !m.summed {
		e.settings(m, provider, id, variant)
	}
	var said, aside []*piece
	for _, p := range m.parts {
		switch {
		case p.info == nil, p.kind == "text" && (flag(p.info, "ignored") || !isText(p)), p.kind == "file" && !pictured(p.info):
			aside = append(aside, p)
		case p.kind == "text", p.kind == "file":
			said = append(said, p)
		case p.kind == "subtask", p.kind == "compaction" && !m.summed:
			said = append(said, p)
		case p.kind == "compaction" && p == m.of("compaction"):
			// The summary has it.
		default:
			aside = append(aside, p)
		}
	}
	e.prompt(m, said)
	e.rest(m, aside)
}

// isText reports whether a part has a text.
func isText(p *piece) bool {
	v, _ := jsonedit.Get(p.info, "text")
	return jsonedit.Kind(v) == '"'
}

// prompt writes what is sent of a prompt: what the program put before it is an entry of its
// own.
func (e *emitter) prompt(m *message, said []*piece) {
	own := slices.IndexFunc(said, func(p *piece) bool {
		return p.kind == "file" || p.kind == "text" && !flag(p.info, "synthetic")
	})
	if own < 0 {
		own = len(said)
	}
	if own > 0 {
		e.synthetic(m, said[:own], own == len(said))
	}
	said = said[own:]
	if len(said) == 0 && (own > 0 || len(m.parts) > 0) {
		return
	}
	id := e.Begin("message", m.id, m.when())
	e.W.Key("message")
	e.W.Open('{')
	e.W.Text("role", "user")
	e.W.Key("content")
	e.W.Open('[')
	for _, p := range said {
		e.block(p)
	}
	e.W.Close(']')
	e.W.Raw("timestamp", jsonedit.IntValue(m.when()))
	e.W.Close('}')
	e.extra(m, []string{"role", "id"}, said)
	e.Done(id)
	e.began(m, id)
}

// synthetic writes what the program said in the name of the person.
func (e *emitter) synthetic(m *message, said []*piece, all bool) {
	want := m.id
	if !all {
		want += ":synthetic"
	}
	id := e.Begin("custom_message", want, m.when())
	kind := said[0].kind
	if kind == "text" {
		kind = "synthetic"
	}
	e.W.Text("customType", "opencode."+kind)
	e.W.Key("content")
	e.W.Open('[')
	for _, p := range said {
		e.block(p)
	}
	e.W.Close(']')
	e.W.Raw("display", []byte("false"))
	var own []string
	if all {
		own = []string{"role", "id"}
	}
	e.extra(m, own, said)
	e.Done(id)
	e.began(m, id)
}

// block writes a part of a prompt, or of what a tool answered.
func (e *emitter) block(p *piece) {
	switch p.kind {
	case "compaction":
		e.Text(jsonedit.Quoted(askedSummary))
	case "subtask":
		e.Text(jsonedit.Quoted(ranTool))
	case "file":
		e.image(p.info)
	default:
		text, _ := jsonedit.Get(p.info, "text")
		e.Text(text)
	}
}

// pictured reports whether a file is a picture that is in the part itself.
func pictured(file []byte) bool {
	_, _, ok := picture(file)
	return ok
}

// picture returns the kind of a picture and its data, false for any other file.
func picture(file []byte) (mime, data string, ok bool) {
	mime, _ = jsonedit.Text(file, "mime")
	url, _ := jsonedit.Text(file, "url")
	rest, isData := strings.CutPrefix(url, "data:")
	head, data, comma := strings.Cut(rest, ",")
	if !isData || !comma || !strings.HasPrefix(mime, "image/") || !strings.HasSuffix(head, ";base64") {
		return "", "", false
	}
	return mime, data, true
}

// image writes a picture.
func (e *emitter) image(file []byte) {
	mime, data, _ := picture(file)
	e.Image(data, mime)
}
