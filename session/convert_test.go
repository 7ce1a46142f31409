package session_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/conversion"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// example opens the example of an agent to look at it, on a machine with an
// empty home.
func example(t *testing.T, agent, pattern string) *session.Session {
	t.Helper()
	home, err := filepath.Abs(filepath.Join("..", "examples", agent, "agent"))
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(home, "sessions", pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("examples: %v, %v", found, err)
	}
	return viewed(t, found[0], session.Options{AgentDir: home, Env: layout.Env{Home: t.TempDir(), Cwd: "/"}})
}

func viewed(t *testing.T, path string, o session.Options) *session.Session {
	t.Helper()
	o.ReadOnly = true
	s, err := session.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// conversation returns the roles of what the model sees, as far as all programs
// have them, and whether all images were found.
func conversation(t *testing.T, s *session.Session) (roles string, whole bool) {
	t.Helper()
	c, err := s.Context(t.Context(), session.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	whole = true
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		switch m.Role {
		case entry.RolePython, entry.RoleDeveloper, entry.RoleFileMention:
			roles += " custom" // what a program that has no such role makes of it
		default:
			roles += " " + m.Role.String()
		}
		whole = whole && !strings.Contains(string(m.JSON), "blob:sha256:")
	}
	return roles, whole
}

func TestConvertExamples(t *testing.T) {
	for _, from := range []struct{ agent, pattern string }{
		{"pi", "--work-garden--/*.jsonl"}, {"omp", "*/*.jsonl"}, {"xcsh", "*/*.jsonl"}, {"cambium", "*/*.jsonl"},
	} {
		for _, to := range places.Names() {
			if to == from.agent {
				continue
			}
			t.Run(from.agent+" to "+to, func(t *testing.T) {
				s := example(t, from.agent, from.pattern)
				home := t.TempDir()
				over := layout.Overrides{AgentDir: home}
				done, err := s.Convert(t.Context(), session.ConvertOptions{To: dialect.Name(to), Directories: over})
				if err != nil {
					t.Fatal(err)
				}
				if !strings.HasPrefix(done.Path, filepath.Join(home, "sessions")) || done.ID == s.ID() {
					t.Errorf("it is %s at %s", done.ID, done.Path)
				}
				o := session.Options{AgentDir: home, Env: layout.Env{Home: t.TempDir(), Cwd: "/"}}
				out := viewed(t, done.Path, o)
				if out.Dialect() != dialect.Name(to) {
					t.Errorf("it is taken for one of %s", out.Dialect())
				}
				before, _ := conversation(t, s)
				after, whole := conversation(t, out)
				if before != after || !whole {
					t.Errorf("the model sees%s, images %v; it saw%s", after, whole, before)
				}
				was, _ := s.Title()
				if is, _ := out.Title(); is != was {
					t.Errorf("it is called %q, was %q", is, was)
				}
				if d := out.Damage(); d.Any() {
					t.Errorf("damage: %s", d)
				}
				old, err := s.Artifacts()
				if err != nil {
					t.Fatal(err)
				}
				if now, err := out.Artifacts(); err != nil || len(now) != len(old) {
					t.Errorf("%d artifacts, %v; there were %d", len(now), err, len(old))
				}
			})
		}
	}
}

func TestConvertBranch(t *testing.T) {
	s := example(t, "xcsh", "*/*.jsonl")
	leaf, ok := s.Leaf()
	if !ok {
		t.Fatal("no leaf")
	}
	done, err := s.Convert(t.Context(), session.ConvertOptions{To: dialect.Pi, At: &leaf, CWD: "/elsewhere", Directories: layout.Overrides{SessionDir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	out := viewed(t, done.Path, session.Options{Env: layout.Env{Home: t.TempDir(), Cwd: "/"}})
	if out.Len() >= s.Len() || out.CWD() != "/elsewhere" || done.ParentSession != s.Path() {
		t.Errorf("%d of %d entries in %s from %s", out.Len(), s.Len(), out.CWD(), done.ParentSession)
	}
	if tips := out.Tree().Tips(); len(tips) != 1 {
		t.Errorf("%d branches", len(tips))
	}
	before, _ := conversation(t, s)
	if after, _ := conversation(t, out); after != before {
		t.Errorf("the model sees%s; it saw%s", after, before)
	}
	nobody := entry.ID("nobody")
	if _, err := s.Convert(t.Context(), session.ConvertOptions{To: dialect.Pi, At: &nobody}); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("to an entry that is not there: %v", err)
	}
}

// TestConvertOld converts a session of version 1: it is migrated on the way, and
// its own file stays as it is.
func TestConvertOld(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "old.jsonl")
	const old = `{"type":"session","id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/work"}
{"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"hello","timestamp":1}}
{"type":"message","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"hookMessage","customType":"c","content":"x","display":true,"timestamp":2}}
`
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	env := layout.Env{Home: t.TempDir(), Cwd: "/"}
	s := viewed(t, path, session.Options{Env: env})
	to := filepath.Join(dir, "new.jsonl")
	done, err := s.Convert(t.Context(), session.ConvertOptions{To: dialect.Omp, Path: to, KeepID: true})
	if err != nil {
		t.Fatal(err)
	}
	if done.ID != "s1" || done.Path != to || done.ParentSession != "" {
		t.Errorf("done = %+v", done)
	}
	out := viewed(t, to, session.Options{Env: env})
	if h := out.Header(); h.Version != session.CurrentVersion || h.Timestamp != "2026-01-02T03:04:05.000Z" {
		t.Errorf("header = %s", h.Raw)
	}
	if roles, _ := conversation(t, out); roles != " user custom" {
		t.Errorf("the model sees%s", roles)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != old {
		t.Errorf("the old file is %q, %v", data, err)
	}
	if _, err := s.Convert(t.Context(), session.ConvertOptions{To: dialect.Omp, Path: to}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("to a path that is taken: %v", err)
	}
	if _, err := s.Convert(t.Context(), session.ConvertOptions{To: "vim"}); err == nil {
		t.Error("to a dialect that is none: no error")
	}
}

// TestConvertFailed leaves nothing behind.
func TestConvertFailed(t *testing.T) {
	s := example(t, "pi", "--work-garden--/*.jsonl")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := s.Convert(t.Context(), session.ConvertOptions{To: dialect.Xcsh, Path: filepath.Join(file, "s.jsonl")})
	if err == nil {
		t.Error("no error for a path that cannot be")
	}
	dir := t.TempDir()
	done, err := s.Convert(t.Context(), session.ConvertOptions{To: dialect.Xcsh, Path: filepath.Join(dir, "s.jsonl"),
		Directories: layout.Overrides{AgentDir: file}})
	if err != nil {
		t.Fatal(err)
	}
	if done.Report.Counts[conversion.Image] != 0 {
		t.Errorf("blobs cannot be written, yet the image went there: %v", done.Report.Counts)
	}
	out := viewed(t, done.Path, session.Options{Env: layout.Env{Home: t.TempDir(), Cwd: "/"}})
	if _, whole := conversation(t, out); !whole {
		t.Error("the image is lost")
	}
}
