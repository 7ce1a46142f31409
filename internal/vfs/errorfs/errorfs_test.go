package errorfs_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
)

// script does each operation once and returns the first error.
func script(fsys vfs.FS) error {
	f, err := fsys.Open("/a", os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	steps := []func() error{
		func() error { _, err := f.Write([]byte("text")); return err },
		func() error { _, err := f.WriteAt([]byte("T"), 0); return err },
		func() error { _, err := f.ReadAt(make([]byte, 2), 0); return err },
		func() error { _, err := f.Stat(); return err },
		func() error { _, err := f.Path(); return err },
		func() error { return f.Truncate(2) },
		func() error { return f.Chmod(0o600) },
		func() error { return f.Chown(1, 1) },
		f.Sync, f.SyncData, func() error { return f.Lock(context.Background()) },
		func() error { _, err := f.TryLock(); return err },
		f.Unlock, f.Close,
		func() error { return fsys.Mkdir("/d") },
		func() error { return fsys.Link("/a", "/b") },
		func() error { return fsys.Rename("/b", "/c") },
		func() error { return fsys.RenameNew("/c", "/d/e") },
		func() error { return fsys.Chmod("/a", 0o600) },
		func() error { _, err := fsys.Stat("/a"); return err },
		func() error {
			info, err := fsys.Lstat("/a")
			_, err2 := fsys.InUse(info)
			return errors.Join(err, err2)
		},
		func() error { _, err := fsys.Names("/"); return err },
		func() error { _, err := fsys.ReadDir("/"); return err },
		func() error { _, err := fsys.Readlink("/link"); return err },
		func() error { return fsys.SyncDir("/") },
		func() error { return fsys.Remove("/a") },
		func() error { f, err := fsys.Open("/d/e", os.O_RDONLY); return errors.Join(err, closing(f, err)) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// fresh returns a file system with a link for the script.
func fresh(t *testing.T) vfs.FS {
	t.Helper()
	mem := crashfs.New()
	if err := mem.Symlink("to", "/link"); err != nil {
		t.Fatal(err)
	}
	return mem
}

func closing(f vfs.File, err error) error {
	if err != nil {
		return nil
	}
	return f.Close()
}

// TestEach: each operation is seen, once, and can be failed.
func TestEach(t *testing.T) {
	var kinds []errorfs.Kind
	see := func(op errorfs.Op) *errorfs.Fault {
		kinds = append(kinds, op.Kind)
		return nil
	}
	if err := script(errorfs.Wrap(fresh(t), see)); err != nil {
		t.Fatal(err)
	}
	want := []errorfs.Kind{
		errorfs.Create, errorfs.Write, errorfs.WriteAt, errorfs.ReadAt, errorfs.FileStat, errorfs.Path,
		errorfs.Truncate, errorfs.FileChmod, errorfs.Chown, errorfs.Sync, errorfs.SyncData, errorfs.Lock,
		errorfs.Lock, errorfs.Unlock, errorfs.Close, errorfs.Mkdir, errorfs.Link, errorfs.Rename,
		errorfs.RenameNew, errorfs.Chmod, errorfs.Stat, errorfs.Lstat, errorfs.InUse, errorfs.Names,
		errorfs.ReadDir, errorfs.Readlink, errorfs.SyncDir, errorfs.Remove, errorfs.Open, errorfs.Close,
	}
	if !slices.Equal(kinds, want) {
		t.Errorf("got operations %q\nwant %q", kinds, want)
	}
	for n := range int64(len(want)) {
		for _, after := range []bool{false, true} {
			inject := errorfs.Nth(n+1, errorfs.Any(errorfs.Fault{After: after}))
			if err := script(errorfs.Wrap(fresh(t), inject)); !errors.Is(err, errorfs.ErrInjected) {
				t.Errorf("operation %d failed, after: %v; got error %v", n+1, after, err)
			}
		}
	}
}

func TestShortWrite(t *testing.T) {
	mem := crashfs.New()
	match := errorfs.Match(errorfs.Fault{Err: errorfs.ErrNoSpace, Short: 3}, "a", errorfs.Write)
	toggle := &errorfs.Toggle{Inner: match}
	f, err := errorfs.Wrap(mem, toggle.Inject).Open("/a", os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		t.Fatal(err)
	}
	for _, on := range []bool{false, true, false} {
		toggle.Set(on)
		n, err := f.Write([]byte("12345"))
		if want := map[bool]int{false: 5, true: 3}[on]; n != want || errors.Is(err, syscall.ENOSPC) != on {
			t.Errorf("fault %v: wrote %d, %v", on, n, err)
		}
	}
	if data, err := vfs.ReadFile(mem, "/a", 0); string(data) != "1234512312345" {
		t.Errorf("file holds %q, %v", data, err)
	}
}

func TestCounter(t *testing.T) {
	then := 0
	counter := &errorfs.Counter{
		At:   2,
		Only: func(op errorfs.Op) bool { return op.Kind.Changes() },
		Then: func(op errorfs.Op) { then++ },
	}
	if err := script(errorfs.Wrap(fresh(t), counter.Inject)); err != nil {
		t.Error(err)
	}
	if then != 1 || !counter.Fired() || counter.Seen() != 15 {
		t.Errorf("called %d times, fired %v, seen %d", then, counter.Fired(), counter.Seen())
	}
}
