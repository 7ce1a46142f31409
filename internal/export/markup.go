package export

import (
	"bufio"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
)

// A markup is written as it is. Only constants of this package have the type, and the style
// and the script that are embedded in it: TestMarkupIsConstant fails on any other.
type markup string

// A sink takes markup and text. It keeps the first error, after which nothing is written.
type sink struct{ w *bufio.Writer }

// mark writes markup.
func (s sink) mark(parts ...markup) {
	for _, m := range parts {
		_, _ = s.w.WriteString(string(m)) // a bufio.Writer keeps its error
	}
}

// escapes replaces what means something in HTML, in text and in a value in quotes.
var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\x00", "\uFFFD")

// text writes text of a session: without what hides or turns it, escaped.
func (s sink) text(text string) { _, _ = escapes.WriteString(s.w, term.Safe(text)) }

// number writes a number.
func (s sink) number(n int) { _, _ = s.w.WriteString(strconv.Itoa(n)) }

// base64 writes bytes in base64, which means nothing in HTML.
func (s sink) base64(data []byte) {
	to := base64.NewEncoder(base64.StdEncoding, s.w)
	_, _ = to.Write(data)
	_ = to.Close() // as above
}

// line writes text as one line.
func (s sink) line(text string) { _, _ = escapes.WriteString(s.w, term.Line(text)) }

// anchor writes the name of the place of an entry behind markup, and ends the quotes.
func (s sink) anchor(before markup, id string) {
	s.mark(before)
	_, _ = s.w.WriteString(anchored(id))
	s.mark(`"`)
}

// anchored is the name of the place of an entry: e- and its id, in which all but letters,
// digits, - and _ is .XX in hexadecimal digits.
func anchored(id string) string {
	var b strings.Builder
	const hex = "0123456789abcdef"
	b.WriteString("e-")
	for i := range len(id) {
		switch c := id[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
		default:
			b.Write([]byte{'.', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

// in writes what is inside an element.
func (s sink) in(open, end markup, text string) {
	s.mark(open)
	s.text(text)
	s.mark(end)
}
