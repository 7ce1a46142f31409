package chatview_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// sources are the ways in which a text comes into the editor that nobody types.
func sources() map[string]func(d *desk, text string) {
	paste := func(d *desk, text string) { d.send(tea.PasteMsg{Content: text}) }
	return map[string]func(d *desk, text string){
		"a paste": paste,
		"a bracketed paste": func(d *desk, text string) {
			d.send(tea.PasteStartMsg{}, tea.PasteMsg{Content: text}, tea.PasteEndMsg{})
		},
		"several pastes": func(d *desk, text string) {
			for _, r := range text {
				paste(d, string(r))
			}
		},
		"a paste and keys behind it": func(d *desk, text string) {
			n := len(text) - len(strings.TrimLeft(text, " !/@"))
			paste(d, text[:n])
			d.keys(text[n:])
		},
		"a paste before keys": func(d *desk, text string) {
			n := len(text) - len(strings.TrimLeft(text, " !/@"))
			d.keys(text[n:])
			d.send(tea.KeyPressMsg{Code: tea.KeyHome})
			paste(d, text[:n])
		},
		"keys in a paste": func(d *desk, text string) {
			d.send(tea.PasteStartMsg{})
			d.keys(text, "enter")
			d.send(tea.PasteMsg{Content: text}, tea.PasteEndMsg{})
		},
		"one key": func(d *desk, text string) { d.send(tea.KeyPressMsg{Code: tea.KeyExtended, Text: text}) },
		"an editor, a tree or a branch": func(d *desk, text string) {
			d.send(chatview.Typed{Text: text})
		},
		"what waited":  func(d *desk, text string) { d.send(chatview.TakenBack{Text: text}) },
		"what stopped": func(d *desk, text string) { d.send(chatview.TakenBack{Text: text + "\n"}) },
		"the prompt before": func(d *desk, text string) {
			d.send(chatview.History{All: []string{text}})
			d.keys("up")
		},
		"the prompt after": func(d *desk, text string) {
			d.send(chatview.History{All: []string{text, "older"}})
			d.keys("up", "up", "down")
		},
		"what was emptied": func(d *desk, text string) {
			d.keys(text, "ctrl+c")
			d.send(chatview.Lapsed{Seq: d.lapsing.Seq})
			d.keys("up")
		},
		"what history was gone into from": func(d *desk, text string) {
			d.send(chatview.History{All: []string{"older"}})
			paste(d, text)
			d.keys("up", "down")
		},
		"a search": func(d *desk, text string) {
			d.keys("ctrl+r")
			d.send(chatview.Recalled{Seq: d.asked().Seq, All: []chatview.Choice{{Text: text}}})
			d.keys("enter")
		},
		"a completion": func(d *desk, text string) {
			d.keys("@")
			c := d.wishes[len(d.wishes)-1].(chatview.Complete)
			d.send(chatview.Choices{Seq: c.Seq, All: []chatview.Choice{{Text: strings.TrimPrefix(text, "@")}}})
			d.keys("tab", "ctrl+g") // the sign that was typed goes with the word
			d.send(chatview.Typed{Text: text})
		},
	}
}

// Whatever a text begins with: where nobody typed that, it runs nothing, carries
// nothing out and names no picture. It is doubted once, and then said.
func TestWhatNobodyTypedSaysSomething(t *testing.T) {
	for source, bring := range sources() {
		for _, text := range []string{"!x", "!!x", " !x", "/quit", " /quit", "/move x", "@x.png"} {
			t.Run(fmt.Sprintf("%s of %q", source, text), func(t *testing.T) {
				d := newDesk(t, theme.None, 80, 24)
				bring(d, text)
				d.wanted()
				if got := d.m.Text(); strings.TrimSpace(got) != strings.TrimSpace(text) {
					t.Fatalf("the editor holds %q", got)
				}
				d.keys("enter")
				if !strings.Contains(text, "@") {
					if got := d.wanted(); got != "" {
						t.Fatalf("it wants %s", got)
					}
					d.shows("was not typed here")
					d.keys("enter")
				}
				if len(d.wishes) != 1 {
					t.Fatalf("it wants %s", d.wanted())
				}
				sent, ok := d.wishes[0].(chatview.Send)
				if !ok || sent.Text.String() != strings.TrimSpace(text) {
					t.Fatalf("it wants %s", d.wanted())
				}
				if _, _, ok := sent.Text.Command(); ok {
					t.Error("it runs")
				}
				if meant, _ := sent.Text.Mentions(); len(meant) > 0 {
					t.Errorf("it names %q", meant)
				}
			})
		}
	}
}

// Whoever types the sign anew means it.
func TestWhoTypesTheSignAnewMeansIt(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.send(chatview.Typed{Text: "!x y"}, tea.KeyPressMsg{Code: tea.KeyHome}, tea.KeyPressMsg{Code: tea.KeyDelete})
	d.keys("!", "enter")
	if command, _, ok := sentLine(t, d).Command(); !ok || command != "x y" {
		t.Errorf("it is the command %q, %v", command, ok)
	}
	d.keys("look at @")
	d.send(tea.PasteMsg{Content: "a.png"})
	d.keys(" and ")
	d.send(tea.PasteMsg{Content: "@b.png"})
	d.keys("enter")
	if meant, unmeant := sentLine(t, d).Mentions(); !slices.Equal(meant, []string{"a.png"}) || !slices.Equal(unmeant, []string{"b.png"}) {
		t.Errorf("it names %q, and does not mean %q", meant, unmeant)
	}
}

// sentLine is the line that was sent last.
func sentLine(t *testing.T, d *desk) chatview.Line {
	t.Helper()
	for _, w := range slices.Backward(d.wishes) {
		if s, ok := w.(chatview.Send); ok {
			return s.Text
		}
	}
	t.Fatalf("nothing was sent, but it wants %s; the screen:\n%s", d.wanted(), d.screen())
	return chatview.Line{}
}

// A doubt is had once for as long as nothing else is pressed.
func TestADoubtIsForgotten(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.send(chatview.Typed{Text: "!x"})
	d.keys("enter", "ctrl+c")
	d.send(chatview.Lapsed{Seq: d.lapsing.Seq}, chatview.Typed{Text: "!x"})
	d.wanted()
	d.keys("enter")
	if got := d.wanted(); got != "" {
		t.Errorf("it wants %s", got)
	}
}

func TestCommands(t *testing.T) {
	for text, want := range map[string]string{
		"!ls -l":     "ls -l, told",
		"!! ls ":     "ls, secret",
		"  !ls\nls":  "ls\nls, told",
		"!ls @x /y!": "ls @x /y!, told",
		"!":          "none", "!! ": "none", "ls!": "none", "a\n!ls": "none",
	} {
		d := newDesk(t, theme.None, 80, 24)
		for i, line := range strings.Split(text, "\n") {
			if i > 0 {
				d.keys("shift+enter")
			}
			d.keys(line)
		}
		d.keys("enter")
		got := "none"
		if command, secret, ok := sentLine(t, d).Command(); ok {
			got = command + map[bool]string{true: ", secret", false: ", told"}[secret]
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestMentions(t *testing.T) {
	for text, want := range map[string][]string{
		"@":                             nil,
		"mail ada@example.png":          nil,
		"@a.png":                        {"a.png"},
		"look: @a.png, then (@b/c.gif)": {"a.png,", "b/c.gif)"},
		`@"my own.png"?`:                {"my own.png"},
		`@"never ends.png`:              {`"never`},
		"@\"two\nlines\"":               {`"two`},
		"@ü.png @~/x.webp":              {"ü.png", "~/x.webp"},
		"@@a.png":                       {"@a.png", "a.png"},
	} {
		d := newDesk(t, theme.None, 80, 24)
		for i, line := range strings.Split(text, "\n") {
			if i > 0 {
				d.keys("shift+enter")
			}
			d.keys(line)
		}
		d.keys("enter")
		if got, _ := sentLine(t, d).Mentions(); !slices.Equal(got, want) {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
		if meant, unmeant := chatview.Untyped(text).Mentions(); len(meant) > 0 || !slices.Equal(unmeant, want) {
			t.Errorf("%q of nobody names %q and %q", text, meant, unmeant)
		}
	}
}

// What stands there by its name is no sign and no name, and says that not all is in
// sight; no text makes another one's name.
func TestALongTextDoesNothing(t *testing.T) {
	long := func(begins string) string { return begins + strings.Repeat("touch mark\n", 300) }
	d := newDesk(t, theme.None, 80, 24)
	d.send(tea.PasteMsg{Content: long("!")})
	d.keys("enter")
	if _, _, ok := sentLine(t, d).Command(); ok {
		t.Error("a long text runs")
	}
	d.keys("!")
	d.send(tea.PasteMsg{Content: long("echo;")})
	d.keys("enter")
	if command, _, ok := sentLine(t, d).Command(); !ok || !strings.HasPrefix(command, "echo;touch") || !sentLine(t, d).Hidden() {
		t.Errorf("it is the command %.20q, %v, hidden %v", command, ok, sentLine(t, d).Hidden())
	}
	d.keys("@")
	d.send(tea.PasteMsg{Content: long("a.png ")})
	d.keys("enter")
	if meant, unmeant := sentLine(t, d).Mentions(); len(meant)+len(unmeant) > 0 {
		t.Errorf("it names %q, %q", meant, unmeant)
	}
	d.wanted()
	d.keys("/move ")
	d.send(tea.PasteMsg{Content: long("/")})
	d.keys("enter")
	d.shows("takes no text that stands there by its name")
	if got := d.wanted(); strings.Contains(got, "Command") {
		t.Errorf("it wants %s", got)
	}
	d.keys("ctrl+c")
	one, two := long("see [long text 2: 301 lines] "), long("two")
	d.send(tea.PasteMsg{Content: one}, tea.PasteMsg{Content: two})
	if got := d.m.Text(); got != one+two {
		t.Errorf("a text holds the other: %d bytes, want %d", len(got), len(one+two))
	}
}

// A command that fills the editor, or the screen, may not be in sight as a whole.
func TestATallCommandIsNotInSight(t *testing.T) {
	for rows, want := range map[int]bool{1: false, 7: false, 8: true, 30: true} {
		d := newDesk(t, theme.None, 80, 24)
		d.keys("!x")
		for range rows - 1 {
			d.keys("shift+enter", "y")
		}
		d.keys("enter")
		if got := sentLine(t, d).Hidden(); got != want {
			t.Errorf("of %d rows not all is in sight: %v", rows, got)
		}
	}
}
