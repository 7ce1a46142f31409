package readview_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/readview"
)

// TestKeys: where every key goes, and what it does.
func TestKeys(t *testing.T) {
	for _, test := range []struct {
		name   string
		from   int // row to begin at, -1 for the end
		keys   string
		at     string // begins the line of the cursor
		status string // stands above the keys
		wish   string // leaves the model
	}{
		{name: "end", from: -1, at: "▌ Thank you"},
		{name: "up", from: -1, keys: "up", at: "user"},
		{name: "k and j", from: -1, keys: "k k k j", at: ""},
		{name: "down at the end", from: -1, keys: "down", at: "▌ Thank you"},
		{name: "down", from: 0, keys: "down", at: "▌ Why"},
		{name: "home", from: -1, keys: "home", at: "user"},
		{name: "g, G", from: -1, keys: "g G", at: "▌ Thank you"},
		{name: "pages", from: 0, keys: "pgdown pgdown pgdown pgdown pgdown pgdown", at: "▌ Thank you"},
		{name: "pages back", from: -1, keys: "pgup pgup pgup pgup pgup pgup ctrl+u ctrl+d ctrl+u", at: ""},
		{name: "prompt", from: 0, keys: "]", at: "user                                             e5"},
		{name: "p", from: 0, keys: "p p", at: "user                                             e9"},
		{name: "prompt before", from: -1, keys: "[", at: "user                                             e5"},
		{name: "P", from: -1, keys: "P P", at: "user                                             e0"},
		{name: "no prompt", from: 9, keys: "p", at: "user", status: "no prompt below"},
		{name: "tool", from: 0, keys: "t t", at: "✗ bash"},
		{name: "tool before", from: -1, keys: "T T", at: "⎿ bash · 30 lines"},
		{name: "no tool", from: 0, keys: "T", at: "user", status: "no output of a tool above"},
		{name: "error", from: 0, keys: "e", at: "✗ bash"},
		{name: "error before", from: -1, keys: "E", at: "✗ bash"},
		{name: "no error", from: -1, keys: "E E", at: "✗ bash", status: "no error above"},
		{name: "no error below", from: -1, keys: "e", at: "▌ Thank you", status: "no error below"},
		{name: "compaction", from: 0, keys: "c", at: "── compaction"},
		{name: "compaction before", from: -1, keys: "C", at: "── compaction"},
		{name: "branch point", from: 0, keys: "b", at: "── 2 other branches"},
		{name: "branch point before", from: -1, keys: "B", at: "── 2 other branches"},
		{name: "no branch point", from: 0, keys: "B", at: "user", status: "no branch point above"},
		{name: "another branch from below", from: -1, keys: "tab", at: "▌ Thank you", wish: "Turn{Behind:4 To:-1}"},
		{name: "the second branch", from: 4, keys: "down down enter", at: "↳ user And drip", wish: "Turn{Behind:4 To:80}"},
		{name: "o", from: 4, keys: "down o", at: "↳ user What", wish: "Turn{Behind:4 To:70}"},
		{name: "no branch above", from: 0, keys: "tab", at: "user", status: "no branch point is above: b goes to the next"},
		{name: "a fold opens", from: 1, keys: "down enter down", at: "It depends"},
		{name: "a fold closes", from: 1, keys: "down enter down enter", at: "✻ It depends on time. (+1 line)"},
		{name: "space on a head opens all", from: 1, keys: "space down down down", at: "Look at the clock"},
		{name: "and folds all", from: 1, keys: "space space down", at: "✻ It depends"},
		{name: "z", from: 2, keys: "z down down down down down", at: "PASS: TestWater 5"},
		{name: "z again", from: 2, keys: "z z down down down down down", at: "… 22 lines more"},
		{name: "search", from: 0, keys: "/ c l o c k enter", at: "Look at the clock"},
		{name: "next match in another row", from: 0, keys: "/ c l o c k enter n", at: "PASS: TestWater 1 "},
		{name: "next match in the row", from: 0, keys: "/ c l o c k enter n n", at: "PASS: TestWater 2 "},
		{name: "no match below", from: -1, keys: "/ c l o c k enter", status: "no more matches below: N goes up", at: "▌ Thank you"},
		{name: "N", from: -1, keys: "/ c l o c k enter N", at: "The test read the clock."},
		{name: "N into a fold", from: -1, keys: "/ t e s t w a t e r space 9 space enter N", at: "PASS: TestWater 9"},
		{name: "nothing found", from: 0, keys: "/ o l m enter", at: "user", status: "“olm” is not found on this branch"},
		{name: "an expression", from: 0, keys: "/ r e : g o . * l v e enter", at: "→ bash", status: "“re:go.*lve” in 1 message"},
		{name: "no expression", from: 0, keys: "/ r e : ( enter", at: "user", status: "this search cannot be read: error parsing regexp: missing c…"},
		{name: "a search that is left", from: 0, keys: "/ c l esc", at: "user"},
		{name: "an empty search ends it", from: 0, keys: "/ c l o c k enter / enter", at: "Look at"},
		{name: "clear", from: 0, keys: "/ x ctrl+u c l o enter", at: "Look at", status: "“clo” in 4 messages"},
		{name: "n without a search", from: 0, keys: "n", at: "user", status: "nothing is searched for: / begins a search"},
		{name: "copy", from: 3, keys: "y", at: "assistant", wish: "Copy{Text:It reads the real clock:\n\n```go\nv.opened = time.Now()\n```\n What:the message}"},
		{name: "copy code", from: 3, keys: "down Y", at: "It reads", wish: "Copy{Text:v.opened = time.Now()\n What:the code}"},
		{name: "copy a call", from: 6, keys: "down Y", at: "→ bash", wish: "Copy{Text:false What:the code}"},
		{name: "no code", from: 3, keys: "Y", at: "assistant", status: "there is no code at the cursor"},
		{name: "go on from here", from: 5, keys: "ctrl+r", at: "user", wish: "Resume{Entry:5}"},
		{name: "help", from: 0, keys: "? x", at: "user"},
		{name: "back", from: 0, keys: "q", at: "user", wish: "Back{}"},
		{name: "esc", from: 0, keys: "esc", at: "user", wish: "Back{}"},
		{name: "exit", from: 0, keys: "? ctrl+c", wish: "Exit{}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := open(t, garden(), readview.Options{}, test.from)
			b.size(60, 15)
			b.press(strings.Fields(test.keys)...)
			if got := b.at(); !strings.HasPrefix(got, test.at) {
				t.Errorf("the cursor is on %q, want %q", got, test.at)
			}
			if got := b.status(); test.status != "" && got != test.status {
				t.Errorf("status %q, want %q", got, test.status)
			}
			if got := b.wish(); got != test.wish {
				t.Errorf("wish %q, want %q", got, test.wish)
			}
		})
	}
}

// TestMouse: the wheel scrolls, a click goes to a line and opens what is there.
func TestMouse(t *testing.T) {
	b := open(t, garden(), readview.Options{}, 1)
	b.size(60, 20)
	b.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if got := b.at(); !strings.HasPrefix(got, "I run it.") {
		t.Errorf("after the wheel the cursor is on %q", got)
	}
	b.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	lines := strings.Split(plain(b.m.View()), "\n")
	for y, line := range lines {
		if strings.Contains(line, "✻ It depends") {
			b.send(tea.MouseClickMsg{Button: tea.MouseLeft, Y: y})
			b.send(tea.MouseClickMsg{Button: tea.MouseLeft, Y: y})
		}
	}
	if got := b.at(); got != "✻ thinking" {
		t.Errorf("after two clicks the cursor is on %q", got)
	}
}

// TestReadsWhatIsShown: of a long session only what is on the screen and near it is read,
// each row once, and what is far away is read again.
func TestReadsWhatIsShown(t *testing.T) {
	rows := make([]row, 5000)
	for i := range rows {
		rows[i] = user(fmt.Sprintf("prompt %d", i))
	}
	b := open(t, rows, readview.Options{}, -1)
	b.size(80, 24)
	if len(b.read) > 40 || b.read[4999] != 1 {
		t.Errorf("%d rows were read for the first screen", len(b.read))
	}
	for range 40 {
		b.press("pgup")
	}
	if got := b.at(); !strings.Contains(plain(b.m.View()), "prompt 47") {
		t.Errorf("the cursor is on %q", got)
	}
	for row, n := range b.read {
		if n > 1 {
			t.Errorf("row %d was read %d times", row, n)
		}
	}
	b.press("g")
	if got := b.at(); !strings.Contains(got, "e0") {
		t.Errorf("at the beginning the cursor is on %q", got)
	}
	if len(b.read) > 500 {
		t.Errorf("%d rows were read", len(b.read))
	}
}

// TestResizing: the cursor stays on what it was on, whatever the size.
func TestResizing(t *testing.T) {
	b := open(t, garden(), readview.Options{}, 3)
	b.size(60, 15)
	b.press("down")
	for _, size := range [][2]int{{40, 10}, {200, 50}, {30, 8}, {10, 3}, {80, 24}} {
		b.size(size[0], size[1])
	}
	if got := b.at(); got != "It reads the real clock:" {
		t.Errorf("the cursor is on %q", got)
	}
}

// TestLateAnswers: what is about another branch, or another search, is passed over.
func TestLateAnswers(t *testing.T) {
	b := open(t, garden(), readview.Options{}, 0)
	b.size(60, 15)
	other := readview.Row{}
	b.send(readview.Bodies{Of: &other, All: []readview.Body{{Row: 0}}})
	b.send(readview.Hits{Seq: 99, Rows: []int{1}})
	b.send(readview.Sought{Seq: 99, Row: 3, By: 1})
	if got := b.at(); !strings.HasPrefix(got, "user") {
		t.Errorf("the cursor is on %q", got)
	}
	b.send(readview.Opened{Err: fmt.Errorf("read session %q: it is gone", "a\x1b[2Jb")})
	if view := b.m.View(); !strings.Contains(view, "it is gone") || strings.Contains(view, "\x1b[2J") {
		t.Errorf("an error:\n%s", view)
	}
}

// TestAnyKeys: whatever is typed, in whatever order and size, the screen is full and no
// row is too wide.
func TestAnyKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var all []row
	for _, kind := range kinds {
		all = append(all, kind.rows...)
	}
	all = append(all, garden()...)
	keys := []string{"up", "down", "pgup", "pgdown", "home", "end", "[", "]", "t", "T", "e", "E", "c", "C", "b", "B", "enter", "z", "n", "N",
		"tab", "y", "Y", "ctrl+u", "ctrl+d", "?", "/", "c", "l", "o", "enter", "esc", "ctrl+r"}
	b := open(t, all, readview.Options{}, -1)
	cols, rows := 80, 24
	b.size(cols, rows)
	for n := range 3000 {
		if n%50 == 0 {
			cols, rows = 30+rng.IntN(171), 8+rng.IntN(60)
			b.size(cols, rows)
		}
		key := keys[rng.IntN(len(keys))]
		b.press(key)
		view := strings.Split(b.m.View(), "\n")
		if len(view) != rows {
			t.Fatalf("after %q: %d rows, want %d", key, len(view), rows)
		}
		for _, line := range view {
			if w := term.Width(line); w > cols {
				t.Fatalf("after %q: a row of %d cells, of %d: %q", key, w, cols, line)
			}
		}
	}
}
