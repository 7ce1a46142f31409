package jsonl

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
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
// they are ([AppendText] mends them). raw is taken to be well formed, as a
// [Span] gives it; of anything else the result is unspecified but bounded by
// its length, and of a value that is not a string dst is returned unchanged.
func Unquote(dst []byte, raw []byte) []byte {
	dst, _ = unquote(dst, raw)
	return dst
}

// AppendText is Unquote, and mends what is not UTF-8 as [AppendUTF8] does.
func AppendText(dst []byte, raw []byte) []byte {
	n := len(dst)
	dst, ascii := unquote(dst, raw)
	if ascii || utf8.Valid(dst[n:]) {
		return dst
	}
	return AppendUTF8(dst[:n], string(dst[n:]))
}

// unquote is Unquote, and reports whether what is not escaped in raw is ASCII.
func unquote(dst []byte, raw []byte) (out []byte, ascii bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return dst, true
	}
	s := raw[1:]
	if s[len(s)-1] == '"' {
		s = s[:len(s)-1]
	}
	// No escape is shorter than what it stands for: there is room for all.
	from := len(dst)
	dst = slices.Grow(dst, len(s))
	to := dst[from : from+len(s)]
	n, seen := 0, uint64(0)
	for {
		k, all := copyPlain(to[n:], s)
		n, seen = n+k, seen|all
		if s = s[k:]; len(s) < 2 {
			n += copy(to[n:], s)
			return dst[:from+n], seen&high == 0
		}
		if c := plainEscapes[s[1]]; c != 0 {
			to[n] = c
			n++
			s = s[2:]
			continue
		}
		r, rest := unescape(s[2:])
		if len(rest) == len(s)-2 {
			r = '?' // four digits are wanting: it is not well formed
		}
		s = rest
		n += len(utf8.AppendRune(to[n:n], r))
	}
}

// plainEscapes are what the escapes of two bytes stand for; 0 is for the one
// that is longer. What is no escape stands for itself.
const plainEscapes = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f" +
	"\x20\x21\x22\x23\x24\x25\x26\x27\x28\x29\x2a\x2b\x2c\x2d\x2e\x2f" +
	"\x30\x31\x32\x33\x34\x35\x36\x37\x38\x39\x3a\x3b\x3c\x3d\x3e\x3f" +
	"\x40\x41\x42\x43\x44\x45\x46\x47\x48\x49\x4a\x4b\x4c\x4d\x4e\x4f" +
	"\x50\x51\x52\x53\x54\x55\x56\x57\x58\x59\x5a\x5b\x5c\x5d\x5e\x5f" +
	"\x60\x61\x08\x63\x64\x65\x0c\x67\x68\x69\x6a\x6b\x6c\x6d\x0a\x6f" +
	"\x70\x71\x0d\x73\x09\x00\x76\x77\x78\x79\x7a\x7b\x7c\x7d\x7e\x7f" +
	"\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f" +
	"\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9d\x9e\x9f" +
	"\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xab\xac\xad\xae\xaf" +
	"\xb0\xb1\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xbb\xbc\xbd\xbe\xbf" +
	"\xc0\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xcb\xcc\xcd\xce\xcf" +
	"\xd0\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xdb\xdc\xdd\xde\xdf" +
	"\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xeb\xec\xed\xee\xef" +
	"\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa\xfb\xfc\xfd\xfe\xff"

// copyPlain copies what stands before the first backslash of s to dst, which has
// room for all of s, and returns how much that is, and all its bytes or-ed to
// words.
func copyPlain(dst, s []byte) (n int, seen uint64) {
	from, to := unsafe.Pointer(unsafe.SliceData(s)), unsafe.Pointer(unsafe.SliceData(dst[:len(s)]))
	for ; n+8 <= len(s); n += 8 {
		w := load(from, n)
		binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(to, n))[:], w)
		// Exact up to the lowest byte that is marked.
		back := w ^ ones*'\\'
		if m := (back - ones) &^ back & high; m != 0 {
			k := bits.TrailingZeros64(m) &^ 7
			return n + k>>3, seen | w&(1<<k-1)
		}
		seen |= w
	}
	for ; n < len(s) && s[n] != '\\'; n++ {
		dst[n] = s[n]
		seen |= uint64(s[n])
	}
	return n, seen
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
