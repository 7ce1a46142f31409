package vfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// TestData: a file says where its holes are, but not one in whose middle is written.
func TestData(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	const mib = 1 << 20
	_, err = f.WriteString("begin")
	_, more := f.WriteAt([]byte("middle"), 60<<30)
	if err := errors.Join(err, more, f.Truncate(100<<30), f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []int{os.O_RDONLY, os.O_RDWR | os.O_APPEND} {
		f, err := vfs.OS().Open(name, flag)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct{ off, from, to int64 }{
			{0, 0, mib}, {mib, 60 << 30, 60<<30 + mib}, {60<<30 + 3, 60<<30 + 3, 60<<30 + mib},
			{61 << 30, 100 << 30, 100 << 30}, {100 << 30, 100 << 30, 100 << 30},
		} {
			from, to, err := f.(vfs.Sparse).Data(test.off)
			// A hole begins and ends where the file system's blocks do.
			if err != nil || from > test.from || from < test.from-mib || to > test.to || to < min(test.from+1, 100<<30) {
				t.Errorf("behind %d: data from %d to %d, want %d to %d at most, %v", test.off, from, to, test.from, test.to, err)
			}
		}
		if flag != os.O_RDONLY {
			if _, err := f.Write([]byte("end")); err != nil {
				t.Error(err)
			}
			if info, err := f.Stat(); err != nil || info.Size != 100<<30+3 {
				t.Errorf("after a write it has %d bytes, %v", info.Size, err)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	w, err := vfs.OS().Open(name, os.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, _, err := w.(vfs.Sparse).Data(0); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a file that is written anywhere says %v", err)
	}
}
