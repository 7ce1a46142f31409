package index_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestBitOfWords changes a bit of what the library keeps of words: the answers stay
// what they are, and the file is good again.
func TestBitOfWords(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.random(rand.New(rand.NewPCG(31, 32)), 8)
	want := h.answers(nil)
	h.fill()
	name := h.database()
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	words := pagesOf(t, name, "words")
	rng := rand.New(rand.NewPCG(33, 34))
	built := 0
	for n := range 12 {
		at := rng.IntN(len(good))
		for !words[at/pageSize] {
			at = rng.IntN(len(good))
		}
		h.spoil(name, good, at, byte(1<<rng.IntN(8)))
		x := h.index()
		for _, when := range []string{"first", "second"} {
			if diff := different(want, h.answers(x)); diff != "" {
				t.Errorf("bit %d, in byte %d, %s answers (told %q):\n%.800s", n, at, when, h.say, diff)
			}
		}
		built += min(len(h.say), 1)
		h.say = nil
	}
	if built < 3 {
		t.Errorf("built anew %d times", built)
	}
}

// spoil puts a database with a change in the place of the index.
func (h *home) spoil(name string, good []byte, at int, bits byte) {
	h.t.Helper()
	good[at] ^= bits
	defer func() { good[at] ^= bits }()
	if err := os.RemoveAll(h.cache()); err != nil {
		h.t.Fatal(err)
	}
	h.cached(name, good)
}

// cached makes a database the index.
func (h *home) cached(name string, data []byte) {
	h.t.Helper()
	if err := os.MkdirAll(h.cache(), 0o700); err != nil {
		h.t.Fatal(err)
	}
	for path, data := range map[string][]byte{name: data, filepath.Join(h.cache(), "index-5"): []byte(filepath.Base(name) + "\n")} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
}
