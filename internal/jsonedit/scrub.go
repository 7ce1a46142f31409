package jsonedit

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Scrub returns v with every lone surrogate (written as an escape) and every
// maximal part of invalid UTF-8 inside its strings, keys included, replaced by
// U+FFFD, and how many there were. All other bytes stay; with none, v itself is
// returned.
func Scrub(v []byte) ([]byte, int) {
	if utf8.Valid(v) && !bytes.Contains(v, []byte(`\u`)) {
		return v, 0
	}
	var out []byte
	n, done := 0, 0
	for i := skipQuote(v, 0); i < len(v); i = skipQuote(v, i) {
		end := skipString(v, i)
		if end < 0 {
			break
		}
		for i++; i < end-1; {
			width, lone := scrap(v[:end-1], i)
			if lone {
				n++
				out = append(append(out, v[done:i]...), "\uFFFD"...)
				done = i + width
			}
			i += width
		}
		i = end
	}
	if n == 0 {
		return v, 0
	}
	return append(out, v[done:]...), n
}

// skipQuote returns the index of the next quote at or after i, or len(b).
func skipQuote(b []byte, i int) int {
	n := bytes.IndexByte(b[i:], '"')
	if n < 0 {
		return len(b)
	}
	return i + n
}

// scrap returns how many bytes the character at b[i] takes, a pair of escapes
// counting as one, and whether it is a lone surrogate or invalid UTF-8.
func scrap(b []byte, i int) (width int, lone bool) {
	if b[i] < utf8.RuneSelf && b[i] != '\\' {
		return 1, false
	}
	u, n := unit(b, i)
	if utf16.IsSurrogate(u) {
		low, m := unit(b, i+n)
		if utf16.DecodeRune(u, low) != utf8.RuneError {
			return n + m, false
		}
		return n, true
	}
	// A written U+FFFD takes three bytes and starts with 0xEF; what is invalid
	// decodes to it without being it.
	bad := u == utf8.RuneError && b[i] != '\\' && !bytes.HasPrefix(b[i:], []byte("\uFFFD"))
	return n, bad
}
