package session_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/session"
)

// TestMoveBeforeTheFirstWrite: what a session has before it has a file goes with
// it: its artifacts. A file that never was is no earlier place of it.
func TestMoveBeforeTheFirstWrite(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	for _, agent := range []string{"omp", "xcsh"} {
		t.Run(agent, func(t *testing.T) {
			s := create(t, session.Options{Dialect: dialect.Name(agent), Env: env(dir)})
			add(t, s, user("a prompt"))
			_, w, err := s.NewArtifact(ctx, "bash")
			if err != nil {
				t.Fatal(err)
			}
			if _, err = io.WriteString(w, "all of it"); err == nil {
				err = w.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			old := s.ArtifactDir()
			if err := s.Move(ctx, "/elsewhere"); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Lstat(old); err == nil {
				t.Error("the artifacts stayed behind")
			}
			path, err := s.Artifact(0)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Dir(path) != s.ArtifactDir() || read(t, path) != "all of it" {
				t.Errorf("artifact %q", path)
			}
			add(t, s, answer("an answer"))
			if head, _, _ := strings.Cut(read(t, s.Path()), "\n"); strings.Contains(head, "previousSessionFiles") {
				t.Errorf("header %s", head)
			}
		})
	}
}

// TestMoveOfADeletedFile: a session whose file was deleted, perhaps with its
// directory, is moved whole, from what is known of it.
func TestMoveOfADeletedFile(t *testing.T) {
	ctx := context.Background()
	file, folder := os.Remove, func(path string) error { return os.RemoveAll(filepath.Dir(path)) }
	for name, c := range map[string]struct {
		remove func(path string) error
		opened bool
	}{
		"the file":                        {remove: file},
		"the directory":                   {remove: folder},
		"the file of a session read":      {remove: file, opened: true},
		"the directory of a session read": {remove: folder, opened: true},
	} {
		t.Run(name, func(t *testing.T) {
			var told []session.EventKind
			o := session.Options{Dialect: "omp", Env: env(t.TempDir()), OnEvent: func(e session.Event) { told = append(told, e.Kind) }}
			s := create(t, o)
			add(t, s, user("a prompt"))
			add(t, s, answer("an answer"))
			old := s.Path()
			if c.opened {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				s = open(t, old, o)
			}
			if err := c.remove(old); err != nil {
				t.Fatal(err)
			}
			if err := s.Move(ctx, "/elsewhere"); err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(told, session.Restored) {
				t.Errorf("told %v", told)
			}
			if text := read(t, s.Path()); s.Path() == old || !strings.Contains(text, "a prompt") || !strings.Contains(text, "an answer") {
				t.Errorf("at %q: %q", s.Path(), text)
			}
			if _, err := os.Lstat(old); err == nil {
				t.Error("the old name is there again")
			}
		})
	}
}
