package vfs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// strangers is a file system in which somebody else made all links.
type strangers struct{ vfs.FS }

func (s strangers) Lstat(name string) (vfs.Info, error) {
	info, err := s.FS.Lstat(name)
	if info.Mode&fs.ModeSymlink != 0 {
		info.UID = uint32(os.Geteuid()) + 1
	}
	return info, err
}

// TestPin: what is below a pinned directory stays there when its name becomes a
// link, other names are what they are, and a stranger's link is not pinned.
func TestPin(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"in/a", "out/a", "beside/a"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	in, away := filepath.Join(dir, "in"), filepath.Join(dir, "away")
	fsys, release, err := vfs.PinFile(vfs.OS(), filepath.Join(in, "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := errors.Join(os.Rename(in, away), os.Symlink(filepath.Join(dir, "out"), in)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"in/a": "in/a", "beside/a": "beside/a"} {
		if data, err := vfs.ReadFile(fsys, filepath.Join(dir, name), 0); string(data) != want {
			t.Errorf("%s is %q, %v", name, data, err)
		}
	}
	to := filepath.Join(dir, "beside/b")
	if err := fsys.RenameNew(filepath.Join(in, "a"), to); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(to); string(data) != "in/a" {
		t.Errorf("renamed is %q, %v", data, err)
	}
	vfs.PinToo(fsys, filepath.Join(dir, "beside"))
	if held, done := vfs.Hold(fsys, filepath.Join(dir, "beside"), in); held != nil {
		if err := held.RenameNew(to, filepath.Join(in, "c")); err != nil {
			t.Error(err)
		}
		done()
	}
	if data, err := os.ReadFile(filepath.Join(away, "c")); string(data) != "in/a" {
		t.Errorf("renamed back is %q, %v", data, err)
	}
	if _, _, err := vfs.PinFile(strangers{vfs.OS()}, filepath.Join(in, "a")); !errors.Is(err, vfs.ErrLink) {
		t.Errorf("a stranger's link: %v", err)
	}
}
