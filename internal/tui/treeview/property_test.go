package treeview_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
	"github.com/cambium-dev/cambium/session"
	"pgregory.net/rapid"
)

// anySession draws the entries of a session, wild ones included.
func anySession(t *rapid.T) *entry.List {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	d := rapid.SampledFrom(sessiongen.Dialects()).Draw(t, "dialect")
	_, l, _, err := session.ParseEntries(sessiongen.Random(rng, sessiongen.Options{Dialect: d}).Bytes)
	if err != nil { // nothing of it is an entry
		l, err = entry.NewList(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// outlined returns a model of a session whose bodies say nothing but their
// number.
func outlined(t *rapid.T, l *entry.List) *treeview.Model {
	tr := tree.New(l, nil)
	o, err := treeview.NewOutline(l, tr, tr.Leaf(), treeview.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	m := treeview.New(treeview.Options{Now: noon, Search: func(s treeview.Search) tea.Cmd {
		return func() tea.Msg {
			var found []int
			for i := range l.Len() {
				if strings.Contains(fmt.Sprint(i), s.Words[0]) {
					found = append(found, i)
				}
			}
			return treeview.Matches{Seq: s.Seq, Found: found, Done: true}
		}
	}})
	give(&m, tea.WindowSizeMsg{Width: 80, Height: 24})
	give(&m, treeview.Opened{Outline: o})
	return &m
}

// give gives a model a message and the answers to what it asks for.
func give(m *treeview.Model, msg tea.Msg) {
	var cmd tea.Cmd
	*m, cmd = m.Update(msg)
	var run func(cmd tea.Cmd)
	run = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for _, cmd := range msg {
				run(cmd)
			}
		case treeview.Matches:
			give(m, msg)
		}
	}
	run(cmd)
}

// TestEveryEntryIsReachable draws random sessions: in the filter all each entry
// has one row, parents above children, always in the same order, whatever was
// folded, filtered and searched before; and what was selected stays selected.
func TestEveryEntryIsReachable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anySession(t)
		m := outlined(t, l)
		give(m, keyPress("ctrl+a"))
		want := slices.Clone(m.Rows())
		sorted := slices.Sorted(slices.Values(want))
		for n, i := range sorted {
			if n != i {
				t.Fatalf("entry %d has no row of its own: %v", n, want)
			}
		}
		if len(sorted) != l.Len() {
			t.Fatalf("%d rows of %d entries", len(sorted), l.Len())
		}
		tr := tree.New(l, nil)
		for n, i := range want {
			if up := tr.Parent(i, tree.Healed); up >= 0 && slices.Index(want, up) > n && !slices.Contains(tr.Roots(tree.Healed), i) {
				t.Fatalf("entry %d stands above its parent %d", i, up)
			}
		}
		again := outlined(t, l)
		give(again, keyPress("ctrl+a"))
		if !slices.Equal(again.Rows(), want) {
			t.Fatal("the order is another one the second time")
		}
		wander(t, m, l)
		if !slices.Equal(m.Rows(), want) {
			t.Fatalf("rows at the end: %v\nwant %v", m.Rows(), want)
		}
	})
}

// wander presses keys, and at the end those that show all again.
func wander(t *rapid.T, m *treeview.Model, l *entry.List) {
	moves := []string{"up", "down", "pgup", "pgdown", "home", "end", "tab", "shift+tab", "left", "right"}
	views := []string{"ctrl+u", "ctrl+l", "ctrl+t", "ctrl+d", "ctrl+o", "1", "2", "backspace", "ctrl+w"}
	if rapid.Bool().Draw(t, "pane") {
		give(m, keyPress("ctrl+v"))
	}
	at, _ := m.Selected()
	for range rapid.IntRange(0, 25).Draw(t, "keys") {
		if rapid.Bool().Draw(t, "move") {
			give(m, keyPress(rapid.SampledFrom(moves).Draw(t, "key")))
			if now, _ := m.Selected(); now >= 0 {
				at = now
			}
			give(m, keyPress("f1")) // and back: it changes nothing
			give(m, keyPress("f1"))
			continue
		}
		give(m, keyPress(rapid.SampledFrom(views).Draw(t, "key")))
		now, _ := m.Selected()
		if rows := m.Rows(); len(rows) > 0 && (now < 0 || !slices.Contains(rows, now)) {
			t.Fatalf("selected %d among %v", now, rows)
		}
		for row := range strings.SplitSeq(m.View(), "\n") {
			if term.Width(row) > 80 {
				t.Fatalf("a row of %d cells: %q", term.Width(row), row)
			}
		}
	}
	give(m, keyPress("ctrl+w"))
	give(m, keyPress("ctrl+d"))
	give(m, keyPress("ctrl+a"))
	if now, _ := m.Selected(); l.Len() > 0 && now != at && slices.Contains(m.Rows(), at) {
		t.Fatalf("selected %d, was %d", now, at)
	}
	// Going right as far as it goes unfolds everything on the way.
	give(m, keyPress("home"))
	for range 4*l.Len() + 1 {
		give(m, keyPress("right"))
	}
}

// TestDeepForks sees that an entry below a thousand forks can be read.
func TestDeepForks(t *testing.T) {
	var all []line
	for n := range 1000 {
		up := ""
		if n > 0 {
			up = fmt.Sprintf("e%d", n-1)
		}
		all = append(all, line{fmt.Sprintf("x%d", n), up, "message", "assistant", "left"}, line{fmt.Sprintf("e%d", n), up, "message", "user", fmt.Sprintf("entry number %d", n)})
	}
	for _, cols := range []int{60, 80, 120} {
		b := open(t, list(t, all[1:]), treeview.Options{}, treeview.Facts{})
		b.size(cols, 15)
		for _, k := range []string{"", "pgup", "home", "end", "ctrl+e"} {
			if k != "" {
				b.press(k)
			}
			view := plain(b.m.View())
			_, text := b.text(first(b.m.Selected()))
			for row := range strings.SplitSeq(view, "\n") {
				if term.Width(row) > cols {
					t.Errorf("%d columns, %q: a row of %d", cols, k, term.Width(row))
				}
				if strings.HasPrefix(row, "›") && !strings.Contains(row, text) {
					t.Errorf("%d columns, %q: %q cannot be read in %q", cols, k, text, row)
				}
			}
		}
	}
}

func first(i int, _ string) int { return i }
