package chatview_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// However long the paths of a notice are, its cause is seen.
func TestTheCauseIsTold(t *testing.T) {
	path := "/home/someone/.local/share/cambium/sessions/--home-someone-work-garden--/2026-11-22T00-10-03-123Z_0198c2a1-7c2b-7d3e-8f11-0a1b2c3d4e5f.jsonl"
	text := fmt.Sprintf("entries are not saved: save session %q: append to log %q: write %s: short write; make room", path, path, path)
	d := newDesk(t, theme.None, 80, 24)
	d.send(chatview.Told{Text: text, Bad: true})
	d.shows("✗ entries are not saved: save session", `"/…/2026-11-22T…`, `.jsonl"`, "short\n  write; make room")
	d.hides("shows all", "/home/someone")
	d.send(chatview.Told{Text: `damaged: "/home/someone/a.txt"`})
	d.shows(`· damaged: "/home/someone/a.txt"`) // short enough
}

// Long paths from the root or the home directory are shortened, wherever they
// stand; what is none stays.
func TestPathsOfANotice(t *testing.T) {
	const long, short = "/home/someone/work/garden/beds/soil.txt", "/…/soil.txt"
	many := strings.Repeat("word ", 40) // what fits into two lines stays as it is
	for text, want := range map[string]string{
		long:                                        short,
		"~" + long:                                  "~" + short,
		"read " + long + ": gone":                   "read " + short + ": gone",
		`at "` + long + `"`:                         `at "` + short + `"`,
		`at "~` + long + `" or`:                     `at "~` + short + `" or`,
		"'" + long + "', '" + long + "'":            "'" + short + "', '" + short + "'",
		"`" + long + "`;(" + long + ")":             "`" + short + "`;(" + short + ")",
		"dir=" + long + ",":                         "dir=" + short + ",",
		`"/home/someone/my own garden/soil.txt"`:    `"/…/soil.txt"`,
		"/home/someone/my own garden/beds/soil.txt": "/home/someone/my own garden/beds/soil.txt",
		"/home/someone/work/garden/beds/":           "/…/beds",
		"/home/日本語/日本語/日本語/土":                       "/…/土",
		"/home/someone/" + strings.Repeat("x", 30) + "_0198c2a1.jsonl": "/…/xxxxxxxxxxx…8c2a1.jsonl",
		"http:/" + long:                 "http:/" + long,
		"a" + long:                      "a" + long,
		`"` + long:                      `"` + long,
		`""` + long + `"`:               `""` + short + `"`,
		`"/x"` + long:                   `"/x"` + long,
		"home" + long + "/~/":           "home" + long + "/~/",
		"/home/someone/garden/soil.txt": "/…/soil.txt",
		"/home/someone/beds/soil.txt":   "/home/someone/beds/soil.txt", // it is short
		"~ / ~/ \"/\" //":               "~ / ~/ \"/\" //",
	} {
		d := newDesk(t, theme.None, 80, 24)
		d.send(chatview.Told{Text: many + "| " + text})
		_, got, _ := strings.Cut(d.screen(), "|")
		got, _, _ = strings.Cut(got, "\n─")
		got = strings.TrimSpace(strings.ReplaceAll(got, "\n  ", " "))
		if got != want {
			t.Errorf("%q is told as %q, want %q", text, got, want)
		}
	}
}

// What takes more than a third of the screen has its end in sight, and a key shows
// all.
func TestALongNotice(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.rows(of(`{"role":"user","content":"How much?"}`))
	d.send(chatview.Told{Text: "an older one"}, chatview.Told{Text: "first " + strings.Repeat("and another word ", 60) + "middlemost " + strings.Repeat("and another word ", 60) + "the cause; what to do", Bad: true})
	d.shows("an older one", "✗ first", "… ctrl+o shows all", "the cause;\n  what to do")
	d.hides("middlemost")
	if n := strings.Count(d.screen(), "word"); n > 8*80/len("and another word ") {
		t.Errorf("it takes more than a third of the screen:\n%s", d.screen())
	}
	d.keys("ctrl+o")
	d.shows("an older one", "first and another", "middlemost")
	d.keys("esc")
	d.shows("▌ How much?", "… ctrl+o shows all")
	d.keys("esc", "ctrl+o")
	d.hides("word", "middlemost")
}

// A page that is longer than the screen is scrolled; only some keys close it.
func TestPage(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	page := chatview.Page{Title: "Help"}
	for i := range 50 {
		page.Lines = append(page.Lines, fmt.Sprintf("line %d.", i+1))
	}
	wheel := func(b tea.MouseButton) func() { return func() { d.send(tea.MouseWheelMsg{Button: b}) } }
	key := func(names ...string) func() { return func() { d.keys(names...) } }
	d.send(page)
	for _, step := range []struct {
		what string
		do   func()
		top  int
	}{
		{"at first", func() {}, 1}, {"up", key("up"), 1}, {"down", key("down", "down"), 3}, {"page down", key("pgdown"), 23},
		{"page up", key("pgup"), 3}, {"wheel", wheel(tea.MouseWheelDown), 6}, {"wheel up", wheel(tea.MouseWheelUp), 3}, {"another key", key("x", "tab"), 3},
		{"end", key("ctrl+end"), 30}, {"beyond", key("pgdown", "down"), 30}, {"beginning", key("ctrl+home"), 1},
	} {
		step.do()
		d.shows("Help", fmt.Sprintf("\nline %d.", step.top), fmt.Sprintf("\nline %d.", step.top+20), fmt.Sprintf("%d-%d of 50 lines", step.top, step.top+20))
		d.hides(fmt.Sprintf("\nline %d.", step.top-1), fmt.Sprintf("\nline %d.", step.top+21))
		if t.Failed() {
			t.Fatalf("after %s", step.what)
		}
	}
	for _, name := range []string{"esc", "enter", "q", "ctrl+c"} {
		d.send(page)
		d.keys(name)
		d.hides("line 1.")
	}
	if d.m.Text() != "" || d.wanted() != "" {
		t.Errorf("keys of the page went to the editor: %q", d.m.Text())
	}
	d.send(chatview.Page{Title: "Short", Lines: []string{"one"}})
	d.hides(" of ")
}
