package picker_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/tui/picker"
)

func size(cols, rows int) tea.Msg { return tea.WindowSizeMsg{Width: cols, Height: rows} }

func TestKeys(t *testing.T) {
	all := sessions()
	path := func(n int) string { return all[n-1].Info.Path }
	tests := []struct {
		name string
		keys string
		want []tea.Msg
	}{
		{"enter chooses the first", "enter", []tea.Msg{picker.Chosen{Path: path(1)}}},
		{"down and up", "down down up enter", []tea.Msg{picker.Chosen{Path: path(2)}}},
		{"up stays at the top", "up up enter", []tea.Msg{picker.Chosen{Path: path(1)}}},
		{"end and home", "end enter home enter", []tea.Msg{picker.Chosen{Path: path(4)}, picker.Chosen{Path: path(1)}}},
		{"pages", "pgdown enter pgup enter", []tea.Msg{picker.Chosen{Path: path(4)}, picker.Chosen{Path: path(1)}}},
		{"esc cancels", "esc", []tea.Msg{picker.Cancelled{}}},
		{"esc cancels while something is searched for", "g esc", []tea.Msg{picker.Cancelled{}}},
		{"ctrl+c exits", "ctrl+c", []tea.Msg{picker.Exit{}}},
		{"ctrl+c exits from a question", "ctrl+d ctrl+c", []tea.Msg{picker.Exit{}}},
		{"ctrl+c exits from the editor", "ctrl+r ctrl+c", []tea.Msg{picker.Exit{}}},
		{"ctrl+c exits from the help", "? ctrl+c", []tea.Msg{picker.Exit{}}},
		{"tab shows all projects", "tab end enter", []tea.Msg{picker.Chosen{Path: path(8)}}},
		{"tab and tab", "tab tab end enter", []tea.Msg{picker.Chosen{Path: path(4)}}},
		{"named only", "ctrl+n down enter", []tea.Msg{picker.Chosen{Path: path(3)}}},
		{"one agent", "ctrl+g enter", []tea.Msg{picker.Chosen{Path: path(2)}}}, // omp; cambium has none here
		{"rename", "down ctrl+r b e d s enter", []tea.Msg{picker.Rename{Path: path(2), Name: "beds"}}},
		{"rename begins with the name", "ctrl+r ! enter", []tea.Msg{picker.Rename{Path: path(1), Name: "water for the garden!"}}},
		{"rename is left", "ctrl+r x esc enter", []tea.Msg{picker.Chosen{Path: path(1)}}},
		{"label", "ctrl+l h i enter", []tea.Msg{picker.Label{Path: path(1), Text: "hi"}}},
		{"move", "ctrl+x / x enter", []tea.Msg{picker.Move{Path: path(1), Dir: "~/work/garden/x"}}},
		{"fork", "ctrl+f", []tea.Msg{picker.Fork{Path: path(1)}}},
		{"tree", "ctrl+t", []tea.Msg{picker.Tree{Path: path(1)}}},
		{"read", "down alt+v", []tea.Msg{picker.Read{Path: path(2)}}},
		{"read what is searched for", "w a t e r f3", []tea.Msg{picker.Read{Path: path(1), Terms: []picker.Term{{Text: "water"}}}}},
		{"pin", "down ctrl+b", []tea.Msg{picker.Pin{Paths: []string{path(2)}, On: true}}},
		{"unpin", "ctrl+b", []tea.Msg{picker.Pin{Paths: []string{path(1)}}}},
		{"copy", "ctrl+y", []tea.Msg{picker.Copy{Paths: []string{path(1)}}}},
		{"delete asks", "ctrl+d", nil},
		{"delete, confirmed", "ctrl+d enter", []tea.Msg{picker.Delete{Paths: []string{path(1)}}}},
		{"delete, confirmed by y", "delete y", []tea.Msg{picker.Delete{Paths: []string{path(1)}}}},
		{"delete, not confirmed", "ctrl+d esc enter", []tea.Msg{picker.Chosen{Path: path(1)}}},
		{"delete, not confirmed by n", "ctrl+backspace n", nil},
		{"delete edits what is typed", "g left delete ctrl+d enter", []tea.Msg{picker.Delete{Paths: []string{path(1)}}}},
		{"marks", "space down insert ctrl+y", []tea.Msg{picker.Copy{Paths: []string{path(1), path(3)}}}},
		{"a mark is taken back", "space up space ctrl+y", []tea.Msg{picker.Copy{Paths: []string{path(2)}}}},
		{"marks are deleted together", "space space ctrl+d y", []tea.Msg{picker.Delete{Paths: []string{path(1), path(2)}}}},
		{"undo", "ctrl+z", []tea.Msg{picker.Undo{}}},
		{"u is a letter", "u", nil},
		{"help and back", "? x enter", []tea.Msg{picker.Chosen{Path: path(1)}}},
		{"a question mark is searched for", "w ? enter", nil},
		{"a blank is searched for", "w a t e r space t h e enter", []tea.Msg{picker.Chosen{Path: path(1)}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := options()
			o.Tree = true
			d := begin(t, o, 80, 15, all)
			d.keys(strings.Fields(tt.keys)...)
			d.want(tt.want...)
		})
	}
}

func TestKeysOnTheEmptyList(t *testing.T) {
	for _, k := range []string{"enter", "up", "down", "pgup", "pgdown", "home", "end", "ctrl+d", "delete", "ctrl+r", "ctrl+l", "ctrl+x",
		"ctrl+f", "ctrl+t", "alt+v", "ctrl+b", "ctrl+y", "space", "insert", "tab", "ctrl+s", "ctrl+n", "ctrl+g", "ctrl+v", "alt+up"} {
		o := options()
		o.Tree = true
		d := begin(t, o, 80, 24, []picker.Item{})
		d.keys(k)
		d.want()
		d.shows("No sessions")
		d.keys("esc")
		d.want(picker.Cancelled{})
		d.keys("ctrl+c")
		d.want(picker.Exit{})
	}
}

func TestUndoIsOffered(t *testing.T) {
	d := begin(t, options(), 80, 24, sessions())
	d.send(picker.Told{Text: "moved to the trash: “beds”", Undo: true})
	d.shows("u takes it back")
	d.keys("down", "u")
	d.want(picker.Undo{})
	d.typed("u")
	d.want()
	d.shows("> u")
}

func TestTheCursorStaysWithItsSession(t *testing.T) {
	all := sessions()
	d := begin(t, options(), 80, 24, all[1:4])
	d.keys("down")
	if got := d.m.Current(); got != all[2].Info.Path {
		t.Fatalf("the cursor is at %s", got)
	}
	d.send(picker.Found{Items: all[:1]}) // comes before it
	if got := d.m.Current(); got != all[2].Info.Path {
		t.Errorf("after a new one the cursor is at %s", got)
	}
	d.send(picker.Gone{Paths: []string{all[2].Info.Path}})
	if got := d.m.Current(); got != all[3].Info.Path {
		t.Errorf("after it went the cursor is at %s", got)
	}
	renamed := all[3]
	renamed.Info.Title = "something else"
	d.send(picker.Found{Items: []picker.Item{renamed}})
	d.shows("something else")
}

func TestMouse(t *testing.T) {
	all := sessions()
	now := noon
	o := options()
	o.Now = func() time.Time { return now }
	d := begin(t, o, 120, 24, all)
	click := func(x, y int) { d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	click(10, 4) // below header, field and titles
	if got := d.m.Current(); got != all[1].Info.Path {
		t.Errorf("a click puts the cursor at %s", got)
	}
	now = now.Add(time.Second)
	click(10, 4)
	d.want() // too slow for a double click
	now = now.Add(100 * time.Millisecond)
	click(10, 4)
	d.want(picker.Chosen{Path: all[1].Info.Path})
	for _, at := range [][2]int{{10, 0}, {10, 20}, {110, 3}, {10, 23}} {
		click(at[0], at[1])
	}
	d.want()
	if got := d.m.Current(); got != all[1].Info.Path {
		t.Errorf("a click beside the list puts the cursor at %s", got)
	}
	d.send(size(80, 8))
	d.keys("tab", "home")
	d.send(tea.MouseWheelMsg{X: 5, Y: 4, Button: tea.MouseWheelDown})
	d.hides("water for the garden")
	d.send(tea.MouseWheelMsg{X: 5, Y: 4, Button: tea.MouseWheelUp})
	d.shows("water for the garden")
}

func TestSortOrders(t *testing.T) {
	all := sessions()
	number := func(d *driver) (ns []string) {
		for _, p := range d.m.Shown() {
			ns = append(ns, p[strings.LastIndexByte(p, '/')+2:len(p)-len(".jsonl")])
		}
		return ns
	}
	d := begin(t, options(), 80, 24, all)
	d.keys("tab")
	for _, want := range []struct {
		text  string
		order string
	}{
		{"newest first", "1 2 3 4 5 6 7 8"},
		{"by thread", "1 2 3 4 5 8 6 7"},
		{"largest first", "1 8 7 6 5 4 3 2"}, // 1 is pinned
		{"dearest first", "1 8 7 6 5 4 3 2"},
		{"newest first", "1 2 3 4 5 6 7 8"},
	} {
		d.shows(want.text)
		if got := strings.Join(number(d), " "); got != want.order {
			t.Errorf("%s: %s, want %s", want.text, got, want.order)
		}
		d.keys("ctrl+s")
	}
	// Sessions that name each other as parents end nothing.
	loop := slices.Clone(all[4:6])
	loop[0].Info.Parent, loop[1].Info.Parent = loop[1].Info.Path, loop[0].Info.Path
	d = begin(t, options(), 80, 24, loop)
	d.keys("ctrl+s")
	if got := number(d); len(got) != 2 {
		t.Errorf("of two that came from each other %v are listed", got)
	}
}

func TestLoadingAndTrouble(t *testing.T) {
	d := begin(t, options(), 80, 24, nil)
	d.shows("Reading sessions")
	d.send(picker.Progress{Done: 340, Total: 2034})
	d.shows("reading sessions: 340 of 2,034")
	d.send(picker.Found{Items: sessions()[4:]})
	d.shows("Reading sessions")
	d.send(picker.Done{})
	d.shows("register allocation") // there are none in this project: all are shown
	d.keys("tab")
	d.shows("No sessions in this project", "Press Tab to view all.")
	d.send(picker.Found{Items: sessions()[:1]})
	d.shows("water for the garden")
	d.keys("ctrl+n", "ctrl+g")
	d.send(picker.Found{Items: []picker.Item{{Info: catalog.Info{Path: sessions()[0].Info.Path, Agent: "pi"}, Here: true}}})
	d.shows("No sessions of this kind", "ctrl+n and ctrl+g")
	d.send(picker.Done{Err: errors.New("list sessions: the disk is gone")})
	d.shows("the disk is gone")
}
