package markdown_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/golden"
	"github.com/cambium-dev/cambium/internal/syntax"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/markdown"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func lay(s string, cols int) string {
	return strings.Join(markdown.Lay(theme.Theme{}, s, cols), "\n")
}

func bare(all []string) string { return term.Safe(strings.Join(all, "\n")) }

func TestLay(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"paragraphs", "one\ntwo\n\n\nthree", "one two\n\nthree"},
		{"headings", "# One\ntext\n## Two ##\nSet\n===", "One\n\ntext\n\nTwo\n\nSet"},
		{"tight list", "- a\n- b\n  - c\n- d", "• a\n• b\n  • c\n• d"},
		{"loose list", "1. a\n\n2. b\n\n   more", "1. a\n\n2. b\n\n   more"},
		{"list from a number", "7) a\n8) b", "7) a\n8) b"},
		{"tasks", "- [ ] dig\n- [x] sow", "☐ dig\n☑ sow"},
		{"wrapped item", "- one two three four five", "• one two three four\n  five"},
		{"quote", "> a\n> b\n>\n> - c", "│ a b\n│\n│ • c"},
		{"rule", "a\n\n---\n\nb", "a\n\n────────────────────\n\nb"},
		{"emphasis", "*a* **b** ***c*** ~~d~~ `e*f*` snake_case_name", "a b c d e*f*\nsnake_case_name"},
		{"no emphasis", "2 * 3 * 4 and \\*that\\*", "2 * 3 * 4 and *that*"},
		{"links", "[a](http://x.org) <http://y.org> ![pic](p.png)", "a (http://x.org)\nhttp://y.org pic\n(p.png)"},
		{"bare links keep their signs", "http://x.org/_a_b", "http://x.org/_a_b"},
		{"a reference", "[a]\n\n[a]: http://x.org", "a (http://x.org)"},
		{"entities", "&lt;&amp;&#42; &#27;[2J", "<&* [2J"},
		{"html stays", "<b>a</b>\n\n<div>\nb\n</div>", "<b>a</b>\n\n<div> b </div>"},
		{"hard break", "a  \nb\\\nc", "a\nb\nc"},
		{"fence", "```go\nif a {\n\tb()\n}\n\nc\n```\nd", "  go\n  if a {\n      b()\n  }\n\n  c\n\nd"},
		{"long code", "~~~\nlet number = first + second\n~~~", "  let number = first\n↳ + second"},
		{"open fence", "```\na\n", "  a"},
		{"indented code", "a\n\n    b *c*", "a\n\n  b *c*"},
		{"table", "|a|b|\n|:-|-:|\n|east|2|\n|w|**30**|", "a    │  b\n─────┼───\neast │  2\nw    │ 30"},
		{"table that is wrapped", "|a|b|\n|-|-|\n|one two three|four five six|", "a        │ b\n─────────┼─────────\none two  │ four\nthree    │ five six"},
		{"table that does not fit", "|a|b|c|d|\n|-|-|-|-|\n|one two|three|four|five six|\n|1|2|3|4|", "a: one two\nb: three\nc: four\nd: five six\n\na: 1\nb: 2\nc: 3\nd: 4"},
		{"wide characters", "日本語日本語日本語日本語", "日本語日本語日本語日\n本語"},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, lay(tt.text, 20)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

// everything is a text with something of every kind in it.
const everything = "# The *beds*\n\nTomatoes need **two litres**, `soil --wet` and [a book](https://example.org/book):\n\n" +
	"1. in the *morning*\n2. at night\n   - not on ~~leaves~~\n   - [x] done\n\n> Never **at noon**.\n> - or so\n\n" +
	"| bed | litres |\n|:----|-----:|\n| east, where the sun is | 2 |\n\n```sh\nwater --litres 2 --bed east --every 12h --without-leaves && echo done\n\necho more\n```\n\n---\n\nThat is *all* of __it__."

func TestLooks(t *testing.T) {
	depths := map[string]theme.Depth{"none": theme.None, "16": theme.Sixteen, "256": theme.Indexed}
	for name, depth := range depths {
		got := strings.Join(markdown.Lay(theme.New(depth, true), everything, 60), "\n")
		golden.Compare(t, "everything_60_"+name, strings.ReplaceAll(got, "\x1b", "^")+"\n")
	}
}

// Every beginning of a text looks like one: no sign stands there that is gone
// when the text is complete, and what is complete does not move any more.
func TestEveryBeginningLooksSensible(t *testing.T) {
	th := theme.Theme{}
	var s markdown.Stream
	for i := range len(everything) + 1 {
		got := bare(s.Lay(th, everything[:i], 60))
		for _, sign := range []string{"**", "__", "```", "~~", "|--", "| bed", "# ", "> ", "`"} {
			if strings.Contains(got, sign) {
				t.Errorf("%q shows %q:\n%s", everything[:i], sign, got)
			}
		}
	}
	if diff := cmp.Diff(lay(everything, 60), bare(s.Lay(th, everything, 60))); diff != "" {
		t.Errorf("the whole is laid out otherwise (-whole +stream):\n%s", diff)
	}
}

// What is nested so deep that there is no room for its signs is laid out without
// them, in the room that there is.
func TestNoRoomForSigns(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		cols       int
	}{
		{"- > ```\n  > code\n", "• │ code", 9},
		{"- > ```\n  > code and more\n", "• │ code\n  │ and\n  │ more", 9},
		{"> > > > soil", "│ │ soil", 8},
		{"- - - - soil", "• • soil", 8},
		{"1. > soil", "soi\nl", 3},
		{"```\nsoil\n```", "so\nil", 2},
	} {
		if diff := cmp.Diff(tt.want, lay(tt.text, tt.cols)); diff != "" {
			t.Errorf("%q in %d cells (-want +got):\n%s", tt.text, tt.cols, diff)
		}
	}
}

// checkLines fails where a line is too wide or something drives the terminal.
func checkLines(t interface{ Errorf(string, ...any) }, text string, lines []string, cols int) {
	for _, line := range lines {
		if term.Width(line) > max(cols, 2) || strings.ContainsAny(line, "\n\t\x1b\x07\x00") || term.Safe(line) != line {
			t.Errorf("%q in %d cells: %q", text, cols, line)
		}
	}
}

// Any text, at every beginning of it, lays out within its width.
func TestAnyTextLaysOut(t *testing.T) {
	th := theme.Theme{}
	atom := rapid.SampledFrom([]string{
		"*", "**", "_", "~~", "`", "```", "```go\n", "~~~\n", "[", "](", ")", "![", "<", ">", "> ", "- ", "1. ", "#", "## ", "|", "|-|-|\n", "---\n", "===\n", "\n", "\n\n", "    ", "\t",
		"word", "日本", "👩‍👩‍👧", "\x1b[2J", "&#27;", "&lt;", "\\", "http://x.org/a_b", "[ ] ", "[a]: b\n", "\u202e", "x", " ",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(atom, 0, 40).Draw(t, "text"), "")
		cols := rapid.IntRange(1, 90).Draw(t, "cols")
		checkLines(t, text, markdown.Lay(th, text, cols), cols)
		var s markdown.Stream
		for i := range len(text) + 1 {
			checkLines(t, text[:i], s.Lay(th, text[:i], cols), cols)
		}
	})
}

func FuzzLay(f *testing.F) {
	for _, text := range []string{
		everything,
		"> - > - `a\n\n\t* * *\n[a]:\n",
		"- a\n  1. b\n     - [ ] c\n\n       d\n       > e\n  2. f\n- g\n\n* h\n+ i\n- - - j\n",
		"|a|b\\|c|\n|:-|:-:|\n|`x\\|y`|**z**|w|\n|\n| |日本語|\n|one|",
		"a|b\n-|-\nlongest_word_that_there_is_here|one two three four\n",
		"````md\n```go\nif a {\n\tb()\n}\n```\n````\n~~~\n\x1b[31mred\n",
		"- ```\n  code\n\n  more\n- > ```\n  > code\n",
		"日本語日本語 👩‍👩‍👧 e\u0301 한국어 ｗｉｄｅ 🇯🇵 \u200b\ufeff",
		"\x1b[2J\x1b]0;title\x07 \x9b2J \x1bP1;2q\x1b\\ &#27;[2J &#x9b; \x00\x7f\r\b",
		"\u202eright to left\u202c \u2066a\u2069 \u061c \u200f שלום **עולם** `\u202e`",
		"\xff\xfe \xed\xa0\x80 \xf0\x9f",
	} {
		f.Add(text, 60)
		f.Add(text, 1)
	}
	f.Fuzz(func(t *testing.T, text string, cols int) {
		cols = 1 + (cols&0x7fffffff)%200
		checkLines(t, text, markdown.Lay(theme.Theme{}, text, cols), cols)
		var s markdown.Stream
		for i := range 4 {
			part := text[:len(text)*(i+1)/4]
			checkLines(t, part, s.Lay(theme.Theme{}, part, cols), cols)
		}
	})
}

// What would take a parser long is laid out all the same, nothing of it lost.
func TestSignsWithoutEnd(t *testing.T) {
	const size = 100 << 10
	for _, unit := range []string{"[", "*", "***a", "_a *b ", "*a\n_b\n", ">", "> ", "- ", "1. ", "![", "[a](", "[a](<b", "`", "`` ` ", "<", "<!--", "|", "|a", "~~a ", "#", "(", "\\", "&", "http://", "[a]: b\n", "- a\n", "> a\n", "    a\n", "  - a\n\n", "|a|b|\n|-|-|\n", "a\n===\n", "```\n", "[^a]"} {
		t.Run(fmt.Sprintf("%q", unit), func(t *testing.T) {
			text := strings.Repeat(unit, size/len(unit))
			checkLines(t, unit, markdown.Lay(theme.Theme{}, text, 60), 60)
			var s markdown.Stream
			checkLines(t, unit, s.Lay(theme.Theme{}, text, 60), 60)
		})
	}
}

func BenchmarkStream(b *testing.B) {
	th := theme.New(theme.Indexed, true)
	text := strings.Repeat(everything+"\n\n", 40)
	for b.Loop() {
		var s markdown.Stream
		for i := 0; i < len(text); i += 20 {
			s.Lay(th, text[:i], 100)
		}
	}
}

// TestColoured: code has the colours of its language, wherever its lines are broken,
// and says the same as without.
func TestColoured(t *testing.T) {
	th := theme.New(theme.Indexed, true)
	painter := &syntax.Painter{Now: func() time.Time { return time.Time{} }}
	text := "- a list\n\n  ```go\n  func main() {\n  \tprint(\"some words that are long\", 42) // 会话 said\n  }\n  ```\n\n```nolanguage\nfunc\n```\n"
	for _, cols := range []int{12, 20, 40, 80} {
		with, without := markdown.Coloured(th, text, cols, painter), markdown.Lay(th, text, cols)
		if got, want := term.Safe(strings.Join(with, "\n")), term.Safe(strings.Join(without, "\n")); got != want {
			t.Errorf("%d columns: with colours it says\n%s\nwithout\n%s", cols, got, want)
		}
	}
	all := strings.Join(markdown.Coloured(th, text, 80, painter), "\n")
	for _, want := range []string{th.Paint(theme.Keyword, "func "), th.Paint(theme.Numeral, "42"), th.Paint(theme.Faint, "// 会话 said"), th.Paint(theme.Accent, "func")} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in %q", want, all)
		}
	}
	if got := markdown.Codes(text); len(got) != 2 || got[1] != "func\n" || !strings.HasPrefix(got[0], "func main() {\n\tprint") {
		t.Errorf("the code is %q", got)
	}
}
