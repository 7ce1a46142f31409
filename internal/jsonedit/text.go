package jsonedit

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// String decodes the string literal raw, blanks around it allowed. Lone
// surrogates and invalid UTF-8 become U+FFFD, the latter one for each maximal
// part, as in a browser or Node. It reports false when raw is not a string.
func String(raw []byte) (string, bool) {
	body, ok := body(raw)
	if !ok {
		return "", false
	}
	if bytes.IndexByte(body, '\\') < 0 && utf8.Valid(body) {
		return string(body), true
	}
	var out strings.Builder
	out.Grow(len(body))
	for i := 0; i < len(body); {
		plain := i
		for i < len(body) && body[i] != '\\' && body[i] < utf8.RuneSelf {
			i++
		}
		if out.Write(body[plain:i]); i == len(body) {
			break
		}
		u, n := unit(body, i)
		i += n
		if utf16.IsSurrogate(u) {
			low, m := unit(body, i)
			if r := utf16.DecodeRune(u, low); r != utf8.RuneError {
				u, i = r, i+m
			} else {
				u = utf8.RuneError
			}
		}
		out.WriteRune(u)
	}
	return out.String(), true
}

// Quote appends s as a string literal the way JSON.stringify writes it: short
// escapes where JSON has them, \u00xx in lower case for the other controls, and
// everything else (U+2028, <, &, DEL) as it is. Invalid UTF-8 becomes U+FFFD.
func Quote(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
			size = broken(s[i:])
		}
		dst = append(dst, s[start:i]...)
		switch {
		case c >= utf8.RuneSelf:
			dst = append(dst, "\uFFFD"...)
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case short(c) != 0:
			dst = append(dst, '\\', short(c))
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i += size
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

// Quoted returns s as Quote writes it.
func Quoted(s string) []byte {
	return Quote(make([]byte, 0, len(s)+2), s)
}

// Concat returns the string literal that holds the texts of the given string
// literals one after the other, their escapes as written. Values that are not
// strings are left out.
func Concat(parts ...[]byte) []byte {
	out := []byte{'"'}
	for _, part := range parts {
		if b, ok := body(part); ok {
			out = append(out, b...)
		}
	}
	return append(out, '"')
}

// short returns the letter of the short escape for the control c, or 0.
func short(c byte) byte {
	switch c {
	case '\b':
		return 'b'
	case '\f':
		return 'f'
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\t':
		return 't'
	}
	return 0
}

// body returns what stands between the quotes of the string literal raw.
func body(raw []byte) ([]byte, bool) {
	i := skipBlank(raw, 0)
	if i >= len(raw) || raw[i] != '"' {
		return nil, false
	}
	end := skipString(raw, i)
	if end < 0 {
		return nil, false
	}
	return raw[i+1 : end-1], true
}

// unit reads one character of a literal's body at i: an escape or a rune. A
// \uXXXX escape gives its code unit, which may be a surrogate. n is the number
// of bytes it takes, at least 1 before the end and 0 at the end.
func unit(b []byte, i int) (u rune, n int) {
	if i >= len(b) {
		return -1, 0
	}
	if b[i] != '\\' {
		if b[i] < utf8.RuneSelf {
			return rune(b[i]), 1
		}
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return r, broken(b[i:])
		}
		return r, size
	}
	if i+1 >= len(b) {
		return utf8.RuneError, 1
	}
	switch c := b[i+1]; c {
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
	case 'u':
		if u, ok := hex4(b[i+2:]); ok {
			return u, 6
		}
		return utf8.RuneError, 2
	default:
		return rune(c), 2
	}
}

// hex4 reads four hexadecimal digits.
func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var u rune
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		u = u<<4 | rune(c)
	}
	return u, true
}

// broken returns the length of the maximal part of an ill-formed UTF-8 sequence
// at the start of s (Unicode, "substitution of maximal subparts"), at least 1.
func broken[T []byte | string](s T) int {
	lead := s[0]
	low, high, need := byte(0x80), byte(0xBF), 0
	switch {
	case lead >= 0xC2 && lead <= 0xDF:
		need = 1
	case lead >= 0xE0 && lead <= 0xEF:
		need = 2
	case lead >= 0xF0 && lead <= 0xF4:
		need = 3
	}
	switch lead {
	case 0xE0:
		low = 0xA0
	case 0xED:
		high = 0x9F
	case 0xF0:
		low = 0x90
	case 0xF4:
		high = 0x8F
	}
	n := 1
	for ; n <= need && n < len(s); n++ {
		if s[n] < low || s[n] > high {
			break
		}
		low, high = 0x80, 0xBF
	}
	return n
}

// keyIs reports whether the key literal spells key.
func keyIs(literal []byte, key string) bool {
	if len(literal) < 2 {
		return false
	}
	b := literal[1 : len(literal)-1]
	if bytes.IndexByte(b, '\\') < 0 {
		if string(b) == key {
			return true
		}
		if utf8.Valid(b) {
			return false
		}
	}
	s, ok := String(literal)
	return ok && s == key
}

// keyText decodes a key literal. The names that fill session files cost no
// memory.
func keyText(literal []byte) string {
	switch string(literal) {
	case `"type"`:
		return "type"
	case `"id"`:
		return "id"
	case `"parentId"`:
		return "parentId"
	case `"timestamp"`:
		return "timestamp"
	case `"message"`:
		return "message"
	case `"role"`:
		return "role"
	case `"content"`:
		return "content"
	case `"text"`:
		return "text"
	case `"data"`:
		return "data"
	case `"arguments"`:
		return "arguments"
	case `"name"`:
		return "name"
	case `"input"`:
		return "input"
	case `"output"`:
		return "output"
	case `"cacheRead"`:
		return "cacheRead"
	case `"cacheWrite"`:
		return "cacheWrite"
	case `"path"`:
		return "path"
	}
	s, _ := String(literal)
	return s
}
