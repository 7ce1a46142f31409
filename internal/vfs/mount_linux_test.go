package vfs_test

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// TestMounted: a mount is told from a directory, below a root too.
func TestMounted(t *testing.T) {
	below := vfs.Under(vfs.OS(), "/")
	for _, fsys := range []vfs.FS{vfs.OS(), below} {
		if !vfs.Mounted(fsys, "/proc") {
			t.Error("/proc is no mount")
		}
		if vfs.Mounted(fsys, t.TempDir()) || vfs.Mounted(fsys, "/proc/self/nothing") {
			t.Error("a directory is a mount")
		}
	}
}
