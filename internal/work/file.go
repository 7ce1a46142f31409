package work

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// readFile reads the beginning of a regular file that a person names or has, which
// may be a link of theirs.
func readFile(path string, most int64) ([]byte, error) {
	real, err := vfs.Resolve(vfs.OS(), path)
	if err != nil {
		return nil, err
	}
	return vfs.ReadFile(vfs.OS(), real, most)
}

// unreadable reports whether a file is there that may not be read.
func unreadable(path string) bool {
	_, err := readFile(path, 1)
	return errors.Is(err, fs.ErrPermission)
}

// Full reports whether there was no room for what was to be written.
func Full(err error) bool {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, io.ErrShortWrite} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// replaceFile writes a small file of Cambium's own so that at any time the old
// or the new one is there, whole.
func replaceFile(path string, data []byte) (err error) {
	fsys := vfs.OS()
	if _, err := vfs.MkdirAll(fsys, filepath.Dir(path)); err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"-"+rand.Text()[:10])
	f, err := fsys.Open(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	if _, err = vfs.WriteAll(f, data); err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = fsys.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, fsys.Remove(temp))
	}
	return nil
}
