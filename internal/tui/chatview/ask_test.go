package chatview_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

func ask(t testing.TB, id string) chatview.Ask {
	return asks(t, id, "bash", "/garden", `{"command":"rm -r build`+id+`"}`)
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
		{"begins to type as it appears", []step{ask(t, "1"), "yay", seen, "yay"}, "", "yayyay"},
		{"types already", []step{"well, ", ask(t, "1"), seen, "yay"}, "", "well, yay"},
		{"sends what is typed", []step{"well", ask(t, "1"), seen, "enter", "y"}, "Send{Text:well Queue:1}", "y"},
		{"pastes", []step{ask(t, "1"), tea.PasteMsg{Content: "a"}, "ctrl+c", seen, "y"}, "", "y"},
		{"goes to it", []step{"well", ask(t, "1"), "tab", seen, "y"}, "Asking{ID:1} Answer{ID:1 Answer:1}", "well"},
		{"goes to it before it is there, and types", []step{"we", "tab", ask(t, "1"), "tab", "y", seen, "y"}, "Asking{ID:1}", "weyy"},
		{"goes to it, and pastes", []step{ask(t, "1"), "tab", tea.PasteMsg{Content: "y"}, seen, "y"}, "Asking{ID:1}", "yy"},
		{"pastes an answer", []step{ask(t, "1"), seen, tea.PasteMsg{Content: "y"}, tea.PasteMsg{Content: "y\r"}}, "", ""},
		{"holds a key down", []step{ask(t, "1"), seen, tea.KeyPressMsg{Code: 'y', Text: "y", IsRepeat: true}}, "", ""},
		{"turns the wheel and clicks", []step{ask(t, "1"), seen, tea.MouseWheelMsg{Button: tea.MouseWheelDown}, tea.MouseClickMsg{Button: tea.MouseLeft}}, "", ""},
		{"goes to it and back", []step{ask(t, "1"), seen, "tab", "y", "tab", seen, "a"}, "Asking{ID:1} Answer{ID:1 Answer:2}", "y"},
		{"stops it", []step{"well", ask(t, "1"), "esc"}, "Abort{}", "well"},
		{"completes first", []step{"/mov", ask(t, "1"), seen, "tab", "tab", seen, "n"}, "Asking{ID:1} Answer{ID:1 Answer:0}", "/move "},
		{"reads a page", []step{chatview.Page{Title: "t"}, ask(t, "1"), seen, "q", "y"}, "Asking{ID:1}", "y"},
		{"reads a page, and looks", []step{chatview.Page{Title: "t"}, ask(t, "1"), seen, "q", seen, "y"}, "Asking{ID:1} Answer{ID:1 Answer:1}", ""},
		{"another one", []step{ask(t, "1"), ask(t, "2"), seen, chatview.Seen{ID: "2"}, "yyes"}, "Answer{ID:1 Answer:1} Asking{ID:2}", "yes"},
		{"another one is seen", []step{ask(t, "1"), ask(t, "2"), seen, "n", chatview.Seen{ID: "2"}, "y"}, "Answer{ID:1 Answer:0} Asking{ID:2} Answer{ID:2 Answer:1}", ""},
		{"it is withdrawn", []step{ask(t, "1"), ask(t, "2"), seen, chatview.Withdrawn{ID: "1"}, "y"}, "Asking{ID:2}", "y"},
		{"nothing is in sight", []step{ask(t, "1"), seen, tea.WindowSizeMsg{Width: 20, Height: 4}, "y", tea.WindowSizeMsg{Width: 80, Height: 24}, "n"}, "Answer{ID:1 Answer:0}", ""},
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
	d.send(ask(t, "1"), chatview.Seen{ID: "1"})
	d.keys("yes")
	d.shows("Run bash in /garden?", "command: rm -r build1", "tab to answer", "› well, yes")
	d.keys("tab")
	d.send(chatview.Seen{ID: "1"})
	d.shows("y run it")
	d.hides("well, yes")
}

// A search of prompts goes on while there is a question.
func TestAQuestionInASearch(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.keys("ctrl+r")
	d.send(ask(t, "1"), chatview.Seen{ID: "1"})
	d.keys("yay")
	d.shows("Run bash in /garden?", "yay")
	if got := d.wanted(); strings.Contains(got, "Answer") {
		t.Errorf("wants %q", got)
	}
}

// A question that is longer than its place is allowed by nobody who has not seen
// the end of it.
func TestALongQuestion(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.send(asks(t, "1", "write", "/garden", `{"path":"a","content":"`+strings.Repeat(`line\n`, 30)+`the end"}`), chatview.Seen{ID: "1"})
	d.shows("pgdn for 24 rows more", "n do not")
	d.hides("y run it", "a always", "the end")
	d.keys("y", "a", "pgdown", "y", "a")
	d.shows("pgdn for 13 rows more")
	d.keys("pgdown", "y", "pgdown")
	if got := d.wanted(); got != "Asking{ID:1}" {
		t.Errorf("wants %q before the end was in sight", got)
	}
	d.shows("| the end", "y run it", "a always")
	d.keys("pgup", "y")
	if got := d.wanted(); got != "Answer{ID:1 Answer:1}" {
		t.Errorf("wants %q", got)
	}
	d.send(asks(t, "3", "bash", "/garden", `{"command":"`+strings.Repeat(`true\n`, 8)+`"}`))
	d.keys("pgdown", "pgdown") // before keys answer it
	d.send(chatview.Seen{ID: "3"})
	d.shows("Run bash in /garden?")
	d.keys("pgdown", "a")
	if got := d.wanted(); got != "Asking{ID:3} Answer{ID:3 Answer:2}" {
		t.Errorf("wants %q", got)
	}
	d.send(asks(t, "2", "write", "/garden", `{"content":"`+strings.Repeat(`line\n`, 30)+`"}`), chatview.Seen{ID: "2"})
	d.keys("pgdown", "pgdown", "pgdown")
	d.send(tea.WindowSizeMsg{Width: 60, Height: 24}) // other rows: they are gone through again
	d.keys("y", "n")
	if got := d.wanted(); got != "Asking{ID:2} Answer{ID:2 Answer:0}" {
		t.Errorf("wants %q", got)
	}
}

// What cannot be drawn is not lost: from the rows on the screen, gone through with
// pgdn, the call can be read.
func TestTheScreenIsTheCall(t *testing.T) {
	hostile := []string{
		"ls -la \x1b]0;touch F;:\x07 # done", "\x1b[2J\x1b[8m", "a\tb \r\n", "\u202eabc\u2066", "a\u00a0b\u3000\u2800", "e\u0301 \u0301", "日本語 → ü", "\U0001f1e9\U0001f1ea \U0001f44d\U0001f3fd",
		"y run it   n do not", "Run ls in /?", "  path: x", "pgdn for 3 rows more", "… x", `\u{1b} \\`, strings.Repeat("x ", 90), strings.Repeat(" ", 90) + ";", strings.Repeat("日", 70), "─────",
	}
	rng := rand.New(rand.NewPCG(13, 3))
	for n := range 300 {
		cols, ascii := []int{40, 80, 120}[n%3], n%2 == 0
		var o jsonedit.Object
		for i := range 1 + rng.IntN(3) {
			var text []string
			for range rng.IntN(12) {
				text = append(text, hostile[rng.IntN(len(hostile))])
			}
			o.String([]string{"command", hostile[rng.IntN(len(hostile))]}[rng.IntN(2)]+strconv.Itoa(i), strings.Join(text, []string{"\n", " "}[rng.IntN(2)]))
		}
		want := asks(t, "1", "bash", "/garden", string(o.Value()))
		d := newDesk(t, theme.None, cols, 24)
		if ascii {
			d.m = chatview.New(chatview.Options{Theme: theme.New(theme.None, true), ASCII: true})
			d.send(tea.WindowSizeMsg{Width: cols, Height: 24})
		}
		d.send(want, chatview.Seen{ID: "1"})
		piece, left := questionOn(t, d, cols, ascii)
		rows := append(piece, make([]string, left)...)
		for left > 0 {
			d.keys("pgdown")
			piece, left = questionOn(t, d, cols, ascii)
			copy(rows[len(rows)-left-len(piece):], piece)
		}
		got, err := consent.Read(rows)
		if err != nil || got.Tool != want.Tool || got.Dir != want.Dir || string(got.Arguments) != string(want.Arguments) {
			t.Fatalf("%d columns: %s is read as %s, %v, from\n%s", cols, want.Arguments, got.Arguments, err, strings.Join(rows, "\n"))
		}
	}
}

// questionOn returns the rows of a question that are in sight, and how many are
// behind them.
func questionOn(t *testing.T, d *desk, cols int, ascii bool) (rows []string, left int) {
	t.Helper()
	screen, border := d.screen(), strings.Repeat("─", cols)
	if ascii {
		screen, border = term.ASCII(screen), strings.Repeat("-", cols) // as a terminal is sent it
	}
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	lines, bar := lines[:len(lines)-2], lines[len(lines)-2]
	rows = lines[slices.Index(lines, border)+1:]
	if _, err := fmt.Sscanf(bar, "pgdn for %d row", &left); err != nil && !strings.HasPrefix(bar, "y run it") {
		t.Fatalf("the bar is %q in\n%s", bar, screen)
	}
	return rows, left
}
