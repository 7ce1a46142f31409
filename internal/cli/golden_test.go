package cli_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/golden"
	"github.com/cambium-dev/cambium/internal/term"
)

// furnished returns a machine with a session in each of three homes.
func furnished(t *testing.T) *machine {
	t.Helper()
	m := newMachine(t)
	day := func(d int) time.Time { return time.Date(2026, 3, d, 11, 30, 0, 0, time.UTC) }
	m.put(t, "garden.jsonl", filepath.Join(m.home, ".pi/agent/sessions/--work-garden--",
		"2026-03-05T09-00-00-000Z_0195643c-a1c0-7c11-9d6e-3f5b8a2e4c10.jsonl"), day(6))
	m.put(t, "map.jsonl", filepath.Join(m.home, ".omp/agent/sessions/--work-map--",
		"2026-03-07T09-00-00-000Z_0195643d-0b7e-7d2a-8a51-77c0d1e2f304.jsonl"), day(7))
	m.put(t, "rooms.jsonl", filepath.Join(m.home, ".cambium/agent/sessions/--work-garden--",
		"2026-03-08T09-00-00-000Z_19c0b2f4a1400001.jsonl"), day(10))
	return m
}

// TestViews compares what a person sees with what it should be, in terminals of
// three widths.
func TestViews(t *testing.T) {
	t.Parallel()
	for _, view := range []struct{ name, line string }{
		{"ls", "ls"},
		{"ls-columns", "ls --columns created,id,branches,tokens,directory,model,name"},
		{"stats", "stats --by agent,model"},
		{"show", "show 0195643c"},
		{"show-full", "show 0195643c --full"},
		{"show-map", "show 0195643d"},
		{"context", "context 0195643c"},
		{"context-llm", "context 0195643d --llm"},
		{"search", "search clock"},
		{"search-around", "search clock -C 2 --each 2"},
		{"tree", "tree 0195643c"},
		{"tree-rooms", "tree 19c0b2f4"},
		{"tree-full", "tree 19c0b2f4 --full"},
	} {
		for _, cols := range []int{60, 80, 120} {
			t.Run(fmt.Sprintf("%s/%d", view.name, cols), func(t *testing.T) {
				m := furnished(t)
				m.env = append(m.env, fmt.Sprintf("COLUMNS=%d", cols))
				before := snapshot(t, m.home)
				stdout, stderr, code := m.run(strings.Fields(view.line)...)
				if code != 0 {
					t.Fatalf("exit code %d: %s", code, stderr)
				}
				fits(t, stdout, cols)
				golden.Compare(t, fmt.Sprintf("%s.%d", view.name, cols), stdout)
				if after := snapshot(t, m.home); fmt.Sprint(before) != fmt.Sprint(after) {
					t.Error("looking changed something")
				}
			})
		}
	}
}

// fits checks that no line is wider than the terminal and that nothing drives
// it.
func fits(t *testing.T, text string, cols int) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if w := term.Width(line); w > cols {
			t.Errorf("%d cells wide, %d is the terminal: %q", w, cols, line)
		}
		if line != term.Safe(line) {
			t.Errorf("not safe: %q", line)
		}
	}
}
