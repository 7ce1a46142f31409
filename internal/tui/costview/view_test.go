package costview_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/golden"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/costview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/usage"
	"github.com/charmbracelet/x/ansi"
)

// A bench runs a model as a program does, and answers what it asks.
type bench struct {
	t      testing.TB
	m      costview.Model
	asked  []costview.Ask
	wishes []tea.Msg
	answer func(costview.Ask) costview.Sums
}

// newBench returns a bench with a terminal of some size.
func newBench(t testing.TB, cols, rows int, depth theme.Depth, answer func(costview.Ask) costview.Sums) *bench {
	t.Helper()
	b := &bench{t: t, answer: answer}
	b.m = costview.New(costview.Options{Theme: theme.New(depth, true), By: []string{"model", "day", "session", "tool"}, Sum: func(ask costview.Ask) tea.Cmd {
		return func() tea.Msg {
			b.asked = append(b.asked, ask)
			sums := b.answer(ask)
			sums.Ask = ask
			return sums
		}
	}})
	b.do(b.m.Init())
	b.send(tea.WindowSizeMsg{Width: cols, Height: rows})
	return b
}

func (b *bench) send(msg tea.Msg) {
	var cmd tea.Cmd
	b.m, cmd = b.m.Update(msg)
	b.do(cmd)
}

// do runs a command: sums come back, all else has left the model.
func (b *bench) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if msg := cmd(); msg != nil {
		if sums, ok := msg.(costview.Sums); ok {
			b.send(sums)
			return
		}
		b.wishes = append(b.wishes, msg)
	}
}

// keys presses keys that are named as Bubble Tea names them.
func (b *bench) keys(names string) {
	for name := range strings.FieldsSeq(names) {
		codes := map[string]rune{"up": tea.KeyUp, "down": tea.KeyDown, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace,
			"pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "home": tea.KeyHome, "end": tea.KeyEnd, "left": tea.KeyLeft, "right": tea.KeyRight}
		press := tea.KeyPressMsg{}
		switch {
		case name == "shift+tab":
			press.Code, press.Mod = tea.KeyTab, tea.ModShift
		case name == "ctrl+c":
			press.Code, press.Mod = 'c', tea.ModCtrl
		case name == "alt+v":
			press.Code, press.Mod = 'v', tea.ModAlt
		case codes[name] != 0:
			press.Code = codes[name]
		default:
			press.Code, press.Text = rune(name[0]), name
		}
		b.send(press)
	}
}

// row is one with a cost.
func row(key string, micros usage.Micros, calls int64) costview.Row {
	r := costview.Row{Key: key, Name: key}
	r.Cost, r.Charges, r.Answers = micros, calls, calls
	r.Tokens.Input = calls * 1000
	r.Costs[usage.Stored], r.Counts[usage.Stored] = micros, calls
	return r
}

// sums answer with some rows, and thirty days.
func sums(rows ...costview.Row) costview.Sums {
	s := costview.Sums{Rows: rows}
	for i := range rows {
		s.Total.Add(&rows[i].Sum)
	}
	for day := range 30 {
		s.Days = append(s.Days, costview.Day{Date: fmt.Sprintf("2026-11-%02d", day+1), Cost: usage.Micros(day * day * 1000 % 7919)})
	}
	return s
}

// usual answers each level.
func usual(ask costview.Ask) costview.Sums {
	switch ask.By {
	case "":
		a, b := row("", 1_500_000, 1), row("", 250_000, 1)
		a.Name, a.Path, a.Line = "2026-11-20 10:00  answer  anthropic/claude-x", "/s/1.jsonl", 3
		b.Name, b.Path, b.Line = "2026-11-20 10:05  subagent  claude-y", "/s/1.jsonl", 7
		return sums(a, b)
	case "session":
		a, b := row("s1", 1_750_000, 2), row("s2", 4000, 1)
		a.Name, a.Path = "How much water do tomatoes need?", "/s/1.jsonl"
		b.Name, b.Path = "Beds \x1b[31mred\x1b]0;owned\x07 \u202etxet", "/s/2.jsonl"
		return sums(a, b)
	case "tool":
		a := row("bash", 0, 0)
		a.Runs, a.Failures = 120, 7
		return sums(a)
	}
	var all []costview.Row
	for i := range 40 {
		all = append(all, row(fmt.Sprintf("provider/model-%d", i), usage.Micros(12_000_000/(i+1)), int64(400/(i+1))))
	}
	all[1].Counts[usage.Priced], all[2].Counts[usage.Unknown] = 3, 1
	return sums(all...)
}

// TestScreens: what is drawn, at each size.
func TestScreens(t *testing.T) {
	for _, scene := range []struct {
		name, keys string
		answer     func(costview.Ask) costview.Sums
	}{
		{"models", "down down", usual}, {"far", "end up", usual}, {"sessions", "enter", usual}, {"charges", "enter enter down", usual}, {"tools", "shift+tab shift+tab", usual},
		{"help", "?", usual}, {"nothing to read", "v", usual},
		{"none", "", func(costview.Ask) costview.Sums { return costview.Sums{} }},
		{"failed", "", func(costview.Ask) costview.Sums {
			return costview.Sums{Err: errors.New("list sessions: the directory cannot be read \x1b[2J")}
		}},
		{"one day", "s s s", func(ask costview.Ask) costview.Sums {
			s := sums(row("m", 9_990_000, 3))
			if ask.Span == costview.Today {
				s.Days = s.Days[29:]
			}
			return s
		}},
	} {
		for _, size := range [][2]int{{40, 15}, {60, 20}, {80, 24}, {120, 40}} {
			b := newBench(t, size[0], size[1], theme.None, scene.answer)
			b.keys(scene.keys)
			view := b.m.View()
			for n, line := range strings.Split(view, "\n") {
				if term.Width(line) > size[0] || n >= size[1] {
					t.Errorf("%s at %v: row %d is %q", scene.name, size, n, line)
				}
			}
			if strings.ContainsAny(ansi.Strip(view), "\x1b\x07\u202e") || strings.Contains(view, "\x1b]") || strings.Contains(view, "\x1b[2J") {
				t.Errorf("%s at %v: %q", scene.name, size, view)
			}
			golden.Compare(t, fmt.Sprintf("%s-%dx%d", strings.ReplaceAll(scene.name, " ", "_"), size[0], size[1]), plain(view))
		}
	}
	b := newBench(t, 20, 5, theme.None, usual)
	golden.Compare(t, "small", plain(b.m.View()))
}

// plain is a screen without the blanks at the ends of its rows.
func plain(view string) string {
	lines := strings.Split(ansi.Strip(view), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestKeys: what each key asks for, and what leaves the screen.
func TestKeys(t *testing.T) {
	for _, test := range []struct{ keys, ask, wish string }{
		{"", "{the last 30 days [] model}", ""},
		{"tab", "{the last 30 days [] day}", ""},
		{"right l", "{the last 30 days [] session}", ""},
		{"tab tab tab tab", "{the last 30 days [] }", ""},
		{"tab tab tab tab tab", "{the last 30 days [] model}", ""},
		{"shift+tab", "{the last 30 days [] }", ""},
		{"left h", "{the last 30 days [] tool}", ""},
		{"s", "{the last year [] model}", ""},
		{"s s", "{all time [] model}", ""},
		{"s s s", "{today [] model}", ""},
		{"s s s s", "{the last 7 days [] model}", ""},
		{"s s s s s", "{the last 30 days [] model}", ""},
		{"enter", "{the last 30 days [{model provider/model-0 provider/model-0}] session}", ""},
		{"down down up enter", "{the last 30 days [{model provider/model-1 provider/model-1}] session}", ""},
		{"j k j enter", "{the last 30 days [{model provider/model-1 provider/model-1}] session}", ""},
		{"end enter", "{the last 30 days [{model provider/model-39 provider/model-39}] session}", ""},
		{"G g enter", "{the last 30 days [{model provider/model-0 provider/model-0}] session}", ""},
		{"pgdown pgup enter", "{the last 30 days [{model provider/model-0 provider/model-0}] session}", ""},
		{"enter tab", "{the last 30 days [{model provider/model-0 provider/model-0}] tool}", ""},
		{"enter tab tab tab", "{the last 30 days [{model provider/model-0 provider/model-0}] day}", ""},
		{"enter s", "{the last year [{model provider/model-0 provider/model-0}] session}", ""},
		{"enter s esc", "{the last year [] model}", ""},
		{"enter esc", "{the last 30 days [{model provider/model-0 provider/model-0}] session}", ""},
		{"enter esc esc", "{the last 30 days [{model provider/model-0 provider/model-0}] session}", "costview.Back{}"},
		{"enter backspace q", "{the last 30 days [{model provider/model-0 provider/model-0}] session}", "costview.Back{}"},
		{"esc", "{the last 30 days [] model}", "costview.Back{}"},
		{"ctrl+c", "{the last 30 days [] model}", "costview.Exit{}"},
		{"enter ctrl+c", "{the last 30 days [{model provider/model-0 provider/model-0}] session}", "costview.Exit{}"},
		{"enter alt+v", "{the last 30 days [{model provider/model-0 provider/model-0}] session}", `costview.Read{Path:"/s/1.jsonl", Line:0}`},
		{"enter enter", "{the last 30 days [{model provider/model-0 provider/model-0} {session s1 How much water do tomatoes need?}] }", ""},
		{"enter enter down enter", "{the last 30 days [{model provider/model-0 provider/model-0} {session s1 How much water do tomatoes need?}] }", `costview.Read{Path:"/s/1.jsonl", Line:7}`},
		{"v", "{the last 30 days [] model}", ""},
		{"? down up", "{the last 30 days [] model}", ""},
		{"? x enter", "{the last 30 days [{model provider/model-0 provider/model-0}] session}", ""},
	} {
		b := newBench(t, 80, 24, theme.None, usual)
		b.keys(test.keys)
		wish := ""
		if len(b.wishes) > 0 {
			wish = fmt.Sprintf("%#v", b.wishes[len(b.wishes)-1])
		}
		if ask := fmt.Sprint(b.asked[len(b.asked)-1]); ask != test.ask || wish != test.wish {
			t.Errorf("%q asks %s, want %s; %s leaves, want %s", test.keys, ask, test.ask, wish, test.wish)
		}
	}
}

// TestLateSums: sums of what was left meanwhile are not shown.
func TestLateSums(t *testing.T) {
	b := newBench(t, 80, 24, theme.None, usual)
	late := usual(costview.Ask{By: "day"})
	late.Ask = costview.Ask{By: "day"}
	before := b.m.View()
	b.send(late)
	if after := b.m.View(); after != before {
		t.Errorf("late sums are shown:\n%s", after)
	}
}

// TestColours: with colours the same is written.
func TestColours(t *testing.T) {
	dull, bright := newBench(t, 80, 24, theme.None, usual), newBench(t, 80, 24, theme.True, usual)
	for _, b := range []*bench{dull, bright} {
		b.keys("down enter")
	}
	if got, want := ansi.Strip(bright.m.View()), ansi.Strip(dull.m.View()); got != want || dull.m.View() == bright.m.View() {
		t.Errorf("with colours it is\n%s\nnot\n%s", got, want)
	}
}
