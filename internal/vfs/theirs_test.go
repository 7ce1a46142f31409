package vfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// linked makes real/a, a link to it in its own directory, and a link to the directory.
func linked(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	err := errors.Join(os.Mkdir(filepath.Join(dir, "real"), 0o700), os.WriteFile(filepath.Join(dir, "real/a"), []byte("a"), 0o600),
		os.Symlink("a", filepath.Join(dir, "real/file")), os.Symlink("real", filepath.Join(dir, "dir")))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestLinksOfSomebodyElse: a link that belongs to the person is followed, one of
// somebody else's is not, whether it is a file or the directory of one.
func TestLinksOfSomebodyElse(t *testing.T) {
	dir := linked(t)
	for _, name := range []string{"real/file", "dir/a", "dir/file", "dir/none"} {
		name = filepath.Join(dir, name)
		if _, err := vfs.Resolve(vfs.OS(), name); err != nil {
			t.Errorf("own: %v", err)
		}
		var link *vfs.LinkError
		if got, err := vfs.Resolve(strangers{vfs.OS()}, name); !errors.As(err, &link) || !link.Theirs {
			t.Errorf("theirs: %q resolves to %q, %v", name, got, err)
		}
		if _, release, err := vfs.PinFile(strangers{vfs.OS()}, name); !errors.Is(err, vfs.ErrLink) {
			release()
			t.Errorf("theirs: %q is pinned, %v", name, err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "real/in"), 0o700), os.WriteFile(filepath.Join(dir, "real/in/b"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for fsys, want := range map[vfs.FS]error{vfs.OS(): nil, strangers{vfs.OS()}: vfs.ErrLink} {
		own, in := vfs.Owned(fsys), filepath.Join(dir, "dir/in")
		_, opened := vfs.ReadFile(own, filepath.Join(in, "b"), 0)
		_, stat := own.Stat(filepath.Join(in, "b"))
		_, names := own.Names(in)
		_, infos := own.ReadDir(in)
		for n, err := range []error{opened, stat, names, infos, vfs.Survey(fsys, in, "", new(vfs.Roll)), vfs.Survey(own, in, "", new(vfs.Roll))} {
			if !errors.Is(err, want) {
				t.Errorf("below a link, %d: %v, want %v", n, err, want)
			}
		}
		var found vfs.Roll
		if err := vfs.Survey(fsys, filepath.Join(dir, "dir"), "", &found); !errors.Is(err, want) || found.Len() > 0 != (want == nil) {
			t.Errorf("survey: %d found, %v, want %v", found.Len(), err, want)
		}
	}
}

// TestRootsOfSomebodyElse has the kernel say whose a link is. Only root can give one to
// somebody else; for others TestLinksOfSomebodyElse makes the owner up.
func TestRootsOfSomebodyElse(t *testing.T) {
	dir := linked(t)
	root := filepath.Join(dir, "dir")
	reach := func() map[string]error {
		held, release := vfs.Hold(vfs.OS(), root)
		defer release()
		pinned, unpin := vfs.Pin(vfs.OS(), root)
		defer unpin()
		errs := map[string]error{}
		for how, fsys := range map[string]vfs.FS{"under": vfs.Under(vfs.OS(), root), "held": held, "pinned": pinned} {
			_, errs[how] = vfs.ReadFile(fsys, filepath.Join(root, "a"), 0)
		}
		errs["surveyed"] = vfs.Survey(vfs.OS(), root, "", new(vfs.Roll))
		return errs
	}
	for how, err := range reach() {
		if err != nil {
			t.Errorf("own, %s: %v", how, err)
		}
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Lchown(root, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	for how, err := range reach() {
		if !errors.Is(err, vfs.ErrLink) {
			t.Errorf("theirs, %s: %v", how, err)
		}
	}
}
