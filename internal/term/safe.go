package term

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe returns s without anything that drives a terminal or hides text in it:
// control characters except newline and tab (those of C1 too, encoded or as raw
// bytes), escape sequences, characters that change the direction of writing,
// characters without width, tag characters, variation selectors other than
// the two that choose between text and emoji, and combining marks beyond 30 in a
// row, which are drawn over other lines. Bytes that are not UTF-8 become
// U+FFFD, the two Unicode line separators newlines.
//
// An escape sequence goes as a whole where it is terminated on its line; of any
// other only the control characters go, so that it cannot swallow what follows.
// Safe of its own result changes nothing. The result has at most three times as
// many bytes.
func Safe(s string) string {
	n := clean(s)
	if n == len(s) {
		return s
	}
	b := make([]byte, 0, len(s)+8)
	b = append(b, s[:n]...)
	return string(appendSafe(b, s[n:]))
}

// Append appends Safe(s) to dst, for text that is written in pieces. A character
// or sequence must not be split between two calls.
func Append(dst []byte, s string) []byte {
	n := clean(s)
	if r, _ := utf8.DecodeRuneInString(s); mark(r) {
		n = 0 // there may be more of them in front
	}
	if n == len(s) {
		return append(dst, s...)
	}
	dst = append(dst, s[:n]...)
	return appendSafe(dst, s[n:])
}

// Line returns Safe(s) on one line: newlines and tabs are spaces.
func Line(s string) string {
	s = Safe(s)
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, s)
}

// clean returns the length of the longest prefix that Safe leaves as it is.
func clean(s string) int {
	marks := 0 // in a row
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			if b < ' ' && b != '\n' && b != '\t' || b == 0x7f {
				return i
			}
			i, marks = i+1, 0
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' || selector(r) || hidden(r) {
			return i
		}
		if !mark(r) {
			marks = 0
		} else if marks++; marks > mostMarks {
			return i
		}
		i += size
	}
	return len(s)
}

// appendSafe appends what is left of s. What dst holds already is the text in
// front of it.
func appendSafe(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			// A raw C1 byte may be a control to a terminal that is not set to
			// UTF-8, or the end of a torn character: it goes without a trace.
			if s[i] > 0x9f {
				dst = utf8.AppendRune(dst, utf8.RuneError)
			}
		case r == '\u2028' || r == '\u2029':
			dst = append(dst, '\n')
		case selector(r):
			if carries(dst) {
				dst = utf8.AppendRune(dst, r)
			}
		case r == 0x1b || 0x80 <= r && r <= 0x9f:
			if n := sequence(s[i:]); n > 0 {
				size = n
			}
		case !hidden(r) && !(mark(r) && stacked(dst)):
			dst = append(dst, s[i:i+size]...)
		}
		i += size
	}
	return dst
}

// mostMarks is how many combining marks stay in a row: what Unicode's "stream-safe"
// form (UAX #15) has, more than any language needs.
const mostMarks = 30

// mark says whether r is drawn over the character in front of it.
func mark(r rune) bool {
	switch {
	case r < 0x300, 0x4e00 <= r && r <= 0x9fff, 0xac00 <= r && r <= 0xd7a3: // most text has no others
		return false
	}
	return unicode.In(r, unicode.Mn, unicode.Me)
}

// stacked says whether text ends in as many marks as may be.
func stacked(text []byte) bool {
	for range mostMarks {
		r, size := utf8.DecodeLastRune(text)
		if !mark(r) {
			return false
		}
		text = text[:len(text)-size]
	}
	return true
}

// selector says whether r chooses between the text and the emoji form of the
// character in front of it.
func selector(r rune) bool { return r == 0xfe0e || r == 0xfe0f }

// carries says whether text ends in a character that a selector can follow. A
// run of selectors could carry hidden data, one at a time cannot.
func carries(text []byte) bool {
	r, _ := utf8.DecodeLastRune(text)
	return len(text) > 0 && r > ' ' && !selector(r)
}

// hidden says whether r is a control character or one that is not seen: the
// default-ignorable and format characters of Unicode (15.0), except the number
// and end signs that stand around digits and are visible.
func hidden(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	case r <= 0x9f, r == 0xad:
		return true
	case r < 0x34f:
		return false
	case r < 0x2000:
		return r == 0x34f || r == 0x61c ||
			r == 0x115f || r == 0x1160 || r == 0x17b4 || r == 0x17b5 ||
			0x180b <= r && r <= 0x180f
	case r < 0x2070:
		return 0x200b <= r && r <= 0x200f || 0x202a <= r && r <= 0x202e || r >= 0x2060
	case r < 0xfe00:
		return r == 0x3164
	case r <= 0xffff:
		return r <= 0xfe0f || r == 0xfeff || r == 0xffa0 || 0xfff0 <= r && r <= 0xfffb
	}
	return 0x13430 <= r && r <= 0x1345f ||
		0x1bca0 <= r && r <= 0x1bca3 ||
		0x1d173 <= r && r <= 0x1d17a ||
		0xe0000 <= r && r <= 0xe0fff
}
