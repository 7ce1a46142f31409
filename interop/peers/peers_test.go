package peers_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/interop/peers"
)

func TestCheckNamesTheRemedy(t *testing.T) {
	for _, p := range []peers.Program{peers.Pi, peers.Omp} {
		if err := p.Check(t.TempDir()); !errors.Is(err, peers.ErrNotInstalled) {
			t.Errorf("%s: got %v, want %v", p, err, peers.ErrNotInstalled)
		}
	}
	if err := peers.Program("xcsh").Check(t.TempDir()); err == nil || errors.Is(err, peers.ErrNotInstalled) {
		t.Errorf("unknown program: got %v", err)
	}
}

func TestRootHasTheDriver(t *testing.T) {
	root, err := peers.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "interop/driver.mjs", "interop/install.sh"} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
}
