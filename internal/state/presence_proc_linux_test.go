package state_test

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// TestLookingKeepsNoDescriptors: who looks whether other processes live has no more
// files open afterwards, before the collector comes by.
func TestLookingKeepsNoDescriptors(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	open := func() int {
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	before := open()
	for range 200 {
		vfs.Alive(os.Getppid())
	}
	if now := open(); now > before+5 {
		t.Errorf("%d descriptors, and %d before", now, before)
	}
}
