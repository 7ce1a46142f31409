package openai_test

import (
	"encoding/base64"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/golden"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// conversation has all kinds of blocks, of the model that is asked and of
// others.
func conversation(a api) []message.JSON {
	picture := &message.Image{Data: base64.StdEncoding.EncodeToString([]byte("picture")), MimeType: "image/jpeg"}
	text := func(s string) message.Block { return &message.TextBlock{Text: s} }
	said := func(api, provider, id string, blocks ...message.Block) *message.Assistant {
		return &message.Assistant{API: api, Provider: provider, Model: id, Content: blocks, StopReason: message.ToolUse}
	}
	own := func(blocks ...message.Block) *message.Assistant {
		return said(string(a.name), "local", "gpt-test", blocks...)
	}
	call := func(id, name, args string) message.Block {
		return &message.ToolCall{ID: id, Name: name, Arguments: message.JSON(args)}
	}
	result := func(id, name string, blocks ...message.Block) *message.ToolResult {
		return &message.ToolResult{ToolCallID: id, ToolName: name, Content: message.BlockContent(blocks...)}
	}
	reasoning := `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Own thought."}],"encrypted_content":"gAAAA=="}`
	messages := []message.Message{
		&message.User{Content: message.TextContent("A <b> & \"c\"\u2028")},
		own(
			&message.Thinking{Thinking: "Own thought.", ThinkingSignature: map[bool]string{
				true: "reasoning_content", false: reasoning}[a.protocol == wiretest.Chat]},
			&message.TextBlock{Text: "Both at once.", TextSignature: `{"v":1,"id":"msg_1","phase":"commentary"}`},
			call("call_1|fc_1", "read", `{"path":"a","n":1.0,"n":2}`),
			call("call_2|fc_2", "view", `{}`),
		),
		result("call_1|fc_1", "read", text("one"), text("two")),
		result("call_2|fc_2", "view", picture),
		&message.User{Content: message.BlockContent(text("Look:"), picture, text(""), &message.Image{Data: "blob:sha256:00", MimeType: "image/png"})},
		&message.User{Content: message.BlockContent()},
		&message.User{Content: message.TextContent("  \n")},
		said("anthropic-messages", "anthropic", "claude", &message.Thinking{Thinking: "Foreign thought.", ThinkingSignature: "sig"},
			&message.Thinking{Redacted: true, ThinkingSignature: "sealed"}, text("Foreign word."), call("toolu_01+/=x", "read", `{"path":"b"}`)),
		result("toolu_01+/=x", "read"),
		own(text(""), &message.Thinking{}),
		said(string(a.name), "local", "gpt-other", &message.Thinking{Thinking: "Other thought.", ThinkingSignature: reasoning},
			&message.TextBlock{Text: "Other word.", TextSignature: `{"v":1,"id":"msg_2"}`}, call("call_3|fc_3", "ls", `{}`)),
		&message.User{Content: message.TextContent("Never mind.")},
		result("call_nobody", "ls", text("of nobody")),
		own(call("call_4", "ls", "")),
	}
	var raw []message.JSON
	for _, m := range messages {
		raw = append(raw, message.Encode(m))
	}
	return raw
}

func tools() []provider.Tool {
	return []provider.Tool{
		{Name: "read", Description: "Reads.", Parameters: message.JSON(`{"type":"object","required":["path"],"properties":{"path":{"type":"string"},"n":{"type":"number"}}}`)},
		{Name: "ls", Description: "Lists.", Parameters: message.JSON(`{"type":"object","properties":{}}`)},
	}
}

// What is sent, to OpenAI itself and to a server of one's own.
func TestRequestBodies(t *testing.T) {
	for _, a := range apis() {
		for _, at := range []struct{ name, url string }{{"own", ""}, {"other", "http://127.0.0.1:8080/v1"}} {
			t.Run(string(a.protocol)+"/"+at.name, func(t *testing.T) {
				p := &reply{status: http.StatusTeapot}
				o := options()
				o.Transport = p
				r := a.request(nil)
				r.Model.BaseURL = at.url
				r.Messages, r.Tools, r.System = conversation(a), tools(), "Be brief."
				r.Thinking, r.MaxTokens, r.SessionID = "high", 1000, "01890a5d-ac96-774b-bcce-b302099a8057"
				ask(t, a.new(o), r)
				v := jsontext.Value(p.bodies[0])
				if !v.IsValid(jsontext.AllowDuplicateNames(true)) {
					t.Fatalf("no JSON: %s", v)
				}
				if err := v.Indent(jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true)); err != nil {
					t.Fatal(err)
				}
				golden.Compare(t, "request/"+string(a.protocol)+"-"+at.name, p.sent[0].URL.String()+"\n"+string(v)+"\n")
			})
		}
	}
}

// What is said of thinking.
func TestThinkingLevels(t *testing.T) {
	tests := []struct {
		api      int
		url      string
		levels   []string
		effort   bool
		thinking string
		want     string
		not      []string
	}{
		{0, "", []string{"off", "high"}, true, "high", `"reasoning_effort":"high"`, []string{"template"}},
		{0, "", []string{"off", "high"}, true, "off", `"reasoning_effort":"none"`, nil},
		{0, "", []string{"off", "high"}, true, "", `"reasoning_effort":"none"`, nil},
		{0, "", []string{"low", "high"}, true, "", `"role":"developer"`, []string{"reasoning_effort"}},
		{0, "", nil, true, "", `"role":"system"`, []string{"reasoning", "template"}},
		{0, "", []string{"off"}, true, "off", `"role":"system"`, []string{"reasoning", "template"}},
		{0, "http://localhost:1/v1", []string{"off", "high"}, true, "high", `"reasoning_effort":"high"`, []string{"developer", "template"}},
		{0, "http://localhost:1/v1", []string{"off", "high"}, false, "high", `"chat_template_kwargs":{"enable_thinking":true}`, []string{"effort"}},
		{0, "http://localhost:1/v1", []string{"off", "high"}, false, "", `"chat_template_kwargs":{"enable_thinking":false}`, []string{"effort"}},
		{1, "", []string{"off", "high"}, true, "high", `"reasoning":{"effort":"high","summary":"auto"},"include":["reasoning.encrypted_content"]`, nil},
		{1, "", []string{"off", "high"}, true, "off", `"reasoning":{"effort":"none"}`, []string{"summary"}},
		{1, "", []string{"low", "high"}, true, "", `"include":["reasoning.encrypted_content"]`, []string{"effort"}},
		{1, "", nil, true, "", `"store":false`, []string{"reasoning", "include"}},
	}
	for _, test := range tests {
		a := apis()[test.api]
		p := &reply{status: http.StatusTeapot}
		o := options()
		o.Transport = p
		r := a.request(nil)
		r.Model.BaseURL, r.Model.Levels, r.Model.Effort = test.url, test.levels, test.effort
		r.Thinking, r.System = test.thinking, "S"
		ask(t, a.new(o), r)
		body := p.bodies[0]
		if !strings.Contains(body, test.want) {
			t.Errorf("%s %+v: %s not in %s", a.name, test, test.want, body)
		}
		for _, not := range test.not {
			if strings.Contains(body, not) {
				t.Errorf("%s %+v: %s in %s", a.name, test, not, body)
			}
		}
	}
}

// Pictures for a model that takes none.
func TestWithoutPictures(t *testing.T) {
	for _, a := range apis() {
		p := &reply{status: http.StatusTeapot}
		o := options()
		o.Transport = p
		r := a.request(nil)
		r.Model.Images, r.Messages = false, conversation(a)
		ask(t, a.new(o), r)
		if body := p.bodies[0]; strings.Contains(body, "base64") || strings.Count(body, "[a picture, which this model cannot see]") != 2 {
			t.Errorf("%s: %s", a.name, body)
		}
	}
}

// Keys and addresses come with the request alone.
func TestEnvironmentIsNotRead(t *testing.T) {
	for _, name := range []string{
		"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_WEBHOOK_SECRET",
	} {
		t.Setenv(name, "of-the-environment")
	}
	t.Setenv("OPENAI_BASE_URL", "http://of-the-environment.invalid/v1")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Custom: of-the-environment")
	for _, a := range apis() {
		for _, k := range []string{"", key} {
			p := &reply{status: http.StatusTeapot}
			o := options()
			o.Transport = p
			r := a.request(nil)
			r.Key = k
			r.Model.Headers = map[string]string{"X-Own": "of the model"}
			ask(t, a.new(o), r)
			if len(p.sent) != 1 {
				t.Fatalf("%d requests", len(p.sent))
			}
			sent := p.sent[0]
			if sent.URL.Host != "api.openai.com" || sent.Header.Get("X-Own") != "of the model" {
				t.Errorf("%s: %s, %v", a.name, sent.URL, sent.Header)
			}
			want := ""
			if k != "" {
				want = "Bearer " + k
			}
			if got := sent.Header.Get("Authorization"); got != want {
				t.Errorf("%s: authorization %q", a.name, got)
			}
			for name, values := range sent.Header {
				if strings.Contains(strings.Join(values, " "), "of-the-environment") {
					t.Errorf("%s: header %s: %q", a.name, name, values)
				}
			}
		}
	}
	if os.Getenv("OPENAI_API_KEY") == "" {
		t.Error("the test has no environment")
	}
}

// What the address and the headers of a model say is sent.
func TestAddress(t *testing.T) {
	tests := map[string][2]string{
		"":                         {"https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1/responses"},
		"http://localhost:1234":    {"http://localhost:1234/chat/completions", "http://localhost:1234/responses"},
		"http://localhost:1234/v1": {"http://localhost:1234/v1/chat/completions", "http://localhost:1234/v1/responses"},
		"https://me.example/a/b/?api-version=2026-01-01": {
			"https://me.example/a/b/chat/completions?api-version=2026-01-01", "https://me.example/a/b/responses?api-version=2026-01-01"},
	}
	for base, want := range tests {
		for i, a := range apis() {
			p := &reply{status: http.StatusTeapot}
			o := options()
			o.Transport = p
			r := a.request(nil)
			r.Model.BaseURL = base
			r.Model.Headers = map[string]string{"Authorization": "Basic abcdefgh"}
			ask(t, a.new(o), r)
			if got := p.sent[0].URL.String(); got != want[i] {
				t.Errorf("%q: asked at %s, want %s", base, got, want[i])
			}
			if got := p.sent[0].Header.Values("Authorization"); len(got) != 1 || got[0] != "Basic abcdefgh" {
				t.Errorf("authorization %q", got)
			}
		}
	}
}
