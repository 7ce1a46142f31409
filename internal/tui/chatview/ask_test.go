package chatview_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/go-json-experiment/json/jsontext"
)

func ask(id string) chatview.Ask {
	return chatview.Ask{ID: id, Tool: "bash", Arguments: jsontext.Value(`{"command":"rm -r build` + id + `"}`)}
}

// Whoever types when a question appears does not answer it.
func TestWhoTypesDoesNotAnswer(t *testing.T) {
	seen := chatview.Seen{ID: "1"}
	type step = any // a message, or keys
	tests := []struct {
		name  string
		steps []step
		wants string
		text  string
	}{
		{"begins to type as it appears", []step{ask("1"), "yay", seen, "yay"}, "", "yayyay"},
		{"types already", []step{"well, ", ask("1"), seen, "yay"}, "", "well, yay"},
		{"sends what is typed", []step{"well", ask("1"), seen, "enter", "y"}, "Send{Text:well Queue:1}", "y"},
		{"pastes", []step{ask("1"), tea.PasteMsg{Content: "a"}, "ctrl+c", seen, "y"}, "", "y"},
		{"goes to it", []step{"well", ask("1"), "tab", "y"}, "Answer{ID:1 Answer:1}", "well"},
		{"goes to it and back", []step{ask("1"), seen, "tab", "y", "tab", "a"}, "Answer{ID:1 Answer:2}", "y"},
		{"stops it", []step{"well", ask("1"), "esc"}, "Abort{}", "well"},
		{"completes first", []step{"/mov", ask("1"), seen, "tab", "tab", "n"}, "Answer{ID:1 Answer:0}", "/move "},
		{"reads a page", []step{chatview.Page{Title: "t"}, ask("1"), seen, "q", "y"}, "Asking{ID:1}", "y"},
		{"reads a page, and looks", []step{chatview.Page{Title: "t"}, ask("1"), seen, "q", seen, "y"}, "Asking{ID:1} Answer{ID:1 Answer:1}", ""},
		{"another one", []step{ask("1"), ask("2"), seen, chatview.Seen{ID: "2"}, "yyes"}, "Answer{ID:1 Answer:1} Asking{ID:2}", "yes"},
		{"another one is seen", []step{ask("1"), ask("2"), seen, "n", chatview.Seen{ID: "2"}, "y"}, "Answer{ID:1 Answer:0} Asking{ID:2} Answer{ID:2 Answer:1}", ""},
		{"it is withdrawn", []step{ask("1"), ask("2"), seen, chatview.Withdrawn{ID: "1"}, "y"}, "Asking{ID:2}", "y"},
		{"nothing is in sight", []step{ask("1"), seen, tea.WindowSizeMsg{Width: 20, Height: 4}, "y", tea.WindowSizeMsg{Width: 80, Height: 24}, "n"}, "Answer{ID:1 Answer:0}", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t, theme.None, 80, 24)
			d.send(chatview.Began{Doing: "working"})
			for _, s := range tt.steps {
				if keys, ok := s.(string); ok {
					d.keys(keys)
				} else {
					d.send(s)
				}
			}
			if got := strings.TrimPrefix(d.wanted(), "Asking{ID:1}"); strings.TrimSpace(got) != tt.wants {
				t.Errorf("wants %q, want %q", got, tt.wants)
			}
			if got := d.m.Text(); got != tt.text {
				t.Errorf("typed is %q, want %q", got, tt.text)
			}
		})
	}
}

// The question and what is typed are both in sight.
func TestAQuestionBesideTheEditor(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.keys("well, ")
	d.send(ask("1"), chatview.Seen{ID: "1"})
	d.keys("yes")
	d.shows("Run bash?", "$ rm -r build1", "tab to answer", "› well, yes")
	d.keys("tab")
	d.shows("y run it")
	d.hides("well, yes")
}

// A search of prompts goes on while there is a question.
func TestAQuestionInASearch(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.keys("ctrl+r")
	d.send(ask("1"), chatview.Seen{ID: "1"})
	d.keys("yay")
	d.shows("Run bash?", "yay")
	if got := d.wanted(); strings.Contains(got, "Answer") {
		t.Errorf("wants %q", got)
	}
}
