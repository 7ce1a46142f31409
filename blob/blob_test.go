package blob_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
)

const (
	helloHash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	helloRef  = "blob:sha256:" + helloHash
)

func TestParseRef(t *testing.T) {
	ref, ok := blob.ParseRef(helloRef)
	if !ok || ref.String() != helloRef || ref.Hash() != helloHash || ref != blob.RefOf([]byte("hello")) {
		t.Errorf("ParseRef(%q) = %v, %v", helloRef, ref, ok)
	}
	for _, text := range []string{
		"", "blob:sha256:", helloHash, helloRef + "0", helloRef[:len(helloRef)-1], strings.ToUpper(helloRef),
		"blob:sha256:" + strings.ToUpper(helloHash), "blob:sha256:../../../secret", " " + helloRef, helloRef + "\n",
		"blob:sha1:" + helloHash, "blob:sha256:" + strings.Repeat("é", 32), helloRef + ".png", "blob:sha256:/" + helloHash[1:],
	} {
		if ref, ok := blob.ParseRef(text); ok || !ref.IsZero() || ref.String() != "" {
			t.Errorf("ParseRef(%q) = %v, %v; want nothing", text, ref, ok)
		}
	}
}

func FuzzParseRef(f *testing.F) {
	f.Add(helloRef)
	f.Add("blob:sha256:../" + helloHash)
	f.Fuzz(func(t *testing.T, text string) {
		if ref, ok := blob.ParseRef(text); ok && ref.String() != text {
			t.Errorf("ParseRef(%q) reads as %q", text, ref)
		}
	})
}

func TestStores(t *testing.T) {
	stores := map[string]func(t *testing.T) blob.Store{
		"memory": func(*testing.T) blob.Store { return new(blob.Memory) },
		"dir": func(t *testing.T) blob.Store {
			return blob.OpenDir(filepath.Join(t.TempDir(), "a/b"), blob.DirOptions{})
		},
		"typed": func(t *testing.T) blob.Store {
			return blob.OpenDir(t.TempDir(), blob.DirOptions{Typed: true})
		},
	}
	for name, create := range stores {
		t.Run(name, func(t *testing.T) {
			store := create(t)
			for _, data := range [][]byte{[]byte("hello"), {}, []byte("data:image/png;base64,AAAA"), bytes.Repeat([]byte{0, 255}, 1<<20)} {
				if _, err := store.Read(t.Context(), blob.RefOf(data)); !errors.Is(err, blob.ErrNotExist) {
					t.Errorf("read before put: %v", err)
				}
				for range 2 {
					ref, err := store.Put(t.Context(), data, "png")
					if err != nil || ref != blob.RefOf(data) {
						t.Fatalf("put: %v, %v", ref, err)
					}
				}
				got, err := store.Read(t.Context(), blob.RefOf(data))
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("read: %d bytes, %v; want %d", len(got), err, len(data))
				}
			}
			if _, err := store.Read(t.Context(), blob.Ref{}); !errors.Is(err, blob.ErrNotExist) {
				t.Errorf("read of nothing: %v", err)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := store.Put(ended, []byte("x"), ""); !errors.Is(err, context.Canceled) {
				t.Errorf("put after the end: %v", err)
			}
			var group sync.WaitGroup
			for range 8 {
				group.Go(func() {
					if _, err := store.Put(t.Context(), []byte("at once"), "txt"); err != nil {
						t.Errorf("put at once: %v", err)
					}
				})
			}
			group.Wait()
		})
	}
}

func TestDirFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "blobs")
	store := blob.OpenDir(dir, blob.DirOptions{Typed: true})
	for _, ext := range []string{"png", "svg+xml", "../x", "a/b", "", ".hid", strings.Repeat("x", 33), "a..b", "png."} {
		if _, err := store.Put(t.Context(), []byte("hello"), ext); err != nil {
			t.Fatalf("put with extension %q: %v", ext, err)
		}
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range list {
		names = append(names, entry.Name())
		if info, err := entry.Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("%q has mode %v, %v", entry.Name(), info.Mode(), err)
		}
	}
	if got, want := strings.Join(names, " "), helloHash+" "+helloHash+".png "+helloHash+".svg+xml"; got != want {
		t.Errorf("files are %q, want %q", got, want)
	}
	plain, err1 := os.Stat(filepath.Join(dir, helloHash))
	typed, err2 := os.Stat(filepath.Join(dir, helloHash+".png"))
	if err1 != nil || err2 != nil || !os.SameFile(plain, typed) {
		t.Errorf("the typed name is not a link: %v, %v", err1, err2)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode() != 0o700|os.ModeDir {
		t.Errorf("directory has mode %v, %v", info.Mode(), err)
	}
}

// TestDirDamage: wrong content is not returned, and put right by the next Put;
// a link out of the directory is not followed.
func TestDirDamage(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := func(d *blob.Dir) string { return filepath.Join(d.Path(), helloHash) }
	damages := map[string]struct {
		do   func(path string) error
		want error
	}{
		"other content": {func(path string) error { return os.WriteFile(path, []byte("hellO"), 0o600) }, blob.ErrMismatch},
		"empty":         {func(path string) error { return os.WriteFile(path, nil, 0o600) }, blob.ErrMismatch},
		"link":          {func(path string) error { return os.Symlink(secret, path) }, vfs.ErrNotRegular},
		"fifo":          {func(path string) error { return scratch.Mkfifo(path, 0o600) }, vfs.ErrNotRegular},
	}
	for name, damage := range damages {
		dir := blob.OpenDir(t.TempDir(), blob.DirOptions{})
		if err := damage.do(path(dir)); err != nil {
			t.Fatal(err)
		}
		ref, _ := blob.ParseRef(helloRef)
		if _, err := dir.Read(t.Context(), ref); !errors.Is(err, damage.want) {
			t.Errorf("%s: read: %v, want %v", name, err, damage.want)
		}
		if _, err := dir.Put(t.Context(), []byte("hello"), ""); err != nil {
			t.Errorf("%s: put: %v", name, err)
		}
		if got, err := dir.Read(t.Context(), ref); err != nil || string(got) != "hello" {
			t.Errorf("%s: read after put: %q, %v", name, got, err)
		}
	}
	if data, err := os.ReadFile(secret); err != nil || string(data) != "hello" {
		t.Errorf("file outside became %q, %v", data, err)
	}
}

// TestDirFaults fails every operation of a Put, and crashes before each: what
// was acknowledged is there, and what is there is whole.
func TestDirFaults(t *testing.T) {
	data := bytes.Repeat([]byte("blob "), 1000)
	for n := int64(1); ; n++ {
		mem := crashfs.New()
		counter := &errorfs.Counter{At: n, Fault: errorfs.Fault{Err: errorfs.ErrNoSpace, Short: 100}}
		dir := blob.OpenDir("/blobs", vfs.On(blob.DirOptions{Typed: true}, errorfs.Wrap(mem, counter.Inject)))
		ref, err := dir.Put(t.Context(), data, "txt")
		again := blob.OpenDir("/blobs", vfs.On(blob.DirOptions{}, mem))
		if err == nil {
			if _, err := blob.OpenDir("/blobs", vfs.On(blob.DirOptions{}, mem.CrashClone(0, 0))).Read(t.Context(), ref); err != nil {
				t.Errorf("fault %d: acknowledged blob after a crash: %v", n, err)
			}
		} else if _, err := again.Read(t.Context(), blob.RefOf(data)); err != nil && !errors.Is(err, blob.ErrNotExist) {
			t.Errorf("fault %d: read: %v", n, err)
		}
		if _, err := again.Put(t.Context(), data, "txt"); err != nil {
			t.Errorf("fault %d: put again: %v", n, err)
		}
		if !counter.Fired() {
			if err != nil || n < 8 {
				t.Errorf("after %d operations: %v", n-1, err)
			}
			return
		}
	}
}

func TestDirCrashes(t *testing.T) {
	data := bytes.Repeat([]byte("blob "), 1000)
	for n := int64(1); ; n++ {
		mem := crashfs.New()
		counter := &errorfs.Counter{At: n, Only: func(op errorfs.Op) bool { return op.Kind.Changes() }}
		counter.Then = func(errorfs.Op) {
			for seed := range uint64(20) {
				clone := blob.OpenDir("/blobs", vfs.On(blob.DirOptions{}, mem.CrashClone(int(seed)*5, seed)))
				if _, err := clone.Read(t.Context(), blob.RefOf(data)); err != nil && !errors.Is(err, blob.ErrNotExist) {
					t.Errorf("crash before change %d, seed %d: %v", n, seed, err)
				}
			}
		}
		dir := blob.OpenDir("/blobs", vfs.On(blob.DirOptions{}, errorfs.Wrap(mem, counter.Inject)))
		if _, err := dir.Put(t.Context(), data, ""); err != nil {
			t.Fatal(err)
		}
		if !counter.Fired() {
			return
		}
	}
}

// TestTooLarge: what could not be read back is not kept.
func TestTooLarge(t *testing.T) {
	dir := t.TempDir()
	if ref, err := blob.OpenDir(dir, blob.DirOptions{}).Put(t.Context(), make([]byte, vfs.MaxChecked+1), ""); err == nil || !ref.IsZero() {
		t.Errorf("kept as %v, %v", ref, err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("%d files are left, %v", len(names), err)
	}
}
