package cli_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/term"
)

// TestReadingAnything runs the reading commands on random sessions of every
// dialect, wounded ones among them: they end well or say that it is damaged,
// keep to the width, print nothing that drives a terminal and change nothing.
func TestReadingAnything(t *testing.T) {
	t.Parallel()
	const sessions = 60
	for n := range sessions {
		rng := rand.New(rand.NewPCG(uint64(n), 7))
		dialects := sessiongen.Dialects()
		s := sessiongen.Random(rng, sessiongen.Options{Dialect: dialects[n%len(dialects)]})
		data := s.Bytes
		if n%3 == 2 {
			data, _ = sessiongen.Damage(rng, data)
		}
		m := newMachine(t)
		cols := 40 + 20*(n%5)
		m.env = append(m.env, fmt.Sprintf("COLUMNS=%d", cols))
		path := filepath.Join(m.dir, "s.jsonl")
		write(t, path, data)
		before := snapshot(t, m.dir)
		for _, line := range []string{
			"show", "show --full", "context", "context --llm", "context --full", "tree", "tree --full", "tree --strict",
			"show --json", "context --json", "context --json --llm", "tree --json", "entries", "entries --raw",
		} {
			args := append(strings.Fields(line), path)
			stdout, stderr, code := m.run(args...)
			if code != 0 && code != 5 {
				t.Errorf("session %d: %s: exit code %d: %s", n, line, code, stderr)
			}
			if stderr != term.Safe(stderr) || strings.Count(stderr, "\n") > 3 {
				t.Errorf("session %d: %s: stderr: %q", n, line, stderr)
			}
			if line == "entries --raw" && !bytes.Equal([]byte(stdout), data) {
				t.Errorf("session %d: --raw is not the file", n)
			}
			if !strings.Contains(line, "json") && !strings.Contains(line, "entries") {
				fits(t, stdout, cols)
			}
		}
		if fmt.Sprint(before) != fmt.Sprint(snapshot(t, m.dir)) {
			t.Errorf("session %d: looking changed something", n)
		}
	}
}

// TestDeepTree draws a chain of branches, each inside the one before: nothing
// recurses and the drawing stays narrow.
func TestDeepTree(t *testing.T) {
	const depth = 20_000
	var b bytes.Buffer
	b.WriteString(`{"type":"session","version":3,"id":"19c0b2f4a1400001","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/work"}` + "\n")
	entry := func(id, parent string) {
		fmt.Fprintf(&b, `{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"hi","timestamp":1}}`+"\n", id, parent)
	}
	parent := "null"
	for n := range depth {
		entry(fmt.Sprintf("a%07d", n), parent)
		entry(fmt.Sprintf("b%07d", n), parent)
		parent = fmt.Sprintf("%q", fmt.Sprintf("b%07d", n))
	}
	m := newMachine(t)
	path := filepath.Join(m.dir, "deep.jsonl")
	write(t, path, b.Bytes())
	stdout, stderr, code := m.run("tree", "--full", path)
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if got := strings.Count(stdout, "\n"); got < 2*depth {
		t.Errorf("%d lines, want one for each of %d entries", got, 2*depth)
	}
	for line := range strings.Lines(stdout) {
		if strings.Count(line, "│") > 1 {
			t.Fatalf("indented more than once: %q", line)
		}
	}
	stdout, _, code = m.run("tree", "--json", path)
	if code != 0 || strings.Count(stdout, `"entry":`) != 2*depth {
		t.Errorf("--json: exit code %d, %d entries", code, strings.Count(stdout, `"entry":`))
	}
}
