package treeview_test

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
)

// BenchmarkFirstFrame draws a session of 100,000 entries with a fork at every
// tenth, from its entries in memory to the first screen.
func BenchmarkFirstFrame(b *testing.B) {
	var all []line
	for n := range 100_000 {
		up := ""
		if n > 0 {
			up = fmt.Sprintf("e%d", n-1-n%10/9*8)
		}
		all = append(all, line{fmt.Sprintf("e%d", n), up, "message", "user", "some text"})
	}
	l := list(b, all)
	for b.Loop() {
		tr := tree.New(l, nil)
		o, err := treeview.NewOutline(l, tr, tr.Leaf(), treeview.Facts{})
		if err != nil {
			b.Fatal(err)
		}
		m := treeview.New(treeview.Options{Now: noon})
		m, _ = m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		m, _ = m.Update(treeview.Opened{Outline: o})
		if m.View() == "" {
			b.Fatal("nothing drawn")
		}
	}
}

// BenchmarkFilter changes what is shown of as many entries.
func BenchmarkFilter(b *testing.B) {
	var all []line
	for n := range 100_000 {
		up := ""
		if n > 0 {
			up = fmt.Sprintf("e%d", n-1)
		}
		all = append(all, line{fmt.Sprintf("e%d", n), up, "message", "user", "some text"})
	}
	bench := open(b, list(b, all), treeview.Options{}, treeview.Facts{})
	bench.size(120, 40)
	for b.Loop() {
		bench.press("ctrl+o")
		_ = bench.m.View()
	}
}
