//go:build unix

package serve

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSocketIsPrivate: with a umask that takes nothing away, in a directory where
// everybody writes, the socket has no name by which another user could connect:
// not from its first moment on, and not on its way to its own name.
func TestSocketIsPrivate(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "cambium") // paths of sockets are short, that of another directory may not be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	defer syscall.Umask(syscall.Umask(0))

	l, err := listen(filepath.Join(dir, "early"))
	if err != nil {
		t.Fatal(err)
	}
	private(t, filepath.Join(dir, "early"))
	if err := errors.Join(l.Close(), os.Remove(filepath.Join(dir, "early"))); err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(dir, "serve.sock")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				look(t, dir)
			}
		}
	}()
	for range 100 {
		l, info, err := bind(path)
		if err != nil {
			t.Error(err)
			break
		}
		private(t, path)
		if info.Mode != fs.ModeSocket|0o600 {
			t.Errorf("it is told to be %v", info.Mode)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	<-stopped
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Errorf("left are %v, %v", list, err)
	}
}

// look fails when another user could use a socket in dir, or see what is in a
// directory in it.
func look(t *testing.T, dir string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Error(err)
	}
	for _, entry := range list {
		if info, err := entry.Info(); err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %v", entry.Name(), info.Mode())
		}
	}
}

func private(t *testing.T, path string) {
	t.Helper()
	if info, err := os.Lstat(path); err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("%s is %v, %v", path, info.Mode(), err)
	}
}
