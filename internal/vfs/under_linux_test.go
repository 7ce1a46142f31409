package vfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
)

// TestUnderSwaps: a directory becomes a link and a directory again all the while;
// no operation reads, makes, moves or takes away anything outside.
func TestUnderSwaps(t *testing.T) {
	top := t.TempDir()
	at := func(name string) string { return filepath.Join(top, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(errors.Join(os.MkdirAll(at("root/dir/sub/dir"), 0o700), os.MkdirAll(at("outside/dir"), 0o700)))
	for _, name := range []string{"root/dir/sub/secret", "root/file", "root/dir/file"} {
		must(os.WriteFile(at(name), []byte("inside"), 0o600))
	}
	must(os.WriteFile(at("outside/secret"), []byte(outsideText), 0o600))
	must(os.Symlink(at("outside"), at("root/dir/link")))

	stop := scratch.Swapping([2]string{at("root/dir/sub"), at("root/dir/link")})
	const rounds = 500
	under := vfs.Under(errorfs.Light(vfs.OS()), at("root"))
	do := operations(under, top)
	delete(do, "hardlink of") // its second name is in the way of the next
	for range rounds {
		for _, f := range do {
			_ = f(at("root/dir/sub")) // what fails, failed; what it did is looked at
		}
		if data, err := vfs.ReadFile(under, at("root/dir/sub/secret"), 0); err == nil && string(data) == outsideText {
			t.Error("read a file from outside")
			break
		}
		if data, err := os.ReadFile(at("root/spare")); err == nil && string(data) == outsideText {
			t.Error("moved a file from outside")
			break
		}
	}
	must(stop())
	list, err := os.ReadDir(at("outside"))
	must(err)
	if len(list) != 2 {
		t.Errorf("outside are %v", list)
	}
	if info, err := os.Stat(at("outside")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory outside: %v, %v", info.Mode(), err)
	}
	if data, err := os.ReadFile(at("outside/secret")); err != nil || string(data) != outsideText {
		t.Errorf("file outside: %q, %v", data, err)
	}
}
