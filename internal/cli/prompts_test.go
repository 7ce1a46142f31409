package cli_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/golden"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/prompts"
	"github.com/google/go-cmp/cmp"
)

// typed puts prompts into the databases of a machine: one a line, with the
// minutes past ten at which each was typed.
func typed(t *testing.T, m *machine) {
	t.Helper()
	for agent, texts := range map[string][]string{
		".cambium": {"9|/work/garden|s-1|sow the \x1b[31mred\x1b[0m beans\nbefore the frost", "1|/work/map||draw a map"},
		".omp":     {"5|/work/garden|0195643d|dig over the bed and then do all the other things that have to be done in a garden in March", "6|" + m.home + "/x||redraw"},
		".xcsh":    {"3|||überall 日本語 🙂", "2|/work/map||draw a map"},
	} {
		at := time.Time{}
		h, err := prompts.Open(context.Background(), prompts.Options{
			Own: prompts.Source{Path: filepath.Join(m.home, agent, "agent/history.db")}, Now: func() time.Time { return at },
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range texts {
			part := strings.SplitN(p, "|", 4)
			var minute int
			fmt.Sscan(part[0], &minute)
			at = time.Date(2026, 3, 10, 10, minute, 0, 0, time.UTC)
			h.Add(part[3], part[1], part[2])
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPromptsView(t *testing.T) {
	m := newMachine(t)
	typed(t, m)
	before := snapshot(t, m.home)
	for _, cols := range []int{60, 80, 120} {
		m.env = append(m.env, fmt.Sprintf("COLUMNS=%d", cols))
		stdout, stderr, code := m.run("prompts")
		if code != 0 || stderr != "" {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		fits(t, stdout, cols)
		golden.Compare(t, fmt.Sprintf("prompts.%d", cols), stdout)
	}
	if diff := cmp.Diff(before, snapshot(t, m.home)); diff != "" {
		t.Errorf("looking changed something (-before +after):\n%s", diff)
	}
}

func TestPrompts(t *testing.T) {
	m := newMachine(t)
	typed(t, m)
	for line, want := range map[string]string{
		"prompts -n 2":                   "sow,redraw",
		"prompts -n 0":                   "sow,redraw,dig,überall,draw,draw",
		"prompts draw":                   "redraw,draw,draw", // omp's inside a word, too
		"prompts DRA --agent xcsh":       "draw",
		"prompts --agent cambium":        "sow,draw",
		"prompts --cwd /work/garden":     "sow,dig",
		"prompts --cwd /work/map -n 1":   "draw",
		"prompts be --cwd /work/garden":  "sow,dig",
		"prompts uber":                   "überall",
		"prompts nothing-like-this":      "",
		"prompts --agent pi":             "",
		"prompts --agent omp garden":     "dig",
		"prompts --here":                 "",
		"prompts --agent omp --cwd /nil": "",
	} {
		stdout, stderr, code := m.run(append(strings.Fields(line), "--json")...)
		if code != 0 || stderr != "" {
			t.Errorf("%s: exit code %d: %s", line, code, stderr)
		}
		var got []string
		for row := range strings.Lines(stdout) {
			_, text, _ := strings.Cut(row, `{"prompt":"`)
			first, _, _ := strings.Cut(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '"' })[0], " ")
			got = append(got, first)
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	stdout, _, _ := m.run("prompts", "--json", "sow")
	want := `{"prompt":"sow the \u001b[31mred\u001b[0m beans\nbefore the frost","createdAt":"2026-03-10T10:09:00.000Z","cwd":"/work/garden","agent":"cambium","sessionId":"s-1"}` + "\n"
	if diff := cmp.Diff(want, stdout); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, line := range []string{"prompts a b", "prompts -n -1", "prompts -n x", "prompts --agent emacs"} {
		if _, stderr, code := m.run(strings.Fields(line)...); code != 2 || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d: %s", line, code, stderr)
		}
	}
	for line, want := range map[string]string{
		"prompts nothing": "cambium: no prompts found\n", "prompts --agent pi": "cambium: no prompts found\n",
	} {
		if stdout, stderr, code := m.run(strings.Fields(line)...); code != 0 || stdout != "" || stderr != want {
			t.Errorf("%s: %d, %q, %q", line, code, stdout, stderr)
		}
	}
}

// TestPromptsOfDamagedDatabases passes by what cannot be read, with a line for
// each, and shows the rest.
func TestPromptsOfDamagedDatabases(t *testing.T) {
	m := newMachine(t)
	typed(t, m)
	write(t, filepath.Join(m.home, ".cambium/agent/history.db"), []byte(strings.Repeat("garbage", 1000)))
	if err := os.Truncate(filepath.Join(m.home, ".omp/agent/history.db"), 5000); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, m.home)
	stdout, stderr, code := m.run("prompts")
	if code != 0 || strings.Count(stdout, "\n") != 3 || strings.Count(stderr, "\n") != 2 {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	for _, line := range []string{`.cambium/agent/history.db": not an SQLite database; the next prompt that is kept begins it anew`,
		`.omp/agent/history.db": it is damaged; its prompts are left out`} {
		if !strings.Contains(stderr, line) {
			t.Errorf("stderr %q does not say %q", stderr, line)
		}
	}
	if diff := cmp.Diff(before, snapshot(t, m.home)); diff != "" {
		t.Errorf("looking changed something (-before +after):\n%s", diff)
	}
}

// TestPromptsOverRPC adds with one command and lists with another.
func TestPromptsOverRPC(t *testing.T) {
	m := newMachine(t)
	m.stdin = `{"jsonrpc":"2.0","method":"history.add","params":{"prompt":"over the wire","cwd":"` + filepath.Join(m.dir, "here") + `"}}` + "\n"
	if _, stderr, code := m.run("rpc"); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if stdout, _, _ := m.run("prompts", "--here", "--json"); strings.Count(stdout, "\n") != 0 {
		t.Errorf("here: %s", stdout)
	}
	stdout, _, _ := m.run("prompts", "--cwd", "here", "--json")
	if !strings.Contains(stdout, `"prompt":"over the wire"`) || !strings.Contains(stdout, `"agent":"cambium"`) {
		t.Errorf("found %s", stdout)
	}
	write(t, filepath.Join(m.home, "blocked"), nil)
	m.env = append(m.env, "CAMBIUM_AGENT_DIR="+filepath.Join(m.home, "blocked"))
	if _, stderr, code := m.run("rpc"); code != 1 || !strings.Contains(stderr, "prompts are not saved") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestPromptsOfSessions: what was typed in pi, which keeps no prompts, is found in its
// sessions, once where a fork copied it; a query with filters asks the sessions of all.
func TestPromptsOfSessions(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	typed(t, m)
	at := func(n int) string {
		return time.Date(2026, 3, 10, 10, n, 0, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
	}
	session := func(path, id, cwd string, messages ...string) {
		text, parent := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":%q,"cwd":%q}`, id, at(0), cwd)+"\n", "null"
		for _, message := range messages {
			part := strings.SplitN(message, "|", 4)
			var minute int
			fmt.Sscan(part[1], &minute)
			text += fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":{"role":%q,"content":[{"type":"text","text":%q}]}}`,
				part[0], parent, at(minute), part[2], part[3]) + "\n"
			parent = `"` + part[0] + `"`
		}
		write(t, filepath.Join(m.home, path), []byte(text))
	}
	const pi = ".pi/agent/sessions/--work-bed--/"
	first := []string{"aaaa0001|4|user|prune the vine", "aaaa0002|4|assistant|The vine is pruned.", "aaaa0003|7|user|and the pear"}
	session(pi+"2026-03-10T10-00-00-000Z_s1.jsonl", "pi000001", "/work/bed", first...)
	session(pi+"2026-03-10T10-00-01-000Z_s2.jsonl", "pi000002", "/work/bed", append(first, "aaaa0004|8|user|  and the plum, too\n")...)
	session(".omp/agent/sessions/--work-tub--/2026-03-10T10-00-00-000Z_s3.jsonl", "om000003", "/work/tub", "bbbb0001|20|user|water the vine in the tub", "bbbb0002|21|assistant|Done with the vine.")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-n", "0"}, "sow,and the plum,and the pear,redraw,dig,prune,überall,draw,draw"},
		{[]string{"-n", "2"}, "sow,and the plum"},
		{[]string{"--agent", "pi"}, "and the plum,and the pear,prune"},
		{[]string{"--agent", "pi", "-n", "1"}, "and the plum"},
		{[]string{"--agent", "pi", "--cwd", "/work/tub"}, ""},
		{[]string{"vin"}, "prune"},
		{[]string{"--agent", "pi", "pea"}, "and the pear"},
		{[]string{"the"}, "sow,and the plum,and the pear,dig,prune"},
		{[]string{"--agent", "omp", "prune"}, ""},
		{[]string{"vine project:work"}, "water,prune"},
		{[]string{"vine project:work", "-n", "1"}, "water"},
		{[]string{"vine -tub"}, "prune"},
		{[]string{"agent:omp"}, "water"},
		{[]string{"--agent", "pi", "after:2026-03-10T10:08"}, "and the plum"},
		{[]string{"?!"}, ""},
	} {
		stdout, stderr, code := m.run(append([]string{"prompts", "--json"}, test.args...)...)
		if code != 0 {
			t.Errorf("%q: exit code %d: %s", test.args, code, stderr)
		}
		var got []string
		for row := range strings.Lines(stdout) {
			text, _ := jsonedit.Text([]byte(row), "prompt")
			for _, name := range strings.Split("sow,and the plum,and the pear,redraw,dig,prune,überall,draw,water", ",") {
				if strings.HasPrefix(text, name) {
					got = append(got, name)
				}
			}
		}
		if strings.Join(got, ",") != test.want || len(got) != strings.Count(stdout, "\n") {
			t.Errorf("%q: %q, want %q\n%s", test.args, got, test.want, stdout)
		}
	}
	stdout, _, _ := m.run("prompts", "--json", "plum")
	if want := `{"prompt":"and the plum, too","createdAt":"2026-03-10T10:08:00.000Z","cwd":"/work/bed","agent":"pi","sessionId":"pi000002"}` + "\n"; stdout != want {
		t.Errorf("%s, want %s", stdout, want)
	}
	for _, bad := range []string{"roel:user vine", "agent:emacs", "vine after:never"} {
		if stdout, stderr, code := m.run("prompts", bad); code != 2 || stdout != "" || !strings.Contains(stderr, "^") {
			t.Errorf("%s: exit code %d, %q, %q", bad, code, stdout, stderr)
		}
	}
}
