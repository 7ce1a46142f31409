package chat

import (
	"context"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/tui/chatview"
)

// What waits for a screen that does not look is about as long as what was said,
// and all of it comes, in order.
func TestPumpJoinsPieces(t *testing.T) {
	p := newPump()
	var want strings.Builder
	for i := range 100_000 {
		piece := string(rune('a' + i%26))
		p.put(chatview.Delta{Text: piece, Thinking: i < 1000})
		want.WriteString(piece)
	}
	p.put(chatview.AnswerEnded{Key: "k"}, chatview.Delta{Text: "b"})
	all := p.next(context.Background())().(batch)
	if len(all) > 30 {
		t.Errorf("%d pieces wait", len(all))
	}
	var got strings.Builder
	for _, msg := range all[:len(all)-2] {
		d := msg.(chatview.Delta)
		if d.Thinking != (got.Len() < 1000) {
			t.Fatalf("reasoning and text are mixed at %d", got.Len())
		}
		got.WriteString(d.Text)
	}
	if got.String() != want.String() || all[len(all)-1] != (chatview.Delta{Text: "b"}) {
		t.Errorf("%d bytes came of %d", got.Len(), want.Len())
	}
}
