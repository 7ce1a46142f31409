package lease_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/lease"
	"pgregory.net/rapid"
)

// TestOneLine: whatever a server says, what is told of it is short, one line, and
// drives no terminal.
func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"no such table": "no such table", " two\n\tlines \r\n": "two lines", "\x1b]52;c;eA==\x07x": "\uFFFD]52;c;eA==\uFFFDx",
		"a\u202Eb\u200Bc": "a\uFFFDb\uFFFDc", "bad \xff\xfe": "bad \uFFFD", "": "",
	} {
		if got := lease.OneLine(text); got != want {
			t.Errorf("of %q: %q, want %q", text, got, want)
		}
	}
	if got := lease.OneLine(strings.Repeat("é", 100<<20)); len(got) > 410 || !strings.HasSuffix(got, "é…") {
		t.Errorf("of much: %d bytes, %q", len(got), got)
	}
	for range 100 { // times the usual 100 cases
		rapid.Check(t, func(t *rapid.T) {
			text := string(rapid.SliceOfN(rapid.Byte(), 0, 600).Draw(t, "text"))
			got := lease.OneLine(text)
			if len(got) > 410 || !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
				t.Fatalf("of %q: %q", text, got)
			}
		})
	}
}

func TestSound(t *testing.T) {
	for _, name := range []string{"/p/a", "/p/a b", "/p/\x1b", "/p/..a", "/p/..."} {
		if !lease.Sound(name, "/p") {
			t.Errorf("%q is not sound", name)
		}
	}
	for _, name := range []string{"", "/", "/p", "/p/", "/p/.", "/p/..", "/p/a/b", "/p/../etc/passwd", "/p//a", "p/a", "/q/a", "/p/a\x00", "/p/\xff", "/p/a/"} {
		if lease.Sound(name, "/p") {
			t.Errorf("%q is sound", name)
		}
	}
	if !lease.Sound("/a", "/") || lease.Sound("/", "/") || lease.Sound("//a", "/") {
		t.Error("the root is not told")
	}
}

// FuzzOneLine is TestOneLine for any bytes.
func FuzzOneLine(f *testing.F) {
	f.Add("\x1b[31m two\nlines \xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := lease.OneLine(text)
		if len(got) > 410 || !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("of %q: %q", text, got)
		}
		if again := lease.OneLine(got); again != got {
			t.Errorf("of %q: %q, and of that %q", text, got, again)
		}
	})
}
