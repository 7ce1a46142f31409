package treeview_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/golden"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
)

// scenes are what the views show.
var scenes = []struct {
	name  string
	facts treeview.Facts
	do    func(b *bench)
}{
	{"opened", treeview.Facts{Name: "Water for the garden"}, func(*bench) {}},
	{"all", treeview.Facts{Name: "Water for the garden"}, func(b *bench) { b.press("ctrl+a", "home") }},
	{"folded", treeview.Facts{Name: "Water for the garden"}, func(b *bench) { b.press("left", "left", "left", "left", "left") }},
	{"search", treeview.Facts{Name: "Water for the garden"}, func(b *bench) { b.typed("olla") }},
	{"labels", treeview.Facts{Name: "Water for the garden"}, func(b *bench) { b.press("ctrl+l") }},
	{"label", treeview.Facts{Name: "Water for the garden"}, func(b *bench) { b.press("ctrl+l", "home", "L"); b.typed(" again") }},
	{"pane", treeview.Facts{Name: "Water for the garden"}, func(b *bench) { b.press("ctrl+v", "ctrl+l", "end", "home") }},
	{"alone", treeview.Facts{Name: "Water for the garden"}, func(b *bench) { b.press("ctrl+v", "ctrl+v", "ctrl+l", "home") }},
	{"damaged", treeview.Facts{Name: "Water for the garden", Notes: []string{"1 damaged line", "1 link healed"},
		Marks: map[int]string{4: "its parent is damaged: it hangs on the entry before the damaged line"}}, func(b *bench) { b.press("end", "up", "up") }},
	{"damage", treeview.Facts{Name: "Water for the garden", Notes: []string{"1 damaged line", "1 link healed"}}, func(*bench) {}},
	{"help", treeview.Facts{Name: "Water for the garden"}, func(b *bench) { b.press("f1") }},
}

func TestViews(t *testing.T) {
	for _, scene := range scenes {
		for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 40}} {
			for depth, th := range themes() {
				b := open(t, garden(t), treeview.Options{Theme: th}, scene.facts)
				b.size(size[0], size[1])
				scene.do(b)
				view := b.m.View()
				rows := strings.Split(view, "\n")
				if len(rows) != size[1] {
					t.Errorf("%s: %d rows, want %d", scene.name, len(rows), size[1])
				}
				for _, row := range rows {
					if w := term.Width(row); w > size[0] {
						t.Errorf("%s %v: a row of %d cells: %q", scene.name, size, w, row)
					}
				}
				if strings.Contains(view, "\x1b[31mslowly") {
					t.Errorf("%s: stored text drives the terminal", scene.name)
				}
				if depth == "none" {
					golden.Compare(t, fmt.Sprintf("%s-%dx%d", scene.name, size[0], size[1]), plain(view))
				}
				if scene.name == "opened" || scene.name == "damaged" {
					golden.Compare(t, fmt.Sprintf("%s-%dx%d-%s", scene.name, size[0], size[1], depth), strings.ReplaceAll(view, "\x1b", "␛")+"\n")
				}
			}
		}
	}
}

// plain is a view without styles, ends of rows marked.
func plain(view string) string {
	var b strings.Builder
	for row := range strings.SplitSeq(view, "\n") {
		b.WriteString(strings.TrimRight(term.Safe(row), " ") + "\n")
	}
	return b.String()
}

func TestTooSmall(t *testing.T) {
	b := open(t, garden(t), treeview.Options{}, treeview.Facts{})
	b.size(20, 5)
	if !strings.Contains(b.m.View(), "The terminal is too") {
		t.Errorf("a view of 20 by 5:\n%s", b.m.View())
	}
	b.size(60, 15)
	if !strings.Contains(b.m.View(), "Thank you") {
		t.Errorf("it does not work when it grows:\n%s", b.m.View())
	}
}
