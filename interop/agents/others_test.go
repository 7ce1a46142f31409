//go:build peers

package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/codex"
	"github.com/cambium-dev/cambium/internal/foreign/foreigntest"
	"github.com/cambium-dev/cambium/internal/foreign/opencode"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// talk is a conversation with calls of tools, as pi keeps it: what each agent is given.
const talk = `{"type":"session","version":3,"id":"0198c2a1-0000-7000-8000-000000000001","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/elsewhere"}
{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"What grows here?","timestamp":1}}
{"type":"message","id":"aaaaaaa2","parentId":"aaaaaaa1","timestamp":"2026-03-01T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"toolCall","id":"call_1","name":"read","arguments":{"path":"beds.txt"}},{"type":"toolCall","id":"call_2","name":"bash","arguments":{"command":"ls"}}],"api":"PROTOCOL","provider":"PROVIDER","model":"MODEL","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"toolUse","timestamp":2}}
{"type":"message","id":"aaaaaaa3","parentId":"aaaaaaa2","timestamp":"2026-03-01T09:00:03.000Z","message":{"role":"toolResult","toolCallId":"call_1","toolName":"read","content":[{"type":"text","text":"kale\nbeans"}],"isError":false,"timestamp":3}}
{"type":"message","id":"aaaaaaa4","parentId":"aaaaaaa3","timestamp":"2026-03-01T09:00:04.000Z","message":{"role":"toolResult","toolCallId":"call_2","toolName":"bash","content":[{"type":"text","text":"beds.txt"}],"isError":false,"timestamp":4}}
{"type":"message","id":"aaaaaaa5","parentId":"aaaaaaa4","timestamp":"2026-03-01T09:00:05.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Kale and beans."}],"api":"PROTOCOL","provider":"PROVIDER","model":"MODEL","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":5}}
{"type":"message","id":"aaaaaaa6","parentId":"aaaaaaa5","timestamp":"2026-03-01T09:00:06.000Z","message":{"role":"user","content":[{"type":"text","text":"And this?"},{"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mPQ6w4nCTGMahjVMHw1AABycBAQhz2mEAAAAABJRU5ErkJggg==","mimeType":"image/png"}],"timestamp":6}}
{"type":"message","id":"aaaaaaa7","parentId":"aaaaaaa6","timestamp":"2026-03-01T09:00:07.000Z","message":{"role":"assistant","content":[{"type":"text","text":"A leaf."}],"api":"PROTOCOL","provider":"PROVIDER","model":"MODEL","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":7}}
{"type":"session_info","id":"aaaaaaa8","parentId":"aaaaaaa7","timestamp":"2026-03-01T09:00:08.000Z","name":"The garden"}
`

// others returns a desk with the two agents besides, and the conversation on it.
func others(t *testing.T, protocol, provider, model string) (*desk, *session.Session) {
	t.Helper()
	d := newDesk(t, nil)
	env := layout.Env{Home: d.home, Cwd: d.work}
	d.options = foreign.On(session.Options{Env: env, ReadOnly: true}, foreign.Programs{All: []foreign.Program{codex.New(), opencode.New()}, Env: env})
	path := filepath.Join(d.home, "talk.jsonl")
	text := strings.NewReplacer("PROTOCOL", protocol, "PROVIDER", provider, "MODEL", model).Replace(talk)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return d, d.open(path)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// last returns the body of the last request with a text in it.
func (d *desk) last(text string) []byte {
	d.t.Helper()
	for _, r := range slices.Backward(d.server.Requests()) {
		if strings.Contains(string(r.Body), text) {
			return r.Body
		}
	}
	d.t.Fatalf("nothing with %q was sent", text)
	return nil
}

// said returns the texts of turns, whatever they are parts of.
func said(turns []foreigntest.Turn) (all []string) {
	for _, turn := range turns {
		for _, p := range turn.Parts {
			text := p.Text
			for _, inner := range p.Parts {
				text += inner.Text
			}
			all = append(all, strings.TrimSpace(fmt.Sprint(turn.Role, " ", p.Type, " ", p.ID, " ", p.Name, " ", text)))
		}
	}
	return all
}

// TestCodexGoesOn converts a conversation to Codex: the real program goes on with it, and what
// it appends is read.
func TestCodexGoesOn(t *testing.T) {
	t.Parallel()
	d, s := others(t, "openai-responses", "mock", "gpt-5.5")
	put(t, filepath.Join(d.home, ".codex", "config.toml"), fmt.Sprintf(`model = "gpt-5.5"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.mock]
name = "mock"
base_url = "%s/v1"
wire_api = "responses"
requires_openai_auth = false
request_max_retries = 0
stream_max_retries = 0
[projects.%q]
trust_level = "trusted"
[analytics]
enabled = false
`, d.server.URL, d.work))
	there, done := d.convert(s, "codex")
	want := said(d.sees(there))
	d.run(module(t, "@openai", "codex-linux-x64", "vendor", "x86_64-unknown-linux-musl", "bin", "codex"), "exec", "resume", "--skip-git-repo-check", done.ID, "Continue.")
	got := said(foreigntest.Responses(t, d.last("Continue.")))
	if !slices.Equal(got, want) {
		t.Errorf("it sent\n%s\nand what is read is\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	grown := said(d.sees(d.open(done.Path)))
	if len(grown) != len(want)+2 || grown[len(grown)-1] != "assistant text   ok" {
		t.Errorf("it appended %q", grown[min(len(want), len(grown)):])
	}
}

// TestOpenCodeGoesOn converts a conversation to a file that the real OpenCode imports: it goes
// on with it, and its database is read.
func TestOpenCodeGoesOn(t *testing.T) {
	t.Parallel()
	d, s := others(t, "anthropic-messages", "claude", "rose")
	put(t, filepath.Join(d.home, ".config", "opencode", "opencode.json"), fmt.Sprintf(`{"autoupdate":false,"share":"disabled","model":"claude/rose","small_model":"claude/rose",
"enabled_providers":["claude"],"permission":"allow","provider":{"claude":{"npm":"@ai-sdk/anthropic","name":"claude","options":{"baseURL":"%s/v1","apiKey":"none"},
"models":{"rose":{"name":"rose","limit":{"context":200000,"output":8000},"tool_call":true,"attachment":true,"modalities":{"input":["text","image"],"output":["text"]}}}}}}`, d.server.URL))
	want := said(d.sees(s))
	done, err := s.Convert(context.Background(), session.ConvertOptions{To: "opencode", CWD: d.work})
	if err != nil {
		t.Fatal(err)
	}
	program := module(t, "opencode-linux-x64", "bin", "opencode")
	d.run(program, "import", done.Path)
	d.run(program, "run", "--session", done.ID, "Continue.")
	got := said(foreigntest.Anthropic(t, d.last("Continue.")))
	if !slices.Equal(got, want) {
		t.Errorf("it sent\n%s\nand what was converted is\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	list := d.run(program, "session", "list", "--format", "json")
	var all []struct{ ID, Title, Directory string }
	if err := json.Unmarshal([]byte(list), &all); err != nil || len(all) != 1 || all[0].ID != done.ID || all[0].Title != "The garden" {
		t.Errorf("it lists %s: %v", list, err)
	}
	read := said(d.sees(d.open(filepath.Join(d.home, ".local", "share", "opencode", "opencode.db", done.ID+".jsonl"))))
	if len(read) != len(want)+2 || read[len(read)-1] != "assistant text   ok" {
		t.Errorf("what is read of its database is\n%s", strings.Join(read, "\n"))
	}
}
