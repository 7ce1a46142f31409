package chatview_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
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
