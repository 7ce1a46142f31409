package shellword_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/shellword"
)

func TestQuote(t *testing.T) {
	tests := []struct{ word, want string }{
		{"19c0b2f4", "19c0b2f4"},
		{"/work/a-b/c_d.jsonl", "/work/a-b/c_d.jsonl"},
		{"--resume=/work/x", "--resume=/work/x"},
		{"", "''"},
		{"=ls", "'=ls'"},
		{"~", "'~'"},
		{"a b", "'a b'"},
		{"it's", `'it'\''s'`},
		{"''", `\'\'`},
		{`a\`, `'a'\\`},
		{`\'`, `\\\'`},
		{"$(touch F)", "'$(touch F)'"},
		{"`touch F`", "'`touch F`'"},
		{"!x", "'!x'"},
		{"Grüße", "'Grüße'"},
		{"a%b", "'a%b'"},
		{"{a,b}", "'{a,b}'"},
		{"#x", "'#x'"},
	}
	for _, test := range tests {
		if got, ok := shellword.POSIX().Quote(test.word); !ok || got != test.want {
			t.Errorf("%q: %s, %t, want %s", test.word, got, ok, test.want)
		}
	}
	for _, word := range []string{"a\nb", "\x1b[2J", "a\tb", "\u202ea", "a\u200bb", "\u00a0", "\xff", "\x00", "\u009b"} {
		if got, ok := shellword.POSIX().Quote(word); ok || got != "" {
			t.Errorf("%q is written as %q", word, got)
		}
		if _, ok := shellword.POSIX().Line("cambium", word); ok {
			t.Errorf("a line with %q is written", word)
		}
	}
}

func TestPlain(t *testing.T) {
	for _, name := range []string{"19c0b2f4a1400001", "0198c2a1-7f00-7000-8000-000000000001", "a", "_x", ".x", "start", "anthropic/claude-opus-5-5", "llama3:8b", "a+b@c"} {
		if !shellword.Plain(name) {
			t.Errorf("%q is not plain", name)
		}
	}
	for _, name := range []string{"", "-x", "--", "/x", ":x", "+x", "@x", "a b", "a$b", "a=b", "=a", "a~b", "a'b", "a\"b", "a`b", "a\\b", "a;b", "a&b", "a|b",
		"a(b", "a)b", "a<b", "a>b", "a*b", "a?b", "a[b", "a]b", "a{b", "a}b", "a!b", "a#b", "a^b", "a%b", "a,b", "ä", "a\tb", "a\nb", "a\x00", "a\xff", "a\u202eb"} {
		if shellword.Plain(name) {
			t.Errorf("%q is plain", name)
		}
	}
}

func TestTyped(t *testing.T) {
	tests := []struct {
		line string
		want []string
	}{
		{"", []string{""}},
		{"cambium", []string{"cambium"}},
		{"cambium ", []string{"cambium", ""}},
		{"cambium  show\ta", []string{"cambium", "show", "a"}},
		{`cambium '' "" x`, []string{"cambium", "", "", "x"}},
		{`cambium 'a b`, []string{"cambium", "a b"}},
		{`cambium "a b`, []string{"cambium", "a b"}},
		{`cambium a\ b\`, []string{"cambium", "a b"}},
		{`cambium 'it'\''s' "\$x\"\a"`, []string{"cambium", "it's", `$x"\a`}},
		{"cambium a\\\nb", []string{"cambium", "ab"}},
		{`cambium --agent=o`, []string{"cambium", "--agent=o"}},
		{"cambium $(touch F) `x", []string{"cambium", "$(touch", "F)", "`x"}},
	}
	for _, test := range tests {
		if got := shellword.Typed(test.line); strings.Join(got, "\x00") != strings.Join(test.want, "\x00") || len(got) != len(test.want) {
			t.Errorf("%q: %q, want %q", test.line, got, test.want)
		}
	}
}

// sh reads a line as POSIX says, and as fish does where the two differ: a
// backslash within single quotes is refused. Whatever a shell would do more than
// take the words is refused.
func sh(t *testing.T, line string) []string {
	t.Helper()
	var words []string
	word, began, bare := "", false, ""
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ':
			if began {
				words, word, began, bare = append(words, word), "", false, ""
			}
			continue
		case c == '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 || strings.Contains(line[i+1:i+1+end], `\`) {
				t.Fatalf("%q: quotes that shells read differently", line)
			}
			word += line[i+1 : i+1+end]
			i += 1 + end
		case c == '\\':
			if i++; i == len(line) || line[i] != '\'' && line[i] != '\\' {
				t.Fatalf("%q: a backslash before something else", line)
			}
			word += line[i : i+1]
		case c >= utf8.RuneSelf || strings.IndexByte("$`\"~#&|;()<>*?[]{}!^%\t\n\r", c) >= 0:
			t.Fatalf("%q: %q is not quoted", line, c)
		default:
			if bare == "" && c == '=' && word == "" {
				t.Fatalf("%q: a word begins with =", line)
			}
			bare += string(c)
			word += string(c)
		}
		began = true
	}
	if began {
		words = append(words, word)
	}
	return words
}

// holds checks what is promised of any words.
func holds(t *testing.T, words []string) {
	t.Helper()
	line, ok := shellword.POSIX().Line(words...)
	seen := true
	for _, word := range words {
		seen = seen && shellword.Visible(word)
	}
	if ok != seen {
		t.Fatalf("%q: written %t, visible %t", words, ok, seen)
	}
	for _, word := range words {
		if text, ok := shellword.POSIX().Quote(word); shellword.Plain(word) && (!ok || text != word) {
			t.Fatalf("%q is plain, and quoted as %q", word, text)
		}
	}
	if !ok {
		return
	}
	if strings.ContainsAny(line, "\n\r\x1b\x00") || !utf8.ValidString(line) {
		t.Fatalf("%q: the line is %q", words, line)
	}
	if got := sh(t, line); len(got) != len(words) || strings.Join(got, "\x00") != strings.Join(words, "\x00") {
		t.Fatalf("%q is read back as %q from %s", words, got, line)
	}
	if got := shellword.Typed(line); len(words) > 0 && strings.Join(got, "\x00") != strings.Join(words, "\x00") {
		t.Fatalf("%q is typed as %q from %s", words, got, line)
	}
}

// Words are made of what shells act on.
func anyWord(r *rand.Rand) string {
	const most = 8
	signs := []string{"a", "Z", "0", " ", "'", `"`, `\`, "$", "(", ")", "`", "~", "=", "-", "--", "#", "&", "|", ";", "<", ">", "*", "?", "[", "]", "{", "}", "!", "^", "%",
		",", ".", "/", ":", "@", "+", "_", "é", "中", "👍", "$(touch F)", "`touch F`", "\\'", "'\\''"}
	odd := []string{"\n", "\t", "\r", "\x1b]0;x\x07", "\u202e", "\u200b", "\u00a0", "\xff", "\x00", "\u009b", "\u2028"}
	var b strings.Builder
	for range r.IntN(most) {
		if r.IntN(40) == 0 {
			b.WriteString(odd[r.IntN(len(odd))])
		} else {
			b.WriteString(signs[r.IntN(len(signs))])
		}
	}
	return b.String()
}

// TestWhatIsQuotedIsReadBack: a line of any words is read back as these words.
func TestWhatIsQuotedIsReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 10_000 {
		words := make([]string, r.IntN(4))
		for i := range words {
			words[i] = anyWord(r)
		}
		holds(t, words)
	}
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"it's", `a\`, "$(touch F)", "\x1b[2J", "=ls", "", "中"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) { holds(t, []string{a, b}) })
}
