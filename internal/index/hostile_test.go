package index_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pages is in how many ways pages are damaged. Each makes an index anew, which
// takes some milliseconds.
const pages = 150

// TestDamagedPages changes, exchanges and repeats pages of the file, and bytes of
// their headers: what is listed is what is there, always, and the file is good
// again.
func TestDamagedPages(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.random(rand.New(rand.NewPCG(21, 22)), 3)
	all := h.list(nil)
	h.fill()
	name := h.database()
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const page = 16384
	rng := rand.New(rand.NewPCG(23, 24))
	for n := range pages {
		bad := slices.Clone(good)
		some := func() []byte {
			at := rng.IntN(len(bad)/page) * page
			return bad[at : at+page]
		}
		switch n % 5 {
		case 0:
			copy(some(), some())
		case 1:
			for range 1 + rng.IntN(4) { // what kind a page is, how many cells, where they are
				some()[rng.IntN(64)] = byte(rng.IntN(256))
			}
		case 2:
			bad[rng.IntN(100)] ^= byte(1 + rng.IntN(255)) // of the file's header
		case 3:
			for i := range some()[:rng.IntN(page)] {
				some()[i] = byte(rng.IntN(256))
			}
		default:
			bad = append(bad[:rng.IntN(len(bad))], bad[rng.IntN(len(bad)):]...)
		}
		if err := os.RemoveAll(h.cache()); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(h.cache(), 0o700); err != nil {
			t.Fatal(err)
		}
		for path, data := range map[string][]byte{name: bad, filepath.Join(h.cache(), "index-5"): []byte(filepath.Base(name) + "\n")} {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if diff := different(all, h.list(h.index())); diff != "" {
			t.Fatalf("damage %d (told %q):\n%.1500s", n, h.say, diff)
		}
		h.say = nil
	}
}

// A cache directory that others can write to is told of, and not used.
func TestDirectoryOfOthers(t *testing.T) {
	h := newHome(t)
	h.random(rand.New(rand.NewPCG(25, 26)), 3)
	if err := os.MkdirAll(h.cache(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(h.cache(), 0o777); err != nil {
		t.Fatal(err)
	}
	want := h.list(nil)
	if diff := different(want, h.list(h.index())); diff != "" {
		t.Errorf("list:\n%.1500s", diff)
	}
	if len(h.say) == 0 || !strings.Contains(h.say[0], "others can write to") || !strings.Contains(h.say[0], "chmod go-w helps") {
		t.Errorf("told %q", h.say)
	}
	if left, err := os.ReadDir(h.cache()); err != nil || len(left) > 0 {
		t.Errorf("left there: %v, %v", left, err)
	}
}

// TestDirectoryAsTheIndex: a directory that has the name of the index is put aside whole,
// said once, and the index is made.
func TestDirectoryAsTheIndex(t *testing.T) {
	h := newHome(t)
	h.random(rand.New(rand.NewPCG(27, 28)), 3)
	want := h.list(nil)
	precious := filepath.Join(h.cache(), "index-5", "sub", "precious")
	if err := errors.Join(os.MkdirAll(filepath.Dir(precious), 0o700), os.WriteFile(precious, []byte("precious"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if diff := different(want, h.list(h.index())); diff != "" {
			t.Errorf("list:\n%.1500s", diff)
		}
	}
	if len(h.say) != 1 || !strings.Contains(h.say[0], "build the index anew") {
		t.Errorf("told %q", h.say)
	}
	left, err := filepath.Glob(filepath.Join(h.cache(), "aside-*", "sub", "precious"))
	if text, _ := os.ReadFile(strings.Join(left, "")); err != nil || string(text) != "precious" {
		t.Errorf("put aside: %v, %v", left, err)
	}
}
