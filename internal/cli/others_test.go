package cli_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFilesOfOtherPrograms: what lies where another program has its sessions stays as it is,
// whatever it holds and however its name is spelled.
func TestFilesOfOtherPrograms(t *testing.T) {
	torn := aSession + `{"type":"message","id":"e9`
	for _, file := range []string{
		".claude/projects/-w/0b2c8a52-0000-4000-8000-000000000001.jsonl", ".claude/projects/-w/x/deep.jsonl", ".claude/projects/at-the-top.jsonl",
		".codex/sessions/2026/03/01/s.jsonl", ".codex/archived_sessions/s.jsonl", ".codex/sessions/s.jsonl",
	} {
		m := newMachine(t)
		path := filepath.Join(m.home, file)
		write(t, path, []byte(torn))
		kept := filepath.Join(m.home, filepath.Dir(file))
		top := filepath.Join(m.home, strings.Split(file, "/")[0])
		links := map[string]string{"file.jsonl": path, "dir": kept, "home": top, "again": filepath.Join(m.dir, "dir")}
		for name, to := range links {
			if err := os.Symlink(to, filepath.Join(m.dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		in, err := filepath.Rel(top, path)
		if err != nil {
			t.Fatal(err)
		}
		was := snapshot(t, top)
		base := filepath.Base(file)
		for _, name := range []string{path, filepath.Join(m.dir, "file.jsonl"), filepath.Join(m.dir, "dir", base), filepath.Join(m.dir, "again", base), filepath.Join(m.dir, "home", in)} {
			m.stdin = `{"type":"message","message":{"role":"user","content":"x","timestamp":1}}` + "\n"
			for _, args := range [][]string{
				{"append", name}, {"rename", name, "Other"}, {"label", name, "e0000001", "here"}, {"branch", name, "e0000001"},
				{"move", name, m.dir}, {"rm", name}, {"doctor", name, "--fix"},
				{"rename", base, "Other", "--session-dir", filepath.Dir(name)}, {"doctor", "--fix", "--session-dir", filepath.Dir(name)},
			} {
				stdout, stderr, code := m.run(args...)
				if now := snapshot(t, top); !maps.Equal(was, now) {
					t.Fatalf("%v (%d, %s, %s) made %q of %q", args, code, stdout, stderr, now, was)
				}
				if code == 0 && !slices.Contains(args, "--session-dir") {
					t.Errorf("%v: exit code 0: %s", args, stdout)
				}
				said := strings.Contains(stderr, "it belongs to ") || strings.Contains(stderr, "it is read-only")
				if !said && !slices.Contains(args, "--session-dir") && args[0] != "doctor" {
					t.Errorf("%v: %d, %s", args, code, stderr)
				}
			}
		}
	}
}
