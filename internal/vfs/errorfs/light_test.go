package errorfs_test

import (
	"slices"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
)

// TestLight: all reaches the file system below but what it leaves out.
func TestLight(t *testing.T) {
	reach := func(over func(vfs.FS) vfs.FS) (kinds []errorfs.Kind) {
		below := errorfs.Wrap(fresh(t), func(op errorfs.Op) *errorfs.Fault {
			kinds = append(kinds, op.Kind)
			return nil
		})
		if err := script(over(below)); err != nil {
			t.Fatal(err)
		}
		return kinds
	}
	want := slices.DeleteFunc(reach(func(fsys vfs.FS) vfs.FS { return fsys }), func(k errorfs.Kind) bool {
		return k == errorfs.Sync || k == errorfs.SyncData || k == errorfs.SyncDir || k == errorfs.InUse
	})
	if got := reach(errorfs.Light); !slices.Equal(got, want) {
		t.Errorf("below are %q, want %q", got, want)
	}
}
