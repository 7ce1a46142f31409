package jsonedit

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Plain reports whether raw is a JSON text that stands for the same text to every
// reader, so that it may be passed on as it is: UTF-8, no control character, and no
// escapes but the short ones. What is longer than it need be may be called not plain.
func Plain(raw jsontext.Value) bool {
	n := len(raw)
	if n < 2 || raw[0] != '"' || raw[n-1] != '"' {
		return false
	}
	text := raw[1 : n-1]
	ascii := true
	for i := 0; i < len(text); {
		for words := 0; len(text)-i >= 8; words++ {
			if words == longRun {
				if i += plainHead(text[i:]); len(text)-i < 8 {
					break
				}
			}
			odd := odd(binary.LittleEndian.Uint64(text[i:]))
			if odd != 0 {
				i += bits.TrailingZeros64(odd) / 8
				break
			}
			i += 8
		}
		if i == len(text) {
			break
		}
		switch c := text[i]; {
		case c == '\\':
			if i++; i == len(text) {
				return false
			}
			switch text[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			default:
				return false
			}
		case c < ' ', c == '"':
			return false
		case c >= utf8.RuneSelf:
			for ascii = false; i+1 < len(text) && text[i+1] >= utf8.RuneSelf; {
				i++
			}
		}
		i++
	}
	return ascii || utf8.Valid(text)
}

// longRun is after how many words without anything odd more of them are looked at at
// once.
const longRun = 4

const (
	low  = 0x0101010101010101
	high = 0x80 * low
)

// odd returns the high bit of the first byte of eight that is a quote, a backslash, a
// control character or not ASCII, and of others behind it; 0 where none is.
func odd(w uint64) uint64 {
	quote, slash := w^('"'*low), w^('\\'*low)
	return ((quote-low)&^quote | (slash-low)&^slash | (w-' '*low)&^w | w) & high
}
