package term_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cambium-dev/cambium/internal/term"
)

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{
		"":                   0,
		"abc":                3,
		"日本":                 4,
		"e\u0301":            1,
		"é":                  1,
		"🎉":                  2,
		"👍🏽":                 2,
		"🇩🇪":                 2,
		"☀\ufe0f":            2,
		"ｱ":                  1,
		"\ufffd":             1,
		"\t":                 4,
		"ab\tc":              5,
		"\x1b[1mab\x1b[22mc": 3,
		"각":                  2,
	} {
		if got := term.Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	tests := []struct {
		s         string
		cells     int
		cut, left string
	}{
		{"hello", 5, "hello", "hello"},
		{"hello", 4, "hel…", "…llo"},
		{"hello", 1, "…", "…"},
		{"hello", 0, "", ""},
		{"hello", -1, "", ""},
		{"日本語", 6, "日本語", "日本語"},
		{"日本語", 5, "日本…", "…本語"},
		{"日本語", 4, "日…", "…語"},
		{"日本語", 2, "…", "…"},
		{"ae\u0301io", 3, "ae\u0301…", "…io"},
		{"👍🏽👍🏽", 3, "👍🏽…", "…👍🏽"},
		{"\ta", 4, "   …", "…  a"},
		{"\x1b[1mhello\x1b[22m", 4, "\x1b[1mhel…\x1b[22m", "…\x1b[1mllo\x1b[22m"},
	}
	for _, test := range tests {
		if got := term.Cut(test.s, test.cells); got != test.cut {
			t.Errorf("Cut(%q, %d) = %q, want %q", test.s, test.cells, got, test.cut)
		}
		if got := term.CutLeft(test.s, test.cells); got != test.left {
			t.Errorf("CutLeft(%q, %d) = %q, want %q", test.s, test.cells, got, test.left)
		}
	}
}

func TestPad(t *testing.T) {
	tests := []struct{ got, want string }{
		{term.Pad("日", 4), "日  "},
		{term.PadLeft("日", 4), "  日"},
		{term.Pad("abc", 2), "abc"},
		{term.PadLeft("abc", -2), "abc"},
		{term.Fit("abc", 2), "a…"},
		{term.Fit("日本", 3), "日…"},
		{term.Fit("日本語", 4), "日… "},
		{term.Fit("a", 3), "a  "},
		{term.Fit("a", -3), ""},
	}
	for i, test := range tests {
		if test.got != test.want {
			t.Errorf("case %d: got %q, want %q", i, test.got, test.want)
		}
	}
}

func TestWrap(t *testing.T) {
	tests := []struct {
		name  string
		s     string
		cells int
		want  []string
	}{
		{"short", "hello", 10, []string{"hello"}},
		{"empty", "", 10, []string{""}},
		{"newlines", "a\n\nb\n", 10, []string{"a", "", "b", ""}},
		{"words", "the quick brown fox", 10, []string{"the quick", "brown fox"}},
		{"exact", "aaaa bbbb", 4, []string{"aaaa", "bbbb"}},
		{"spaces at the break", "aaaa    bbbb", 5, []string{"aaaa", "bbbb"}},
		{"spaces inside", "a  b c", 5, []string{"a  b", "c"}},
		{"long word", "abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"long word behind a short one", "x abcdefghij", 4, []string{"x", "abcd", "efgh", "ij"}},
		{"wide", "日本語です", 5, []string{"日本", "語で", "す"}},
		{"wide behind words", "ab cd日本", 6, []string{"ab cd", "日本"}},
		{"wide in one cell", "日本", 1, []string{"日", "本"}},
		{"code", "    if a {\n        return bcdef ghijk\n", 18, []string{"    if a {", "        return", "        bcdef", "        ghijk", ""}},
		{"deep indentation", "          word word", 10, []string{"word word"}},
		{"tab", "\ta bcd", 8, []string{"    a", "    bcd"}},
		{"only spaces", "          ", 4, []string{""}},
		{"combining", "e\u0301e\u0301e\u0301", 2, []string{"e\u0301e\u0301", "e\u0301"}},
		{"no width", "a b\nc", 0, []string{"a b", "c"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, term.Wrap(test.s, test.cells)); diff != "" {
				t.Errorf("Wrap(%q, %d) (-want +got):\n%s", test.s, test.cells, diff)
			}
		})
	}
}

func TestWidthProperties(t *testing.T) {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{" ", "  ", "a", "word", "日", "👍🏽", "e\u0301", "☀\ufe0f", "🇩🇪", "\t", "\n", "\u0301", "ำ", "각"}),
		rapid.StringN(0, 4, -1),
	)
	squeeze := func(s string) string {
		return strings.NewReplacer(" ", "", "\n", "", "\t", "").Replace(s)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := term.Safe(strings.Join(rapid.SliceOf(piece).Draw(t, "s"), ""))
		cells := rapid.IntRange(2, 20).Draw(t, "cells")
		lines := term.Wrap(text, cells)
		for _, line := range lines {
			if term.Width(line) > cells {
				t.Fatalf("Wrap(%q, %d): line %q has %d cells", text, cells, line, term.Width(line))
			}
		}
		if got := strings.Join(lines, ""); squeeze(got) != squeeze(text) {
			t.Fatalf("Wrap(%q, %d) = %q loses text", text, cells, lines)
		}
		line := term.Line(text)
		if got := term.Cut(line, cells); term.Width(got) > cells {
			t.Fatalf("Cut(%q, %d) = %q has %d cells", line, cells, got, term.Width(got))
		}
		if got := term.CutLeft(line, cells); term.Width(got) > cells {
			t.Fatalf("CutLeft(%q, %d) = %q has %d cells", line, cells, got, term.Width(got))
		}
		if got := term.Fit(line, cells); term.Width(got) != cells {
			t.Fatalf("Fit(%q, %d) = %q has %d cells", line, cells, got, term.Width(got))
		}
	})
}

func TestPalette(t *testing.T) {
	p := term.NewPalette(true)
	tests := []struct{ got, want string }{
		{p.Bold("a"), "\x1b[1ma\x1b[22m"},
		{p.Red(""), ""},
		{p.Red("a\n\nb"), "\x1b[31ma\x1b[39m\n\n\x1b[31mb\x1b[39m"},
		{p.Red("a" + p.Blue("b") + "c"), "\x1b[31ma\x1b[34mb\x1b[39m\x1b[31mc\x1b[39m"},
		{p.Bold("a" + p.Red("b")), "\x1b[1ma\x1b[31mb\x1b[39m\x1b[22m"},
		{term.Palette{}.Bold("a"), "a"},
		{term.NewPalette(false).Dim("a"), "a"},
	}
	for i, test := range tests {
		if test.got != test.want {
			t.Errorf("case %d: got %q, want %q", i, test.got, test.want)
		}
	}
	if !p.On() || (term.Palette{}).On() {
		t.Error("On does not say what the palette does")
	}
}

// TestSequences lets every style show that its sequences are on the list.
func TestSequences(t *testing.T) {
	p := term.NewPalette(true)
	list := term.Sequences()
	for i, style := range []func(string) string{
		p.Bold, p.Dim, p.Italic, p.Underline, p.Reverse, p.Red, p.Green, p.Yellow, p.Blue, p.Magenta, p.Cyan, p.Gray,
	} {
		open, end, _ := strings.Cut(style("x"), "x")
		if !slices.Contains(list, open) || !slices.Contains(list, end) {
			t.Errorf("style %d writes %q and %q, not both in %q", i, open, end, list)
		}
		if got := term.Safe(style("x")); got != "x" {
			t.Errorf("Safe of style %d = %q, want its sequences gone", i, got)
		}
	}
}

func TestColor(t *testing.T) {
	tests := []struct {
		vars              map[string]string
		terminal, refused bool
		want              bool
	}{
		{nil, true, false, true},
		{nil, false, false, false},
		{nil, true, true, false},
		{map[string]string{"NO_COLOR": "1"}, true, false, false},
		{map[string]string{"NO_COLOR": ""}, true, false, true},
		{map[string]string{"TERM": "dumb"}, true, false, false},
		{map[string]string{"TERM": "xterm"}, true, false, true},
	}
	for _, test := range tests {
		getenv := func(name string) string { return test.vars[name] }
		if got := term.Color(getenv, test.terminal, test.refused); got != test.want {
			t.Errorf("Color(%v, %v, %v) = %v, want %v", test.vars, test.terminal, test.refused, got, test.want)
		}
	}
}
