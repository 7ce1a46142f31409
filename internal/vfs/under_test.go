package vfs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
)

const outsideText = "text from outside"

// eachUnder runs a test on a tree: root is below top, and beside it lies outside/
// with a file that nothing may come to. link makes links.
func eachUnder(t *testing.T, test func(t *testing.T, fsys vfs.FS, top string, link func(to, name string))) {
	run := func(name string, fsys vfs.FS, top string, link func(to, name string) error) {
		t.Run(name, func(t *testing.T) {
			for _, dir := range []string{"outside", "outside/dir", "root", "root/dir"} {
				is(t, fsys.Mkdir(filepath.Join(top, dir)), nil)
			}
			create(t, fsys, filepath.Join(top, "outside/secret"), outsideText)
			create(t, fsys, filepath.Join(top, "root/dir/file"), "inside")
			test(t, fsys, top, func(to, name string) {
				if err := link(to, filepath.Join(top, name)); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
	mem := crashfs.New()
	run("os", vfs.OS(), t.TempDir(), os.Symlink)
	run("errorfs", errorfs.Wrap(vfs.OS(), func(errorfs.Op) *errorfs.Fault { return nil }), t.TempDir(), os.Symlink)
	run("crashfs", mem, "/", mem.Symlink)
}

// operations are all that a name can be asked for, with whether it is the name
// itself that they are about, links not followed.
func operations(fsys vfs.FS, top string) map[string]func(name string) error {
	spare := filepath.Join(top, "root/spare")
	return map[string]func(name string) error{
		"open":      func(name string) error { _, err := fsys.Open(name, os.O_RDONLY); return err },
		"append":    func(name string) error { _, err := fsys.Open(name, os.O_RDWR|os.O_APPEND); return err },
		"truncate":  func(name string) error { _, err := fsys.Open(name, os.O_RDWR|os.O_TRUNC); return err },
		"stat":      func(name string) error { _, err := fsys.Stat(name); return err },
		"names":     func(name string) error { _, err := fsys.Names(name); return err },
		"readdir":   func(name string) error { _, err := fsys.ReadDir(name); return err },
		"readlink":  func(name string) error { _, err := fsys.Readlink(name); return err },
		"chmod":     func(name string) error { return fsys.Chmod(name, 0o777) },
		"syncdir":   func(name string) error { return fsys.SyncDir(name) },
		"survey":    func(name string) error { return vfs.Survey(fsys, name, "", new(vfs.Roll)) },
		"mkdir all": func(name string) error { _, err := vfs.MkdirAll(fsys, filepath.Join(name, "new/new")); return err },
		"resolve":   func(name string) error { _, err := vfs.Resolve(fsys, name); return err },
		"create in": func(name string) error {
			_, err := fsys.Open(filepath.Join(name, "new"), os.O_RDWR|os.O_CREATE|os.O_EXCL)
			return err
		},
		"mkdir in":    func(name string) error { return fsys.Mkdir(filepath.Join(name, "new")) },
		"lstat in":    func(name string) error { _, err := fsys.Lstat(filepath.Join(name, "secret")); return err },
		"remove in":   func(name string) error { return fsys.Remove(filepath.Join(name, "secret")) },
		"rename from": func(name string) error { return fsys.Rename(filepath.Join(name, "secret"), spare) },
		"rename to": func(name string) error {
			return fsys.Rename(filepath.Join(top, "root/dir/file"), filepath.Join(name, "x"))
		},
		"renew from": func(name string) error { return fsys.RenameNew(filepath.Join(name, "secret"), spare) },
		"renew to": func(name string) error {
			return fsys.RenameNew(filepath.Join(top, "root/dir/file"), filepath.Join(name, "x"))
		},
		"hardlink of": func(name string) error { return fsys.Link(filepath.Join(name, "secret"), spare) },
		"hardlink as": func(name string) error {
			return fsys.Link(filepath.Join(top, "root/dir/file"), filepath.Join(name, "x"))
		},
		"open in":      func(name string) error { _, err := fsys.Open(filepath.Join(name, "secret"), os.O_RDONLY); return err },
		"names deeper": func(name string) error { _, err := fsys.Names(filepath.Join(name, "dir")); return err },
	}
}

// TestUnderLinks: no operation goes through a link, wherever it leads and wherever
// in the name it is; the error names the link.
func TestUnderLinks(t *testing.T) {
	eachUnder(t, func(t *testing.T, fsys vfs.FS, top string, link func(to, name string)) {
		link(filepath.Join(top, "outside"), "root/absolute")
		link("../outside", "root/relative")
		link("dir", "root/inside") // not even those that stay
		link("../../outside", "root/dir/deep")
		link("nowhere", "root/dangling")
		under := vfs.Under(fsys, filepath.Join(top, "root"))
		for name, do := range operations(under, top) {
			for _, at := range []string{"root/absolute", "root/relative", "root/inside", "root/dir/deep", "root/dangling"} {
				err := do(filepath.Join(top, at))
				var link *vfs.LinkError
				if !errors.Is(err, vfs.ErrLink) || !errors.As(err, &link) || link.Link != filepath.Join(top, at) {
					t.Errorf("%s of %q: %v", name, at, err)
				}
			}
		}
		content(t, fsys, filepath.Join(top, "outside/secret"), outsideText)
		if names, err := fsys.Names(filepath.Join(top, "outside")); strings.Join(names, " ") != "dir secret" {
			t.Errorf("outside are %q, %v", names, err)
		}
		content(t, under, filepath.Join(top, "root/dir/file"), "inside")
	})
}

// TestUnderItself: what a link is can be seen, and it is renamed and removed as
// the link that it is.
func TestUnderItself(t *testing.T) {
	eachUnder(t, func(t *testing.T, fsys vfs.FS, top string, link func(to, name string)) {
		root := filepath.Join(top, "root")
		link("../outside", "root/link")
		under := vfs.Under(fsys, root)
		if info, err := under.Lstat(filepath.Join(root, "link")); err != nil || info.Mode&fs.ModeSymlink == 0 || info.Name != "link" {
			t.Errorf("lstat: %+v, %v", info, err)
		}
		list, err := under.ReadDir(root)
		if err != nil || len(list) != 2 || list[1].Mode&fs.ModeSymlink == 0 {
			t.Errorf("readdir: %+v, %v", list, err)
		}
		is(t, under.Rename(filepath.Join(root, "link"), filepath.Join(root, "dir/other")), nil)
		is(t, under.Remove(filepath.Join(root, "dir/other")), nil)
		content(t, fsys, filepath.Join(top, "outside/secret"), outsideText)
		_, err = under.Lstat(filepath.Join(root, "none/at/all"))
		is(t, err, fs.ErrNotExist)
		_, err = under.Names(filepath.Join(root, "dir/file"))
		is(t, err, syscall.ENOTDIR)
	})
}

// TestUnderRoots: what is not below a root is refused by name; the root may be a
// link, and need not be there; several may be had; none is widened.
func TestUnderRoots(t *testing.T) {
	eachUnder(t, func(t *testing.T, fsys vfs.FS, top string, link func(to, name string)) {
		at := func(name string) string { return filepath.Join(top, name) }
		under := vfs.Under(fsys, at("root"))
		again := vfs.Under(under, top)
		for _, name := range []string{"outside", "outside/secret", "root/../outside/secret", "rooter", "root/dir/../../outside/x"} {
			for _, fsys := range []vfs.FS{under, again} {
				_, err := fsys.Open(at(name), os.O_RDONLY)
				is(t, err, vfs.ErrOutside)
				_, err = fsys.Stat(at(name))
				is(t, err, vfs.ErrOutside)
				is(t, fsys.Mkdir(at(name)), vfs.ErrOutside)
				is(t, fsys.SyncDir(at(name)), vfs.ErrOutside)
				is(t, fsys.Rename(at("root/dir"), at(name)), vfs.ErrOutside)
				is(t, fsys.RenameNew(at(name), at("root/y")), vfs.ErrOutside)
				is(t, fsys.Remove(at(name)), vfs.ErrOutside)
			}
		}
		_, err := under.Names(top)
		is(t, err, vfs.ErrOutside)
		content(t, under, at("root/dir/../dir/file"), "inside")

		link("root", "mine")
		content(t, vfs.Under(fsys, at("mine")), at("mine/dir/file"), "inside")
		content(t, vfs.Under(fsys, at("mine/dir")), at("mine/dir/file"), "inside")

		fresh := vfs.Under(fsys, at("new/er"), at("root"))
		made, err := vfs.MkdirAll(fresh, at("new/er/still"))
		if err != nil || len(made) != 3 {
			t.Errorf("made %q, %v", made, err)
		}
		is(t, fresh.SyncDir(made[0]), nil)
		is(t, fresh.Rename(at("root/dir/file"), at("new/er/still/file")), nil)
		content(t, fsys, at("new/er/still/file"), "inside")
	})
}

// TestHold: a root stays what it was though its name becomes a link; one that was
// not there is found when it is.
func TestHold(t *testing.T) {
	top := t.TempDir()
	at := func(name string) string { return filepath.Join(top, name) }
	for _, dir := range []string{"root", "outside"} {
		is(t, vfs.OS().Mkdir(at(dir)), nil)
	}
	create(t, vfs.OS(), at("root/file"), "inside")
	create(t, vfs.OS(), at("outside/file"), outsideText)
	held, release := vfs.Hold(errorfs.Wrap(vfs.OS(), func(errorfs.Op) *errorfs.Fault { return nil }), at("root"), at("later"), at("root"))
	defer release()
	if err := errors.Join(os.Rename(at("root"), at("away")), os.Symlink(at("outside"), at("root"))); err != nil {
		t.Fatal(err)
	}
	content(t, held, at("root/file"), "inside")
	if info, err := held.Stat(at("root")); err != nil || !info.Mode.IsDir() {
		t.Errorf("root: %+v, %v", info, err)
	}
	is(t, held.Mkdir(at("root")), fs.ErrExist)
	is(t, held.SyncDir(at("root")), nil)
	is(t, held.Remove(at("root/file")), nil)
	create(t, held, at("root/new"), "")
	content(t, vfs.OS(), at("outside/file"), outsideText)
	if names, err := vfs.OS().Names(at("away")); err != nil || strings.Join(names, " ") != "new" {
		t.Errorf("in the directory are %q, %v", names, err)
	}
	_, err := held.Names(at("later"))
	is(t, err, fs.ErrNotExist)
	is(t, held.Mkdir(at("later")), nil)
	create(t, held, at("later/x"), "later")
	content(t, vfs.OS(), at("later/x"), "later")
}
