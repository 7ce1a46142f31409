//go:build unix

package vfs_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// TestPipeIsNoDirectory: a named pipe in the place of a directory is said at once; nobody
// waits for who writes to it.
func TestPipeIsNoDirectory(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, fsys := range map[string]vfs.FS{"os": vfs.OS(), "under": vfs.Under(vfs.OS(), dir)} {
		for call, do := range map[string]func() error{
			"ReadDir": func() error { _, err := fsys.ReadDir(pipe); return err },
			"Names":   func() error { _, err := fsys.Names(pipe); return err },
			"SyncDir": func() error { return fsys.SyncDir(pipe) },
		} {
			if err := do(); !errors.Is(err, syscall.ENOTDIR) {
				t.Errorf("%s: %s: %v", name, call, err)
			}
		}
	}
}
