package chatview_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// asked returns the last search that was wanted.
func (d *desk) asked() (last chatview.Recall) {
	for _, w := range d.wishes {
		if r, ok := w.(chatview.Recall); ok {
			last = r
		}
	}
	return last
}

func TestPromptsAreSearched(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.keys("draft", "ctrl+r")
	d.shows("search prompts:", "searching")
	d.send(chatview.Recalled{Seq: d.asked().Seq, All: []chatview.Choice{{Text: "water the beans", Help: "2d  omp"}, {Text: "dig\nand sow"}}})
	d.shows("water the beans", "2d  omp", "dig and sow", "enter takes it")
	first := d.asked()
	d.keys("so")
	if now := d.asked(); now.Query != "so" || now.Seq == first.Seq {
		t.Fatalf("wants %+v after %+v", now, first)
	}
	d.send(chatview.Recalled{Seq: first.Seq}) // an old answer
	d.shows("water the beans")
	d.send(chatview.Recalled{Seq: d.asked().Seq, All: []chatview.Choice{{Text: "dig\nand sow"}, {Text: "sow"}}})
	d.hides("water the beans")
	d.keys("ctrl+r", "up", "down", "enter")
	if got := d.m.Text(); got != "sow" {
		t.Errorf("the editor holds %q", got)
	}
	d.hides("search prompts:")
	d.keys("ctrl+r", "ctrl+c")
	if got := d.m.Text(); got != "sow" {
		t.Errorf("after ctrl+c the editor holds %q", got)
	}
	d.keys("ctrl+r", "x", "esc")
	if got := d.m.Text(); got != "sow" || strings.Contains(d.screen(), "search prompts:") {
		t.Errorf("after esc the editor holds %q:\n%s", got, d.screen())
	}
	d.keys("ctrl+r")
	d.send(chatview.Recalled{Seq: d.asked().Seq})
	d.shows("no prompts found")
	d.keys("enter")
	d.shows("no prompts found")
	d.send(chatview.Switched{})
	d.hides("search prompts:")
}

// Who sends before the answer to what was typed has come takes what it brings, not
// what an earlier search left on the screen.
func TestPromptsAreTakenWhenTheyAreFound(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.keys("draft", "ctrl+r")
	d.send(chatview.Recalled{Seq: d.asked().Seq, All: []chatview.Choice{{Text: "dig"}, {Text: "water"}}})
	d.keys("wat", "enter")
	if got := d.m.Text(); got != "draft" {
		t.Errorf("before the answer the editor holds %q", got)
	}
	d.send(chatview.Recalled{Seq: d.asked().Seq, All: []chatview.Choice{{Text: "water"}}})
	if got := d.m.Text(); got != "water" {
		t.Errorf("the editor holds %q", got)
	}
	d.hides("search prompts:")
	d.keys("ctrl+r", "d", "enter", "i") // more is typed: nothing is taken yet
	d.send(chatview.Recalled{Seq: d.asked().Seq, All: []chatview.Choice{{Text: "dig"}}})
	if got := d.m.Text(); got != "water" {
		t.Errorf("the editor holds %q", got)
	}
	d.keys("x", "enter")
	d.send(chatview.Recalled{Seq: d.asked().Seq})
	d.shows("no prompts found")
	d.keys("esc")
	if got := d.m.Text(); got != "water" {
		t.Errorf("the editor holds %q", got)
	}
}

func TestWhatWaitsIsTakenBack(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.keys("alt+up")
	if got := d.wanted(); got != "" {
		t.Errorf("with nothing waiting it wants %q", got)
	}
	d.send(chatview.Began{Doing: "working"})
	d.keys("one", "enter", "two", "alt+enter", "three")
	d.shows("steers: one", "then: two", "alt+↑ takes them back")
	d.wanted()
	d.keys("alt+up")
	if got := d.wanted(); got != "TakeBack{}" {
		t.Errorf("it wants %q", got)
	}
	d.send(chatview.TakenBack{Text: "two"}) // the first was said meanwhile
	d.hides("steers:", "then:")
	if got := d.m.Text(); got != "two\n\nthree" {
		t.Errorf("the editor holds %q", got)
	}
}

// While another screen is made ready the editor works; a key withdraws it.
func TestOpening(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.send(chatview.Opening{What: "reading the tree"})
	d.keys("abc")
	d.shows("reading the tree… · esc leaves it", "› abc")
	d.keys("esc")
	if got := d.wanted(); got != "Withdraw{}" {
		t.Errorf("it wants %q", got)
	}
	d.hides("reading the tree")
	d.send(chatview.Opening{What: "reading the tree"}, chatview.Opening{})
	d.hides("reading the tree")
}

// Searches are counted on when one is opened again: an answer of the one before is
// none of it.
func TestRecallCountsOn(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.keys("ctrl+r", "a", "esc", "ctrl+r")
	if got, want := d.wanted(), "Recall{Seq:1 Query:} Recall{Seq:2 Query:a} Recall{Seq:3 Query:}"; got != want {
		t.Errorf("wants %q, want %q", got, want)
	}
}
