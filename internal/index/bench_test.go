package index

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/texts"
)

// BenchmarkSearch opens an index of some 40 MB, as each search of a command does, and
// reads the postings of three words, a band of the sieve and forty chunks.
func BenchmarkSearch(b *testing.B) {
	rng := rand.New(rand.NewPCG(51, 52))
	o := Options{Dir: b.TempDir(), Report: func(err error) { b.Error(err) }}
	x := New(o)
	var files iter.Seq[texts.File] = func(yield func(texts.File) bool) {
		for n := range 100 {
			f := texts.File{Path: fmt.Sprint("/", n), Chunks: func(yield func(texts.Chunk, error) bool) {
				for range 12 {
					yield(randomChunk(rng), nil)
				}
			}}
			if !yield(f) {
				return
			}
		}
	}
	if err := x.KeepTexts(b.Context(), files); err != nil {
		b.Fatal(err)
	}
	if err := x.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		x := New(o)
		view, err := x.Texts(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		var some []texts.Posting
		for _, word := range []string{"w1", "w77", "w12000"} {
			for p, err := range view.Postings(b.Context(), word, false) {
				if err != nil {
					b.Fatal(err)
				}
				some = append(some, p)
			}
		}
		for _, err := range view.Lacking(b.Context(), 4711, nil) {
			if err != nil {
				b.Fatal(err)
			}
		}
		var buf []byte
		for _, p := range some[:40] {
			if buf, err = view.Chunk(b.Context(), p.Text, p.Chunk, buf); err != nil {
				b.Fatal(err)
			}
		}
		if err := view.Close(); err != nil {
			b.Fatal(err)
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// randomChunk returns a chunk whose words are rarer, the higher their number.
func randomChunk(rng *rand.Rand) texts.Chunk {
	c := texts.Chunk{Data: make([]byte, 32<<10), Size: 64 << 10}
	for i := range c.Data {
		c.Data[i] = byte(rng.Uint32())
	}
	seen := map[int]bool{}
	var words strings.Builder
	for range 2000 {
		n := int(20000 * rng.Float64() * rng.Float64() * rng.Float64())
		if !seen[n] {
			seen[n] = true
			fmt.Fprintf(&words, "w%d ", n)
			c.Marks = append(c.Marks, uint32(n)<<bandBits|uint32(n)%bands)
		}
	}
	c.Words[0] = []byte(words.String())
	return c
}
