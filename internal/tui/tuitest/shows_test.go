package tuitest_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

func TestShows(t *testing.T) {
	const screen = "  a row that\n  goes on\n▌ a prompt of\n▌ two rows\n│ in a box │\n│ of rows  │\n/a/long/pa\nth/name\n1.5\nnot one  word\n"
	for text, want := range map[string]bool{
		"a row": true, "row that goes on": true, "a prompt of two rows": true, "in a box of rows": true, "/a/long/path/name": true,
		"path": true, "": true, "1.5": true,
		"row goes": false, "arow": false, "inabox": false, "1x5": false, "one word": false, "on a box": false,
	} {
		if got := tuitest.Shows(screen, text); got != want {
			t.Errorf("Shows(%q) is %v", text, got)
		}
	}
}

// However wide a screen is, what was wrapped for it is shown.
func TestShowsWhatWasWrapped(t *testing.T) {
	const text = `read picture "/tmp/käse 日本語/a.gif": it is none that models take: png, jpeg, gif or webp`
	for cols := 2; cols < 120; cols++ {
		rows := term.Wrap("Before. "+text+" Behind.", cols)
		for _, gutter := range []string{"", "  ", "▌ ", "│ "} {
			screen := gutter + strings.Join(rows, "\n"+gutter) + "\n"
			if !tuitest.Shows(screen, text) {
				t.Errorf("it is not seen in %d columns:\n%s", cols, screen)
			}
			if tuitest.Shows(screen, strings.Replace(text, "none", "one", 1)) {
				t.Errorf("what is not there is seen in %d columns", cols)
			}
		}
	}
}
