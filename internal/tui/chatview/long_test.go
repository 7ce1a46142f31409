package chatview_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// As many lines are typed as one likes.
func TestLinesAreTyped(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	var want []string
	for i := range 40 {
		d.keys(fmt.Sprint("row ", i))
		d.send(tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl})
		want = append(want, fmt.Sprint("row ", i))
	}
	d.keys("end")
	if got, want := d.m.Text(), strings.Join(append(want, "end"), "\n"); got != want {
		t.Errorf("the editor holds %q, want %q", got, want)
	}
	d.shows("› end")
}

// A tab is one when it is said.
func TestTabsArePasted(t *testing.T) {
	const text = "all:\n\tgo build\n\t\tx"
	d := newDesk(t, theme.None, 80, 24)
	d.send(tea.PasteMsg{Content: text})
	d.shows("› →go build", "› →→x")
	d.keys("enter")
	if got := d.wanted(); !strings.Contains(got, text) {
		t.Errorf("it wants %q", got)
	}
	d.keys("up")
	if got := d.m.Text(); got != text {
		t.Errorf("the editor holds %q, want %q", got, text)
	}
}

// What is too long to be edited is said as a whole, wherever it comes from.
func TestALongTextIsSaid(t *testing.T) {
	many := strings.Repeat("line\tof many\n", 60000) + "last"
	wide := strings.Repeat("wide ", 600000) + "end"
	for what, msg := range map[string]func(string) tea.Msg{
		"paste":      func(text string) tea.Msg { return tea.PasteMsg{Content: text} },
		"typed":      func(text string) tea.Msg { return chatview.Typed{Text: text} },
		"taken back": func(text string) tea.Msg { return chatview.TakenBack{Text: text} },
	} {
		for text, name := range map[string]string{many: "[long text 1: 60001 lines]", wide: "[long text 1: 2.9M]"} {
			d := newDesk(t, theme.None, 80, 24)
			d.send(msg(text))
			d.shows("› " + name)
			d.keys(" Mind it.")
			if d.m.Text() != text+" Mind it." {
				t.Errorf("%s %s: the editor does not hold it", what, name)
			}
			d.keys("enter")
			sent, ok := d.wishes[len(d.wishes)-1].(chatview.Send)
			if !ok || sent.Text.String() != text+" Mind it." {
				t.Errorf("%s %s: it is not said", what, name)
			}
			d.hides("long text")
			d.keys("up")
			if d.m.Text() != text+" Mind it." {
				t.Errorf("%s %s: it does not come again", what, name)
			}
		}
	}
}

// Several texts have a name each, and short ones beside them stay in sight.
func TestLongTextsAreToldApart(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	one, two := strings.Repeat("one\n", 9000), strings.Repeat("two\n", 7000)
	d.keys("compare ")
	d.send(tea.PasteMsg{Content: one})
	d.keys(" with ")
	d.send(tea.PasteMsg{Content: two})
	d.send(tea.PasteMsg{Content: ", please"})
	d.shows("compare [long text 1: 9000 lines] with [long text 2: 7000 lines], please")
	if got, want := d.m.Text(), "compare "+one+" with "+two+", please"; got != want {
		t.Errorf("the editor holds %d bytes, want %d", len(got), len(want))
	}
	d.keys("ctrl+c", "[long text 1: 9000 lines]")
	if got := d.m.Text(); got != "[long text 1: 9000 lines]" {
		t.Errorf("what was emptied is in %d bytes", len(got))
	}
}
