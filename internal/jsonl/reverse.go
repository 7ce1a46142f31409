package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// DefaultTail is the window of [Reverse] when none is given.
const DefaultTail = 64 << 10

// Reverse calls fn for the lines of r before the offset to, the last line
// first, reading window bytes at a time (64 KiB when it is not positive). The
// lines are those that [Lines] gives from 0 to to with the default MaxLine, in
// the other order; fn ends the reading as there.
func Reverse(r io.ReaderAt, to int64, window int, fn func(Line) error) error {
	if window <= 0 {
		window = DefaultTail
	}
	v := reverser{lineReader{r: r, opt: Options{}.orDefault()}}
	v.buf = make([]byte, min(int64(window), max(to, 1)))
	err := v.lines(to, fn)
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}

// A reverser reads lines backwards through one window.
type reverser struct{ lineReader }

func (v *reverser) lines(to int64, fn func(Line) error) error {
	lf := false // an LF stands at end
	end := to   // of the line that is sought
	if to > 0 {
		if err := v.read(v.buf[:1], to-1); err != nil {
			return err
		}
		if v.buf[0] == '\n' {
			lf, end = true, to-1
		}
	}
	for end > 0 || lf {
		low := max(0, end-int64(len(v.buf)))
		b := v.buf[:end-low]
		if err := v.read(b, low); err != nil {
			return err
		}
		k := bytes.LastIndexByte(b, '\n')
		for ; k >= 0; k = bytes.LastIndexByte(b, '\n') {
			if err := v.give(Line{low + int64(k) + 1, int64(len(b) - k - 1), b[k+1:], lf}, fn); err != nil {
				return err
			}
			lf, b = true, b[:k]
		}
		end = low + int64(len(b))
		if low == 0 {
			return v.give(Line{0, end, b, lf}, fn)
		}
		if len(b) == len(v.buf) {
			var err error
			if end, err = v.longLine(end, lf, fn); err != nil {
				return err
			}
			if end < 0 {
				return nil
			}
			lf = true
		}
	}
	return nil
}

// longLine delivers the line that ends before end and is longer than the
// window. It returns the offset of the LF before the line, -1 for none.
func (v *reverser) longLine(end int64, lf bool, fn func(Line) error) (int64, error) {
	start := end
	for start > 0 {
		low := max(0, start-int64(len(v.buf)))
		b := v.buf[:start-low]
		if err := v.read(b, low); err != nil {
			return 0, err
		}
		k := bytes.LastIndexByte(b, '\n')
		start = low + int64(k) + 1
		if k >= 0 {
			break
		}
	}
	line := Line{Off: start, Len: end - start, LF: lf}
	if line.Len <= v.opt.MaxLine {
		if err := v.hold(&line); err != nil {
			return 0, err
		}
	}
	return start - 1, fn(line)
}

func (v *reverser) read(p []byte, off int64) error {
	_, err := readAt(v.r, p, off)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("read lines: at byte %d: %w", off, err)
	}
	return nil
}
