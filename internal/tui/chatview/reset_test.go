package chatview_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// An answer that has ended stands until its row is there; another transcript, on
// which it is not, takes it away.
func TestAnotherTranscriptTakesTheAnswerAway(t *testing.T) {
	m := chatview.New(chatview.Options{Theme: theme.New(theme.None, true)})
	for _, msg := range []tea.Msg{
		tea.WindowSizeMsg{Width: 60, Height: 15}, chatview.Began{Doing: "working"}, chatview.AnswerBegan{},
		chatview.Delta{Text: "Beside the beans."}, chatview.AnswerEnded{Key: "aaaaaaa1"}, chatview.Ended{}, chatview.Rows{},
	} {
		m, _ = m.Update(msg)
	}
	if !strings.Contains(m.View().Content, "Beside the beans.") {
		t.Errorf("before its row the answer is not there:\n%s", m.View().Content)
	}
	m, _ = m.Update(chatview.Rows{Reset: true})
	if strings.Contains(m.View().Content, "Beside the beans.") {
		t.Errorf("on another transcript the answer is there:\n%s", m.View().Content)
	}
}
