package catalog_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/layout"
)

func TestLastUsed(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string, age time.Duration) string {
		t.Helper()
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2025, 6, 1, 9, 0, 0, 0, time.UTC).Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	xcsh := write("x/s.jsonl", "", time.Hour)
	omp := write("o/s.jsonl", "", 0)
	write(".xcsh/agent/terminal-sessions/pts-3", "/w\n"+xcsh+"\n", 0)
	write(".omp/agent/terminal-sessions/pts-3", "/w\n"+omp+"\ncwdstat 1 2\n", 0)
	write(".cambium/agent/terminal-sessions/pts-3", "/w\n"+filepath.Join(home, "gone.jsonl")+"\n", 0)
	tests := []struct {
		name, tty, cwd, dir, want string
	}{
		{"the newest of several", "/dev/pts/3", "/w", "", omp},
		{"omp's in another directory than the named one", "/dev/pts/3", "/w", filepath.Join(home, "x"), xcsh},
		{"omp's in the named directory", "/dev/pts/3", "/w", filepath.Dir(omp) + "/", omp},
		{"another working directory", "/dev/pts/3", "/other", "", ""},
		{"another terminal", "/dev/pts/4", "/w", "", ""},
		{"no terminal", "", "/w", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := catalog.LastUsed(tt.tty, catalog.Options{Env: layout.Env{Home: home}, CWD: tt.cwd, SessionDir: tt.dir})
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("LastUsed = %q, %v; want %q", got, ok, tt.want)
			}
		})
	}
}
