package state_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/state"
)

// TestBelieved: what somebody else could have written says nothing: not which file is
// replaced, deleted or made, and not with what.
func TestBelieved(t *testing.T) {
	t.Parallel()
	const was, forged = "was here\n", "forged\n"
	revert := func(context.Context, state.Change) (string, string, error) {
		t.Error("something is reverted")
		return "", "", nil
	}
	for _, at := range []string{"", "operations", "kept", "kept/ID"} {
		t.Run("replaced, others write to "+at, func(t *testing.T) {
			root, j := machine(t, nil)
			path := write(t, filepath.Join(root, "s.jsonl"), was)
			id, err := j.Begin(t.Context(), state.Change{Op: state.Migrate, Path: path})
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, "now\n")
			if err := j.End(t.Context(), id, nil); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(root, "state/cambium")
			write(t, filepath.Join(dir, "kept", id, "bytes"), forged)
			loosen(t, filepath.Join(dir, strings.ReplaceAll(at, "ID", id)))
			_, err = j.Undo(t.Context(), "", revert)
			wantDisbelief(t, err)
			if got := read(t, path); got != "now\n" {
				t.Errorf("the file holds %q", got)
			}
		})
	}
	for _, at := range []string{"", "trash", "trash/ID", "trash/ID/record"} {
		t.Run("removed, others write to "+at, func(t *testing.T) {
			root, j := machine(t, nil)
			o := trash(t, j, write(t, filepath.Join(root, "s.jsonl"), was))
			loosen(t, filepath.Join(root, "state/cambium", strings.ReplaceAll(at, "ID", o.ID)))
			_, err := j.Restore(t.Context(), o.ID, "")
			wantDisbelief(t, err)
			if _, err := os.Lstat(o.Path); err == nil {
				t.Error("it was brought back")
			}
		})
	}
}

// loosen lets others write to a file or directory: it could have been anybody's.
func loosen(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.Chmod(path, info.Mode().Perm()|0o002)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func wantDisbelief(t *testing.T, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "is not believed: everybody can write to it; chmod o-w helps") {
		t.Errorf("error %v", err)
	}
}

// TestIDsNameNothingElsewhere: a record whose id is a path is none.
func TestIDsNameNothingElsewhere(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"../../precious", "..", ".", "a/b", "a\\b", "a b", "\x00", strings.Repeat("a", 200)} {
		root, j := machine(t, nil)
		o := trash(t, j, write(t, filepath.Join(root, "s.jsonl"), "{}\n"))
		precious := write(t, filepath.Join(root, "precious"), "precious")
		record := filepath.Join(root, "state/cambium/operations")
		text := strings.ReplaceAll(read(t, record), `"`+o.ID+`"`, fmt.Sprintf("%q", id))
		if err := os.WriteFile(record, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if all, err := j.List(t.Context()); err != nil || len(all) != 0 {
			t.Errorf("id %q: %d on record, %v", id, len(all), err)
		}
		if r, err := j.Undo(t.Context(), "", nil); err == nil {
			t.Errorf("id %q: undone: %+v", id, r)
		}
		if read(t, precious) != "precious" {
			t.Errorf("id %q: another file was changed", id)
		}
	}
}
