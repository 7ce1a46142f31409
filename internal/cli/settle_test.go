package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInterruptedIsFinished: the next command that writes finishes what a kill left half
// done, one that reads leaves it, and doctor finds and mends it.
func TestInterruptedIsFinished(t *testing.T) {
	record := func(t *testing.T, m *machine, lines ...map[string]any) {
		t.Helper()
		state := filepath.Join(m.home, ".local/state/cambium")
		for _, dir := range []string{"pending", "trash/0123456789ab"} {
			if err := os.MkdirAll(filepath.Join(state, dir), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		var text []byte
		for _, l := range lines {
			l["v"], l["id"], l["at"] = 1, "0123456789ab", "2026-03-10T12:00:00.000Z"
			raw, err := json.Marshal(l)
			if err != nil {
				t.Fatal(err)
			}
			text = append(append(text, raw...), '\n')
		}
		write(t, filepath.Join(state, "operations"), text)
		write(t, filepath.Join(state, "trash/0123456789ab/record"), text[:strings.IndexByte(string(text), '\n')+1])
		write(t, filepath.Join(state, "pending/0123456789ab"), nil)
	}
	begun := func(m *machine) map[string]any {
		return map[string]any{"state": "begun", "op": "rm", "path": filepath.Join(m.dir, "s.jsonl"), "session": "s"}
	}
	for name, with := range map[string][]string{
		"label":  {"label", "./t.jsonl", "aaaaaaaa", "here"},
		"rm":     {"rm", "./t.jsonl"},
		"doctor": {"doctor", "--all", "--fix"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			write(t, filepath.Join(m.dir, "t.jsonl"), []byte(aSession))
			record(t, m, begun(m), map[string]any{"state": "done"}, map[string]any{"state": "undoing"})
			trashed := filepath.Join(m.home, ".local/state/cambium/trash/0123456789ab/session")
			write(t, trashed, []byte(aSession))
			if out, _, code := m.run("doctor"); code != 5 || !strings.Contains(out, "interrupted") {
				t.Errorf("doctor: exit code %d: %s", code, out)
			}
			if _, err := os.Stat(trashed); err != nil {
				t.Fatal("looking changed something:", err)
			}
			_, stderr, code := m.run(with...)
			if code != 0 && code != 10 || !strings.Contains(stderr, "an interrupted rm was taken back") {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			if got, err := os.ReadFile(filepath.Join(m.dir, "s.jsonl")); string(got) != aSession {
				t.Errorf("%q, %v", got, err)
			}
			if out, _, code := m.run("doctor"); code != 0 {
				t.Errorf("doctor again: exit code %d: %s", code, out)
			}
		})
	}
}
