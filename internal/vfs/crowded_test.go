package vfs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// crowd gives a directory n names, of 101 files, no two in a row of one file: names
// are cheaper than files.
func crowd(t *testing.T, n int, name func(i int) string) {
	t.Helper()
	for i := range n {
		var err error
		if i < 101 {
			err = os.WriteFile(name(i), make([]byte, i), 0o600)
		} else {
			err = os.Link(name(i%101), name(i))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestReadDirOfManyNames(t *testing.T) {
	dir := t.TempDir()
	const n = 2001
	crowd(t, n, func(i int) string { return filepath.Join(dir, fmt.Sprintf("%04d", i)) })
	list, err := vfs.OS().ReadDir(dir)
	if err != nil || len(list) != n {
		t.Fatalf("%d entries, %v", len(list), err)
	}
	for i, e := range list {
		if e.Name != fmt.Sprintf("%04d", i) || e.Size != int64(i%101) || !e.Regular() {
			t.Fatalf("entry %d is %+v", i, e)
		}
	}
	// Names that go meanwhile are left out, wherever they stand.
	var wait sync.WaitGroup
	wait.Go(func() {
		for i := range n {
			if i%3 != 0 {
				_ = os.Remove(filepath.Join(dir, list[i].Name)) // the readings tell
			}
		}
	})
	for range 20 {
		some, err := vfs.OS().ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		last := ""
		for _, e := range some {
			if e.Name <= last {
				t.Fatalf("%q comes after %q", e.Name, last)
			}
			last = e.Name
		}
	}
	wait.Wait()
	if left, err := vfs.OS().ReadDir(dir); err != nil || len(left) != n/3 {
		t.Errorf("%d entries are left, %v", len(left), err)
	}
}
