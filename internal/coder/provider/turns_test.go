package provider_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var claude = model.Model{Provider: "anthropic", ID: "claude", API: model.Anthropic, Images: true}

func request(messages ...string) provider.Request {
	r := provider.Request{Model: claude}
	for _, m := range messages {
		r.Messages = append(r.Messages, message.JSON(m))
	}
	return r
}

const own = `"api":"anthropic-messages","provider":"anthropic","model":"claude"`

// sketch is a conversation in short lines.
func sketch(t *testing.T, r provider.Request, shape provider.Shape) []string {
	t.Helper()
	turns, err := provider.Turns(r, shape)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range turns {
		switch m := m.(type) {
		case *message.User:
			lines = append(lines, "user "+blocks(m.Content.Blocks))
		case *message.Assistant:
			lines = append(lines, "assistant "+blocks(m.Content))
		case *message.ToolResult:
			line := "result " + m.ToolCallID + " " + m.ToolName + " " + blocks(m.Content.Blocks)
			if m.IsError {
				line += " (error)"
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func blocks(list []message.Block) string {
	var parts []string
	for _, b := range list {
		switch b := b.(type) {
		case *message.TextBlock:
			parts = append(parts, b.Text)
		case *message.Thinking:
			parts = append(parts, "<"+b.Thinking+"|"+b.ThinkingSignature+">")
		case *message.RedactedThinking:
			parts = append(parts, "<<"+b.Data+">>")
		case *message.ToolCall:
			parts = append(parts, b.Name+"#"+b.ID+string(b.Arguments))
		case *message.Image:
			parts = append(parts, "["+b.MimeType+"]")
		}
	}
	return strings.Join(parts, " ")
}

func TestTurns(t *testing.T) {
	call := func(id string) string {
		return `{"type":"toolCall","id":"` + id + `","name":"read","arguments":{"n":1}}`
	}
	assistant := func(blocks string) string {
		return `{"role":"assistant",` + own + `,"content":[` + blocks + `]}`
	}
	result := func(id, text string) string {
		return `{"role":"toolResult","toolCallId":"` + id + `","toolName":"read","content":[{"type":"text","text":"` + text + `"}]}`
	}
	tests := []struct {
		name     string
		messages []string
		shape    provider.Shape
		want     []string
	}{
		{"plain", []string{`{"role":"user","content":"hi"}`, assistant(`{"type":"text","text":"yo"}`)}, provider.Shape{},
			[]string{"user hi", "assistant yo"}},
		{"blank text is left out", []string{
			`{"role":"user","content":" \n"}`, assistant(`{"type":"text","text":""}`),
			`{"role":"user","content":[{"type":"text","text":""},{"type":"image","data":"AA==","mimeType":"image/png"}]}`,
		}, provider.Shape{}, []string{"user [image/png]"}},
		{"a call without a result", []string{assistant(call("a")), `{"role":"user","content":"go on"}`}, provider.Shape{},
			[]string{`assistant read#a{"n":1}`, "result a read " + provider.Unanswered + " (error)", "user go on"}},
		{"a result without a call", []string{`{"role":"user","content":"x"}`, result("zz", "lost")}, provider.Shape{}, []string{"user x"}},
		{"results in the order of the calls, before what was said since", []string{
			assistant(call("a") + "," + call("b")), result("b", "two"), `{"role":"user","content":"wait"}`, result("a", "one"), result("a", "again"),
		}, provider.Shape{}, []string{`assistant read#a{"n":1} read#b{"n":1}`, "result a read one", "result b read two", "user wait"}},
		{"an id that does not fit", []string{assistant(call("call|fc.1")), result("call|fc.1", "ok")}, provider.Shape{},
			[]string{`assistant read#call_fc_1_3bacb7b5def2{"n":1}`, "result call_fc_1_3bacb7b5def2 read ok"}},
		{"an id used again", []string{assistant(call("c")), result("c", "1"), assistant(call("c")), result("c", "2")}, provider.Shape{AnyID: true},
			[]string{`assistant read#c{"n":1}`, "result c read 1", `assistant read#c_2_3c9b6429653c{"n":1}`, "result c_2_3c9b6429653c read 2"}},
		{"own reasoning", []string{assistant(`{"type":"thinking","thinking":"t","thinkingSignature":"s"},{"type":"redactedThinking","data":"d"},` +
			`{"type":"thinking","thinking":"","thinkingSignature":"e","redacted":true},{"type":"thinking","thinking":"u"},{"type":"thinking","thinking":""}`)},
			provider.Shape{}, []string{"assistant <t|s> <<d>> <<e>> u"}},
		{"own reasoning without signatures", []string{assistant(`{"type":"thinking","thinking":"u"}`)}, provider.Shape{Unsigned: true},
			[]string{"assistant <u|>"}},
		{"another model's reasoning", []string{`{"role":"assistant","api":"openai-responses","provider":"openai","model":"o","content":[` +
			`{"type":"thinking","thinking":"t","thinkingSignature":"s"},{"type":"redactedThinking","data":"d"},{"type":"fallback"},{"type":"text","text":"x","textSignature":"s"}]}`},
			provider.Shape{Unsigned: true}, []string{"assistant t x"}},
		{"arguments that are none", []string{assistant(`{"type":"toolCall","id":"a","name":"ls"}`), result("a", "")}, provider.Shape{},
			[]string{"assistant ls#a{}", "result a ls "}},
		{"other roles", []string{`{"role":"developer","content":"do"}`, `{"role":"weather"}`}, provider.Shape{}, []string{"user do"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, sketch(t, request(tt.messages...), tt.shape)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if _, err := provider.Turns(request(`[]`), provider.Shape{}); err == nil {
		t.Error("an array is a message")
	}
}

func TestCallIDsFitAndStayApart(t *testing.T) {
	fits := regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.StringMatching(`[a-c|.]{0,5}`).Draw(t, "b")
		limit := rapid.IntRange(20, 64).Draw(t, "limit")
		for _, id := range []string{a, b} {
			got := provider.CallID(id, limit)
			if !fits.MatchString(got) || len(got) > limit || got != provider.CallID(got, limit) {
				t.Fatalf("CallID(%q, %d) = %q", id, limit, got)
			}
		}
		if a != b && provider.CallID(a, limit) == provider.CallID(b, limit) {
			t.Fatalf("%q and %q become the same", a, b)
		}
	})
}

func TestArguments(t *testing.T) {
	for text, want := range map[string]string{
		"": `{}`,
		" {\"b\":1,\"a\":12345678901234567890 }\n": `{"b":1,"a":12345678901234567890 }`,
		`{"a":1,"a":2}`:                   `{"$malformed":"{\"a\":1,\"a\":2}"}`,
		"{\n  \"a\": \"b  \\u00e9\"\r\n}": `{"a":"b  \u00e9"}`,
		`{"path": "a`:                     `{"$malformed":"{\"path\": \"a"}`,
		`[1]`:                             `{"$malformed":"[1]"}`,
		`"x"`:                             `{"$malformed":"\"x\""}`,
	} {
		got := provider.Arguments(text)
		if string(got) != want {
			t.Errorf("Arguments(%q) = %s, want %s", text, got, want)
		}
		raw, bad := provider.MalformedArguments(&message.ToolCall{Arguments: got})
		if bad != strings.Contains(want, "$malformed") || bad && raw != text {
			t.Errorf("MalformedArguments of %s: %q, %v", got, raw, bad)
		}
	}
}

func TestArgumentsThatOnlyLookMalformed(t *testing.T) {
	for _, text := range []string{`{"$malformed":"a","b":1}`, `{"$malformed":1}`, ``} {
		if raw, bad := provider.MalformedArguments(&message.ToolCall{Arguments: message.JSON(text)}); bad {
			t.Errorf("%s is malformed: %q", text, raw)
		}
	}
}

func TestPicture(t *testing.T) {
	blind := claude
	blind.Images = false
	tests := []struct {
		image message.Image
		model model.Model
		shown bool
	}{
		{message.Image{Data: "AA==", MimeType: "image/png"}, claude, true},
		{message.Image{Data: "AA==", MimeType: "image/png"}, blind, false},
		{message.Image{Data: "AA==", MimeType: "image/tiff"}, claude, false},
		{message.Image{Data: "blob:sha256:00", MimeType: "image/png"}, claude, false},
		{message.Image{MimeType: "image/png"}, claude, false},
	}
	for _, tt := range tests {
		got, text := provider.Picture(&tt.image, tt.model)
		if (got != nil) != tt.shown || (text == "") != tt.shown {
			t.Errorf("Picture(%+v) = %v, %q", tt.image, got, text)
		}
	}
}
