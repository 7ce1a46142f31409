package picker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// sessions are a few of every kind.
func sessions() []picker.Item {
	info := func(n int, agent dialect.Name, cwd, title, first string) catalog.Info {
		return catalog.Info{
			Path: fmt.Sprintf("/home/ada/.%s/agent/sessions/d%d/s%d.jsonl", agent, n, n), ID: fmt.Sprintf("0198c2a%d-77aa", n),
			CWD: cwd, Agent: agent, Title: title, Named: title != "", FirstMessage: first,
			Modified: noon.Add(-time.Duration(n*n) * 17 * time.Minute), Messages: 4 + n*n*n*31, Size: int64(900 + n*n*n*n*7000),
			Usage: catalog.Usage{Cost: float64(n) * 0.37}, Status: catalog.Complete, Model: "anthropic/claude-opus",
		}
	}
	here := func(i catalog.Info) picker.Item { return picker.Item{Info: i, Here: true} }
	there := func(i catalog.Info) picker.Item { return picker.Item{Info: i} }
	all := []picker.Item{
		here(info(1, dialect.Pi, "/home/ada/work/garden", "water for the garden", "How much water do tomatoes need?")),
		here(info(2, dialect.Omp, "/home/ada/work/garden", "", "Plan the beds for next spring, and tell me what goes beside what\nand why")),
		here(info(3, dialect.Xcsh, "/home/ada/work/garden", "retry with backoff", "the client gives up at once")),
		here(info(4, dialect.Pi, "/home/ada/work/garden", "Gewächshaus für 日本のトマト", "temperature")),
		there(info(5, dialect.Pi, "/home/ada/work/compiler", "register allocation", "spill less")),
		there(info(6, dialect.Cambium, "/srv/letters", "", "write to the landlord")),
		there(info(7, dialect.Omp, "/home/ada/work/compiler", "", "")),
		there(info(8, dialect.Pi, "/home/ada/work/compiler", "register allocation, tried anew", "spill less")),
	}
	all[0].Info.Pinned = true
	all[1].Info.Busy = []state.Holder{{Program: "omp", PID: 4711, Sure: true, Why: "says so"}}
	all[2].Info.Status = catalog.Interrupted
	all[3].Info.Status = catalog.Pending
	all[6].Info.Damaged, all[6].Info.Detail, all[6].Info.Messages = true, "the header is cut off", 0
	all[7].Info.Forked, all[7].Info.Parent = true, all[4].Info.ID
	return all
}

// previews answers from memory.
func previews(path string) tea.Cmd {
	return func() tea.Msg {
		if strings.Contains(path, "d7") {
			return picker.Preview{Path: path, Notes: []string{"3 lines cannot be read"}}
		}
		return picker.Preview{
			Path: path,
			Last: []picker.Said{
				{Role: "user", Text: "How much water do tomatoes need?"},
				{Role: "assistant", Text: "About two litres a day for each plant.\n\nLess \x1b[31mwhen it rains\x07."},
			},
			Labels: []picker.Place{{Name: "before the rewrite", Text: "About two litres"}},
			Tips:   []picker.Place{{Name: "5f0c1d2e", Text: "and at night?"}},
		}
	}
}

func options() picker.Options {
	return picker.Options{
		Theme: theme.New(theme.None, true), Project: "/home/ada/work/garden", Home: "/home/ada",
		Now: func() time.Time { return noon }, Preview: previews,
	}
}

// A driver runs a picker as Bubble Tea would, commands at once.
type driver struct {
	t *testing.T
	m picker.Model
	// wants are the messages for whoever runs it.
	wants []tea.Msg
}

func begin(t *testing.T, o picker.Options, cols, rows int, items []picker.Item) *driver {
	d := &driver{t: t, m: picker.New(o).AtOnce()}
	d.send(tea.WindowSizeMsg{Width: cols, Height: rows})
	if items != nil {
		d.send(picker.Found{Items: items}, picker.Done{})
	}
	return d
}

func (d *driver) send(all ...tea.Msg) {
	for _, msg := range all {
		var cmd tea.Cmd
		d.m, cmd = d.m.Update(msg)
		d.run(cmd)
	}
}

func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	case picker.Preview, picker.Matches:
		d.send(msg)
	default:
		if !picker.IsSettled(msg) {
			d.wants = append(d.wants, msg)
			return
		}
		d.send(msg)
	}
}

// keys presses keys as Bubble Tea names them; what is longer than one letter and
// no name is typed.
func (d *driver) keys(all ...string) {
	for _, k := range all {
		d.send(press(k))
	}
}

func (d *driver) typed(text string) {
	for _, r := range text {
		d.keys(string(r))
	}
}

func press(name string) tea.KeyPressMsg {
	names := map[string]rune{
		"up": tea.KeyUp, "down": tea.KeyDown, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "delete": tea.KeyDelete, "insert": tea.KeyInsert,
		"backspace": tea.KeyBackspace, "f1": tea.KeyF1, "space": tea.KeySpace, " ": tea.KeySpace, "left": tea.KeyLeft,
	}
	k := tea.Key{}
	rest := name
	for {
		if after, ok := strings.CutPrefix(rest, "ctrl+"); ok {
			k.Mod, rest = k.Mod|tea.ModCtrl, after
		} else if after, ok := strings.CutPrefix(rest, "alt+"); ok {
			k.Mod, rest = k.Mod|tea.ModAlt, after
		} else {
			break
		}
	}
	if code, ok := names[rest]; ok {
		k.Code = code
		if code == tea.KeySpace && k.Mod == 0 {
			k.Text = " "
		}
		return tea.KeyPressMsg(k)
	}
	k.Code = []rune(rest)[0]
	if k.Mod == 0 {
		k.Text = rest
	}
	return tea.KeyPressMsg(k)
}

// want checks what the picker wanted since the last time.
func (d *driver) want(all ...tea.Msg) {
	d.t.Helper()
	if diff := cmp.Diff(all, d.wants); diff != "" {
		d.t.Errorf("wanted (-want +got):\n%s", diff)
	}
	d.wants = nil
}

func (d *driver) screen() string { return d.m.View().Content }

// shows checks that the screen has the texts on it.
func (d *driver) shows(all ...string) {
	d.t.Helper()
	for _, text := range all {
		if !strings.Contains(d.screen(), text) {
			d.t.Errorf("the screen does not show %q:\n%s", text, d.screen())
		}
	}
}

func (d *driver) hides(all ...string) {
	d.t.Helper()
	for _, text := range all {
		if strings.Contains(d.screen(), text) {
			d.t.Errorf("the screen shows %q:\n%s", text, d.screen())
		}
	}
}
