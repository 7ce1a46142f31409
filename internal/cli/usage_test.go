package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/cli"
)

// TestUsageAndClean: doctor says what is kept, and with --clean deletes what is of no
// more use, when it may, and nothing else.
func TestUsageAndClean(t *testing.T) {
	m := newMachine(t)
	at := func(day int, args ...string) (string, int) {
		t.Helper()
		var out, errs bytes.Buffer
		code := cli.Run(context.Background(), args, cli.System{
			Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Env: m.env, Dir: m.dir,
			Now:    func() time.Time { return time.Now().AddDate(0, 0, day) },
			Random: rand.NewChaCha8([32]byte{byte(day), byte(len(args))}),
		})
		return out.String() + errs.String(), code
	}
	for _, name := range []string{"old", "young"} {
		write(t, filepath.Join(m.dir, name+".jsonl"), []byte(aSession))
	}
	state := filepath.Join(m.home, ".local/state/cambium")
	at(0, "rm", "./old.jsonl")
	at(40, "rm", "./young.jsonl")
	for _, dir := range []string{"presence/00", "kept/0123456789ab"} {
		if err := os.MkdirAll(filepath.Join(state, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(state, "presence/00/00aa.x"), []byte("{}"))
	write(t, filepath.Join(state, "kept/0123456789ab/bytes"), []byte("old bytes"))

	rows := func(text string) map[string]map[string]any {
		all := map[string]map[string]any{}
		for line := range strings.Lines(text) {
			var row map[string]any
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			all[row["kind"].(string)] = row
		}
		return all
	}
	text, code := at(50, "doctor", "--usage", "--json")
	usage := rows(text)
	if code != 0 || usage["trash"]["files"] != 4.0 || usage["trash"]["removable"] != 1.0 || usage["kept"]["removableBytes"] != 9.0 ||
		usage["presence"]["removable"] != 1.0 || usage["index"] != nil || usage["drafts"]["policy"] == "" {
		t.Errorf("exit code %d: %s", code, text)
	}
	if text, code := at(50, "doctor", "--clean"); code != 6 || !strings.Contains(text, "--yes") {
		t.Errorf("nobody to ask: exit code %d: %s", code, text)
	}
	text, code = at(50, "doctor", "--clean", "--dry-run")
	if code != 0 || strings.Count(text, "\n") != 3 {
		t.Errorf("exit code %d: %s", code, text)
	}
	if text, _ := at(50, "doctor", "--usage", "--json"); rows(text)["trash"]["files"] != 4.0 {
		t.Errorf("--dry-run deleted something: %s", text)
	}
	if text, code := at(50, "doctor", "--clean", "--yes"); code != 0 || strings.Count(text, "\n") != 3 {
		t.Errorf("exit code %d: %s", code, text)
	}
	if text, code := at(50, "doctor", "--clean", "--yes"); code != 0 || !strings.Contains(text, "nothing is to be cleaned") {
		t.Errorf("again: exit code %d: %s", code, text)
	}
	if text, code := at(51, "undo"); code != 0 || !strings.Contains(text, "young.jsonl") {
		t.Errorf("what is young came not back: %s", text)
	}
	for _, line := range [][]string{{"doctor", "--usage", "--fix"}, {"doctor", "--dry-run"}, {"doctor", "--clean", "x"}} {
		if text, code := at(51, line...); code != 2 {
			t.Errorf("%v: exit code %d: %s", line, code, text)
		}
	}
}
