package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// calling is the input of an editor that makes calls and goes away.
func calling(calls ...string) string {
	text := ""
	for i, c := range calls {
		method, params, _ := strings.Cut(c, " ")
		text += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", i+1, method, params)
	}
	return text
}

// results returns what standard output holds, which is messages and nothing else:
// the answers by their ids.
func results(t *testing.T, stdout string) map[string]entry.JSON {
	t.Helper()
	all := map[string]entry.JSON{}
	for line := range strings.Lines(stdout) {
		v := entry.JSON(strings.TrimSpace(line))
		version, _ := jsonedit.Text(v, "jsonrpc")
		if !jsontext.Value(v).IsValid() || version != "2.0" {
			t.Errorf("standard output has %q", line)
			continue
		}
		if id, ok := jsonedit.Get(v, "id"); ok {
			all[string(id)] = v
		}
	}
	return all
}

func TestACP(t *testing.T) {
	m := newMachine(t)
	wire := wiretest.New(t, wiretest.Text("Here I am."))
	write(t, filepath.Join(m.home, ".config", "cambium", "settings.json"), []byte(
		`{"model":"p/m","providers":{"p":{"api":"openai-completions","baseUrl":"`+wire.URL+`/v1","models":[{"id":"m"}]}}}`))
	m.env = append(m.env, "CAMBIUM_CONFIG_DIR="+filepath.Join(m.home, ".config", "cambium"))
	m.put(t, "garden.jsonl", filepath.Join(m.home, ".pi", "agent", "sessions", "--x--", "one.jsonl"), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	m.stdin = calling(`initialize {"protocolVersion":1}`, `session/list {}`, `session/new {"cwd":"`+m.dir+`","mcpServers":[{"name":"x","command":"/x","args":[],"env":[]}]}`)
	stdout, stderr, code := m.run("acp")
	got := results(t, stdout)
	if code != 0 || len(got) != 3 {
		t.Fatalf("exit %d, %s\n%s", code, stdout, stderr)
	}
	if name, _ := jsonedit.Path(got["1"], "result", "agentInfo", "name"); string(name) != `"cambium"` {
		t.Errorf("%s", got["1"])
	}
	if all, _ := jsonedit.Path(got["2"], "result", "sessions"); jsonedit.Len(all) != 1 {
		t.Errorf("%s", got["2"])
	}
	if now, _ := jsonedit.Path(got["3"], "result", "models", "currentModelId"); string(now) != `"p/m"` {
		t.Errorf("%s", got["3"])
	}
	if all := stdout + stderr; strings.Count(all, "cannot be started") != 1 {
		t.Errorf("said %q", all)
	}
}

func TestACPRefuses(t *testing.T) {
	m := newMachine(t)
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"acp", "here"}, 2},
		{[]string{"acp", "--model", "no-such-model"}, 2},
		{[]string{"acp", "--model", " "}, 2},
		{[]string{"acp", "--thinking", "much"}, 2},
		{[]string{"acp", "--tools", "hammer"}, 2},
		{[]string{"acp", "--if-busy", "follow"}, 2},
	} {
		stdout, stderr, code := m.run(c.args...)
		if code != c.code || stdout != "" || !strings.HasPrefix(stderr, "cambium: ") {
			t.Errorf("%q: exit %d, %q, %q", c.args, code, stdout, stderr)
		}
	}
	if left, err := os.ReadDir(m.home); err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return e.Name() == ".cambium" }) {
		t.Errorf("left %v, %v", left, err)
	}
}
