package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
)

// Defaults of [Options], and the largest line that [Reverse] holds.
const (
	DefaultMaxLine = 64 << 20
	DefaultWindow  = 256 << 10
)

// Options say how much memory the reading of lines may take. The zero value
// means the defaults.
type Options struct {
	MaxLine int64 // longest line delivered with its bytes; default 64 MiB
	Window  int   // bytes read at a time; default 256 KiB
	// Buffer is used as the window if it is long enough: for a caller that
	// reads many files. It must not be looked at meanwhile.
	Buffer []byte
}

func (o Options) orDefault() Options {
	if o.MaxLine <= 0 {
		o.MaxLine = DefaultMaxLine
	}
	if o.Window <= 0 {
		o.Window = DefaultWindow
	}
	return o
}

// A Line is one line of a file.
type Line struct {
	Off int64 // of its first byte in the file
	Len int64 // without the LF
	// Bytes is the line without the LF, valid until the callback returns. It
	// is nil, never merely empty, for a line longer than Options.MaxLine: see
	// [ScanLong].
	Bytes []byte
	LF    bool // an LF ends it; only the last line of what is read may lack it
}

// End returns the offset after the line and its LF.
func (l Line) End() int64 {
	if l.LF {
		return l.Off + l.Len + 1
	}
	return l.Off + l.Len
}

// Text returns Bytes trimmed as by [Trim]; nil when Bytes is nil.
func (l Line) Text() []byte {
	s := Trim(l.Bytes, l.Off)
	return l.Bytes[s.Start:s.End]
}

const bom = "\xEF\xBB\xBF"

// Trim returns the part of a line, which begins at off in its file, without
// what may surround a value and means nothing: blanks, CR and runs of NUL at
// both ends, and a UTF-8 byte order mark at offset 0 of the file. The span is
// empty but not always zero when nothing is left.
func Trim(line []byte, off int64) Span {
	s := Span{0, len(line)}
	if off == 0 && len(line) >= len(bom) && string(line[:len(bom)]) == bom {
		s.Start = len(bom)
	}
	for s.Start < s.End && isPadding(line[s.Start]) {
		s.Start++
	}
	for s.End > s.Start && isPadding(line[s.End-1]) {
		s.End--
	}
	return s
}

func isPadding(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == 0
}

// Lines calls fn for each line of r between the offsets from and to, in order.
// A negative to means the end of r. The line that to cuts, or that nothing
// ends, comes last with LF false; there is no line after a last LF. fn may end
// the reading with [ErrStop], which gives nil; any other error of it is
// returned as it is.
//
// Bytes are read once, those of lines longer than 16 windows twice. When r ends
// before to, what is there is delivered and io.ErrUnexpectedEOF returned,
// wrapped.
func Lines(r io.ReaderAt, from, to int64, opt Options, fn func(Line) error) error {
	opt = opt.orDefault()
	l := lineReader{r: r, opt: opt, to: to, bounded: to >= 0}
	if !l.bounded {
		l.to = math.MaxInt64
	}
	size := int64(opt.Window)
	if l.to-from < size {
		size = max(l.to-from, 1)
	}
	if l.buf = opt.Buffer; int64(len(l.buf)) < size {
		l.buf = make([]byte, size)
	}
	l.buf = l.buf[:size]
	err := l.lines(from, fn)
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}

// A lineReader reads lines forwards through one window.
type lineReader struct {
	r       io.ReaderAt
	opt     Options
	to      int64
	bounded bool   // to was asked for, not just the end
	buf     []byte // the window
	long    []byte // for a line longer than the window
}

func (l *lineReader) lines(off int64, fn func(Line) error) error {
	held := 0 // bytes of the line at off that are already in the window
	for off < l.to {
		n, end, err := l.fill(off, held)
		if err != nil {
			return err
		}
		b := l.buf[:n]
		used := 0
		for {
			k := bytes.IndexByte(b[used+held:], '\n')
			if k < 0 {
				break
			}
			k += held
			held = 0
			text := b[used : used+k : used+k]
			line := Line{Off: off + int64(used), Len: int64(k), Bytes: text, LF: true}
			if err := l.give(line, fn); err != nil {
				return err
			}
			used += k + 1
		}
		off += int64(used)
		held = n - used
		switch {
		case end:
			return l.last(off, b[used:], fn)
		case used > 0:
			copy(l.buf, b[used:])
		case n == len(l.buf) && !l.widen():
			if off, err = l.longLine(off, fn); err != nil {
				return err
			}
			held = 0
		}
	}
	return nil
}

// wide is the most windows of a line that are held while its end is not known.
const wide = 16

// widen makes room in the window for more of a line that fills it, and reports
// whether it did.
func (l *lineReader) widen() bool {
	most := min(max(l.opt.MaxLine, int64(l.opt.Window)), wide*int64(l.opt.Window))
	size := min(2*int64(len(l.buf)), most)
	if size <= int64(len(l.buf)) {
		return false
	}
	buf := make([]byte, size)
	copy(buf, l.buf)
	l.buf = buf
	return true
}

// give hands a line to fn, without its bytes when it is too long.
func (l *lineReader) give(line Line, fn func(Line) error) error {
	if line.Len > l.opt.MaxLine {
		line.Bytes = nil
	}
	return fn(line)
}

// last delivers what no LF ends.
func (l *lineReader) last(off int64, b []byte, fn func(Line) error) error {
	if len(b) > 0 {
		line := Line{Off: off, Len: int64(len(b)), Bytes: b[:len(b):len(b)]}
		if err := l.give(line, fn); err != nil {
			return err
		}
	}
	if end := off + int64(len(b)); l.bounded && end < l.to {
		return fmt.Errorf("read lines: file ends at byte %d of %d: %w", end, l.to, io.ErrUnexpectedEOF)
	}
	return nil
}

// fill reads into the window, whose first held bytes are those at off, and
// returns how many bytes it holds and whether nothing comes after them. It
// reads no more at once in one that was widened: what is read should still be
// in the processor's cache when it is looked at.
func (l *lineReader) fill(off int64, held int) (n int, end bool, err error) {
	room := l.buf[held:]
	room = room[:min(len(room), l.opt.Window)]
	if left := l.to - off - int64(held); int64(len(room)) > left {
		room = room[:left]
	}
	n, err = readAt(l.r, room, off+int64(held))
	if err == io.EOF {
		return held + n, true, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("read lines: at byte %d: %w", off+int64(held), err)
	}
	return held + n, off+int64(held+n) >= l.to, nil
}

// readAt is r.ReadAt with io.EOF only when p could not be filled.
func readAt(r io.ReaderAt, p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		return n, nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return n, err
}

// longLine delivers the line at off, which is longer than the window: it looks
// for its end first and then reads it as a whole, so that there is never more
// memory than the line takes. It returns where the next line begins.
func (l *lineReader) longLine(off int64, fn func(Line) error) (int64, error) {
	line := Line{Off: off}
	at := off
	for !line.LF {
		n, end, err := l.fill(at, 0)
		if err != nil {
			return at, err
		}
		k := bytes.IndexByte(l.buf[:n], '\n')
		if line.LF = k >= 0; line.LF {
			n = k
		}
		at += int64(n)
		if end {
			break
		}
		if !line.LF {
			at = behindHole(l.r, l.buf[:n], at, l.to)
		}
	}
	line.Len = at - off
	if line.Len <= l.opt.MaxLine {
		if err := l.hold(&line); err != nil {
			return at, err
		}
	}
	if err := fn(line); err != nil {
		return at, err
	}
	if !line.LF {
		return at, l.last(at, nil, fn)
	}
	return at + 1, nil
}

// hold reads the bytes of line into memory of their own, which the next long
// line reuses.
func (l *lineReader) hold(line *Line) error {
	if int64(cap(l.long)) < line.Len {
		l.long = nil // before the next is made, so that both need not be there
		l.long = make([]byte, grown(line.Len, l.opt.MaxLine))
	}
	line.Bytes = l.long[:line.Len:line.Len]
	_, err := readAt(l.r, line.Bytes, line.Off)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("read lines: line at byte %d: %w", line.Off, err)
	}
	return nil
}

// grown returns n, or the next power of two where that is at most limit.
func grown(n, limit int64) int64 {
	if up := int64(1) << bits.Len64(uint64(n-1)); up > 0 && up <= limit {
		return up
	}
	return n
}

// Split returns n+1 offsets that divide the bytes of r between from and to into
// n parts of about the same length, every inner one just after an LF or at to,
// so that [Lines] over each part gives the lines of the whole. Parts may be
// empty.
func Split(r io.ReaderAt, from, to int64, n int) ([]int64, error) {
	n = max(n, 1)
	cuts := make([]int64, n+1)
	cuts[0], cuts[n] = from, to
	var buf []byte
	for k := 1; k < n; k++ {
		at := max(from+(to-from)/int64(n)*int64(k), cuts[k-1])
		if at <= from {
			cuts[k] = from
			continue
		}
		if buf == nil {
			buf = make([]byte, 64<<10)
		}
		var err error
		if cuts[k], err = lineAfter(r, at-1, to, buf); err != nil {
			return nil, err
		}
	}
	return cuts, nil
}

// lineAfter returns the offset after the first LF at or after at, or to.
func lineAfter(r io.ReaderAt, at, to int64, buf []byte) (int64, error) {
	for at < to {
		p := buf[:min(int64(len(buf)), to-at)]
		n, err := readAt(r, p, at)
		if k := bytes.IndexByte(p[:n], '\n'); k >= 0 {
			return at + int64(k) + 1, nil
		}
		if err == io.EOF {
			return to, nil
		}
		if err != nil {
			return 0, fmt.Errorf("split lines: at byte %d: %w", at, err)
		}
		at = behindHole(r, p[:n], at+int64(n), to)
	}
	return to, nil
}
