package index

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/texts"
	"zombiezen.com/go/sqlite"
)

// TestFullDisk lets the file grow to some pages only: what was committed stays
// and is good, and the error is not taken for damage.
func TestFullDisk(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	var files []texts.File
	for n := range 40 {
		data := make([]byte, 30_000)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		words := fmt.Sprintf("common only%d", n)
		files = append(files, texts.File{Path: fmt.Sprint("/", n), Chunks: func(yield func(texts.Chunk, error) bool) {
			yield(texts.Chunk{Data: data, Size: len(data), Words: [4][]byte{[]byte(words)}, Marks: []uint32{uint32(n)}}, nil)
		}})
	}
	full := 0
	for pages := 12; pages < 120; pages += 9 {
		told := []error(nil)
		x := New(Options{Dir: scratch.OwnDir(t), Report: func(err error) { told = append(told, err) }})
		conn, err := x.another(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pragma(conn, fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
		w := writer{conn: conn}
		for _, f := range files {
			if err = w.file(f); err == nil {
				err = w.end() // each by itself
			}
			if err != nil {
				break
			}
		}
		if err != nil {
			full++
			if sqlite.ErrCode(err).ToPrimary() != sqlite.ResultFull || isDamage(err) {
				t.Errorf("%d pages: %v", pages, err)
			}
		}
		if end := w.end(); end != nil {
			t.Errorf("%d pages: end after that: %v", pages, end)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		checkWhole(t, x, pages)
		if len(told) > 0 {
			t.Errorf("%d pages: told %v", pages, told)
		}
		// With room again, the rest is kept.
		if err := x.KeepTexts(t.Context(), iter.Seq[texts.File](func(yield func(texts.File) bool) {
			for _, f := range files {
				if !yield(f) {
					return
				}
			}
		})); err != nil {
			t.Fatal(err)
		}
		if n := checkWhole(t, x, pages); n != len(files) {
			t.Errorf("%d pages: %d texts at last", pages, n)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if full < 5 {
		t.Errorf("the disk was full %d times only", full)
	}
}

// checkWhole reads all that is kept, words and filters too, and returns how many
// texts there are.
func checkWhole(t *testing.T, x *Index, pages int) int {
	t.Helper()
	view, err := x.Texts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	posted := map[int64]bool{}
	for p, err := range view.Postings(context.Background(), "common", false) {
		if err != nil {
			t.Fatal(err)
		}
		posted[p.Text] = true
	}
	var kept []texts.Record
	for r, err := range view.Known(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, r)
	}
	for _, r := range kept {
		if _, err := view.Chunk(t.Context(), r.Text, 0, nil); err != nil || r.Chunks != 1 || !posted[r.Text] {
			t.Errorf("%d pages: text %s has %d chunks, words %v: %v", pages, r.Path, r.Chunks, posted[r.Text], err)
		}
	}
	if len(kept) != len(posted) {
		t.Errorf("%d pages: %d texts, %d of them have words", pages, len(kept), len(posted))
	}
	return len(kept)
}
