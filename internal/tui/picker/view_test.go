package picker_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/golden"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/google/go-cmp/cmp"
)

func TestViews(t *testing.T) {
	sizes := [][2]int{{60, 15}, {80, 24}, {120, 40}}
	depths := []struct {
		name  string
		depth theme.Depth
	}{{"none", theme.None}, {"16", theme.Sixteen}, {"256", theme.Indexed}}
	for _, size := range sizes {
		for _, depth := range depths {
			o := options()
			o.Theme = theme.New(depth.depth, true)
			d := begin(t, o, size[0], size[1], sessions())
			d.keys("down")
			golden.Compare(t, fmt.Sprintf("list-%dx%d-%s", size[0], size[1], depth.name), d.screen()+"\n")
		}
		scenes := []struct {
			name string
			do   func(d *driver)
		}{
			{"all", func(d *driver) { d.keys("tab", "end") }},
			{"thread", func(d *driver) { d.keys("tab", "ctrl+s", "down", "down", "down", "down") }},
			{"search", func(d *driver) { d.keys("tab"); d.typed("reg") }},
			{"empty", func(d *driver) { d.typed("zzz") }},
			{"help", func(d *driver) { d.keys("?") }},
			{"rename", func(d *driver) { d.keys("ctrl+r") }},
			{"delete", func(d *driver) { d.keys("space", "space", "ctrl+d") }},
			{"paths", func(d *driver) { d.keys("ctrl+p") }},
			{"peek", func(d *driver) { d.keys("ctrl+v") }},
			{"away", func(d *driver) {
				d.send(picker.Away{Text: "The store does not answer: only what is kept here is listed"})
			}},
			{"deleted", func(d *driver) { d.send(picker.Told{Text: "moved to the trash", Undo: true}) }},
		}
		for _, s := range scenes {
			d := begin(t, options(), size[0], size[1], sessions())
			s.do(d)
			golden.Compare(t, fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1]), d.screen()+"\n")
		}
	}
}

// TestEveryLineFits draws every scene in every size.
func TestEveryLineFits(t *testing.T) {
	for _, depth := range []theme.Depth{theme.None, theme.Indexed} {
		o := options()
		o.Theme = theme.New(depth, false)
		d := begin(t, o, 80, 24, sessions())
		scene := func(cols, rows int) {
			t.Helper()
			d.send(size(cols, rows))
			lines := strings.Split(d.screen(), "\n")
			if len(lines) != rows {
				t.Fatalf("%dx%d: %d lines", cols, rows, len(lines))
			}
			for _, line := range lines {
				if term.Width(line) > cols {
					t.Fatalf("%dx%d: %d cells in %q", cols, rows, term.Width(line), line)
				}
			}
			c := d.m.View().Cursor
			if c != nil && (c.X >= cols || c.Y >= rows) {
				t.Fatalf("%dx%d: the cursor is at %d, %d", cols, rows, c.X, c.Y)
			}
		}
		for _, keys := range [][]string{{}, {"tab", "ctrl+s"}, {"ctrl+p"}, {"ctrl+v"}, {"ctrl+r"}, {"esc", "ctrl+d"}, {"esc", "?"}, {"esc", "g"}} {
			for _, k := range keys {
				d.send(size(80, 24))
				d.keys(k)
			}
			for cols := 1; cols < 150; cols += 3 {
				for _, rows := range []int{1, 2, 7, 8, 9, 15, 18, 30} {
					scene(cols, rows)
				}
			}
		}
	}
}

func TestTooSmall(t *testing.T) {
	d := begin(t, options(), 30, 10, sessions())
	d.shows("too small")
	d.keys("enter", "x")
	d.want()
	d.send(size(60, 15))
	d.shows("water for the garden")
	d.hides("too small")
	d.send(size(20, 3))
	d.keys("esc")
	d.want(picker.Cancelled{})
	d.keys("ctrl+c")
	d.want(picker.Exit{})
}

// TestStoredTextDrivesNothing lists a session whose every text is hostile.
func TestStoredTextDrivesNothing(t *testing.T) {
	const evil = "\x1b]0;owned\x07\x1b[2J\u202eevil\u009b31m\r\n\t"
	items := sessions()[:1]
	i := &items[0].Info
	i.Title, i.FirstMessage, i.CWD, i.Detail, i.Model, i.Parent = evil, evil, "/"+evil, evil, evil, evil
	i.Damaged, i.Forked, i.Path = true, true, "/tmp/"+evil
	i.Agent = evil
	o := options()
	o.Project, o.Title = evil, evil
	d := begin(t, o, 120, 40, items)
	check := func() {
		t.Helper()
		allowed := strings.NewReplacer("\x1b[1m", "", "\x1b[7m", "", "\x1b[1;7m", "", "\x1b[1;4m", "", "\x1b[1;4;4m", "", "\x1b[m", "", "\x1b[1;4;7;4m", "")
		rest := allowed.Replace(d.screen())
		if i := strings.IndexFunc(rest, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r >= 0x80 && r <= 0x9f || r == 0x202e }); i >= 0 {
			t.Errorf("the screen holds %q", rest[i:min(len(rest), i+20)])
		}
	}
	check()
	d.send(picker.Told{Text: evil}, picker.Done{Err: fmt.Errorf("%s", evil)})
	check()
	for _, k := range []string{"tab", "ctrl+p", "ctrl+d", "esc", "ctrl+r", "esc", "ctrl+x", "esc", "ctrl+g"} {
		d.keys(k)
		check()
	}
}

// TestPreviewIsReadAnew changes the session at the cursor: its preview stays
// until the new one is there, and is asked for once.
func TestPreviewIsReadAnew(t *testing.T) {
	var asked []string
	o := options()
	o.Preview = func(path string) tea.Cmd {
		asked = append(asked, path)
		return nil
	}
	all := sessions()
	d := begin(t, o, 120, 40, all)
	first := all[0].Info.Path
	d.shows("reading …")
	d.keys("down", "down", "up", "up") // while the first is waited for nothing else is asked for
	d.send(picker.Preview{Path: first, Last: []picker.Said{{Role: "user", Text: "as it was"}}})
	d.shows("as it was")
	d.send(picker.Found{Items: all[:1]})
	d.shows("as it was")
	d.send(picker.Preview{Path: first, Last: []picker.Said{{Role: "user", Text: "as it is"}}})
	d.shows("as it is")
	d.hides("as it was")
	d.keys("down")
	if diff := cmp.Diff([]string{first, first, all[1].Info.Path}, asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	// What nobody looks at any more is not read on.
	d.keys("down")
	d.send(picker.Preview{Path: all[1].Info.Path, Next: func() tea.Msg { t.Error("it is read on"); return nil }})
	if got := asked[len(asked)-1]; got != all[2].Info.Path {
		t.Errorf("then %s is asked for", got)
	}
}
