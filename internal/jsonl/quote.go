package jsonl

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Plain returns the text of a raw JSON string without copying it, and whether
// it could: a value that is not a string or is written with escapes cannot.
func Plain(raw []byte) (text []byte, ok bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return nil, false
	}
	text = raw[1 : len(raw)-1 : len(raw)-1]
	return text, bytes.IndexByte(text, '\\') < 0
}

// Text returns the text of a raw JSON string: a part of raw when it has no
// escapes, new bytes when it has, nil when raw is not a string.
func Text(raw []byte) []byte {
	if text, ok := Plain(raw); ok {
		return text
	}
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	return Unquote(make([]byte, 0, len(raw)), raw)
}

// Unquote appends the text of a raw JSON string to dst, in UTF-8. An escaped
// lone surrogate becomes U+FFFD; bytes of raw that are not UTF-8 are copied as
// they are ([AppendUTF8] mends them). raw is taken to be well formed, as a
// [Span] gives it; of anything else the result is unspecified but bounded by
// its length, and of a value that is not a string dst is returned unchanged.
func Unquote(dst []byte, raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return dst
	}
	s := raw[1:]
	if s[len(s)-1] == '"' {
		s = s[:len(s)-1]
	}
	for {
		k := bytes.IndexByte(s, '\\')
		if k < 0 || k+1 >= len(s) {
			return append(dst, s...)
		}
		dst = append(dst, s[:k]...)
		c := s[k+1]
		s = s[k+2:]
		switch c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			var r rune
			r, s = unescape(s)
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, c)
		}
	}
}

// unescape reads the hexadecimal digits of an escape, and of the escape after
// it where the two are a pair of surrogates.
func unescape(s []byte) (rune, []byte) {
	r, ok := hex4(s)
	if !ok {
		return utf8.RuneError, s
	}
	s = s[4:]
	if !utf16.IsSurrogate(r) {
		return r, s
	}
	if len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
		if low, ok := hex4(s[2:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, s[6:]
			}
		}
	}
	return utf8.RuneError, s
}

func hex4(s []byte) (r rune, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for _, c := range s[:4] {
		if !isHex(c) {
			return 0, false
		}
		d := rune(c & 0xf)
		if c > '9' {
			d += 9
		}
		r = r<<4 | d
	}
	return r, true
}

// AppendQuote appends s as a JSON string the way JSON.stringify writes it: the
// short escapes, other control characters as \u00xx in lower case, everything
// else as it is, U+2028 and the characters of HTML included. What is not UTF-8
// becomes U+FFFD as in [AppendUTF8].
func AppendQuote(dst []byte, s string) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			size, ok := decode(s[i:])
			if !ok {
				dst = append(dst, s[from:i]...)
				dst = append(dst, "\uFFFD"...)
				from = i + size
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
		}
		i++
		from = i
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// AppendUTF8 appends s to dst with every part that is not UTF-8 replaced by
// U+FFFD, one for each longest part that starts a character, as the decoders of
// Node and Bun do (WHATWG Encoding, "maximal subpart").
func AppendUTF8(dst []byte, s string) []byte {
	if utf8.ValidString(s) {
		return append(dst, s...)
	}
	for i := 0; i < len(s); {
		size, ok := decode(s[i:])
		if ok {
			dst = append(dst, s[i:i+size]...)
		} else {
			dst = append(dst, "\uFFFD"...)
		}
		i += size
	}
	return dst
}

// decode returns the size of the character at the start of s, or of the part
// that one U+FFFD stands for.
func decode(s string) (size int, ok bool) {
	if s[0] < utf8.RuneSelf {
		return 1, true
	}
	if r, size := utf8.DecodeRuneInString(s); r != utf8.RuneError || size > 1 {
		return size, true
	}
	low, top, want := byte(0x80), byte(0xBF), 0
	switch c := s[0]; {
	case c >= 0xC2 && c <= 0xDF:
		want = 1
	case c >= 0xE0 && c <= 0xEF:
		want = 2
		if c == 0xE0 {
			low = 0xA0
		} else if c == 0xED {
			top = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		want = 3
		if c == 0xF0 {
			low = 0x90
		} else if c == 0xF4 {
			top = 0x8F
		}
	}
	size = 1
	for ; size <= want && size < len(s); size++ {
		if s[size] < low || s[size] > top {
			break
		}
		low, top = 0x80, 0xBF
	}
	return size, false
}

// AppendLine appends value and an LF to dst. It refuses, with dst unchanged, a
// value that is not one JSON value ([*SyntaxError]) and one that holds an LF
// ([ErrLineFeed]).
func AppendLine(dst, value []byte) ([]byte, error) {
	if err := Valid(value); err != nil {
		return dst, err
	}
	if bytes.IndexByte(value, '\n') >= 0 {
		return dst, ErrLineFeed
	}
	dst = append(dst, value...)
	return append(dst, '\n'), nil
}
