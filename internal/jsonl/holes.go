package jsonl

import "io"

// A sparse is a reader that knows its holes, which read as NUL.
type sparse interface {
	// Data returns where the next bytes at or behind off are that are in no hole, and
	// where the next hole is behind them.
	Data(off int64) (from, to int64, err error)
}

// behindHole returns where to read on after the bytes p, which end at off: behind the hole
// that off is in, at most at to. Who reads a file without holes is asked nothing.
func behindHole(r io.ReaderAt, p []byte, off, to int64) int64 {
	if n := len(p); n == 0 || off >= to || p[0] != 0 || p[n-1] != 0 {
		return off
	}
	s, ok := r.(sparse)
	if !ok {
		return off
	}
	from, _, err := s.Data(off)
	if err != nil {
		return off
	}
	return min(max(from, off), to)
}

// maxHoles is how many holes are stepped over to find the last bytes of a line.
const maxHoles = 1 << 10

// beforeHole returns where the bytes from start to end end that the last hole is behind.
func beforeHole(r io.ReaderAt, start, end int64) int64 {
	s, ok := r.(sparse)
	if !ok {
		return end
	}
	last := start
	for range maxHoles {
		from, to, err := s.Data(last)
		switch {
		case err != nil || to >= end && from < end:
			return end
		case from >= end:
			return last
		}
		last = to
	}
	return end
}
