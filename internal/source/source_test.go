package source_test

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
	"github.com/cambium-dev/cambium/storage/storagetest"
	"github.com/google/go-cmp/cmp"
)

// TestSources: a disk and a store tell the same of the same lines.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	rows := storagetest.NewRows()
	for _, store := range []storage.Store{rows, local.New(local.Options{})} {
		for name, lines := range map[string][][]byte{
			"b.jsonl": {[]byte("one"), {}, []byte("three")}, "a.jsonl": {[]byte("a")}, "c.txt": {[]byte("c")}, ".lock": {[]byte("l")},
		} {
			log, err := store.Open(t.Context(), filepath.Join(dir, name), storage.Create)
			if err == nil {
				_, err = log.Append(t.Context(), storage.Mark{}, lines)
			}
			if err == nil {
				err = log.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for kind, from := range map[string]source.Source{"disk": source.Of(nil, nil), "store": source.Of(rows, nil)} {
		t.Run(kind, func(t *testing.T) { check(t, from, dir) })
	}
}

func check(t *testing.T, from source.Source, dir string) {
	names, err := from.Names(t.Context(), dir)
	if diff := cmp.Diff([]string{".lock", "a.jsonl", "b.jsonl", "c.txt"}, names); err != nil || diff != "" {
		t.Errorf("names: %v\n%s", err, diff)
	}
	var found vfs.Roll
	sizes := map[string]int64{}
	err = from.Survey(t.Context(), dir, ".jsonl", &found)
	for n := range found.Len() {
		sizes[string(found.Name(n))] = found.At(n).Size
	}
	if diff := cmp.Diff(map[string]int64{"a.jsonl": 2, "b.jsonl": 11}, sizes); err != nil || diff != "" || !found.Hidden() {
		t.Errorf("survey: %v, hidden %v\n%s", err, found.Hidden(), diff)
	}
	name := filepath.Join(dir, "b.jsonl")
	f, err := from.Open(t.Context(), name)
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
	is, err := f.Stat()
	again, err2 := from.Stat(t.Context(), name)
	if err != nil || err2 != nil || is != again || is.Size != 11 || !is.Mode.IsRegular() {
		t.Errorf("state: %+v, %v; by name %+v, %v", is, err, again, err2)
	}
	log, err := from.Store().Stat(t.Context(), name)
	if err != nil || source.StateOf(log).Ino != is.Ino || source.StateOf(log).ModTime != is.ModTime {
		t.Errorf("the log: %+v, %v", log, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if at, err := from.Stat(t.Context(), "/"); err != nil || !at.Mode.IsDir() {
		t.Errorf("the root: %+v, %v", at, err)
	}
	missing := filepath.Join(dir, "none")
	_, err = from.Open(t.Context(), missing)
	_, err2 = from.Names(t.Context(), missing)
	if !errors.Is(err, fs.ErrNotExist) || !errors.Is(err2, fs.ErrNotExist) {
		t.Errorf("what is not there: %v, %v", err, err2)
	}
}
