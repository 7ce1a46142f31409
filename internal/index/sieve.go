package index

import (
	"context"
	"encoding/binary"
	"iter"

	"github.com/cambium-dev/cambium/internal/texts"
	"github.com/cambium-dev/cambium/internal/varint"
	"zombiezen.com/go/sqlite"
)

// The sieve is a filter of the marks of each chunk, a bit for what a mark is
// hashed to. It is cut into bands by the first bits of marks, and a row holds one
// band of some chunks that follow each other in a text: who asks for a mark reads
// one band of all texts, which lie together, and nothing else.

const (
	bandBits    = 5
	bands       = 1 << bandBits
	sieveChunks = 64 // of a row
	// bitsPerMark makes about one in twelve of what is not there look as if it
	// were.
	bitsPerMark = 6
	// maxFilter is how many bytes a band of a chunk has at most: where all is
	// different (keys, hexadecimal), the filter tells less.
	maxFilter = 12 << 10 / bands
)

// rowBits are the bits of a row's id that say which chunks of which text.
const rowBits = 56

// row returns the id of a band of the row that a chunk is in.
func row(band uint32, chunk int64) int64 { return int64(band)<<rowBits | chunk/sieveChunks }

// A sieve collects the filters of the chunks of a row.
type sieve struct{ bands [bands][]byte }

func (s *sieve) reset() {
	for i := range s.bands {
		s.bands[i] = s.bands[i][:0]
	}
}

// add appends the filter of the next chunk: of each band its length and bits.
func (s *sieve) add(marks []uint32) {
	n := max(1, min((len(marks)*bitsPerMark+8*bands-1)/(8*bands), maxFilter))
	var at [bands]int
	for i := range s.bands {
		b := binary.AppendUvarint(s.bands[i], uint64(n))
		at[i] = len(b)
		s.bands[i] = append(b, make([]byte, n)...)
	}
	for _, m := range marks {
		bits := s.bands[m&(bands-1)][at[m&(bands-1)]:]
		a, b := filterBits(m, n)
		bits[a>>3] |= 1 << (a & 7)
		bits[b>>3] |= 1 << (b & 7)
	}
}

// filterBits returns the two bits of a mark in the filter of a band of n bytes.
// Marks that share them in a filter of one length do not in one of another, so
// that no mark is always taken for a common one.
func filterBits(mark uint32, n int) (a, b uint32) {
	mark >>= bandBits
	return mark % uint32(n*8), mark * 40503 >> 3 % uint32(n*8)
}

// write writes the rows in which a chunk is, and empties the sieve.
func (s *sieve) write(conn *sqlite.Conn, chunk int64) error {
	for i := range s.bands {
		id := row(uint32(i), chunk)
		s.bands[i] = seal(key(id), s.bands[i])
		if err := exec(conn, "INSERT OR REPLACE INTO sieve (id, data) VALUES (?, ?)", id, s.bands[i]); err != nil {
			return err
		}
	}
	s.reset()
	return nil
}

// forgetSieve removes the rows of chunks, which are ascending.
func forgetSieve(conn *sqlite.Conn, chunks []int64) error {
	last := int64(-1)
	for _, id := range chunks {
		if id/sieveChunks == last {
			continue
		}
		last = id / sieveChunks
		for i := range bands {
			if err := exec(conn, "DELETE FROM sieve WHERE id = ?", row(uint32(i), id)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Lacking yields chunks that surely do not have a mark: of some texts, or of all.
func (v *view) Lacking(ctx context.Context, mark uint32, some []int64) iter.Seq2[texts.Place, error] {
	return func(yield func(texts.Place, error) bool) {
		band := mark & (bands - 1)
		spans := [][2]int64{{row(band, 0), row(band+1, 0)}}
		for i, text := range some {
			span := [2]int64{row(band, text<<chunkBits), row(band, (text+1)<<chunkBits)}
			if i == 0 {
				spans = spans[:0]
			}
			spans = append(spans, span)
		}
		var buf []byte
		for _, span := range spans {
			more := true
			err := v.each(ctx, "SELECT id, data FROM sieve WHERE id >= ? AND id < ?", []any{span[0], span[1]}, func(s *sqlite.Stmt) (bool, error) {
				id := s.ColumnInt64(0)
				buf = blob(s, 1, buf)
				data, err := unseal(key(id), buf)
				if err != nil {
					return false, err
				}
				more, err = eachLacking(data, mark, id&(1<<rowBits-1)*sieveChunks, yield)
				return more, err
			})
			if err != nil {
				yield(texts.Place{}, err)
				return
			}
			if !more {
				return
			}
		}
	}
}

// eachLacking yields those chunks of a row that do not have a mark, the first of
// which has that id. It returns false when yield did.
func eachLacking(data []byte, mark uint32, chunk int64, yield func(texts.Place, error) bool) (bool, error) {
	for r := (varint.Reader{Rest: data}); len(r.Rest) > 0; chunk++ {
		bits := r.Part()
		if len(bits) == 0 {
			return false, errDamaged
		}
		x, y := filterBits(mark, len(bits))
		has := bits[x>>3]>>(x&7)&(bits[y>>3]>>(y&7))&1 != 0
		if !has && !yield(texts.Place{Text: chunk >> chunkBits, Chunk: int(chunk & (1<<chunkBits - 1))}, nil) {
			return false, nil
		}
	}
	return true, nil
}
