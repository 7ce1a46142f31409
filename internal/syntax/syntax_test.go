package syntax_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/syntax"
)

// still is a clock that stands.
func still() time.Time { return time.UnixMilli(0) }

// TestParts: languages by their names, and code that stays as it is.
func TestParts(t *testing.T) {
	for _, test := range []struct{ language, code, want string }{
		{"go", "func f() string { return \"a\" } // b\n", "keyword func|plain  |function f|plain () |type string|plain  { |keyword return|plain  |string \"a\"|plain  } |comment // b|plain \n"},
		{"python", "def f():\n    return 1", ""},
		{"sh", "echo \"$HOME\" # x\n", ""},
		{"diff", "- a\n+ b\n", "deleted - a\n|inserted + b\n"},
		{"json", `{"a": [1, true]}`, ""},
		{"html", "<p class=\"a\">x</p><script>var a = 1</script><style>p{color:red}</style>", ""},
		{"ts", "const a: number = 1;\r\n", ""},
		{"rust title=x", "fn main() {}\n", ""},
		{"klingon", "nuqneH", "plain nuqneH"},
		{"", "x", "plain x"},
		{"go", "", ""},
		{"yaml", "a: \xff\n", "plain a: \xff\n"},
	} {
		p := syntax.Painter{Now: still}
		got, all := "", ""
		for i, part := range p.Parts(test.language, test.code) {
			if i > 0 {
				got += "|"
			}
			got += names()[part.Kind] + " " + part.Text
			all += part.Text
		}
		if all != test.code {
			t.Errorf("%s: %q became %q", test.language, test.code, all)
		}
		if test.want != "" && got != test.want {
			t.Errorf("%s: %q, want %q", test.language, got, test.want)
		}
		if test.want == "" && test.code != "" && !strings.Contains(got, "|") {
			t.Errorf("%s: %q has no colours", test.language, test.code)
		}
	}
}

// TestBounds: what is long stays plain, and so does what comes after some that took
// too long.
func TestBounds(t *testing.T) {
	for _, code := range []string{strings.Repeat("return 1\n", 5000), strings.Repeat("return ", 300)} {
		p := syntax.Painter{Now: still}
		if n := len(p.Parts("go", code)); n != 1 {
			t.Errorf("%d parts of %d bytes", n, len(code))
		}
	}
	now := still()
	p := syntax.Painter{Now: func() time.Time { now = now.Add(time.Hour); return now }}
	for range 3 {
		if n := len(p.Parts("go", "return 1")); n != 1 {
			t.Errorf("%d parts of what took an hour", n)
		}
	}
	p.Now = still
	if n := len(p.Parts("go", "return 1")); n != 1 {
		t.Errorf("%d parts after that", n)
	}
}

// TestEveryLexer: each lexer can be used, and leaves code as it is.
func TestEveryLexer(t *testing.T) {
	const code = "a = \"b\" + 'c' /* d */ # e\n<f g='h'>{ 1.5: [x] }</f>\n"
	for _, language := range syntax.Languages() {
		p := syntax.Painter{Now: still}
		all := ""
		for _, part := range p.Parts(language, code) {
			all += part.Text
		}
		if all != code {
			t.Errorf("%s: became %q", language, all)
		}
	}
}

func names() []string {
	return strings.Fields("plain keyword type function string number comment inserted deleted")
}

// FuzzParts: the parts are the code.
func FuzzParts(f *testing.F) {
	f.Add("go", "package a\n")
	f.Add("html", "<script>")
	f.Fuzz(func(t *testing.T, language, code string) {
		p := syntax.Painter{Now: time.Now}
		all := ""
		for _, part := range p.Parts(language, code) {
			all += part.Text
		}
		if all != code {
			t.Errorf("%q became %q", code, all)
		}
	})
}
