package chatview_test

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/message"
)

// A call that changes a file shows the file and, unfolded, the change.
func TestChangesAreShown(t *testing.T) {
	tests := []struct {
		name, arguments string
		folded          string
		unfolded        []string
		hidden          []string
	}{
		{"one", `{"path":"late.sh","oldText":"a\ndry\nb","newText":"a\nwet\nb"}`, "→ edit  late.sh  +1 -1", []string{"late.sh", "- dry", "+ wet"}, []string{"oldText", "newText"}},
		{"several", `{"path":"late.sh","edits":[{"oldText":"dry","newText":"wet"},{"oldText":"x","newText":"y\nz"}]}`, "→ edit  late.sh  +3 -2", []string{"- dry", "+ wet", "- x", "+ z"}, []string{"oldText", "edits="}},
		{"whole", `{"path":"late.sh","content":"one\ntwo\n"}`, "→ edit  late.sh  +2 -0", []string{"+ one", "+ two"}, []string{"content="}},
		{"no file", `{"content":"one"}`, "→ edit  content=one", nil, nil},
		{"other shapes", `{"path":"late.sh","edits":[{"at":3,"text":"x"}]}`, `→ edit  late.sh edits=[{"at":3,"text":"x"}]`, nil, nil},
		{"two at once", `{"path":"late.sh","newText":"harmless","new_string":"rm"}`, "→ edit  late.sh newText=harmless new_string=rm", nil, nil},
		{"twice", `{"path":"late.sh","newText":"harmless","newText":"rm"}`, "→ edit  late.sh newText=harmless newText=rm", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t, theme.None, 80, 24)
			d.rows([]chatview.Part{chatview.CallPart("edit", message.JSON(tt.arguments))})
			d.shows(tt.folded)
			d.keys("ctrl+o")
			d.shows(tt.unfolded...)
			d.hides(tt.hidden...)
		})
	}
}

// The files at the end of a summary are lines, not tags.
func TestSummaryFiles(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.rows(of(`{"role":"compactionSummary","summary":"It was **late**.\n\n<read-files>\nbeds.txt\nsoil.txt\n</read-files>\n\n<modified-files>\nlate.sh\n</modified-files>"}`))
	d.shows("It was late.", "read: beds.txt, soil.txt", "modified: late.sh")
	d.hides("<modified-files>", "</modified-files>", "read-files")
	d.rows(of(`{"role":"branchSummary","summary":"A tag <modified-files> and\n<modified-files>\nnever closed"}`))
	d.shows("never closed")
	d.hides("modified: ")
}

// A long list of what may be typed is aligned and says that there is more.
func TestChoicesSayThatThereIsMore(t *testing.T) {
	var all []chatview.CommandHelp
	for i := range 9 {
		all = append(all, chatview.CommandHelp{Name: fmt.Sprint("cmd", i), Arguments: []string{"", "[TEXT]"}[i%2], Help: fmt.Sprint("does ", i)})
	}
	d := newDesk(t, theme.None, 80, 24)
	d.m = chatview.New(chatview.Options{Theme: theme.New(theme.None, true), Commands: all})
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.keys("/")
	d.shows("  /cmd0         does 0\n  /cmd1 [TEXT]  does 1\n", "  … 3 more, with ↑ and ↓\n")
	d.keys("up")
	d.shows("/cmd8         does 8\n  … 3 more")
	d.hides("/cmd2 ")
	d.keys("cmd1")
	d.hides("more, with")
}

// A new conversation says where it is and what helps, until something is said.
func TestHint(t *testing.T) {
	const hint = "~/garden · test · /help lists keys and commands"
	d := newDesk(t, theme.None, 80, 24)
	d.hides("/help")
	d.send(chatview.State{Dir: "~/garden", Model: "test"})
	d.shows(hint)
	d.rows([]chatview.Part{{Style: chatview.Note, Text: "model chat/test"}})
	d.shows("model chat/test", hint)
	d.send(chatview.Said{Text: "Hello?", Key: "p", Parts: prompted("Hello?")})
	d.hides(hint)
	d.rows([]chatview.Part{{Style: chatview.Note, Text: "model chat/test"}}, prompted("Hello?"))
	d.hides(hint)
}
