package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// TestReloadBeforeTheFirstWrite: a session that is told to be what is at its own path,
// where nothing is yet, and then what it was, can be written afterwards, as often as
// that is done.
func TestReloadBeforeTheFirstWrite(t *testing.T) {
	for _, name := range []dialect.Name{"pi", "omp", "xcsh", "cambium"} {
		for _, back := range []bool{true, false} {
			env := layout.Env{Home: t.TempDir(), Cwd: "/"}
			s, err := session.Create(t.Context(), "/w", session.Options{Env: env, Dialect: name})
			if err != nil {
				t.Fatal(err)
			}
			path := s.Path()
			for range 2 {
				if _, err := s.Append(t.Context(), user("asked")); err != nil {
					t.Fatal(err)
				}
				was := s.Capture()
				if err := s.Switch(t.Context(), path); err != nil {
					t.Fatal(err)
				}
				if n := s.List().Len(); n != 0 {
					t.Errorf("%s: %d entries where nothing is", name, n)
				}
				if back {
					if err := s.Restore(t.Context(), was); err != nil {
						t.Fatal(err)
					}
				}
			}
			if _, err := s.Append(t.Context(), answer("said")); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if want := map[bool]int{true: 4, false: 2}[back]; err != nil || strings.Count(string(data), "\n") != want {
				t.Errorf("%s, back %v: %v, %d lines, want %d", name, back, err, strings.Count(string(data), "\n"), want)
			}
		}
	}
}

// TestReloadWithoutDirectory: a session whose header names no working directory stays
// where it was opened when another saves it in place.
func TestReloadWithoutDirectory(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "home/.pi/agent/sessions/p/s.jsonl")
	text := func(said string) []byte {
		return []byte(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z"}` + "\n" +
			`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"` + said + `"}}` + "\n")
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, text("one"), 0o600)); err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(t.Context(), path, session.Options{Env: env(dir)})
	if err != nil {
		t.Fatal(err)
	}
	want := s.CWD()
	if err := os.WriteFile(path, text("one and two"), 0o600); err != nil {
		t.Fatal(err)
	}
	changed, err := s.Refresh(t.Context())
	if got := s.CWD(); err != nil || !changed || want == "" || got != want {
		t.Errorf("%v, changed %v: in %q, and before in %q", err, changed, got, want)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
