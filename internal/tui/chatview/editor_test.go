package chatview_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/google/go-cmp/cmp"
)

// What is pasted is followed to its end, where the cursor is.
func TestATallPasteIsFollowed(t *testing.T) {
	var all []string
	for i := range 30 {
		all = append(all, fmt.Sprintf("pasted %d.", i))
	}
	text := strings.Join(all, "\n")
	for what, msg := range map[string]tea.Msg{"paste": tea.PasteMsg{Content: text}, "typed": chatview.Typed{Text: text}, "taken back": chatview.TakenBack{Text: text}} {
		d := newDesk(t, theme.None, 80, 24)
		d.send(msg)
		d.shows("pasted 22.", "pasted 29.")
		d.hides("pasted 21.", "pasted 0.")
		lines := strings.Split(d.screen(), "\n")
		cursor := d.m.View().Cursor
		if cursor == nil || !strings.Contains(lines[cursor.Y], "pasted 29.") {
			t.Errorf("%s: the cursor is at %+v:\n%s", what, cursor, d.screen())
		}
		if d.m.Text() != text {
			t.Errorf("%s: the editor holds %q", what, d.m.Text())
		}
	}
}

// A completion that comes after its word was sent is shown nowhere.
func TestALateCompletionIsNotShown(t *testing.T) {
	for _, end := range []string{"enter", "ctrl+c"} {
		d := newDesk(t, theme.None, 80, 24)
		d.keys("/model 15d7722b")
		var asked chatview.Complete
		for _, w := range d.wishes {
			if c, ok := w.(chatview.Complete); ok {
				asked = c
			}
		}
		d.keys(end)
		d.send(chatview.Choices{Seq: asked.Seq, All: []chatview.Choice{{Text: "15d7722b", Help: "say"}}})
		d.hides("15d7722b")
	}
}

// What is emptied is behind ↑, before the prompts that were said; an empty editor
// and a prompt of old that was only looked at add nothing.
func TestWhatIsEmptiedComesBack(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.send(chatview.History{All: []string{"older", "oldest"}})
	shown := func(what string, want ...string) {
		t.Helper()
		for _, text := range want {
			d.keys("up")
			if d.m.Text() != text {
				t.Errorf("%s: the editor holds %q, want %q", what, d.m.Text(), text)
			}
		}
	}
	empty := func() {
		t.Helper()
		d.keys("ctrl+c")
		if d.m.Text() != "" {
			t.Errorf("the editor holds %q", d.m.Text())
		}
		d.send(chatview.Lapsed{Seq: d.lapsing.Seq})
	}
	empty()
	shown("nothing was typed", "older")
	empty()
	d.keys("  ")
	empty()
	shown("blanks were", "older", "oldest")
	empty()
	d.keys("How much")
	d.send(tea.PasteMsg{Content: "\nwater?"})
	empty()
	shown("two lines", "How much\nwater?")
	d.keys("up") // within it
	shown("two lines", "older")
	d.keys("!")
	empty()
	shown("one of old with a word more", "older!")
	empty()
	d.keys("beans")
	d.keys("up")
	empty()
	shown("what was typed before it was looked at", "beans", "older!", "How much\nwater?")
	d.keys("up", "up", "up", "up")
	if d.m.Text() != "oldest" {
		t.Errorf("at the end is %q", d.m.Text())
	}
	if got := d.wanted(); strings.Contains(got, "Send") || strings.Contains(got, "Quit") {
		t.Errorf("it wants %s", got)
	}
}

// What was said or cleared before the prompts of earlier are there stays before them.
func TestHistoryComesLate(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.keys("gone", "ctrl+c")
	d.send(chatview.Lapsed{Seq: 1})
	d.keys("said", "enter")
	d.send(chatview.History{All: []string{"older", "oldest"}})
	var all []string
	for range 4 {
		d.keys("up")
		all = append(all, d.m.Text())
	}
	if diff := cmp.Diff([]string{"said", "gone", "older", "oldest"}, all); diff != "" {
		t.Error(diff)
	}
}
