package cli_test

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/sessiongen"
)

// spent is what a command line says that all sessions took and cost: the sum that --json
// prints last.
func (m *machine) spent(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, code := m.run(append([]string{"stats", "--json"}, args...)...)
	if code != 0 {
		t.Fatalf("%q: exit code %d: %s", args, code, stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	last := []byte(lines[len(lines)-1])
	cost, _ := jsonedit.Get(last, "cost")
	calls, _ := jsonedit.Get(last, "calls")
	tokens, _ := jsonedit.Get(last, "output")
	return fmt.Sprintf("%s %s %s", calls, tokens, cost)
}

// homeDirs are where sessions of the dialects lie.
var homeDirs = map[sessiongen.Dialect]string{
	sessiongen.Pi: ".pi/agent/sessions/--work--", sessiongen.Omp: ".omp/agent/sessions/-work",
	sessiongen.Xcsh: ".xcsh/agent/sessions/--work--", sessiongen.Cambium: ".cambium/agent/sessions/--work--",
}

// TestStatsOfWhatMoves forks, converts and moves random sessions of all dialects: what all
// sessions cost stays the same to the micro-dollar, whatever the grouping, with the index
// and without.
func TestStatsOfWhatMoves(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	var paths []string
	for n := range 12 {
		d := sessiongen.Dialects()[n%4]
		s := sessiongen.Random(rand.New(rand.NewPCG(uint64(n), 19)), sessiongen.Options{Dialect: d, Entries: 60, Clean: true, Appendable: true})
		path := filepath.Join(m.home, homeDirs[d], fmt.Sprintf("2026-03-05T09-00-%02d-000Z_%s.jsonl", n, s.ID))
		write(t, path, s.Bytes)
		paths = append(paths, path)
	}
	want := m.spent(t)
	if strings.HasPrefix(want, "0 ") || strings.HasSuffix(want, " 0.000000") {
		t.Fatalf("the sessions cost nothing: %s", want)
	}
	elsewhere := filepath.Join(m.dir, "elsewhere")
	if err := os.MkdirAll(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	done := map[string]int{}
	for n, path := range paths {
		into := func(to sessiongen.Dialect, step int) []string {
			name := fmt.Sprintf("2026-03-10T12-00-%02d-00%dZ_converted%d.jsonl", n, step, n)
			return []string{"convert", "--to", string(to), "--output", filepath.Join(m.home, homeDirs[to], name)}
		}
		line := append(into(sessiongen.Dialects()[n%3], 1), path)
		switch n % 5 {
		case 0:
			line = []string{"fork", path}
		case 3:
			line = []string{"move", path, elsewhere}
		}
		stdout, stderr, code := m.run(line...)
		if code != 0 && code != 7 {
			t.Logf("%q: exit code %d: %s", line, code, stderr)
			continue
		}
		done[line[0]]++
		if got := m.spent(t); got != want {
			t.Errorf("after %q: %s, want %s", line, got, want)
		}
		made := strings.TrimSpace(stdout)
		if line[0] == "move" || made == "" {
			continue
		}
		if _, stderr, code := m.run(append(into(sessiongen.Cambium, 2), made)...); code == 0 || code == 7 {
			done["again"]++
		} else {
			t.Logf("%q again: exit code %d: %s", made, code, stderr)
		}
		if got := m.spent(t); got != want {
			t.Errorf("after %q, and converted again: %s, want %s", line, got, want)
		}
	}
	if done["fork"] == 0 || done["convert"] < 3 || done["move"] == 0 || done["again"] < 3 {
		t.Errorf("only %v was done", done)
	}
	for _, by := range []string{"hour", "day", "week", "month", "project", "session", "branch", "model", "provider", "agent", "tool", "role", "origin", "agent,model,day"} {
		if got := m.spent(t, "--by", by, "--tz", "Asia/Kathmandu"); got != want {
			t.Errorf("by %s: %s, want %s", by, got, want)
		}
	}
	if got := m.spent(t, "--no-index"); got != want {
		t.Errorf("without an index: %s, want %s", got, want)
	}
	for _, halves := range [][]string{{"--since", "2026-01-10"}, {"--until", "2026-01-10"}} {
		if got := m.spent(t, halves...); got == want {
			t.Logf("all was spent %s", halves)
		}
	}
}

// spending has a session with two answers on the day of the machine's clock and one the
// day before.
func spending(t *testing.T) *machine {
	t.Helper()
	m := newMachine(t)
	line := func(id, parent, day, model, cost string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"%sT08:00:00.000Z","message":{"role":"assistant","content":[],"provider":"p","model":%q,"stopReason":"stop","usage":{"input":1000,"output":100,"cacheRead":3000,"cacheWrite":0,"totalTokens":4100%s},"timestamp":1}}`, id, parent, day, model, cost)
	}
	const today, before = "2026-03-10", "2026-03-09"
	write(t, filepath.Join(m.home, ".pi/agent/sessions/--w--/1_spending1.jsonl"), []byte(strings.Join([]string{
		`{"type":"session","version":3,"id":"spending1","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/work/garden"}`,
		line("a", "", before, "=evil", `,"cost":{"total":1.25}`), line("b", "a", today, "m", `,"cost":{"total":2.5}`), line("c", "b", today, "new", ""),
	}, "\n")+"\n"))
	return m
}

// TestStatsForms: the forms in which sums are printed, and what is refused.
func TestStatsForms(t *testing.T) {
	t.Parallel()
	m := spending(t)
	stdout, _, code := m.run("stats", "--csv", "--by", "model")
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if err != nil || code != 0 || len(rows) != 4 || rows[0][0] != "model" || rows[0][9] != "cost" || rows[2][0] != "p/m" || rows[2][9] != "2.500000" {
		t.Errorf("CSV %q, %v", stdout, err)
	}
	stdout, _, _ = m.run("stats", "--by", "provider,model")
	for _, want := range []string{"total", "3.750000 ?", "? 1 call of unknown cost", "75% of the prompts"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	for line, want := range map[string]string{
		"stats --format prompt":                   "$2.50\n",
		"stats --format prompt --since yesterday": "$3.75\n",
		"stats --format prompt --agent omp":       "$0.00\n",
	} {
		if got, stderr, code := m.run(strings.Fields(line)...); got != want || code != 0 {
			t.Errorf("%s: %q, %d %s, want %q", line, got, code, stderr, want)
		}
	}
	write(t, filepath.Join(m.home, ".config/cambium/settings.json"), []byte(`{"stats": {"dailyBudget": 2}, "providers": {"p": {"api": "openai-completions", "baseUrl": "http://localhost:1", "models": [{"id": "new", "price": {"input": 10, "output": 100, "cacheRead": 1}}]}}}`))
	if got, stderr, _ := m.run("stats", "--format", "prompt"); got != "\x1b[31m$2.52/$2.00\x1b[39m\n" {
		t.Errorf("over the budget: %q %s", got, stderr)
	}
	if got := m.spent(t, "--model", "new"); got != "1 100 0.023000" {
		t.Errorf("priced by the settings: %s", got)
	}
	for _, line := range []string{
		"--by luck", "--since never", "--until never", "--tz Mars", "--format page", "--csv --json", "--explain --check", "--top 3 --csv", "--map --json", "--by=", "extra",
	} {
		if stdout, stderr, code := m.run(append([]string{"stats"}, strings.Fields(line)...)...); code != 2 || stdout != "" || stderr == "" {
			t.Errorf("stats %s: exit code %d: %q %q", line, code, stdout, stderr)
		}
	}
}

// TestStatsExplains lists the charges of one cell, and what makes naive counters differ.
func TestStatsExplains(t *testing.T) {
	t.Parallel()
	m := spending(t)
	path := filepath.Join(m.home, ".pi/agent/sessions/--w--/1_spending1.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fork := strings.Replace(strings.Replace(string(data), "spending1", "spending2", 1), `"cwd"`, `"parentSession":"spending1","cwd"`, 1)
	write(t, filepath.Join(m.home, ".omp/agent/sessions/-w/2_spending2.jsonl"), []byte(fork))
	stdout, _, _ := m.run("stats", "--explain", "--json", "--model", "p/m")
	if strings.Count(stdout, "\n") != 2 || !strings.Contains(stdout, `"line":3,"session":"spending1"`) || !strings.Contains(stdout, `"counts":false,"why":"a copy: the entry has the same id and time"`) {
		t.Errorf("explained: %s", stdout)
	}
	stdout, _, _ = m.run("stats", "--explain", "--since", "today")
	if strings.Count(stdout, "2026-03-10 08:00") != 4 || strings.Contains(stdout, "2026-03-09") || !strings.Contains(stdout, "1_spending1.jsonl:3\n") {
		t.Errorf("explained: %s", stdout)
	}
	stdout, _, _ = m.run("stats", "--check")
	if !strings.Contains(stdout, "7.500000  +3.750000: a counter that takes forks and copies again") {
		t.Errorf("checked: %s", stdout)
	}
	stdout, _, _ = m.run("stats", "--top", "1")
	if !strings.Contains(stdout, "spending") || !strings.Contains(stdout, "2.500000 stored  p/m") || strings.Contains(stdout, "1.250000 stored") {
		t.Errorf("dearest: %s", stdout)
	}
	stdout, _, _ = m.run("stats", "--map")
	if strings.Count(stdout, "\n") != 8 || !strings.Contains(stdout, "Mon ") {
		t.Errorf("map: %s", stdout)
	}
}

// TestStatsOfAnything counts wild and wounded sessions of all dialects and versions: all
// groupings add up to the same, with the index and without, each charge is explained, and
// looking changes nothing.
func TestStatsOfAnything(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for n := range 48 {
		rng := rand.New(rand.NewPCG(uint64(n), 23))
		d := sessiongen.Dialects()[n%4]
		s := sessiongen.Random(rng, sessiongen.Options{Dialect: d, Version: []int{0, 1, 2}[n%3]})
		data := s.Bytes
		if n%2 == 1 {
			data, _ = sessiongen.Damage(rng, data)
		}
		write(t, filepath.Join(m.home, homeDirs[d], fmt.Sprintf("2026-03-05T09-00-%02d-000Z_%s.jsonl", n, s.ID)), data)
	}
	before := snapshot(t, m.home)
	want := m.spent(t)
	for _, args := range [][]string{{}, {"--no-index"}, {"--by", "session,tool"}, {"--by", "model,role,origin"}, {"--by", "branch,week"}, {"--tz", "Pacific/Chatham"}} {
		if got := m.spent(t, args...); got != want {
			t.Errorf("%q: %s, want %s", args, got, want)
		}
	}
	for _, line := range []string{"stats", "stats --explain", "stats --check", "stats --top 5", "stats --map", "stats --by project,session,model,tool"} {
		for _, cols := range []int{40, 60, 80, 120} {
			wide := *m
			wide.env = append(slices.Clone(m.env), fmt.Sprintf("COLUMNS=%d", cols))
			stdout, stderr, code := wide.run(strings.Fields(line)...)
			if code != 0 || stdout == "" {
				t.Errorf("%s: exit code %d: %s", line, code, stderr)
			}
			fits(t, stdout, cols)
		}
	}
	if fmt.Sprint(before) != fmt.Sprint(snapshot(t, m.home)) {
		t.Error("looking changed something")
	}
}
