package mosaic_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/cambium-dev/cambium/internal/mosaic"
)

// A file is bytes that count how often they were closed.
type file struct {
	*bytes.Reader
	closed *int
}

func (f file) Close() error {
	*f.closed++
	return nil
}

// TestMosaicIsItsPieces puts random pieces together and reads them in every way.
func TestMosaicIsItsPieces(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var b mosaic.Builder
		var want []byte
		var closed int
		texts := make([][]byte, 1+r.IntN(3))
		for n := range texts {
			texts[n] = make([]byte, r.IntN(3000))
			for i := range texts[n] {
				texts[n][i] = byte(r.Uint32())
			}
			if got := b.File(file{bytes.NewReader(texts[n]), &closed}); got != n {
				t.Fatalf("file %d has number %d", n, got)
			}
		}
		for range r.IntN(20) {
			n := r.IntN(len(texts))
			text := texts[n]
			from := r.IntN(len(text) + 1)
			part := text[from : from+r.IntN(len(text)-from+1)]
			want = append(want, part...)
			switch r.IntN(3) {
			case 0:
				b.Text(string(part))
			case 1:
				b.Bytes(part)
			case 2:
				b.Cut(n, int64(from), part)
			}
			if b.Size() != int64(len(want)) {
				t.Fatalf("%d bytes, want %d", b.Size(), len(want))
			}
		}
		front := texts[0][:r.IntN(min(5, len(texts[0])+1))]
		want = append(bytes.Clone(front), want...)
		m := b.Mosaic(front)
		if m.Size() != int64(len(want)) {
			t.Fatalf("%d bytes, want %d", m.Size(), len(want))
		}
		if err := iotest.TestReader(io.NewSectionReader(m, 0, m.Size()), want); err != nil {
			t.Fatal(err)
		}
		if err := m.Close(); err != nil || closed != len(texts) {
			t.Fatalf("closed %d of %d: %v", closed, len(texts), err)
		}
	}
}

// TestFileThatLostBytes says so, and gives no others.
func TestFileThatLostBytes(t *testing.T) {
	t.Parallel()
	var closed int
	var b mosaic.Builder
	text := bytes.Repeat([]byte("x"), 1000)
	b.Cut(b.File(file{bytes.NewReader(text[:900]), &closed}), 0, text)
	m := b.Mosaic(nil)
	if n, err := m.ReadAt(make([]byte, 1000), 0); n != 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d bytes, %v", n, err)
	}
	if n, err := m.ReadAt(make([]byte, 10), 1000); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("%d bytes behind the end, %v", n, err)
	}
}
