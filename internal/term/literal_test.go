package term_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/term"
)

// TestLiteral writes texts whole and byte by byte.
func TestLiteral(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"a":"é😀"}` + "\n", `{"a":"é😀"}` + "\n"},
		{"☺\ufe0f", `☺\ufe0f`},
		{"{\"a\":\t1}\r\n", "{\"a\":\t1}\r\n"},
		{"a\rb\r\n", `a\u000db` + "\r\n"},
		{"\x1b]52;c;eA==\x07", `\u001b]52;c;eA==\u0007`},
		{"\u009b31m\u007f", `\u009b31m\u007f`},
		{"\x9b31m\xff!", "\ufffd31m\ufffd!"},
		{"\u202ea\u200bb\u2066c\u2028d\ufeff", `\u202ea\u200bb\u2066c\u2028d\ufeff`},
		{"\U000e0041x", `\udb40\udc41x`},
		{strings.Repeat("\u0301", 32) + "a\u0301", strings.Repeat("\u0301", 30) + `\u0301\u0301` + "a\u0301"},
		{"\x00\b", `\u0000\u0008`},
	} {
		var whole, bytewise bytes.Buffer
		w := term.Literal(&whole)
		if n, err := w.Write([]byte(c.in)); err != nil || n != len(c.in) {
			t.Fatalf("Write(%q) = %d, %v", c.in, n, err)
		}
		w = term.Literal(&bytewise)
		for i := range len(c.in) {
			if _, err := w.Write([]byte{c.in[i]}); err != nil {
				t.Fatal(err)
			}
		}
		if whole.String() != c.want || bytewise.String() != c.want {
			t.Errorf("%q became %q, byte by byte %q, want %q", c.in, &whole, &bytewise, c.want)
		}
	}
}
