package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// TestBlobsBesides: a session in a copy of an agent directory has its images,
// and takes them along when it is forked.
func TestBlobsBesides(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "examples", "xcsh", "agent"))); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "sessions", "*", "*.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("sessions: %v, %v", found, err)
	}
	home := t.TempDir()
	o := session.Options{Env: layout.Env{Home: home, Cwd: "/"}}
	if _, whole := conversation(t, viewed(t, found[0], o)); !whole {
		t.Error("the image beside the sessions was not found")
	}
	fork, err := session.ForkFrom(t.Context(), found[0], "/work", o)
	if err != nil {
		t.Fatal(err)
	}
	defer fork.Close()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, whole := conversation(t, viewed(t, fork.Path(), o)); !whole {
		t.Error("the fork left the image behind")
	}
	blobs, err := filepath.Glob(filepath.Join(home, ".xcsh", "agent", "blobs", "*"))
	if err != nil || len(blobs) != 1 {
		t.Errorf("blobs of the fork: %v, %v", blobs, err)
	}
}
