package handout_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/handout"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
)

// put writes an output of two files, or of one.
func put(fsys vfs.FS, path string, dir, force bool) error {
	o, err := handout.NewOutput(fsys, path, dir, force)
	if err != nil {
		return err
	}
	for _, name := range []string{"a", "b"} {
		w, err := o.Create(name)
		if err == nil {
			_, err = w.Write([]byte("what is in " + name))
			err = errors.Join(err, w.Close())
		}
		if err != nil {
			return errors.Join(err, o.Discard())
		}
		if !dir {
			break
		}
	}
	return o.Commit()
}

// names are those in a directory.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// TestOutputIsWholeOrNothing: whatever step of writing fails, an output is there as a
// whole or not at all, and nothing else stays; what was there before is as it was.
func TestOutputIsWholeOrNothing(t *testing.T) {
	for _, dir := range []bool{false, true} {
		for _, force := range []bool{false, true} {
			for n := int64(1); ; n++ {
				base := t.TempDir()
				path := filepath.Join(base, "out")
				if force && !dir {
					if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				failed := false
				err := put(errorfs.Wrap(vfs.OS(), errorfs.Nth(n, func(op errorfs.Op) *errorfs.Fault {
					if !op.Kind.Changes() || op.Kind == errorfs.Remove {
						return nil
					}
					return &errorfs.Fault{Short: 3}
				})), path, dir, force)
				failed = errors.Is(err, errorfs.ErrInjected)
				if err != nil && !failed {
					t.Fatal(err)
				}
				there, readErr := os.ReadFile(filepath.Join(path, map[bool]string{true: "b"}[dir]))
				content := string(there)
				whole := content == "what is in "+map[bool]string{false: "a", true: "b"}[dir]
				before := force && !dir && content == "before"
				if !whole && !before && !errors.Is(readErr, fs.ErrNotExist) {
					t.Errorf("dir %v, force %v, step %d: %q, %v", dir, force, n, content, readErr)
				}
				if left := names(t, base); len(left) > 1 || len(left) == 1 && left[0] != "out" {
					t.Errorf("dir %v, force %v, step %d: %q are left", dir, force, n, left)
				}
				if !failed {
					if !whole {
						t.Errorf("dir %v, force %v: nothing failed, and it is not there", dir, force)
					}
					break
				}
			}
		}
	}
}

// A standing is what is at a path when an output is to be put there.
type standing struct {
	name       string
	make       func(path string) error
	dir, force bool
	want       bool // it is taken away
}

// TestOutputTakesNothingAway: what is at the path stays, a directory and a link even
// with force, and also what came there meanwhile.
func TestOutputTakesNothingAway(t *testing.T) {
	for _, test := range append(links(), []standing{
		{"a file", func(path string) error { return os.WriteFile(path, nil, 0o600) }, false, false, false},
		{"a file, by force", func(path string) error { return os.WriteFile(path, nil, 0o600) }, false, true, true},
		{"a file, by force, in the way of a directory", func(path string) error { return os.WriteFile(path, nil, 0o600) }, true, true, false},
		{"a directory, by force", func(path string) error { return os.Mkdir(path, 0o700) }, false, true, false},
		{"an empty directory, by force, in the way of another", func(path string) error { return os.Mkdir(path, 0o700) }, true, true, false},
	}...) {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out")
			if err := test.make(path); err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			err = put(vfs.OS(), path, test.dir, test.force)
			if test.want != (err == nil) || err != nil && !errors.Is(err, fs.ErrExist) {
				t.Errorf("%v", err)
			}
			after, err := os.Lstat(path)
			if err != nil || os.SameFile(before, after) == test.want {
				t.Errorf("taken away: %v, %v", !os.SameFile(before, after), err)
			}
		})
	}
	t.Run("meanwhile", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "out")
		o, err := handout.NewOutput(vfs.OS(), path, false, false)
		if err != nil {
			t.Fatal(err)
		}
		w, err := o.Create("")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Close(), os.WriteFile(path, []byte("theirs"), 0o600)); err != nil {
			t.Fatal(err)
		}
		if err := o.Commit(); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%v", err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != "theirs" || len(names(t, filepath.Dir(path))) != 1 {
			t.Errorf("%q, %v, %q", data, err, names(t, filepath.Dir(path)))
		}
	})
}
