package compaction

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// printed returns how long a JSON value is as JSON.stringify prints it, in UTF-16
// units, or in bytes of UTF-8: however its strings and numbers are spelled.
func printed(v entry.JSON, inBytes bool) int {
	text := jsonedit.Compact(v)
	n := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			end := stringEnd(text, i+1)
			n += 2 + printedString(text[i+1:end], inBytes)
			i = end + 1
		case c == '-' || c >= '0' && c <= '9':
			end := i + 1
			for end < len(text) && isNumber(text[end]) {
				end++
			}
			n += printedNumber(text[i:end])
			i = end
		default:
			n++
			i++
		}
	}
	return n
}

// stringEnd returns where the string that begins at i ends, the length of the
// text where it does not.
func stringEnd(text []byte, i int) int {
	for i < len(text) && text[i] != '"' {
		if text[i] == '\\' {
			i++
		}
		i++
	}
	return min(i, len(text))
}

func isNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'
}

func printedNumber(text []byte) int {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil && f != f {
		return len(text)
	}
	return len(jsonedit.JSNumber(f))
}

// printedString measures what stands between the quotes of a string.
func printedString(text []byte, inBytes bool) int {
	n := 0
	for i := 0; i < len(text); {
		r, size := character(text[i:])
		i += size
		if utf16.IsSurrogate(r) && r < 0xDC00 && i < len(text) {
			if low, size := character(text[i:]); low >= 0xDC00 && low <= 0xDFFF {
				r, i = utf16.DecodeRune(r, low), i+size
			}
		}
		n += printedLen(r, inBytes)
	}
	return n
}

// character reads one character or escape; a surrogate is one by itself.
func character(text []byte) (r rune, size int) {
	if text[0] != '\\' || len(text) < 2 {
		return utf8.DecodeRune(text)
	}
	switch text[1] {
	case 'u':
		if len(text) >= 6 {
			if code, err := strconv.ParseUint(string(text[2:6]), 16, 16); err == nil {
				return rune(code), 6
			}
		}
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	}
	return rune(text[1]), 2
}

// printedLen returns how long JSON.stringify prints a character.
func printedLen(r rune, inBytes bool) int {
	switch {
	case r == '"' || r == '\\' || r == '\b' || r == '\f' || r == '\n' || r == '\r' || r == '\t':
		return 2
	case r < 0x20 || utf16.IsSurrogate(r):
		return 6
	case inBytes:
		return utf8.RuneLen(r)
	case r > 0xFFFF:
		return 2
	}
	return 1
}
