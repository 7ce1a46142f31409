package vfs_test

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// TestReadChecked: what has the checksum is returned, small and large; a file that says
// to be of any size and is another one takes no memory of that size.
func TestReadChecked(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	for _, size := range []int{0, 1, 1 << 20, 65 << 20} {
		data := bytes.Repeat([]byte{7}, size)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := vfs.ReadChecked(vfs.OS(), name, sha256.Sum256(data)); err != nil || !ok || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: %d, %v, %v", size, len(got), ok, err)
		}
		if _, ok, err := vfs.ReadChecked(vfs.OS(), name, [sha256.Size]byte{}); err != nil || ok {
			t.Errorf("%d bytes of another sum: %v, %v", size, ok, err)
		}
	}
	for _, size := range []int64{80 << 20, 32 << 30} { // holes: nothing of it is on the disk
		if err := os.Truncate(name, size); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, ok, err := vfs.ReadChecked(vfs.OS(), name, [sha256.Size]byte{})
		runtime.ReadMemStats(&after)
		if ok || err != nil {
			t.Errorf("%d bytes: %v, %v", size, ok, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
			t.Errorf("%d bytes: %d were allocated", size, took)
		}
	}
	if _, _, err := vfs.ReadChecked(vfs.OS(), name+"x", [sha256.Size]byte{}); err == nil {
		t.Error("a file that is not there was read")
	}
}
