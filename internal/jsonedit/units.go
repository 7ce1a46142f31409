package jsonedit

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Units returns the length of s in UTF-16 code units, as JavaScript's length
// property gives it. Each maximal part of invalid UTF-8 counts 1.
func Units(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			n, i = n+1, i+1
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			size = broken(s[i:])
		case r > 0xFFFF:
			n++
		}
		n, i = n+1, i+size
	}
	return n
}

// UnitsRaw returns the length in UTF-16 code units of the string that the
// literal raw spells, without decoding it, and 0 when raw is not a string.
func UnitsRaw(raw []byte) int {
	b, ok := body(raw)
	if !ok {
		return 0
	}
	n := 0
	for i := 0; i < len(b); n++ {
		if c := b[i]; c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		u, size := unit(b, i)
		if u > 0xFFFF {
			n++
		}
		i += size
	}
	return n
}

// UnitsText returns the length in UTF-16 code units of the JSON text v itself,
// blanks outside strings not counted: for text that a program wrote, the length
// of JSON.stringify of its value.
func UnitsText(v []byte) int {
	n := 0
	for part := range solid(v) {
		n += Units(string(part))
	}
	return n
}

// CutUnits returns the string literal that holds the first n UTF-16 code units
// of raw, escapes as written; one unit less where the cut would end in a high
// surrogate. A literal of at most n units, and a value that is no string, is
// returned as it is.
func CutUnits(raw []byte, n int) []byte {
	b, ok := body(raw)
	if !ok {
		return raw
	}
	n = max(n, 0)
	count, high := 0, -1 // high is where a surrogate that ends the cut starts
	for i := 0; i < len(b); {
		u, size := unit(b, i)
		width := 1
		if u > 0xFFFF {
			width = 2
		}
		if count+width > n {
			end := i
			if high >= 0 && count == n { // else the unit less is that of the pair at i
				end = high
			}
			out := make([]byte, 0, end+2)
			return append(append(append(out, '"'), b[:end]...), '"')
		}
		high = -1
		if utf16.IsSurrogate(u) && u < 0xDC00 {
			high = i
		}
		count, i = count+width, i+size
	}
	return raw
}

// CutText returns the first n UTF-16 code units of s, one less where a character
// would be split. Each maximal part of invalid UTF-8 counts 1.
func CutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	count := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			size = broken(s[i:])
		}
		count++
		if r > 0xFFFF {
			count++
		}
		if count > n {
			return s[:i]
		}
		i += size
	}
	return s
}
