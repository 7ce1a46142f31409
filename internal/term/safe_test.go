package term_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/cambium-dev/cambium/internal/term"
)

// hostile is the table of the tests and the seeds of the fuzz target.
var hostile = []struct{ name, in, want string }{
	{"plain", "hello, wörld 日本 🎉\n\tx", "hello, wörld 日本 🎉\n\tx"},
	{"empty", "", ""},
	{"C0", "a\x00b\x01c\x07d\x08e\x0bf\x0cg\x0eh\x1fi\x7fj", "abcdefghij"},
	{"carriage returns", "one\r\ntwo\rthree", "one\ntwothree"},
	{"color", "\x1b[1;31mred\x1b[0m", "red"},
	{"private CSI", "\x1b[?1049hx\x1b[>4;1my\x1b[ qz", "xyz"},
	{"clear screen", "\x1b[2J\x1b[Hx", "x"},
	{"CSI without end", "x\x1b[12", "x[12"},
	{"CSI broken by a newline", "\x1b[12\nx", "[12\nx"},
	{"title with BEL", "a\x1b]0;owned\x07b", "ab"},
	{"title with ST", "a\x1b]0;owned\x1b\\b", "ab"},
	{"clipboard", "\x1b]52;c;aGk=\x07", ""},
	{"link", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
	{"OSC without end", "a\x1b]0;owned b", "a]0;owned b"},
	{"OSC that would swallow lines", "\x1b]0;a\nb\x07c", "]0;a\nbc"},
	{"OSC in an OSC", "\x1b]0;a\x1b]0;b\x07c", "]0;ac"},
	{"DCS", "\x1bPq#0\x1b\\x", "x"},
	{"DCS ended by BEL", "\x1bPq#0\x07x", "Pq#0x"},
	{"APC, PM, SOS", "\x1b_a\x1b\\\x1b^b\x1b\\\x1bXc\x1b\\d", "d"},
	{"charset", "\x1b(0x\x1b)Bx\x1b%G", "xx"},
	{"reset, save, keypad", "\x1bca\x1b7b\x1b=c", "abc"},
	{"ESC alone", "a\x1b", "a"},
	{"ESC before a newline", "a\x1b\nb", "a\nb"},
	{"ESC before ESC", "\x1b\x1b[31mx", "x"},
	{"C1 CSI", "\u009b31mx", "x"},
	{"C1 OSC", "\u009d0;t\u009cx\u009d0;t\x07y", "xy"},
	{"C1 without a sequence", "a\u0085b\u008dc", "abc"},
	{"raw C1", "a\x9b31mb\x85c", "a31mbc"},
	{"raw ST ends a string", "\x1b]0;t\x9cx", "x"},
	{"continuation byte that looks like ST", "\x1b]0;Ü\x07x", "x"},
	{"bidi", "a\u202eb\u202ac\u2066d\u2069e\u200ef\u200fg\u061ch", "abcdefgh"},
	{"no width", "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg\u180eh\u034fi", "abcdefghi"},
	{"tags", "a\U000e0041\U000e0001\U000e007fb", "ab"},
	{"fillers", "a\u115fb\u3164c\uffa0d", "abcd"},
	{"emoji selector", "☀\ufe0f ✈\ufe0e", "☀\ufe0f ✈\ufe0e"},
	{"selectors that hide data", "a\ufe01b\U000e0100c\ufe0f\ufe0f\ufe0ed", "abc\ufe0fd"},
	{"selector at the start", "\ufe0fa\n\ufe0fb \ufe0fc", "a\nb c"},
	{"line separators", "a\u2028b\u2029c", "a\nb\nc"},
	{"bad UTF-8", "a\xffb\xc3", "a\ufffdb\ufffd"},
	{"torn character", "a\xe2\x82", "a\ufffd"},
	{"surrogate", "a\xed\xa0\x80b", "a\ufffd\ufffdb"},
	{"overlong ESC", "\xc0\x9b[31mx", "\ufffd[31mx"},
	{"pieces that would join", "\x1b\u200b[31mx", "[31mx"},
	{"bytes that would join", "\xc2\x1b[m\x9b31mx", "\ufffd31mx"},
	{"Arabic number sign", "\u06001", "\u06001"},
	{"marks", "e\u0301\u0302", "e\u0301\u0302"},
	{"a tower of marks", "e" + strings.Repeat("\u0301\u20dd", 500) + "x\u0301", "e" + strings.Repeat("\u0301\u20dd", 15) + "x\u0301"},
	{"towers of marks on nothing", strings.Repeat("\u0489", 31) + "\n" + strings.Repeat("\u0489", 31), strings.Repeat("\u0489", 30) + "\n" + strings.Repeat("\u0489", 30)},
	{"marks that would join", strings.Repeat("\u0301", 20) + "\u200b" + strings.Repeat("\u0301", 20), strings.Repeat("\u0301", 30)},
	{"private use", "\ue0b0", "\ue0b0"},
}

func TestSafe(t *testing.T) {
	for _, test := range hostile {
		t.Run(test.name, func(t *testing.T) {
			if got := term.Safe(test.in); got != test.want {
				t.Errorf("Safe(%q) = %q, want %q", test.in, got, test.want)
			}
			if got := string(term.Append([]byte("> "), test.in)); test.name != "selector at the start" && got != "> "+test.want {
				t.Errorf("Append(%q) = %q, want %q behind the rest", test.in, got, test.want)
			}
		})
	}
}

// TestSafeKnowsEveryMark: of each mark that Unicode has no more than 30 stay in a row.
func TestSafeKnowsEveryMark(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, unicode.Mn, unicode.Me) || term.Safe("a"+string(r)) == "a" || r == 0xfe0e || r == 0xfe0f {
			continue
		}
		if got, want := term.Safe("a"+strings.Repeat(string(r), 40)), "a"+strings.Repeat(string(r), 30); got != want {
			t.Errorf("%d of %U stay", strings.Count(got, string(r)), r)
		}
	}
}

// Pieces of one text do not pile up marks that none of them has.
func TestAppendCountsMarks(t *testing.T) {
	var out []byte
	for range 10 {
		out = term.Append(out, strings.Repeat("\u0301", 20))
	}
	if want := strings.Repeat("\u0301", 30); string(out) != want {
		t.Errorf("%d marks, want 30", len(out)/2)
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"one":                  "one",
		"a\nb\tc\r\nd":         "a b c d",
		"\x1b]0;x\x07a\u2028b": "a b",
		"":                     "",
	} {
		if got := term.Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestSafeHidesWhatUnicodeHides holds the list of characters against the tables
// of the standard library.
func TestSafeHidesWhatUnicodeHides(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) || r == '\n' || r == '\t' || r == '\u2028' || r == '\u2029' {
			continue
		}
		visible := !unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Prepended_Concatenation_Mark, r)
		hide := unicode.Is(unicode.Cc, r) || !visible ||
			unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
			unicode.Is(unicode.Variation_Selector, r) && r != 0xfe0e && r != 0xfe0f
		got := term.Safe("a" + string(r))
		if hide && got != "a" {
			t.Errorf("Safe keeps %U", r)
		}
		if !hide && got == "a" && !(r >= 0xe0000 && r <= 0xe0fff || r >= 0xfff0 && r <= 0xfffb || r >= 0x2060 && r <= 0x206f || r >= 0x13430 && r <= 0x1345f) {
			t.Errorf("Safe drops %U", r)
		}
	}
}

// check fails when out is not safe text made of in.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, in, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("Safe(%q) = %q is not UTF-8", in, out)
	}
	if len(out) > 3*len(in) {
		t.Fatalf("Safe(%q) has %d bytes of %d", in, len(out), len(in))
	}
	for _, r := range out {
		switch {
		case r == '\n' || r == '\t':
		case unicode.IsControl(r):
			t.Fatalf("Safe(%q) = %q holds the control character %U", in, out, r)
		case unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Join_Control, r), r == 0x200b, r == 0xfeff, r >= 0xe0000 && r <= 0xe0fff:
			t.Fatalf("Safe(%q) = %q holds %U", in, out, r)
		}
	}
	if again := term.Safe(out); again != out {
		t.Fatalf("Safe(%q) = %q, and Safe of that %q", in, out, again)
	}
	if line := term.Line(in); strings.ContainsAny(line, "\n\t") || term.Line(line) != line {
		t.Fatalf("Line(%q) = %q is not one line", in, line)
	}
}

func FuzzSafe(f *testing.F) {
	for _, test := range hostile {
		f.Add(test.in)
	}
	f.Fuzz(func(t *testing.T, s string) { check(t, s, term.Safe(s)) })
}

func TestSafeProperties(t *testing.T) {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"\x1b", "[", "]", "\\", "\x07", "\u009b", "\x9c", "\xc2", "\x9b", ";", "31m", "P", "\n", "\t", "\r", "\ufe0f", "\u200d", "\u202e", "a", " "}),
		rapid.StringN(0, 3, -1),
	)
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(piece).Draw(t, "s"), "")
		check(t, s, term.Safe(s))
	})
}

func TestSafeIsLinear(t *testing.T) {
	// A million openings without an end: quadratic work would take hours.
	for _, open := range []string{"\x1b]", "\x1bP", "\x1b[", "\x1b(", "\u009d"} {
		s := strings.Repeat(open, 1_000_000)
		check(t, s, term.Safe(s))
	}
}

func BenchmarkSafe(b *testing.B) {
	for name, s := range map[string]string{
		"ascii": strings.Repeat("the quick brown fox\n", 500),
		"text":  strings.Repeat("déjà vu 日本 🎉 fox\n", 500),
		"ansi":  strings.Repeat("\x1b[1mthe quick\x1b[0m fox\n", 500),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				term.Safe(s)
			}
		})
	}
}
