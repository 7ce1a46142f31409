package treeview_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
)

// step is what one key does: the entry at the cursor and what left the model.
type step struct {
	keys     string // separated by blanks; quoted text is typed
	selected string
	wish     string
}

func TestKeys(t *testing.T) {
	tests := []struct {
		name  string
		steps []step
	}{
		{"arrows", []step{
			{"", "c5", ""}, {"down", "c3", ""}, {"up up", "c4", ""}, {"home", "a1", ""}, {"up", "a1", ""}, {"end", "a6", ""}, {"down", "a6", ""},
			{"pgup", "s1", ""}, {"pgup", "a1", ""}, {"pgdown", "c3", ""}, {"ctrl+e", "c5", ""},
		}},
		{"branches", []step{
			{"tab", "c3", ""}, {"tab", "b3", ""}, {"tab", "a3", ""}, {"tab", "a3", ""},
			{"shift+tab", "b1", ""}, {"shift+tab", "b1", ""},
		}},
		{"fold", []step{
			{"left", "s1", ""}, {"left", "s1", ""}, {"left", "c2", ""}, {"left", "c1", ""}, {"left", "c1", ""}, {"right", "c1", ""},
			{"right", "c2", ""}, {"right", "s1", ""}, {"right", "s1", ""}, {"right", "c5", ""}, {"right", "c3", ""}, {"right", "b3", ""},
			{"ctrl+e", "c5", ""},
		}},
		{"leaf behind a fold", []step{{"home", "a1", ""}, {"left", "a1", ""}, {"down", "a1", ""}, {"ctrl+e", "c5", ""}}},
		{"resume", []step{
			{"enter", "c5", `Resume{ID:c5 Leaf:true}`}, {"up", "c4", ""}, {"enter", "c4", `Resume{ID:c4 Leaf:false}`},
		}},
		{"read", []step{{"up alt+v", "c4", `Read{ID:c4}`}, {"f3", "c4", `Read{ID:c4}`}}},
		{"fork and copy", []step{{"up ctrl+f", "c4", `Fork{ID:c4}`}, {"ctrl+y", "c4", `Copy{ID:c4}`}, {"ctrl+x", "c4", `Copy{ID:c4}`}}},
		{"label", []step{
			{"L 'olla' enter", "c5", `Label{ID:c5 Text:olla}`}, {"L 'x' esc", "c5", ""}, {"L enter", "c5", ""},
			{"ctrl+l home", "b2", ""}, {"L home 'my ' enter", "b2", `Label{ID:b2 Text:my ollas}`},
			{"L ctrl+u enter", "b2", `Label{ID:b2 Text:}`}, {"L left delete enter", "b2", `Label{ID:b2 Text:olla}`},
			{"L alt+backspace 'a b' ctrl+w 'c' enter", "b2", `Label{ID:b2 Text:a c}`},
		}},
		{"leave", []step{
			{"esc", "c5", `Back{}`}, {"ctrl+c", "c5", `Exit{}`}, {"'olla' esc", "c5", ""}, {"esc", "c5", `Back{}`},
			{"f1 ctrl+c", "c5", `Exit{}`}, {"esc", "c5", ""}, {"esc", "c5", `Back{}`}, {"L ctrl+c", "c5", `Exit{}`},
		}},
		{"nothing to choose", []step{{"'zzz' enter", "", ""}, {"ctrl+f L up down pgdown home end tab left right", "", ""}, {"esc", "c5", ""}}},
		{"search keeps the selection", []step{
			{"home 'ollas'", "b1", ""}, {"esc", "a1", ""}, {"'ollas, lids'", "c4", ""}, {"backspace", "c4", ""}, {"ctrl+w", "a1", ""},
		}},
		{"filters keep the selection", []step{
			{"up", "c4", ""}, {"ctrl+u", "c2", ""}, {"ctrl+u", "c4", ""}, {"ctrl+l", "b2", ""}, {"ctrl+d", "c4", ""}, {"ctrl+a", "c4", ""},
			{"ctrl+t", "c4", ""}, {"ctrl+o ctrl+o ctrl+o ctrl+o", "c4", ""},
		}},
		{"the pane", []step{{"ctrl+v", "c5", ""}, {"ctrl+v", "c5", ""}, {"down up home end pgup pgdown", "c5", ""}, {"esc", "c5", ""}, {"down", "c3", ""}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := open(t, garden(t), treeview.Options{}, treeview.Facts{})
			b.size(80, 13) // nine rows
			for _, s := range tt.steps {
				for n, part := range strings.Split(s.keys, "'") {
					if n%2 == 1 {
						b.typed(part)
						continue
					}
					b.press(strings.Fields(part)...)
				}
				if got, wish := b.selected(), b.wish(); got != s.selected || wish != s.wish {
					t.Fatalf("after %q: selected %q, wish %s; want %q, %s\n%s", s.keys, got, wish, s.selected, s.wish, plain(b.m.View()))
				}
			}
		})
	}
}

func TestFilters(t *testing.T) {
	b := open(t, garden(t), treeview.Options{}, treeview.Facts{})
	b.size(80, 24)
	for _, tt := range []struct{ key, want string }{
		{"ctrl+a", "a1 a2 b1 b2 c1 c2 s1 c4 l2 c5 c3 b3 b4 l1 m1 a3 a4 a5 a6"},
		{"ctrl+d", "a1 a2 b1 b2 c1 c2 s1 c4 c5 c3 b3 b4 a3 a4 a5 a6"},
		{"ctrl+t", "a1 a2 b1 b2 c1 c2 s1 c4 c5 c3 b3 b4 a3 a4 a6"},
		{"ctrl+u", "a1 b1 c2 c5 b3 a3"},
		{"ctrl+l", "b2 a6"},
	} {
		b.press(tt.key)
		if got := b.ids(); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.key, got, tt.want)
		}
	}
}

// TestWithoutNames sees that what cannot be named is not acted upon.
func TestWithoutNames(t *testing.T) {
	l := list(t, []line{
		{"a1", "", "message", "user", "one"}, {"a2", "a1", "message", "user", "two"}, {"a2", "a1", "message", "user", "two again"},
	})
	b := open(t, l, treeview.Options{}, treeview.Facts{})
	b.size(80, 13)
	b.press("home", "down")
	at, _ := b.m.Selected()
	if at == 1 {
		b.press("down") // the active one comes first
	}
	b.press("home", "end", "enter", "ctrl+f", "L")
	if wish := b.wish(); wish != "" || !strings.Contains(b.m.View(), "same id") {
		t.Errorf("wish %s for an entry whose id another one has:\n%s", wish, b.m.View())
	}
	b = open(t, l, treeview.Options{}, treeview.Facts{ReadOnly: "its version is newer"})
	b.size(80, 13)
	b.press("home", "enter", "L")
	if wish := b.wish(); wish != "" || !strings.Contains(b.m.View(), "its version is newer") {
		t.Errorf("wish %s of a session that cannot be written:\n%s", wish, b.m.View())
	}
	b.press("ctrl+f")
	if wish := b.wish(); wish != "Fork{ID:a1}" {
		t.Errorf("wish %s, want a fork", wish)
	}
}

func TestMouse(t *testing.T) {
	b := open(t, garden(t), treeview.Options{}, treeview.Facts{})
	b.size(80, 13)
	b.press("home")
	click := func(x, y int) { b.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: x, Y: y}) }
	click(10, 4)
	if got := b.selected(); got != "b1" {
		t.Errorf("clicked on the third row: %q", got)
	}
	click(10, 4)
	if got := b.ids(); got != "a1 a2 b1 a3 a4 a5 a6" {
		t.Errorf("clicked again: %s", got)
	}
	click(10, 4)
	click(10, 0)
	click(10, 12)
	b.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown, X: 5, Y: 5})
	if got := b.selected(); got != "c2" {
		t.Errorf("after the wheel: %q", got)
	}
}

// TestOpenedAgain sees that what is selected and folded stays when a label was
// given.
func TestOpenedAgain(t *testing.T) {
	all := []line{{"a1", "", "message", "user", "one"}, {"a2", "a1", "message", "user", "two"}, {"a3", "a1", "message", "user", "three"}}
	b := open(t, list(t, all), treeview.Options{}, treeview.Facts{})
	b.size(80, 13)
	b.press("down")
	before := b.selected()
	b.list = list(t, append(all, line{"l1", "a3", "label", "a2", "here"}))
	b.send(treeview.Opened{Outline: b.outline(treeview.Facts{})})
	if got := b.selected(); got != before {
		t.Errorf("selected %q, was %q", got, before)
	}
	if !strings.Contains(b.m.View(), "[here]") {
		t.Errorf("no label:\n%s", b.m.View())
	}
}

// TestBarNamesWhatWorks presses each key that the help bar and the help page
// name.
func TestBarNamesWhatWorks(t *testing.T) {
	k := treeview.NewKeyMap()
	long := strings.Repeat("once more\n", 60)
	all := list(t, []line{
		{"a1", "", "message", "user", "one"}, {"a2", "a1", "message", "user", long}, {"a3", "a1", "message", "user", long}, {"a4", "a1", "message", "user", "one"},
	})
	for _, binding := range treeview.Page(&k) {
		b := open(t, all, treeview.Options{}, treeview.Facts{Name: "x"})
		b.size(80, 16)
		b.press("ctrl+v", "tab", "tab", "shift+tab", "alt+down")
		b.typed("o")
		before := b.m.View() + b.wish()
		b.press(binding.Keys()[0])
		if after := b.m.View() + b.wish(); after == before && binding.Help().Key != "ctrl+d" {
			t.Errorf("%s (%s) does nothing", binding.Help().Key, binding.Help().Desc)
		}
	}
}
