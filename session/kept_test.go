package session_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/session"
)

// TestWorkspaceDirectories: the header of omp's sessions has the further directories,
// also of a session that is written later; the programs' checks hold.
func TestWorkspaceDirectories(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	s := create(t, session.Options{Dialect: "omp", Env: env(dir)})
	add(t, s, user("a prompt"))
	got, err := s.AddDirectory(ctx, "more")
	if err != nil || got != "/w/more" {
		t.Fatalf("%q, %v", got, err)
	}
	if got, err := s.AddDirectory(ctx, "/w/more/"); err != nil || got != "" {
		t.Errorf("again: %q, %v", got, err)
	}
	if got, err := s.AddDirectory(ctx, "~/x"); err != nil || got != filepath.Join(dir, "home/x") {
		t.Errorf("home: %q, %v", got, err)
	}
	const says = "The current working directory is already the primary workspace root."
	if _, err := s.AddDirectory(ctx, "."); err == nil || err.Error() != says {
		t.Errorf("the working directory: %v", err)
	}
	if _, err := os.Lstat(s.Path()); err == nil {
		t.Error("written before its time")
	}
	add(t, s, answer("an answer"))
	if got, err := s.RemoveDirectory(ctx, "~/x"); err != nil || got != filepath.Join(dir, "home/x") {
		t.Errorf("removed %q, %v", got, err)
	}
	if err := s.SetDirectories(ctx, []string{"/b", "/w", "c", "/b"}); err != nil {
		t.Fatal(err)
	}
	again := open(t, s.Path(), session.Options{Dialect: "omp"})
	if got := fmt.Sprint(again.Directories()); got != "[/b /w/c]" {
		t.Errorf("directories %s", got)
	}
	if err := s.SetDirectories(ctx, nil); err != nil || strings.Contains(read(t, s.Path()), "additionalDirectories") {
		t.Errorf("none: %v", err)
	}
	plain := create(t, session.Options{Dialect: "pi", Env: env(t.TempDir())})
	if _, err := plain.AddDirectory(ctx, "/b"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("pi: %v", err)
	}
}

// TestEditorText: what was typed and not sent is there for the next one who opens the
// session, once.
func TestEditorText(t *testing.T) {
	ctx := t.Context()
	s := create(t, session.Options{Dialect: "omp", Env: env(t.TempDir())})
	if err := s.SaveEditor(ctx, "half a thought"); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveEditor(ctx, "a thought"); err != nil {
		t.Fatal(err)
	}
	other := open(t, s.Path(), session.Options{Dialect: "omp"})
	if text, ok, err := other.TakeEditor(ctx); text != "a thought" || !ok || err != nil {
		t.Errorf("%q, %v, %v", text, ok, err)
	}
	if text, ok, err := s.TakeEditor(ctx); text != "" || ok || err != nil {
		t.Errorf("again: %q, %v, %v", text, ok, err)
	}
	if err := s.SaveEditor(ctx, "x"); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveEditor(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := s.TakeEditor(ctx); ok || err != nil {
		t.Errorf("taken back: %v, %v", ok, err)
	}
}

// TestDiscard: a discarded entry is off the branch for good, and nothing is gone.
func TestDiscard(t *testing.T) {
	ctx := t.Context()
	s := create(t, session.Options{Dialect: "omp", Env: env(t.TempDir())})
	add(t, s, user("a prompt"))
	said := add(t, s, answer("an answer"))
	bad := add(t, s, user("sent by mistake"))
	add(t, s, &entry.ServiceTierChangeBody{ServiceTier: entry.JSON(`"priority"`)})
	if err := s.Discard(ctx, bad); err != nil {
		t.Fatal(err)
	}
	again := open(t, s.Path(), session.Options{Dialect: "omp"})
	path, err := gathered(again.Branch(nil))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, e := range path {
		kinds = append(kinds, e.Kind.String())
		if e.ID == bad {
			t.Error("it is on the branch")
		}
	}
	if got := strings.Join(kinds, " "); got != "message message service_tier_change branch_summary" {
		t.Errorf("branch %s", got)
	}
	if path[2].ParentID != said {
		t.Errorf("goes on from %v", path[2].ParentID)
	}
	if _, err := again.Entry(bad); err != nil {
		t.Errorf("the entry: %v", err)
	}
	if err := s.Discard(ctx, "nobody"); err != nil {
		t.Errorf("nobody: %v", err)
	}
}
