package golden

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape spells out each character that is not printable, as Go writes it in a
// string.
func escape(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) {
			b.WriteString(strings.Trim(strconv.QuoteToASCII(s[:size]), `"`))
		} else {
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

// quote is the whole text in Go's spelling.
func quote(s string) string { return strconv.QuoteToASCII(s) }
