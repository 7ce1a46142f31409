package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/session"
)

// A session that is to be written later changes nothing until it is in use.
func TestLater(t *testing.T) {
	ctx := context.Background()
	old := `{"type":"session","id":"sess","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`
	oldUser := `{"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"hi","timestamp":1}}`
	tests := []struct {
		name   string
		lines  []string
		gone   bool
		reinit bool
	}{
		{name: "present", lines: []string{headerLine, userLine, answerLine}},
		{name: "an older version", lines: []string{old, oldUser}},
		{name: "empty"},
		{name: "missing", gone: true},
		{name: "no session", lines: []string{"x"}, reinit: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := file(t, test.lines...)
			if test.gone {
				_ = os.Remove(path)
			}
			before, _ := os.ReadFile(path)
			visits := 0
			s := open(t, path, session.Options{
				Later: true, Reinitialize: test.reinit, OnVisit: func(session.Visit) { visits++ },
			})
			id, had := s.ID(), s.Len()
			if id == "" || s.Path() != path {
				t.Errorf("id %q, path %q", id, s.Path())
			}
			if _, err := s.Append(ctx, user("no")); !errors.Is(err, session.ErrReadOnly) {
				t.Errorf("Append: %v", err)
			}
			after, err := os.ReadFile(path)
			if string(after) != string(before) || errors.Is(err, os.ErrNotExist) != test.gone || visits != 0 {
				t.Errorf("something changed: %q, %v, %d visits", after, err, visits)
			}
			for range 2 {
				if err := s.StartWriting(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if s.ID() != id || s.Len() != had || visits != 1 {
				t.Errorf("id %q was %q, %d entries were %d, %d visits", s.ID(), id, s.Len(), had, visits)
			}
			if _, err := s.Append(ctx, user("yes")); err != nil {
				t.Fatal(err)
			}
			if got := read(t, path); !strings.Contains(got, `"version":3`) || !strings.Contains(got, "yes") {
				t.Errorf("file: %s", got)
			}
		})
	}
}

func TestLaterKeepsTheLeaf(t *testing.T) {
	s := open(t, file(t, headerLine, userLine, answerLine), session.Options{Later: true})
	if err := s.MoveLeaf("u1"); err != nil {
		t.Fatal(err)
	}
	if err := s.StartWriting(context.Background()); err != nil {
		t.Fatal(err)
	}
	if leaf, _ := s.Leaf(); leaf != entry.ID("u1") {
		t.Errorf("leaf %q", leaf)
	}
}

func TestLaterCloseLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "s.jsonl")
	s := open(t, path, session.Options{Later: true, Env: env(t.TempDir())})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("stat: %v", err)
	}
}
