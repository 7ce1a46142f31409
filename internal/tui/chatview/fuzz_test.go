package chatview_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// laySeeds are texts that are hard to lay out.
func laySeeds() []string {
	return []string{
		"", "\n", "Two **litres** a day.\n\n1. in the *morning*\n   - [x] done\n",
		"|a|b\\|c|\n|:-|-:|\n|`x\\|y`|**z**|\n|日本語|\n", "- a\n  1. b\n     > c\n     > - d\n\n       e\n",
		"````md\n```go\n\tif a {\n```\n````\n~~~\nopen", "日本語日本語 👩‍👩‍👧 e\u0301 ｗｉｄｅ 🇯🇵 \u200b\ufeff",
		"\x1b[2J\x1b]0;title\x07 \x9b2J \x1bP1;2q\x1b\\ &#27;[2J \x00\x7f\r\b\t", "\u202eto the left\u202c \u2066a\u2069 \u061c \u200f שלום **עולם**",
		"@@ -1 +1 @@\n-old\n+new\n\x1b[31mred\n", "\xff\xfe \xed\xa0\x80 \xf0\x9f", strings.Repeat("word ", 200), strings.Repeat("x", 900) + "\n" + strings.Repeat("語", 300),
	}
}

// Whatever is said, by whom and on how wide a screen, the screen holds as many
// lines as it is high, each within its width and safe for a terminal, folded and
// not.
func FuzzLay(f *testing.F) {
	for i, text := range laySeeds() {
		for style := range chatview.Bad + 1 {
			f.Add(text, "bash", uint8(style), uint8(i*17), i%2 == 0)
		}
		f.Add("soil", text, uint8(chatview.Call), uint8(i*31), false)
		f.Add("soil", text, uint8(chatview.Output), uint8(i), true)
	}
	own := strings.NewReplacer("\x1b[m", "", "\x1b[1m", "", "\x1b[3m", "", "\x1b[7m", "", "\x1b[9m", "")
	f.Fuzz(func(t *testing.T, text, head string, style, wide uint8, foreign bool) {
		cols, rows := 40+int(wide)%120, 24
		parts := []chatview.Part{{Style: chatview.Style(style % uint8(chatview.Bad+1)), Text: text, Head: head}}
		d := newDesk(t, theme.None, cols, rows)
		d.bodies["a"] = parts
		d.send(chatview.Rows{Rows: []chatview.Row{{Key: "a", Foreign: foreign}}, Reset: true})
		check := func(what string) {
			content := own.Replace(d.m.View().Content)
			lines := strings.Split(content, "\n")
			if len(lines) != rows {
				t.Fatalf("%s: %.300q has %d lines", what, text, len(lines))
			}
			for _, line := range lines {
				if term.Width(line) > cols || term.Safe(line) != line || strings.ContainsAny(line, "\t\r") {
					t.Fatalf("%s: %.300q in %d cells: %.300q", what, text, cols, line)
				}
			}
		}
		check("folded")
		d.keys("ctrl+o", "ctrl+t")
		check("unfolded")
		d.keys("ctrl+home")
		check("its beginning")
		d.send(chatview.Told{Text: text, Bad: foreign}, chatview.Typed{Text: head}, chatview.AnswerBegan{},
			chatview.Delta{Text: text}, chatview.ToolBegan{ID: "1", Name: head}, chatview.ToolWrote{ID: "1", Text: text})
		d.keys("ctrl+end")
		check("going on")
		d.send(tea.WindowSizeMsg{Width: cols + 7, Height: rows})
		cols += 7
		check("wider")
	})
}
