package loglines

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
)

// chunk is how much Lines reads at once: enough that the calls cost little,
// little enough to stay in the processor's cache.
const chunk = 256 << 10

// Lines gives the lines in the bytes from start to end of r. It is what a
// store with bytes builds its Read on. Bytes that vanished meanwhile end the
// sequence with io.ErrUnexpectedEOF, after the whole lines before. Memory is
// one chunk, or twice the longest line.
func Lines[L Line](ctx context.Context, r io.ReaderAt, start, end int64) iter.Seq2[L, error] {
	return func(yield func(L, error) bool) {
		s := scanner{r: r, off: start, end: end}
		for {
			if err := ctx.Err(); err != nil {
				yield(L(piece{}), err)
				return
			}
			line, err := s.next()
			if err == io.EOF {
				return
			}
			if !yield(L(line), err) || err != nil {
				return
			}
		}
	}
}

// A Line is a line as stores have it: that of package storage and what is like it. The
// package stands below that one.
type Line interface {
	~struct {
		Bytes []byte
		Pos   int64
		LF    bool
	}
}

// A piece is a line that was cut.
type piece struct {
	Bytes []byte
	Pos   int64
	LF    bool
}

// scanner cuts lines out of a buffer: buf[pos:] is read and not yet given, off
// is where in r the next bytes come from.
type scanner struct {
	r    io.ReaderAt
	off  int64
	end  int64
	buf  []byte
	pos  int
	seen int // bytes of buf[pos:] that hold no line feed
}

func (s *scanner) next() (piece, error) {
	for {
		rest := s.buf[s.pos:]
		at := s.off - int64(len(rest))
		if i := bytes.IndexByte(rest[s.seen:], '\n'); i >= 0 {
			i += s.seen
			s.pos += i + 1
			s.seen = 0
			return piece{Bytes: rest[:i:i], Pos: at, LF: true}, nil
		}
		s.seen = len(rest)
		if s.off >= s.end {
			if len(rest) == 0 {
				return piece{}, io.EOF
			}
			s.pos, s.seen = len(s.buf), 0
			return piece{Bytes: rest, Pos: at}, nil
		}
		if err := s.fill(); err != nil {
			return piece{}, err
		}
	}
}

// fill moves what is left to the front of the buffer and reads behind it.
func (s *scanner) fill() error {
	rest := s.buf[s.pos:]
	want := int(min(chunk, s.end-s.off))
	if cap(s.buf) < len(rest)+want {
		// A long line: grow by doubling, so that copying stays linear.
		size := int64(max(2*len(rest), chunk))
		size = min(size, int64(len(rest))+s.end-s.off)
		grown := make([]byte, len(rest), max(size, int64(len(rest)+want)))
		copy(grown, rest)
		s.buf = grown
	} else {
		n := copy(s.buf[:cap(s.buf)], rest)
		s.buf = s.buf[:n]
	}
	s.pos = 0
	n := len(s.buf)
	room := int(min(int64(cap(s.buf)-n), s.end-s.off))
	s.buf = s.buf[:n+room]
	got, err := s.r.ReadAt(s.buf[n:], s.off)
	s.buf = s.buf[:n+got]
	s.off += int64(got)
	if got == room {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// Tail returns the last lines in the first size bytes of r that fit in n bytes
// together, as Log.ReadTail does.
func Tail[L Line](r io.ReaderAt, size, n int64) ([]L, error) {
	n = max(0, min(n, size))
	// One byte more shows whether the first line in view is whole.
	start := max(0, size-n-1)
	data := make([]byte, size-start)
	got, err := r.ReadAt(data, start)
	if got < len(data) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if start > 0 || size > n {
		cut := bytes.IndexByte(data, '\n') + 1
		if cut == 0 {
			return nil, nil
		}
		data, start = data[cut:], start+int64(cut)
	}
	var lines []L
	for len(data) > 0 {
		line, rest, found := bytes.Cut(data, []byte{'\n'})
		lines = append(lines, L(piece{Bytes: line[:len(line):len(line)], Pos: start, LF: found}))
		start += int64(len(data) - len(rest))
		data = rest
	}
	return lines, nil
}

// LineStart returns where the line begins that the byte before end is in, if
// that byte is not a line feed; else end. It reads backwards.
func LineStart(r io.ReaderAt, end int64) (int64, error) {
	buf := make([]byte, 4<<10)
	for at := end; at > 0; {
		n := min(at, int64(len(buf)))
		if _, err := r.ReadAt(buf[:n], at-n); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return at - n + int64(i) + 1, nil
		}
		at -= n
	}
	return 0, nil
}
