package acp_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// onePixel begins as a PNG does, oneGIF as a GIF.
const (
	onePixel = "iVBORw0KGgo="
	oneGIF   = "R0lGODlh"
)

// asked returns what the model was asked with last: the text of a user, and the
// types of pictures.
func (r *rig) asked() (text string, pictures []string) {
	r.t.Helper()
	all, _ := jsonedit.Get(entry.JSON(r.wire.Last().Body), "messages")
	var last entry.JSON
	for m := range jsonedit.Elements(all) {
		last = m
	}
	content, _ := jsonedit.Get(last, "content")
	if s, ok := jsonedit.String(content); ok {
		return s, nil
	}
	for b := range jsonedit.Elements(content) {
		if t, ok := jsonedit.Text(b, "text"); ok {
			text += t
		}
		if kind, ok := jsonedit.Path(b, "source", "media_type"); ok {
			data, _ := jsonedit.Path(b, "source", "data")
			pictures = append(pictures, string(kind)+string(data))
		}
	}
	return text, pictures
}

// What stands in a prompt reaches the model.
func TestContentOfPrompts(t *testing.T) {
	r := newRig(t, wiretest.Reply{Say: &wiretest.Say{Text: "yes"}, Always: true})
	p := r.pipe()
	id := p.begin()
	for _, c := range []struct{ name, prompt, want, pictures string }{
		{"text", `{"type":"text","text":"a"},{"type":"text","text":"b"}`, "ab", ""},
		{"what is no text", `{"type":"text","text":"a\ud800b\u0000c"}`, "a\uFFFDb\uFFFDc", ""},
		{"a link", `{"type":"text","text":"see "},{"type":"resource_link","name":"a","uri":"file:///tmp/a%20b.go"},{"type":"text","text":", please"}`, "see /tmp/a b.go, please", ""},
		{"links side by side", `{"type":"text","text":"compare:"},{"type":"resource_link","name":"a","uri":"file:///a"},{"type":"resource_link","name":"b","uri":"file:///b"},{"type":"text","text":""},{"type":"text","text":"now"}`, "compare: /a /b now", ""},
		{"a link in marks", `{"type":"text","text":"(@"},{"type":"resource_link","name":"a","uri":"https://x.org/y?z#w"},{"type":"text","text":")"}`, "(@https://x.org/y?z#w)", ""},
		{"lines of a file", `{"type":"resource_link","name":"a","uri":"file:///a.go#L10:20"}`, "/a.go#L10:20", ""},
		{"an embedded text", `{"type":"resource","resource":{"uri":"file:///c.txt#L2","text":"inside\n"}},{"type":"text","text":"?"}`, "/c.txt#L2?\n\n<file path=\"/c.txt#L2\">\ninside\n</file>", ""},
		{"an embedded file", `{"type":"resource","resource":{"uri":"file:///c.bin","blob":"AAAA"}}`, "/c.bin", ""},
		{"an embedded picture", `{"type":"resource","resource":{"uri":"clipboard:1","blob":"` + onePixel + `","mimeType":"image/png"}}`, "clipboard:1", `"image/png""` + onePixel + `"`},
		{"a picture", `{"type":"text","text":"look"},{"type":"image","mimeType":"image/png","data":"` + onePixel + `\n"}`, "look", `"image/png""` + onePixel + `"`},
		{"a picture of another type", `{"type":"text","text":"look"},{"type":"image","mimeType":"image/png","data":"` + oneGIF + `"}`, "look", `"image/gif""` + oneGIF + `"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.send(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":%s,"prompt":[%s]}}`, id, c.prompt)
			if x := p.answer("2"); !strings.Contains(string(x), "end_turn") {
				t.Fatalf("answered %s", x)
			}
			text, pictures := r.asked()
			if text != c.want || strings.Join(pictures, "") != c.pictures {
				t.Errorf("asked %q with %q", text, pictures)
			}
		})
	}
}

// Content of a kind that there is not is not passed over, nor what is no content.
func TestContentThatThereIsNot(t *testing.T) {
	r := newRig(t)
	for _, prompt := range []string{
		`[{"type":"text","text":"see"},{"type":"video","data":"AAAA"}]`, `[{"text":"see"}]`, `["see"]`, `[null]`, `"see"`, `null`, `{}`,
	} {
		lines := r.serve(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"x","prompt":` + prompt + `}}` + "\n")
		if got, _ := jsonedit.Path(answer(t, lines, "2"), "error", "code"); string(got) != "-32602" {
			t.Errorf("%s: %q", prompt, lines)
		}
	}
}
