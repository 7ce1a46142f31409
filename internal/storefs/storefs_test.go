package storefs_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"testing"

	"github.com/cambium-dev/cambium/internal/storefs"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/storagetest"
	"github.com/google/go-cmp/cmp"
)

// TestFiles: a store of rows looks like files with lines in them.
func TestFiles(t *testing.T) {
	store := storagetest.NewRows()
	for name, lines := range map[string][][]byte{
		"/d/a.jsonl":   {[]byte("one"), {}, []byte("three")},
		"/d/sub/b.txt": {[]byte("b")},
	} {
		log, err := store.Open(t.Context(), name, storage.Create)
		if err == nil {
			_, err = log.Append(t.Context(), storage.Mark{}, lines)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	fsys := storefs.New(t.Context(), store)
	names, err := fsys.Names("/d")
	if diff := cmp.Diff([]string{"a.jsonl", "sub"}, names); err != nil || diff != "" {
		t.Errorf("names: %v\n%s", err, diff)
	}
	var found vfs.Roll
	if err := vfs.Survey(fsys, "/d", ".jsonl", &found); err != nil || found.Len() != 1 || string(found.Name(0)) != "a.jsonl" || found.At(0).Size != 11 {
		t.Errorf("survey: %+v, %v", found, err)
	}
	f, err := fsys.Open("/d/a.jsonl", os.O_RDONLY)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		off  int64
		n    int
		want string
		end  error
	}{{4, 3, "\nth", nil}, {0, 5, "one\n\n", nil}, {8, 10, "ee\n", io.EOF}, {20, 1, "", io.EOF}} {
		data := make([]byte, test.n)
		n, err := f.ReadAt(data, test.off)
		if string(data[:n]) != test.want || err != test.end {
			t.Errorf("%d bytes at %d: %q, %v; want %q, %v", test.n, test.off, data[:n], err, test.want, test.end)
		}
	}
	info, err := f.Stat()
	again, err2 := fsys.Lstat("/d/a.jsonl")
	if err != nil || err2 != nil || !info.SameFile(again) || info.Size != 11 || !info.Regular() {
		t.Errorf("stat: %+v, %v; by name %+v, %v", info, err, again, err2)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := fsys.Open("/d/none", os.O_RDONLY); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := fsys.Open("/d/a.jsonl", os.O_WRONLY|os.O_APPEND); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a file to write: %v", err)
	}
	if _, err := fsys.ReadDir("/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
	for name, err := range map[string]error{
		"mkdir": fsys.Mkdir("/x"), "remove": fsys.Remove("/d/a.jsonl"), "rename": fsys.Rename("/d/a.jsonl", "/d/c"),
		"link": fsys.Link("/d/a.jsonl", "/d/c"), "chmod": fsys.Chmod("/d/a.jsonl", 0o600),
	} {
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWritable: files are made, added to, renamed and removed; what was written is
// lines.
func TestWritable(t *testing.T) {
	store := storagetest.NewRows()
	if _, err := storefs.New(t.Context(), store).Open("/d/a", os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("what is only looked at: %v", err)
	}
	fsys := storefs.NewWritable(t.Context(), store)
	if changed, err := vfs.MkdirAll(fsys, "/d/e"); err != nil {
		t.Errorf("made %v, %v", changed, err)
	}
	f, err := fsys.Open("/d/a", os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"one\ntw", "o\n\nfo", "ur"} {
		if _, err := vfs.WriteAll(f, []byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 20)
	n, err := f.ReadAt(data, 0)
	if string(data[:n]) != "one\ntwo\n\nfour\n" || err != io.EOF {
		t.Errorf("read %q, %v", data[:n], err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := fsys.Open("/d/a", os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL); !errors.Is(err, fs.ErrExist) {
		t.Errorf("made again: %v", err)
	}
	f, err = fsys.Open("/d/a", os.O_RDWR|os.O_APPEND)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("five\n")); err != nil {
		t.Fatal(err)
	}
	if info, err := f.Stat(); err != nil || info.Size != 19 {
		t.Errorf("stat: %+v, %v", info, err)
	}
	if err := errors.Join(f.Truncate(8), f.Close()); err != nil {
		t.Fatal(err)
	}
	if got, err := vfs.ReadFile(fsys, "/d/a", 0); string(got) != "one\ntwo\n" || err != nil {
		t.Errorf("truncated: %q, %v", got, err)
	}
	if err := fsys.RenameNew("/d/a", "/e/b"); err != nil {
		t.Fatal(err)
	}
	if err := fsys.RenameNew("/d/a", "/e/c"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("renamed what is gone: %v", err)
	}
	if err := fsys.Rename("/e/b", "/e/c"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("replaced: %v", err)
	}
	if err := fsys.Remove("/e/b"); err != nil {
		t.Fatal(err)
	}
	if names, err := fsys.Names("/e"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left: %v, %v", names, err)
	}
}
