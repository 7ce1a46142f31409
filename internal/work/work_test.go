package work_test

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// library returns a library with a session in a home of its own, the path of that, and
// the notes that are told.
func library(t *testing.T) (l *work.Library, path string, notes *[]work.Note) {
	t.Helper()
	home := t.TempDir()
	none := func(string) string { return "" }
	env := layout.Env{
		Home: home, Cwd: home, Getenv: none, LookupEnv: func(string) (string, bool) { return "", false },
		Exists: func(p string) bool { _, err := os.Stat(p); return err == nil },
		Real:   func(p string) (string, bool) { p, err := filepath.EvalSymlinks(p); return p, err == nil },
	}
	notes = &[]work.Note{}
	l = work.New(work.Machine{Env: env, Now: time.Now, Random: rand.Reader},
		work.Front{Note: func(n work.Note) { *notes = append(*notes, n) }})
	l.Dir = home
	t.Cleanup(l.Close)
	s, err := session.Create(t.Context(), home, l.Session())
	if err != nil {
		t.Fatal(err)
	}
	path = s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return l, path, notes
}

// TestRenameIsTakenBack names a session, and takes that back by what the verb returned.
func TestRenameIsTakenBack(t *testing.T) {
	l, path, notes := library(t)
	r, err := l.Rename(t.Context(), path, work.RenameOptions{Name: "water"})
	if err != nil || r.Title != "water" || len(r.Undo) != 1 {
		t.Fatalf("renamed %+v, %v", r, err)
	}
	_, err = l.Rename(t.Context(), path, work.RenameOptions{Name: "fire", Auto: true})
	var kept *work.NameError
	if !errors.As(err, &kept) || kept.Kept != "water" {
		t.Errorf("a program's name over a user's: %v", err)
	}
	if _, err := l.Undo(t.Context(), r.Undo[0]); err != nil {
		t.Fatal(err)
	}
	s, err := l.OpenRead(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if title, _ := s.Title(); title != "" {
		t.Errorf("the name is %q after it was taken back", title)
	}
	if len(*notes) > 0 {
		t.Errorf("notes %v", *notes)
	}
}

// TestRemoveComesBack moves a session to the trash and brings it back.
func TestRemoveComesBack(t *testing.T) {
	l, path, _ := library(t)
	o, err := l.Remove(t.Context(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	var step *work.Error
	if _, err := l.OpenRead(t.Context(), path); !errors.As(err, &step) || step.Step != work.Opening || !errors.Is(err, session.ErrNotFound) {
		t.Errorf("opening what was removed: %v", err)
	}
	all, err := l.Trashed(t.Context())
	if err != nil || len(all) != 1 || all[0].ID != o.ID {
		t.Fatalf("in the trash: %+v, %v", all, err)
	}
	r, err := l.Restore(t.Context(), o.ID, "")
	if err != nil || r.Now != path {
		t.Errorf("restored %+v, %v", r, err)
	}
}

// TestMoveSaysWhereItIs moves a session to another directory, and once more.
func TestMoveSaysWhereItIs(t *testing.T) {
	l, path, notes := library(t)
	dir := filepath.Join(l.Dir, "garden")
	first, err := l.Move(t.Context(), path, "garden")
	if err != nil || first.Already || first.Path == path || len(first.Undo) != 1 {
		t.Fatalf("moved %+v, %v", first, err)
	}
	if want := (work.Note{Path: dir, Text: "there is no such directory here"}); len(*notes) != 1 || (*notes)[0] != want {
		t.Errorf("notes %v, want %v", *notes, want)
	}
	again, err := l.Move(t.Context(), first.Path, dir)
	if err != nil || !again.Already || again.Path != first.Path || len(again.Undo) > 0 {
		t.Errorf("moved again %+v, %v", again, err)
	}
}

// TestEmptyIsNoSession refuses to change a file in which nothing was begun.
func TestEmptyIsNoSession(t *testing.T) {
	l, _, _ := library(t)
	path := filepath.Join(l.Dir, "empty.jsonl")
	if err := os.WriteFile(path, []byte("\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var empty *work.Empty
	if _, err := l.Label(t.Context(), path, "abcd", "x"); !errors.As(err, &empty) {
		t.Errorf("labelled in an empty file: %v", err)
	}
}
