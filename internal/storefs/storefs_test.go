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
	found, err := vfs.Survey(fsys, "/d", ".jsonl")
	if err != nil || len(found) != 1 || found[0].Path != "/d/a.jsonl" || found[0].Size != 11 {
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
