package chatview_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// A desk runs a model and keeps what it wants.
type desk struct {
	t       *testing.T
	m       chatview.Model
	wishes  []tea.Msg
	bodies  map[string][]chatview.Part
	loaded  int
	lapsing chatview.Lapsing // the last one
}

func newDesk(t *testing.T, depth theme.Depth, cols, rows int) *desk {
	d := &desk{t: t, bodies: map[string][]chatview.Part{}}
	d.m = chatview.New(chatview.Options{
		Theme: theme.New(depth, true),
		Commands: []chatview.CommandHelp{
			{Name: "model", Arguments: "[MODEL]", Help: "choose the model", Completes: true},
			{Name: "move", Arguments: "DIRECTORY", Help: "move it"}, {Name: "quit", Help: "leave"},
		},
		Load: func(rows []chatview.Row) tea.Cmd {
			return func() tea.Msg {
				var all chatview.Bodies
				for _, r := range rows {
					d.loaded++
					all.All = append(all.All, chatview.Body{Key: r.Key, Parts: d.bodies[r.Key]})
				}
				return all
			}
		},
	})
	d.send(tea.WindowSizeMsg{Width: cols, Height: rows})
	return d
}

// send gives the model a message and carries its commands out.
func (d *desk) send(msgs ...tea.Msg) {
	d.t.Helper()
	for _, msg := range msgs {
		var cmd tea.Cmd
		d.m, cmd = d.m.Update(msg)
		for _, wish := range d.m.Wishes() {
			d.wanted1(wish)
		}
		d.do(cmd)
	}
}

func (d *desk) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, one := range msg {
			d.do(one)
		}
	case chatview.Bodies:
		d.send(msg)
	default:
		d.t.Fatalf("a command brings %T: what is wanted is a wish", msg)
	}
}

func (d *desk) wanted1(wish tea.Msg) {
	if lapsing, ok := wish.(chatview.Lapsing); ok {
		d.lapsing = lapsing
		return
	}
	d.wishes = append(d.wishes, wish)
}

// asks is a question about a call.
func asks(t testing.TB, id, tool, dir, arguments string) chatview.Ask {
	t.Helper()
	c, err := consent.Of(tool, dir, jsontext.Value(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return chatview.Ask{ID: id, Call: c}
}

// keys presses keys: names, or single characters.
func (d *desk) keys(names ...string) {
	d.t.Helper()
	codes := map[string]tea.KeyPressMsg{
		"enter": {Code: tea.KeyEnter}, "alt+enter": {Code: tea.KeyEnter, Mod: tea.ModAlt}, "shift+enter": {Code: tea.KeyEnter, Mod: tea.ModShift},
		"esc": {Code: tea.KeyEscape}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+d": {Code: 'd', Mod: tea.ModCtrl},
		"ctrl+o": {Code: 'o', Mod: tea.ModCtrl}, "ctrl+t": {Code: 't', Mod: tea.ModCtrl}, "ctrl+r": {Code: 'r', Mod: tea.ModCtrl}, "alt+up": {Code: tea.KeyUp, Mod: tea.ModAlt}, "ctrl+g": {Code: 'g', Mod: tea.ModCtrl},
		"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "tab": {Code: tea.KeyTab},
		"ctrl+home": {Code: tea.KeyHome, Mod: tea.ModCtrl}, "ctrl+end": {Code: tea.KeyEnd, Mod: tea.ModCtrl},
	}
	for _, name := range names {
		if k, ok := codes[name]; ok {
			d.send(k)
			continue
		}
		for _, r := range name {
			d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// wanted returns what was wanted since, and forgets it.
func (d *desk) wanted() string {
	var all []string
	for _, w := range d.wishes {
		all = append(all, fmt.Sprintf("%T%+v", w, w))
	}
	d.wishes = nil
	return strings.ReplaceAll(strings.Join(all, " "), "chatview.", "")
}

// screen is what is shown, without colours.
func (d *desk) screen() string {
	lines := strings.Split(term.Safe(d.m.View().Content), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// shows fails unless all texts are on the screen.
func (d *desk) shows(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if !strings.Contains(d.screen(), text) {
			d.t.Errorf("the screen does not show %q:\n%s", text, d.screen())
		}
	}
}

func (d *desk) hides(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if strings.Contains(d.screen(), text) {
			d.t.Errorf("the screen shows %q:\n%s", text, d.screen())
		}
	}
}

// rows gives the model a transcript of parts.
func (d *desk) rows(all ...[]chatview.Part) {
	var m chatview.Rows
	for i, parts := range all {
		key := fmt.Sprint("e", i)
		d.bodies[key] = parts
		m.Rows = append(m.Rows, chatview.Row{Key: key, Entry: i})
	}
	m.Reset = true
	d.send(m)
}

// of is what is shown of a message.
func of(json string) []chatview.Part { return chatview.PartsOf(message.JSON(json)) }
