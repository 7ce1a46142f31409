package chatview_test

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// What came of several calls of one answer says of which.
func TestResultsOfSeveralCalls(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	all := [][]chatview.Part{
		of(`{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"edit","arguments":{"path":"a.txt"}},{"type":"toolCall","id":"c2","name":"read","arguments":{"path":"b.txt"}},{"type":"toolCall","id":"c3","name":"read","arguments":{"path":"c.txt"}}],"stopReason":"toolUse"}`),
		of(`{"role":"toolResult","toolCallId":"c1","toolName":"edit","content":[{"type":"text","text":"done"}],"details":{"diff":"-dry\n+wet\n"}}`),
		of(`{"role":"toolResult","toolCallId":"c2","toolName":"read","content":[{"type":"text","text":"line ONE\ntwo"}]}`),
		of(`{"role":"toolResult","toolCallId":"c3","toolName":"read","isError":true,"content":[{"type":"text","text":"no such file"}]}`),
		of(`{"role":"assistant","content":[{"type":"toolCall","id":"c4","name":"read","arguments":{"path":"d.txt"}}],"stopReason":"toolUse"}`),
		of(`{"role":"toolResult","toolCallId":"c4","toolName":"read","content":[{"type":"text","text":"alone"}]}`),
	}
	d.rows(all...)
	d.shows("⎿ edit a.txt  +1 -1", "⎿ read b.txt: line ONE (+1 line)", "✗ read c.txt: no such file", "  ⎿ alone")
	d.keys("ctrl+o")
	d.shows("⎿ edit a.txt  +1 -1", "  ⎿ read b.txt\n  line ONE\n  two", "  ⎿ read c.txt\n  no such file", "\n  alone")
}
