package vfs_test

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/storage/local"
)

// TestOn: options of a public room take a file system, and give it back.
func TestOn(t *testing.T) {
	fsys := errorfs.Light(vfs.OS())
	o := vfs.On(local.Options{}, fsys)
	if vfs.Of(o) != fsys {
		t.Error("the options have another file system")
	}
	if vfs.Of(vfs.On(o, nil)) != nil || vfs.Of(local.Options{}) != nil {
		t.Error("options have a file system that nobody gave them")
	}
	defer func() {
		if recover() == nil {
			t.Error("options that take no file system took one")
		}
	}()
	vfs.On(struct{}{}, fsys)
}
