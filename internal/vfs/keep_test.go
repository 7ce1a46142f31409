//go:build unix

package vfs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// tops are two roots, one of them in the other, beside a directory with a file that
// nothing may come to.
func tops(t *testing.T) (at func(name string) string) {
	t.Helper()
	top := t.TempDir()
	at = func(name string) string { return filepath.Join(top, name) }
	for _, dir := range []string{"root", "root/in", "outside"} {
		is(t, vfs.OS().Mkdir(at(dir)), nil)
	}
	create(t, vfs.OS(), at("root/file"), "inside")
	create(t, vfs.OS(), at("root/in/file"), "within")
	create(t, vfs.OS(), at("outside/file"), outsideText)
	return at
}

// lead makes a link of a name, and moves what has it out of the way.
func lead(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Rename(name, name+".away"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}

// TestKeep: a root stays what it was though its name becomes a link.
func TestKeep(t *testing.T) {
	at := tops(t)
	kept, release := vfs.Keep(vfs.OS(), at("root"), at("root/in"), at("root"))
	lead(t, at("outside"), at("root/in"))
	content(t, kept, at("root/in/file"), "within")
	lead(t, at("outside"), at("root"))
	content(t, kept, at("root/file"), "inside")
	is(t, kept.Mkdir(at("root")), fs.ErrExist)
	create(t, kept, at("root/in/new"), "")
	content(t, vfs.OS(), at("root.away/in.away/new"), "")
	_, err := kept.Lstat(at("outside/file"))
	is(t, err, vfs.ErrOutside)
	release()
	_, err = kept.Lstat(at("root/file"))
	is(t, err, fs.ErrClosed)
	is(t, kept.Mkdir(at("root")), fs.ErrClosed)
}

// TestKeepLater: a root that was not there, or was removed, is held once it is there.
func TestKeepLater(t *testing.T) {
	at := tops(t)
	kept, release := vfs.Keep(vfs.OS(), at("later"))
	defer release()
	for range 2 {
		_, err := kept.Names(at("later"))
		is(t, err, fs.ErrNotExist)
		if _, err := vfs.MkdirAll(kept, at("later/dir")); err != nil {
			t.Fatal(err)
		}
		create(t, kept, at("later/dir/x"), "later")
		content(t, vfs.OS(), at("later/dir/x"), "later")
		if err := os.RemoveAll(at("later")); err != nil {
			t.Fatal(err)
		}
	}
	is(t, vfs.OS().Mkdir(at("later")), nil)
	create(t, kept, at("later/x"), "")
	lead(t, at("outside"), at("later"))
	content(t, kept, at("later/x"), "")
}

// TestKeepInner: a root in another one that is not there at the call, or was
// removed, is a name in the other one, and a link there is not followed.
func TestKeepInner(t *testing.T) {
	at := tops(t)
	kept, release := vfs.Keep(vfs.OS(), at("root"), at("root/in"), at("root/later"), at("root/deep/later"))
	defer release()
	lead(t, at("outside"), at("root/later"))
	lead(t, at("outside"), at("root/deep"))
	if err := os.RemoveAll(at("root/in")); err != nil {
		t.Fatal(err)
	}
	lead(t, at("outside"), at("root/in"))
	for _, name := range []string{"root/later/file", "root/in/file", "root/deep/later"} {
		_, err := kept.Open(at(name), os.O_RDONLY)
		is(t, err, vfs.ErrLink)
	}
	is(t, kept.Mkdir(at("root/deep/later")), vfs.ErrLink)
	if names, err := vfs.OS().Names(at("outside")); err != nil || len(names) != 1 {
		t.Errorf("outside are %q, %v", names, err)
	}
	is(t, os.Remove(at("root/in")), nil)
	if _, err := vfs.MkdirAll(kept, at("root/in")); err != nil {
		t.Fatal(err)
	}
	create(t, kept, at("root/in/x"), "")
	content(t, vfs.OS(), at("root/in/x"), "")
}
