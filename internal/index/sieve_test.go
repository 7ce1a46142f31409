package index_test

import (
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/cambium-dev/cambium/internal/texts"
)

// TestSieve asks for marks: a chunk that has one is never said not to, and of
// those that have it not, most are.
func TestSieve(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	marks := map[texts.Place][]uint32{}
	files := []texts.File{}
	for text, chunks := range []int{0, 1, 63, 64, 150} {
		var all []texts.Chunk
		for n := range chunks {
			c := texts.Chunk{Data: []byte("x"), Size: 1}
			for range []int{0, 1, 40, 3000, 30_000}[rng.IntN(5)] {
				c.Marks = append(c.Marks, rng.Uint32N(1<<texts.MarkBits))
			}
			marks[texts.Place{Text: int64(text + 1), Chunk: n}] = c.Marks
			all = append(all, c)
		}
		files = append(files, texts.File{Path: string(rune('a' + text)), Chunks: func(yield func(texts.Chunk, error) bool) {
			for _, c := range all {
				if !yield(c, nil) {
					return
				}
			}
		}})
	}
	x := newHome(t).index()
	if err := x.KeepTexts(t.Context(), iter.Seq[texts.File](func(yield func(texts.File) bool) {
		for _, f := range files {
			if !yield(f) {
				return
			}
		}
	})); err != nil {
		t.Fatal(err)
	}
	view, err := x.Texts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	asked, told := 0, 0
	for _, own := range marks {
		for _, mark := range own[:min(len(own), 2)] {
			last := texts.Place{}
			for p, err := range view.Lacking(t.Context(), mark, [][]int64{nil, {2, 5}, {1, 2, 3, 4, 5}}[rng.IntN(3)]) {
				if err != nil {
					t.Fatal(err)
				}
				those, ok := marks[p]
				for _, m := range those {
					if ok = ok && m != mark; !ok {
						break
					}
				}
				if !ok || p.Text < last.Text || p.Text == last.Text && p.Chunk <= last.Chunk {
					t.Fatalf("mark %d: chunk %v, after %v", mark, p, last)
				}
				last = p
				told++
			}
			asked += len(marks) / 2
		}
	}
	if told < asked*3/4 {
		t.Errorf("%d of %d were told", told, asked)
	}
}
