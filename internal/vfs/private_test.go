//go:build unix

package vfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// TestStrangers: a file is one's own when nobody else can write to it or to
// anything that leads to it, wherever links go.
func TestStrangers(t *testing.T) {
	tests := []struct {
		name string
		make func(dir string) error // beside dir/a/b/file
		file string                 // "" for a/b/file
		says string                 // with DIR for the directory; "" when it is one's own
	}{
		{"mine", func(string) error { return nil }, "", ""},
		{"all read it", func(dir string) error { return os.Chmod(dir+"/a/b/file", 0o644) }, "", ""},
		{"the group writes it", func(dir string) error { return os.Chmod(dir+"/a/b/file", 0o660) }, "", `others can write "DIR/a/b/file"; chmod go-w "DIR/a/b/file"`},
		{"others write it", func(dir string) error { return os.Chmod(dir+"/a/b/file", 0o602) }, "", `chmod go-w "DIR/a/b/file"`},
		{"others write the directory", func(dir string) error { return os.Chmod(dir+"/a/b", 0o777) }, "", `chmod go-w "DIR/a/b"`},
		{"others write one above", func(dir string) error { return os.Chmod(dir+"/a", 0o770) }, "", `chmod go-w "DIR/a"`},
		{"sticky", func(dir string) error { return os.Chmod(dir+"/a", 0o777|os.ModeSticky) }, "", ""},
		{"a sticky file", func(dir string) error { return os.Chmod(dir+"/a/b/file", 0o666|os.ModeSticky) }, "", "chmod go-w"},
		{"a link", func(dir string) error { return os.Symlink("a/b/file", dir+"/link") }, "link", ""},
		{"a link in a place of others", func(dir string) error {
			return errors.Join(os.Mkdir(dir+"/c", 0o700), os.Symlink("../a/b/file", dir+"/c/link"), os.Chmod(dir+"/c", 0o777))
		}, "c/link", `chmod go-w "DIR/c"`},
		{"a link to a place of others", func(dir string) error {
			return errors.Join(os.Symlink(dir+"/a/b/file", dir+"/link"), os.Chmod(dir+"/a", 0o777))
		}, "link", `chmod go-w "DIR/a"`},
		{"a linked directory in a place of others", func(dir string) error {
			return errors.Join(os.Mkdir(dir+"/c", 0o700), os.Symlink("../a", dir+"/c/link"), os.Chmod(dir+"/c", 0o777))
		}, "c/link/b/file", `chmod go-w "DIR/c"`},
		{"up from where a link leads", func(dir string) error {
			return errors.Join(os.Symlink("a/b", dir+"/link"), os.WriteFile(dir+"/a/file", nil, 0o602), os.Chmod(dir+"/a/file", 0o602))
		}, "link/../file", `chmod go-w "DIR/a/file"`},
		{"links in a ring", func(dir string) error { return os.Symlink("link", dir+"/link") }, "link", "too many"},
		{"nothing", func(string) error { return nil }, "none", "no such file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err = errors.Join(err, os.Chmod(dir, 0o700), os.MkdirAll(dir+"/a/b", 0o700), os.WriteFile(dir+"/a/b/file", nil, 0o600), test.make(dir)); err != nil {
				t.Fatal(err)
			}
			file := dir + "/a/b/file"
			if test.file != "" {
				file = dir + "/" + test.file
			}
			why, err := vfs.Strangers(vfs.OS(), file)
			if err != nil {
				why = err.Error()
			}
			if test.says == "" && why != "" || !strings.Contains(why, strings.ReplaceAll(test.says, "DIR", dir)) {
				t.Errorf("it is said %q, want %q", why, test.says)
			}
		})
	}
	if why, err := vfs.Strangers(vfs.OS(), "file"); err != nil || !strings.Contains(why, "not absolute") {
		t.Errorf("a relative name: %q, %v", why, err)
	}
}

// theirs is a file system in which one name belongs to somebody else.
type theirs struct {
	vfs.FS
	name string
}

// Lstat describes a name.
func (f theirs) Lstat(name string) (vfs.Info, error) {
	info, err := f.FS.Lstat(name)
	if name == f.name {
		info.UID = uint32(os.Geteuid()) + 4711
	}
	return info, err
}

// TestStrangersOwn: what belongs to somebody else on the way is said.
func TestStrangersOwn(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err = errors.Join(err, os.Chmod(dir, 0o700), os.Mkdir(dir+"/a", 0o700), os.WriteFile(dir+"/a/file", nil, 0o600), os.Symlink("a", dir+"/link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/link", "/a", "/a/file"} {
		why, err := vfs.Strangers(theirs{vfs.OS(), dir + name}, dir+"/link/file")
		if err != nil || !strings.Contains(why, dir+name+`" belongs to somebody else`) {
			t.Errorf("%s: %q, %v", name, why, err)
		}
	}
}
