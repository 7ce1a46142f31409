//go:build peers

package interop_test

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// spoken is what either example prints.
const spoken = `speaks 1.0
new since the mark: And in the sun? (after 2)
on this branch: What grows in the shade? Hostas.
message
  message
    message
  message
closed: Handle
found: True 4 messages
goes on from message
then: What grows in the shade? Hostas. Thank you.
`

// TestClientsOfTheDocument runs the clients that are made from the OpenRPC document:
// they begin a conversation, branch, read contexts, and find it again. Python is that
// of the machine, with its standard library; node is pi's.
func TestClientsOfTheDocument(t *testing.T) {
	root, err := peers.Root()
	if err != nil {
		t.Fatal(err)
	}
	cambium := filepath.Join(t.TempDir(), "cambium")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", cambium, "./cmd/cambium")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatalf("python3 is not on the PATH: %v", err)
	}
	node := peers.Pi.Runtime(root)
	for name, client := range map[string][]string{
		"python":     {python, "-B", filepath.Join(root, "examples/python/conversation.py")},
		"typescript": {node, filepath.Join(root, "examples/typescript/conversation.ts")},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			dir := filepath.Join(home, "sessions")
			args := append(client[1:], dir, cambium, "rpc")
			cmd := exec.CommandContext(t.Context(), client[0], args...)
			cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=", "XDG_CACHE_HOME=", "XDG_CONFIG_HOME=", "CAMBIUM_STATE_DIR="+filepath.Join(home, "state"),
				"CAMBIUM_CACHE_DIR="+filepath.Join(home, "cache"), "CAMBIUM_CONFIG_DIR="+filepath.Join(home, "config"))
			var failed bytes.Buffer
			cmd.Stderr = &failed
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, failed.Bytes())
			}
			if string(out) != spoken {
				t.Errorf("printed\n%s\nwant\n%s", out, spoken)
			}
			leftBy(t, home, dir)
		})
	}
}

// leftBy looks at what a client left.
func leftBy(t *testing.T, home, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("sessions %v, %v", files, err)
	}
	s, err := session.Open(t.Context(), files[0], session.Options{Env: layout.Env{Home: home}, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	path, err := gathered(s.Branch(nil))
	if title, _ := s.Title(); err != nil || s.Len() != 5 || len(path) != 3 || title != "Shade" {
		t.Errorf("%s: %d entries, %d on the branch, %v", title, s.Len(), len(path), err)
	}
}

// TestTypesOfTheDocument: the types in TypeScript are what the generator makes of the
// document now.
func TestTypesOfTheDocument(t *testing.T) {
	root, err := peers.Root()
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.Open(filepath.Join(root, "doc/openrpc.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer document.Close()
	dir := filepath.Join(root, "examples/typescript")
	cmd := exec.CommandContext(t.Context(), peers.Pi.Runtime(root), filepath.Join(dir, "generate.mjs"))
	cmd.Stdin = document
	got, err := cmd.Output()
	if err != nil {
		t.Fatal(fmt.Errorf("generate: %w", err))
	}
	want, err := os.ReadFile(filepath.Join(dir, "methods.ts"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("methods.ts is stale, or was edited: %v", err)
	}
}

// gathered returns the entries of a sequence, up to the first that cannot be read.
func gathered(entries iter.Seq2[entry.Entry, error]) (all []entry.Entry, err error) {
	for e, err := range entries {
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
	return all, nil
}
