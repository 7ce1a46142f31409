package session_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"pgregory.net/rapid"
)

// ground returns an empty directory for a world of a model. Most worlds are in
// memory, one of eight is in a directory below root.
func ground(t *rapid.T, root string) (vfs.FS, string, error) {
	if rapid.IntRange(0, 7).Draw(t, "ground") != 7 {
		return crashfs.New(), "/", nil
	}
	dir, err := os.MkdirTemp(root, "w")
	return errorfs.Light(vfs.OS()), dir, err
}

// lay writes a file that is not there, in a directory that may not be there.
func lay(fsys vfs.FS, path string, data []byte) error {
	if _, err := vfs.MkdirAll(fsys, filepath.Dir(path)); err != nil {
		return err
	}
	return scribble(fsys, path, os.O_CREATE|os.O_EXCL, data)
}

// scribble appends to a file as a program without locks does.
func scribble(fsys vfs.FS, path string, flag int, data []byte) error {
	f, err := fsys.Open(path, os.O_WRONLY|os.O_APPEND|flag)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// contents tells all names below a directory, their modes and what they hold.
func contents(t *testing.T, fsys vfs.FS, dir string) string {
	t.Helper()
	infos, err := fsys.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, info := range infos {
		path, held := filepath.Join(dir, info.Name), ""
		if info.Mode.IsDir() {
			held = contents(t, fsys, path)
		} else if info.Regular() {
			data, err := vfs.ReadFile(fsys, path, 0)
			if err != nil {
				t.Fatal(err)
			}
			held = string(data)
		}
		fmt.Fprintf(&b, "%s %s %d\n%s\n", path, info.Mode, len(held), held)
	}
	return b.String()
}
