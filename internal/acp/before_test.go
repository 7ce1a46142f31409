package acp_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/acp"
	"github.com/cambium-dev/cambium/internal/scratch"
)

// TestBeforeFollowsNoLink: an editor is shown what a file held, and nothing that a
// link leads to.
func TestBeforeFollowsNoLink(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "work")
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.MkdirAll(at("d"), 0o700), os.WriteFile(at("d/file"), []byte("held"), 0o600), os.WriteFile(filepath.Join(top, "key"), []byte("SECRET"), 0o600),
		os.Symlink("../key", at("out")), os.Symlink("d/file", at("in")), os.Symlink("d", at("dir")), scratch.Mkfifo(at("pipe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"d/file": "held", "out": "", "in": "", "dir/file": "", "pipe": "", "../key": "", "none": ""} {
		if got, there := acp.Before(dir, filepath.Join(dir, name)); got != want || there != (want != "") {
			t.Errorf("%s: %q, %v", name, got, there)
		}
	}
}
