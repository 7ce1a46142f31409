package chatview_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

func prompted(text string) []chatview.Part {
	return []chatview.Part{{Style: chatview.Prompt, Text: text}}
}

// had is a session that has some keys.
func had(keys string) func(string) bool {
	return func(key string) bool { return strings.Contains(keys, key) }
}

// What was said stays in sight until its row is there, also where the rows were
// read before it was said, and another answer begins.
func TestWhatWasSaidStaysInSight(t *testing.T) {
	for _, reset := range []bool{false, true} {
		d := newDesk(t, theme.None, 80, 24)
		d.bodies["p1"], d.bodies["a1"] = prompted("How much?"), []chatview.Part{{Text: "Two litres."}}
		d.send(chatview.Began{Doing: "working"}, chatview.Said{Text: "How much?", Key: "p1", Parts: prompted("How much?")},
			chatview.AnswerBegan{}, chatview.Delta{Text: "Two litres."}, chatview.AnswerEnded{Key: "a1"},
			chatview.Said{Text: "And where?", Key: "p2", Parts: prompted("And where?")}, chatview.AnswerBegan{}, chatview.Delta{Text: "Beside"})
		d.shows("▌ How much?", "Two litres.", "▌ And where?", "Beside")
		d.send(chatview.Rows{Reset: reset, Had: had("")}) // read before any of it
		d.shows("▌ How much?", "Two litres.", "▌ And where?", "Beside")
		d.send(chatview.Rows{Rows: []chatview.Row{{Key: "p1"}, {Key: "a1", Entry: 1}}, Reset: reset, Had: had("p1 a1")})
		d.shows("▌ How much?", "Two litres.", "▌ And where?", "Beside")
		if n := strings.Count(d.screen(), "How much?"); n != 1 {
			t.Errorf("the prompt is there %d times:\n%s", n, d.screen())
		}
		d.send(chatview.Rows{Rows: []chatview.Row{{Key: "a1", Entry: 1}}, Reset: reset, Had: had("p1 a1 p2")}) // the rest is on another branch
		d.hides("How much?", "And where?")
		d.shows("Two litres.", "Beside")
	}
}

// What a tool put out stays until its row is there.
func TestAResultStaysInSight(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	out := of(`{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"dry"}]}`)
	d.send(chatview.ToolBegan{ID: "c", Name: "bash"}, chatview.ToolEnded{ID: "c", Key: "r1", Parts: out})
	d.shows("⎿ dry")
	d.bodies["r1"] = out
	d.send(chatview.Rows{Rows: []chatview.Row{{Key: "r1"}}, Had: had("r1")})
	if n := strings.Count(d.screen(), "⎿ dry"); n != 1 {
		t.Errorf("it is there %d times:\n%s", n, d.screen())
	}
}

// Whoever has scrolled stays where they are when what they look at becomes a row.
func TestScrolledIntoAnAnswer(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	var text strings.Builder
	for n := range 60 {
		fmt.Fprintf(&text, "- line %d.\n", n)
	}
	said := chatview.Said{Text: "Tell.", Key: "p", Parts: prompted("Tell.")}
	d.bodies["p"], d.bodies["a"], d.bodies["q"] = said.Parts, []chatview.Part{{Text: text.String()}}, prompted("More.")
	d.send(said, chatview.AnswerBegan{}, chatview.Delta{Text: text.String()}, chatview.AnswerEnded{Key: "a"}, chatview.Ended{})
	for range 5 {
		d.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	}
	before := d.screen()
	for _, rows := range [][]chatview.Row{{{Key: "p"}}, {{Key: "p"}, {Key: "a", Entry: 1}}, {{Key: "p"}, {Key: "a", Entry: 1}, {Key: "q", Entry: 2}}} {
		d.send(chatview.Rows{Rows: rows, Had: had("p")})
		if after := d.screen(); after != before {
			t.Errorf("with %v it shows\n%s\nand before\n%s", rows, after, before)
		}
	}
	d.send(chatview.Said{Text: "x", Key: "x", Parts: prompted("x")}, chatview.AnswerBegan{})
	if after := d.screen(); after != before {
		t.Errorf("with another answer it shows\n%s\nand before\n%s", after, before)
	}
}
