package vfs_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
)

// each runs a test on the machine's file system and on those that tests put in
// its place, which must behave alike.
func each(t *testing.T, test func(t *testing.T, fsys vfs.FS, dir string)) {
	t.Run("os", func(t *testing.T) { test(t, vfs.OS(), t.TempDir()) })
	t.Run("crashfs", func(t *testing.T) { test(t, crashfs.New(), "/") })
	t.Run("errorfs", func(t *testing.T) {
		test(t, errorfs.Wrap(vfs.OS(), func(errorfs.Op) *errorfs.Fault { return nil }), t.TempDir())
	})
	t.Run("under", func(t *testing.T) {
		dir := t.TempDir()
		test(t, vfs.Under(errorfs.Light(vfs.OS()), dir), dir)
	})
	t.Run("held", func(t *testing.T) {
		dir := t.TempDir()
		held, release := vfs.Hold(errorfs.Light(vfs.OS()), dir)
		t.Cleanup(release)
		test(t, held, dir)
	})
	t.Run("under, looking", func(t *testing.T) { test(t, vfs.Under(crashfs.New(), "/"), "/") })
}

func create(t *testing.T, fsys vfs.FS, name, text string) vfs.File {
	t.Helper()
	f, err := fsys.Open(name, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if n, err := f.Write([]byte(text)); n != len(text) || err != nil {
		t.Fatalf("write: %d, %v", n, err)
	}
	return f
}

func is(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got error %v, want %v", err, want)
	}
}

func content(t *testing.T, fsys vfs.FS, name, want string) {
	t.Helper()
	if got, err := vfs.ReadFile(fsys, name, 0); err != nil || string(got) != want {
		t.Errorf("%q holds %q, %v; want %q", name, got, err, want)
	}
}

func TestFiles(t *testing.T) {
	each(t, func(t *testing.T, fsys vfs.FS, dir string) {
		name := filepath.Join(dir, "a")
		f := create(t, fsys, name, "one")
		_, err := fsys.Open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
		is(t, err, fs.ErrExist)
		_, err = fsys.Open(name, os.O_RDWR|os.O_CREATE)
		is(t, err, errors.ErrUnsupported)
		_, err = fsys.Open(filepath.Join(dir, "none"), os.O_RDONLY)
		is(t, err, fs.ErrNotExist)
		_, err = f.WriteAt([]byte("x"), 0)
		is(t, err, errors.ErrUnsupported)

		g, err := fsys.Open(name, os.O_RDWR)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.WriteAt([]byte("X"), 1); err != nil {
			t.Error(err)
		}
		_, err = f.Write([]byte(" two"))
		is(t, err, nil)
		content(t, fsys, name, "oXe two")
		buf := []byte("......")
		if n, err := g.ReadAt(buf, 4); n != 3 || !errors.Is(err, io.EOF) || string(buf[:n]) != "two" {
			t.Errorf("read at 4: %q, %v", buf[:n], err)
		}
		is(t, errors.Join(g.Truncate(3), g.Sync(), g.SyncData(), g.Chmod(0o640), g.Close()), nil)
		info, err := f.Stat()
		if err != nil || info.Size != 3 || info.Mode != 0o640 || info.Nlink != 1 || !info.Regular() {
			t.Errorf("stat: %+v, %v", info, err)
		}
		if data, err := vfs.ReadFile(fsys, name, 2); err != nil || string(data) != "oX" {
			t.Errorf("first bytes: %q, %v", data, err)
		}
	})
}

func TestNames(t *testing.T) {
	each(t, func(t *testing.T, fsys vfs.FS, dir string) {
		a, b, c := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c")
		f := create(t, fsys, a, "A")
		create(t, fsys, b, "B")
		is(t, fsys.Link(a, b), fs.ErrExist)
		is(t, fsys.RenameNew(a, b), fs.ErrExist)
		content(t, fsys, b, "B")
		is(t, fsys.Link(a, c), nil)
		first, err1 := fsys.Lstat(a)
		second, err2 := fsys.Lstat(c)
		if err1 != nil || err2 != nil || !first.SameFile(second) || second.Nlink != 2 || second.Name != "c" {
			t.Errorf("links are %+v and %+v, %v, %v", first, second, err1, err2)
		}
		is(t, fsys.Rename(a, b), nil)
		content(t, fsys, b, "A")
		if path, err := f.Path(); err != nil || path != b {
			t.Errorf("path after a rename is %q, %v", path, err)
		}
		is(t, fsys.Remove(c), nil)
		is(t, fsys.Remove(c), fs.ErrNotExist)
		if names, err := fsys.Names(dir); err != nil || len(names) != 1 || names[0] != "b" {
			t.Errorf("names are %q, %v", names, err)
		}
		is(t, fsys.Remove(b), nil)
		last, err := f.Path()
		is(t, err, fs.ErrNotExist)
		if last != b {
			t.Errorf("the last path of a removed file is %q", last)
		}
		if info, err := f.Stat(); err != nil || info.Nlink != 0 || info.Size != 1 {
			t.Errorf("removed file: %+v, %v", info, err)
		}
		is(t, fsys.SyncDir(dir), nil)
		_, err = fsys.Names(filepath.Join(dir, "none"))
		is(t, err, fs.ErrNotExist)
	})
}

func TestDirs(t *testing.T) {
	each(t, func(t *testing.T, fsys vfs.FS, dir string) {
		deep := filepath.Join(dir, "x/y/z")
		changed, err := vfs.MkdirAll(fsys, deep)
		if err != nil || len(changed) != 3 || changed[2] != filepath.Join(dir, "x/y") {
			t.Errorf("changed %q, %v", changed, err)
		}
		if changed, err := vfs.MkdirAll(fsys, deep); err != nil || len(changed) > 0 {
			t.Errorf("again: changed %q, %v", changed, err)
		}
		if info, err := fsys.Stat(deep); err != nil || info.Mode != fs.ModeDir|0o700 {
			t.Errorf("directory: %+v, %v", info, err)
		}
		is(t, fsys.Chmod(deep, 0o500), nil)
		is(t, fsys.Chmod(deep, 0o700), nil)
		_, err = fsys.Open(deep, os.O_RDONLY)
		is(t, err, vfs.ErrNotRegular)
		is(t, fsys.Remove(filepath.Join(dir, "x")), syscall.ENOTEMPTY)
		create(t, fsys, filepath.Join(deep, "f"), "")
		_, err = vfs.MkdirAll(fsys, filepath.Join(deep, "f/g"))
		is(t, err, syscall.ENOTDIR)
		list, err := fsys.ReadDir(deep)
		if err != nil || len(list) != 1 || list[0].Name != "f" || list[0].Mode != 0o600 {
			t.Errorf("list is %+v, %v", list, err)
		}
	})
}

func TestLock(t *testing.T) {
	each(t, func(t *testing.T, fsys vfs.FS, dir string) {
		name := filepath.Join(dir, "a")
		f := create(t, fsys, name, "")
		g, err := fsys.Open(name, os.O_RDONLY)
		if err != nil {
			t.Fatal(err)
		}
		is(t, f.Lock(t.Context()), nil)
		if ok, err := g.TryLock(); ok || err != nil {
			t.Errorf("lock taken twice: %v, %v", ok, err)
		}
		is(t, f.Unlock(), nil)
		if ok, err := g.TryLock(); !ok || err != nil {
			t.Errorf("lock is not free: %v, %v", ok, err)
		}
		got := make(chan error)
		go func() { got <- f.Lock(t.Context()) }()
		is(t, g.Close(), nil)
		is(t, <-got, nil)
	})
}

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	mem := crashfs.New()
	link := map[string]func(to, name string) error{"os": os.Symlink, "crashfs": mem.Symlink}
	mknod := map[string]func(name string) error{
		"os":      func(name string) error { return scratch.Mkfifo(name, 0o600) },
		"crashfs": func(name string) error { return mem.Special(name, fs.ModeNamedPipe|0o600) },
	}
	for kind, fsys := range map[string]vfs.FS{"os": vfs.OS(), "crashfs": mem} {
		root := map[string]string{"os": dir, "crashfs": "/"}[kind]
		at := func(name string) string { return filepath.Join(root, name) }
		is(t, fsys.Mkdir(at("sub")), nil)
		create(t, fsys, at("sub/real"), "text")
		err := errors.Join(link[kind]("sub/real", at("a")), link[kind](at("a"), at("b")), link[kind]("loop", at("loop")),
			link[kind]("nowhere", at("dangling")), link[kind]("sub", at("dir")), mknod[kind](at("fifo")))
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"a": "sub/real", "b": "sub/real", "sub/real": "sub/real", "dangling": "nowhere", "none": "none", "dir/real": "dir/real",
		} {
			if got, err := vfs.Resolve(fsys, at(name)); err != nil || got != at(want) {
				t.Errorf("%s: %q resolves to %q, %v; want %q", kind, name, got, err, want)
			}
		}
		_, err = vfs.Resolve(fsys, at("loop"))
		is(t, err, syscall.ELOOP)
		for _, name := range []string{"a", "loop", "dangling", "fifo", "dir"} {
			for _, flag := range []int{os.O_RDONLY, os.O_RDWR | os.O_APPEND} {
				_, err := fsys.Open(at(name), flag)
				is(t, err, vfs.ErrNotRegular)
			}
		}
		content(t, fsys, at("dir/real"), "text")
		if info, err := fsys.Stat(at("b")); err != nil || info.Size != 4 || !info.Regular() {
			t.Errorf("%s: stat of a link: %+v, %v", kind, info, err)
		}
		if info, err := fsys.Lstat(at("b")); err != nil || info.Mode&fs.ModeSymlink == 0 {
			t.Errorf("%s: lstat of a link: %+v, %v", kind, info, err)
		}
		if info, err := fsys.Lstat(at("fifo")); err != nil || info.Mode&fs.ModeNamedPipe == 0 {
			t.Errorf("%s: lstat of a fifo: %+v, %v", kind, info, err)
		}
	}
}

// TestLockInTurn: who waits for a lock gets it, though another asks for it again
// as soon as it has given it back.
func TestLockInTurn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open := func() vfs.File {
		f, err := vfs.OS().Open(path, os.O_RDWR)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	const waiting = 2
	busy := open()
	if err := busy.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for range waiting {
		f := open()
		go func() {
			err := f.Lock(t.Context())
			if err == nil {
				err = f.Unlock()
			}
			done <- err
		}()
	}
	if err := busy.Unlock(); err != nil {
		t.Fatal(err)
	}
	for left := waiting; left > 0; {
		if ok, err := busy.TryLock(); err != nil {
			t.Fatal(err)
		} else if ok {
			if err := busy.Unlock(); err != nil {
				t.Fatal(err)
			}
		}
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			left--
		default:
		}
	}
}
