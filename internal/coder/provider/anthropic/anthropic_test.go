package anthropic_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/provider/anthropic"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/golden"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

const secret = "sk-ant-test-secret"

// rig is a provider whose connections are counted: at the end of the test all of
// them must be closed.
func rig(t testing.TB) provider.Provider {
	t.Helper()
	var open sync.WaitGroup
	transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		open.Add(1)
		return &counted{Conn: c, done: open.Done}, nil
	}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		open.Wait()
	})
	return anthropic.New(anthropic.Options{
		Transport: transport,
		Now:       func() time.Time { return time.UnixMilli(1767323045000) },
	})
}

type counted struct {
	net.Conn
	once sync.Once
	done func()
}

func (c *counted) Close() error {
	defer c.once.Do(c.done)
	return c.Conn.Close()
}

func claude(url string) model.Model {
	return model.Model{
		Provider: "anthropic", ID: "claude-test", API: model.Anthropic, BaseURL: url, Window: 200000, MaxOutput: 64000, Images: true,
		Levels: []string{"off", "low", "medium", "high"}, Price: model.Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75},
	}
}

func ask(url string) provider.Request {
	return provider.Request{Model: claude(url), Key: secret, Messages: []message.JSON{message.JSON(`{"role":"user","content":"hi"}`)}}
}

// diary writes events down.
type diary struct{ strings.Builder }

func (d *diary) tell(e provider.Event) {
	fmt.Fprintf(d, "%s %d", e.Kind, e.Index)
	if e.Delta != "" {
		fmt.Fprintf(d, " %q", e.Delta)
	}
	if e.Block != nil {
		fmt.Fprintf(d, " %s", message.EncodeBlock(e.Block))
	}
	d.WriteByte('\n')
}

func indent(v message.JSON) string {
	text := jsontext.Value(v).Clone()
	if err := text.Indent(jsontext.AllowInvalidUTF8(true), jsontext.WithIndent("  ")); err != nil {
		return err.Error()
	}
	return string(text) + "\n"
}

func TestEveryFile(t *testing.T) {
	for _, name := range wiretest.Files(wiretest.Anthropic) {
		t.Run(name, func(t *testing.T) {
			s := wiretest.New(t, wiretest.FromFile(name))
			var d diary
			m, err := rig(t).Stream(t.Context(), ask(s.URL), d.tell)
			if m == nil {
				t.Fatal("no message")
			}
			m.ErrorMessage = strings.ReplaceAll(m.ErrorMessage, strings.TrimPrefix(s.URL, "http://"), "HOST")
			d.WriteString(indent(message.Encode(m)))
			if err != nil {
				fmt.Fprintf(&d, "%s\n", strings.ReplaceAll(err.Error(), strings.TrimPrefix(s.URL, "http://"), "HOST"))
			}
			golden.Compare(t, name, d.String())
		})
	}
}

func TestRequestWithEveryKindOfBlock(t *testing.T) {
	conversation := []string{
		`{"role":"user","content":[{"type":"text","text":"look\u00e9 <b>&"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},{"type":"image","data":"AA==","mimeType":"image/bmp"},{"type":"text","text":" "}]}`,
		`{"role":"assistant","api":"anthropic-messages","provider":"anthropic","model":"claude-test","content":[
			{"type":"thinking","thinking":"mine","thinkingSignature":"sig"},{"type":"redactedThinking","data":"hid"},{"type":"text","text":"reading"},
			{"type":"toolCall","id":"toolu_1","name":"read","arguments":{"z":1,"a":12345678901234567890,"f":1.0}},
			{"type":"toolCall","id":"call|2/x","name":"read","arguments":{"path":"b"}}]}`,
		`{"role":"toolResult","toolCallId":"call|2/x","toolName":"read","content":[{"type":"text","text":"no such file"}],"isError":true}`,
		`{"role":"toolResult","toolCallId":"toolu_1","toolName":"read","content":[{"type":"text","text":"a picture"},{"type":"image","data":"/9j/","mimeType":"image/jpeg"}]}`,
		`{"role":"assistant","api":"openai-responses","provider":"openai","model":"o9","content":[
			{"type":"thinking","thinking":"theirs","thinkingSignature":"{}"},{"type":"redactedThinking","data":"no"},{"type":"text","text":"","textSignature":"x"},
			{"type":"toolCall","id":"lost","name":"bash","arguments":{"command":"ls"}}]}`,
		`{"role":"user","content":"never mind"}`,
		`{"role":"toolResult","toolCallId":"nobody","toolName":"ls","content":[]}`,
		`{"role":"assistant","api":"anthropic-messages","provider":"anthropic","model":"claude-test","stopReason":"aborted","content":[
			{"type":"text","text":"half"},{"type":"thinking","thinking":"more","thinkingSignature":"s2"}]}`,
		`{"role":"user","content":"go on"}`,
	}
	tools := []provider.Tool{
		{Name: "read", Description: "Reads a file.", Parameters: message.JSON(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
		{Name: "ls", Description: "Lists."},
	}
	tests := []struct {
		name   string
		change func(*provider.Request)
	}{
		{"request_plain", func(r *provider.Request) { r.System, r.Tools = "", nil }},
		{"request_budget", func(r *provider.Request) { r.Thinking = "medium" }},
		{"request_effort", func(r *provider.Request) { r.Thinking, r.Model.Effort = "minimal", true }},
		{"request_effort_off", func(r *provider.Request) { r.Thinking, r.Model.Effort = "off", true }},
		{"request_blind", func(r *provider.Request) { r.Model.Images, r.Model.MaxOutput, r.MaxTokens = false, 0, 500 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := wiretest.New(t, wiretest.Text("ok"))
			r := ask(s.URL)
			r.System, r.Tools, r.Messages = "Be brief.", tools, nil
			for _, m := range conversation {
				r.Messages = append(r.Messages, message.JSON(m))
			}
			tt.change(&r)
			if _, err := rig(t).Stream(t.Context(), r, nil); err != nil {
				t.Fatal(err)
			}
			body := s.Last().Body
			if !bytes.Contains(body, []byte(`{"z":1,"a":12345678901234567890,"f":1.0}`)) {
				t.Error("the arguments are not byte for byte")
			}
			golden.Compare(t, tt.name, indent(body))
		})
	}
}

func TestRequestBeginsWithAUser(t *testing.T) {
	s := wiretest.New(t, wiretest.Text("ok"))
	r := ask(s.URL)
	r.Messages = []message.JSON{message.JSON(`{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"ls"}]}`)}
	if _, err := rig(t).Stream(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	if body := s.Last().Body; !bytes.Contains(body, []byte(`"messages":[{"role":"user"`)) {
		t.Errorf("%s", body)
	}
	r.Messages = []message.JSON{message.JSON(`7`)}
	m, err := rig(t).Stream(t.Context(), r, nil)
	if m == nil || err == nil || len(s.Requests()) != 1 {
		t.Errorf("a message that is none: %v, %v", m, err)
	}
}

func TestLimits(t *testing.T) {
	tests := []struct {
		name           string
		output, window int
		asked          int
		thinking       string
		answer, thinks string
	}{
		{"known", 64000, 200000, 0, "off", `"max_tokens":64000`, ""},
		{"unknown", 0, 0, 0, "", `"max_tokens":8192`, ""},
		{"unknown and asked", 0, 0, 20000, "", `"max_tokens":20000`, ""},
		{"budget below the limit", 8000, 0, 0, "high", `"max_tokens":8000`, `"budget_tokens":6976`},
		{"no room for a budget", 1500, 0, 0, "high", `"max_tokens":1500`, ""},
		{"the answer beside the budget", 64000, 0, 500, "low", `"max_tokens":2548`, `"budget_tokens":1524`},
		{"smallest", 64000, 0, 2000, "minimal", `"max_tokens":3024`, `"budget_tokens":1024`},
		{"xhigh", 64000, 0, 0, "xhigh", `"max_tokens":64000`, `"budget_tokens":16384`},
		{"max", 64000, 0, 0, "max", `"max_tokens":64000`, `"budget_tokens":62976`},
		{"a full window", 64000, 2000, 0, "", `"max_tokens":1999`, ""},
		{"an overfull window", 64000, 1, 0, "", `"max_tokens":1024`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := wiretest.New(t, wiretest.Text("ok"))
			r := ask(s.URL)
			r.Budgets = model.Budget{"max": 65_536}
			r.Model.MaxOutput, r.Model.Window, r.MaxTokens, r.Thinking = tt.output, tt.window, tt.asked, tt.thinking
			if _, err := rig(t).Stream(t.Context(), r, nil); err != nil {
				t.Fatal(err)
			}
			body := string(s.Last().Body)
			if !strings.Contains(body, tt.answer+",") || strings.Contains(body, "thinking") != (tt.thinks != "") || !strings.Contains(body, tt.thinks) {
				t.Errorf("want %s and %s in %s", tt.answer, tt.thinks, body)
			}
		})
	}
}

func TestHeadersAndAddress(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "from-the-environment")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "from-the-environment")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	s := wiretest.New(t, wiretest.Text("a"), wiretest.Text("b"), wiretest.Text("c"))
	for i, base := range []string{s.URL, s.URL + "/v1/", s.URL + "/proxy"} {
		r := ask(base)
		r.Model.Headers = map[string]string{"X-Team": "blue", "Anthropic-Beta": "x"}
		if i == 1 {
			r.Key = ""
		}
		if _, err := rig(t).Stream(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		last := s.Last()
		wantPath, wantKey := "/v1/messages", secret
		if i == 1 {
			wantKey = ""
		}
		if i == 2 {
			wantPath = "/proxy/v1/messages"
		}
		h := last.Header
		if last.Path != wantPath || h.Get("X-Api-Key") != wantKey || h.Get("Authorization") != "" || h.Get("X-Team") != "blue" ||
			h.Get("Anthropic-Beta") != "x" || h.Get("Anthropic-Version") != "2023-06-01" {
			t.Errorf("%s: path %s, header %v", base, last.Path, h)
		}
	}
}
