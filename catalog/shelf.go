package catalog

import (
	"context"
	"hash/maphash"
)

// A shelf is what an index keeps, as it keeps it. The nil shelf is empty.
type shelf struct {
	packed [][]byte
	slots  []int32 // by the hash of a path: a record, counted from 1, or 0
	seed   maphash.Seed
	asked  []bool // by record, whether its file was found
}

// shelfOf asks an index for all that it keeps.
func shelfOf(ctx context.Context, index Index) (*shelf, error) {
	s := &shelf{seed: maphash.MakeSeed()}
	if p, ok := index.(PackedIndex); ok {
		packed, err := p.Packed(ctx)
		if err != nil {
			return nil, err
		}
		s.packed = packed
	} else {
		for r, err := range index.Known(ctx) {
			if err != nil {
				return nil, err
			}
			s.packed = append(s.packed, AppendRecord(nil, &r))
		}
	}
	size := 16
	for size < 2*len(s.packed) {
		size *= 2
	}
	s.slots, s.asked = make([]int32, size), make([]bool, len(s.packed))
	for n, b := range s.packed {
		g, ok := glanceAt(b)
		if !ok {
			continue // it is of another form: the file is read again
		}
		at := maphash.Bytes(s.seed, g.path)
		for s.slots[at&uint64(size-1)] != 0 {
			at++
		}
		s.slots[at&uint64(size-1)] = int32(n + 1)
	}
	return s, nil
}

// of returns the record of a file; nil, and a glance at nothing, when there is
// none.
func (s *shelf) of(path string) ([]byte, glanced) {
	if s == nil {
		return nil, glanced{}
	}
	for at := maphash.String(s.seed, path); ; at++ {
		n := s.slots[at&uint64(len(s.slots)-1)]
		if n == 0 {
			return nil, glanced{}
		}
		if g, _ := glanceAt(s.packed[n-1]); string(g.path) == path {
			s.asked[n-1] = true
			return s.packed[n-1], g
		}
	}
}

// others returns the paths of the records that nobody asked for.
func (s *shelf) others() (paths []string) {
	if s == nil {
		return nil
	}
	for n, b := range s.packed {
		if !s.asked[n] {
			if g, ok := glanceAt(b); ok {
				paths = append(paths, string(g.path))
			}
		}
	}
	return paths
}
