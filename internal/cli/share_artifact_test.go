//go:build share

package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/storage"
)

// lists returns the logs in a store that list artifacts, the trash included.
func lists(t *testing.T, url string) (all []string) {
	t.Helper()
	store := opened(t, url)
	var walk func(dir string)
	walk = func(dir string) {
		for info, err := range store.List(t.Context(), dir) {
			if errors.Is(err, storage.ErrNotExist) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case info.Mode.IsDir():
				walk(info.Name)
			case filepath.Base(info.Name) == "artifacts.list":
				all = append(all, info.Name)
			}
		}
	}
	walk("/")
	slices.Sort(all)
	return all
}

// listOf is where the list of a session's artifacts lies.
func listOf(path string) string { return strings.TrimSuffix(path, ".jsonl") + "/artifacts.list" }

// TestShareArtifacts: what a session of a store has of artifacts goes with it when
// it is moved, removed, brought back and forked, and with nothing else.
func TestShareArtifacts(t *testing.T) { eachStore(t, testShareArtifacts) }

func testShareArtifacts(t *testing.T, url string) {
	work := t.TempDir()
	one := newHome(t, work, url)
	local := func(h home) home { return home{dir: h.dir, env: h.env[:1]} }
	const id = "0123456789abcdef"
	file := strings.TrimSpace(local(one).run(t, "", 0, "new", "--id", id, "--name", "with outputs"))
	local(one).run(t, user("first"), 0, "append", id)
	outputs := map[string]string{"0.bash.log": "whole output", "deep/1.read.log": "another"}
	for name, text := range outputs {
		at := filepath.Join(strings.TrimSuffix(file, ".jsonl"), name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	one.run(t, "", 0, "sync")
	var is struct{ Path string }
	is.Path = strings.TrimRight(one.run(t, "", 0, "ls", "--null"), "\x00\n")
	want := func(what string, paths ...string) {
		t.Helper()
		for i := range paths {
			paths[i] = listOf(paths[i])
		}
		slices.Sort(paths)
		if got := lists(t, url); !slices.Equal(got, paths) {
			t.Errorf("after %s the lists are %q, want %q", what, got, paths)
		}
	}
	// arrives syncs to a home that has nothing: the files beside each session there.
	arrives := func(what string, sessions int) {
		t.Helper()
		h := newHome(t, work, url)
		h.run(t, "", 0, "sync")
		top := filepath.Join(strings.TrimPrefix(h.env[0], "HOME="), ".cambium", "agent", "sessions", "*", "*")
		for name, text := range outputs {
			found, err := filepath.Glob(filepath.Join(top, name))
			if err != nil || len(found) != sessions {
				t.Errorf("after %s %s came to %v, %v", what, name, found, err)
			}
			for _, at := range found {
				if raw, err := os.ReadFile(at); err != nil || string(raw) != text {
					t.Errorf("after %s %s says %q, %v", what, at, raw, err)
				}
			}
		}
	}
	want("sync", is.Path)

	moved := strings.TrimSpace(one.run(t, "", 0, "move", id, t.TempDir()))
	want("move", moved)
	arrives("move", 1)
	if back := one.operation(t, "undo"); back.Path != is.Path {
		t.Errorf("undo: %+v", back)
	}
	want("undo of move", is.Path)

	gone := one.operation(t, "rm", id)
	want("rm", "/.local/state/cambium/trash/"+gone.UndoID+"/artifacts")
	arrives("rm", 0)
	newHome(t, work, url).run(t, "", 0, "trash", "restore", gone.UndoID)
	want("restore", is.Path)
	arrives("restore", 1)

	fork := strings.TrimSpace(one.run(t, "", 0, "fork", id))
	want("fork", is.Path, fork)
	arrives("fork", 2)
	one.run(t, user("only here"), 0, "append", fork)
	one.run(t, "", 0, "rm", fork)
	one.run(t, "", 0, "trash", "empty", "--all", "--yes")
	want("the end of the fork", is.Path)
	arrives("the end of the fork", 1)
	one.run(t, "", 0, "rm", id)
	one.run(t, "", 0, "trash", "empty", "--all", "--yes")
	want("the end")
}
