package term

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// Literal returns a writer for JSON, and for lines of files, that a terminal
// shows: what drives a terminal or hides text in it is written as the escape
// that JSON has for it (\u001b), so that whole JSON keeps its meaning; so are
// combining marks beyond 30 in a row. Newlines,
// tabs and CR LF stay; bytes that are not UTF-8 become U+FFFD. A character whose
// bytes come in several writes is written with the last of them. Write returns
// how much of its argument was taken, all of it unless w fails.
func Literal(w io.Writer) io.Writer { return &literal{w: w} }

type literal struct {
	w     io.Writer
	rest  []byte // the beginning of a character, or a CR
	buf   []byte
	marks int // combining marks in a row
}

func (l *literal) Write(p []byte) (int, error) {
	data := append(l.rest, p...)
	out := l.buf[:0]
	for len(data) > 0 && utf8.FullRune(data) {
		r, size := utf8.DecodeRune(data)
		if r == '\r' && len(data) == 1 {
			break
		}
		l.marks++
		if !mark(r) {
			l.marks = 0
		}
		out = appendLiteral(out, r, data, l.marks > mostMarks)
		data = data[size:]
	}
	l.rest, l.buf = append(l.rest[:0], data...), out
	if _, err := l.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// appendLiteral appends r, with which data begins, escaped where that is asked for.
func appendLiteral(out []byte, r rune, data []byte, escaped bool) []byte {
	switch {
	case r == '\n' || r == '\t' || r == '\r' && data[1] == '\n':
	case r == '\u2028' || r == '\u2029' || hidden(r) || escaped:
		if r > 0xffff {
			r -= 0x10000
			return fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
		return fmt.Appendf(out, `\u%04x`, r)
	}
	return utf8.AppendRune(out, r)
}
