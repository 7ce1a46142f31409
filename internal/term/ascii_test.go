package term_test

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/term"
	"pgregory.net/rapid"
)

func TestUTF8(t *testing.T) {
	tests := []struct {
		all, ctype, lang string
		want             bool
	}{
		{"", "", "", true}, {"", "", "en_US.UTF-8", true}, {"", "", "C.utf8", true}, {"", "", "C", false}, {"", "", "de_DE.ISO-8859-1", false},
		{"C", "en_US.UTF-8", "en_US.UTF-8", false}, {"", "POSIX", "en_US.UTF-8", false}, {"en_GB.utf8", "C", "C", true},
	}
	for _, tt := range tests {
		env := map[string]string{"LC_ALL": tt.all, "LC_CTYPE": tt.ctype, "LANG": tt.lang}
		if got := term.UTF8(func(name string) string { return env[name] }); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

func TestASCII(t *testing.T) {
	tests := []struct{ text, want string }{
		{"plain \x1b[1mtext\x1b[m", "plain \x1b[1mtext\x1b[m"},
		{"\x1b[1m── │ a … b · ▌\x1b[m", "\x1b[1m-- | a ~ b - |\x1b[m"},
		{"☐ dig\n☑ sow\n⠹ › →", ". dig\nx sow\n- > >"},
		{"größe 日本 👩‍👩‍👧 e\u0301", "gr??e ???? ?? e"},
		{"\ttab é", "\ttab ?"},
	}
	for _, tt := range tests {
		if got := term.ASCII(tt.text); got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.text, got, tt.want)
		}
	}
}

// Nothing but ASCII is left, and everything stays where it was.
func TestASCIIKeepsWidths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := term.Line(rapid.String().Draw(t, "line"))
		got := term.ASCII(line)
		for i := range len(got) {
			if got[i] >= 0x80 {
				t.Fatalf("%q becomes %q", line, got)
			}
		}
		if term.Width(got) != term.Width(line) {
			t.Fatalf("%q is %d wide, %q %d", line, term.Width(line), got, term.Width(got))
		}
	})
}
