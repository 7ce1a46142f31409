package treeview_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
)

// noon is the clock of the tests.
var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// A line is an entry of a test's session.
type line struct {
	id, parent, kind, role, text string
}

// list returns the entries as a session file has them, five minutes apart.
func list(t testing.TB, all []line) *entry.List {
	t.Helper()
	var lines [][]byte
	for n, l := range all {
		at := noon.Add(time.Duration(n-len(all)) * 5 * time.Minute).Format("2006-01-02T15:04:05.000Z")
		parent := "null"
		if l.parent != "" {
			parent = fmt.Sprintf("%q", l.parent)
		}
		rest := ""
		switch l.kind {
		case "message":
			rest = fmt.Sprintf(`"message":{"role":%q,"content":%s}`, l.role, jsonedit.Quote(nil, l.text))
		case "label":
			rest = fmt.Sprintf(`"targetId":%q,"label":%s`, l.role, jsonedit.Quote(nil, l.text))
		default:
			rest = fmt.Sprintf(`"summary":%s`, jsonedit.Quote(nil, l.text))
		}
		lines = append(lines, fmt.Appendf(nil, `{"type":%q,"id":%q,"parentId":%s,"timestamp":%q,%s}`, l.kind, l.id, parent, at, rest))
	}
	found, err := entry.NewList(lines)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A bench runs a model as a program does, commands included, one after the other.
type bench struct {
	t      testing.TB
	m      treeview.Model
	list   *entry.List
	wishes []tea.Msg // what left the model
	read   int       // how many gists were asked for
}

// open returns a bench with a session on it. The leaf is the last entry.
func open(t testing.TB, l *entry.List, o treeview.Options, facts treeview.Facts) *bench {
	t.Helper()
	b := &bench{t: t, list: l}
	o.Now = noon
	o.Gists, o.Body, o.Search = b.gists, b.body, b.search
	b.m = treeview.New(o)
	b.send(treeview.Opened{Outline: b.outline(facts)})
	return b
}

// outline returns the outline of the session as it is now.
func (b *bench) outline(facts treeview.Facts) *treeview.Outline {
	b.t.Helper()
	tr := tree.New(b.list, nil)
	o, err := treeview.NewOutline(b.list, tr, tr.Leaf(), facts)
	if err != nil {
		b.t.Fatal(err)
	}
	return o
}

// send gives the model a message and everything that comes of it.
func (b *bench) send(msg tea.Msg) {
	b.t.Helper()
	var cmd tea.Cmd
	b.m, cmd = b.m.Update(msg)
	b.run(cmd)
}

func (b *bench) run(cmd tea.Cmd) {
	b.t.Helper()
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			b.run(cmd)
		}
	case treeview.Gists, treeview.Body, treeview.Matches:
		b.send(msg)
	default:
		b.wishes = append(b.wishes, msg)
	}
}

// size gives the model a window.
func (b *bench) size(cols, rows int) {
	b.t.Helper()
	b.send(tea.WindowSizeMsg{Width: cols, Height: rows})
}

// press types keys, as theme.Bind names them; what is longer than one character
// and no key is typed.
func (b *bench) press(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.send(keyPress(k))
	}
}

// typed types text.
func (b *bench) typed(text string) {
	b.t.Helper()
	for _, r := range text {
		b.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func keyPress(name string) tea.KeyPressMsg {
	var k tea.KeyPressMsg
	for {
		mod, rest, ok := strings.Cut(name, "+")
		if !ok || rest == "" {
			break
		}
		switch mod {
		case "ctrl":
			k.Mod |= tea.ModCtrl
		case "alt":
			k.Mod |= tea.ModAlt
		case "shift":
			k.Mod |= tea.ModShift
		}
		name = rest
	}
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "f1": tea.KeyF1, "f3": tea.KeyF3}
	if code, ok := special[name]; ok {
		k.Code = code
		return k
	}
	k.Code = []rune(name)[0]
	if k.Mod == 0 {
		k.Text = name
	}
	return k
}

// selected returns the id of the entry at the cursor.
func (b *bench) selected() string {
	_, id := b.m.Selected()
	return id
}

// ids returns the ids of the rows.
func (b *bench) ids() string {
	var all []string
	for _, i := range b.m.Rows() {
		id, _ := b.list.ID(i)
		all = append(all, id)
	}
	return strings.Join(all, " ")
}

// wish returns what left the model since it was asked last.
func (b *bench) wish() string {
	var all []string
	for _, w := range b.wishes {
		all = append(all, fmt.Sprintf("%T%+v", w, w))
	}
	b.wishes = nil
	return strings.ReplaceAll(strings.Join(all, " "), "treeview.", "")
}

func (b *bench) text(i int) (who, text string) {
	raw, err := b.list.Load(i)
	if err != nil {
		b.t.Fatal(err)
	}
	if m, ok := jsonedit.Get(raw, "message"); ok {
		text, _ = jsonedit.Text(m, "content")
		return b.list.Role(i).String(), text
	}
	if text, ok := jsonedit.Text(raw, "summary"); ok {
		return b.list.Kind(i).String(), text
	}
	text, _ = jsonedit.Text(raw, "label")
	return b.list.Kind(i).String(), text
}

func (b *bench) gists(all []int) tea.Cmd {
	b.read += len(all)
	return func() tea.Msg {
		var g treeview.Gists
		for _, i := range all {
			who, text := b.text(i)
			g.All = append(g.All, treeview.Gist{Entry: i, Who: who, Text: text})
		}
		return g
	}
}

func (b *bench) body(i int) tea.Cmd {
	return func() tea.Msg {
		_, text := b.text(i)
		return treeview.Body{Entry: i, Text: text}
	}
}

// search answers in two parts.
func (b *bench) search(s treeview.Search) tea.Cmd {
	part := func(from, to int) (found []int) {
		for i := from; i < to; i++ {
			_, text := b.text(i)
			all := true
			for _, w := range s.Words {
				all = all && strings.Contains(strings.ToLower(text), w)
			}
			if all {
				found = append(found, i)
			}
		}
		return found
	}
	half := b.list.Len() / 2
	return func() tea.Msg {
		return treeview.Matches{Seq: s.Seq, Found: part(0, half), Next: func() tea.Msg {
			return treeview.Matches{Seq: s.Seq, Found: part(half, b.list.Len()), Done: true}
		}}
	}
}

// garden is a session with forks on the active branch and beside it.
func garden(t testing.TB) *entry.List {
	msg := func(id, parent, role, text string) line { return line{id, parent, "message", role, text} }
	return list(t, []line{
		msg("a1", "", "user", "How do I water the garden while I am away for two weeks in July?"),
		msg("a2", "a1", "assistant", "There are three ways: a drip line, an olla, or a neighbour."),
		{"m1", "a2", "model_change", "", ""},
		msg("a3", "m1", "user", "Try the drip line first"),
		msg("a4", "a3", "assistant", "→ bash ls -la pumps"),
		msg("a5", "a4", "toolResult", "pump-a.txt pump-b.txt"),
		msg("a6", "a5", "assistant", "Two pumps are listed; the smaller one is enough."),
		msg("b1", "a2", "user", "What about ollas, 赤い土の壺? 🌱"),
		msg("b2", "b1", "assistant", "An olla is a clay pot\nburied to its neck.\n\nIt seeps \x1b[31mslowly\x1b[0m."),
		msg("b3", "b2", "user", "How many for ten tomatoes?"),
		msg("b4", "b3", "assistant", "Five, each between two plants."),
		{"l1", "b4", "label", "b2", "ollas"},
		{"c1", "b2", "compaction", "", "The garden is watered by ollas; drip lines were tried."},
		msg("c2", "c1", "user", "Write a shopping list"),
		msg("c3", "c2", "assistant", "5 ollas of 4 litres, gravel, lids."),
		{"s1", "c2", "branch_summary", "", "A list was begun and left."},
		msg("c4", "s1", "assistant", "5 ollas, lids."),
		{"l2", "c4", "label", "a6", "small pump"},
		msg("c5", "l2", "user", "Thank you"),
	})
}

// themes are those of every kind of terminal.
func themes() map[string]theme.Theme {
	return map[string]theme.Theme{"16": theme.New(theme.Sixteen, true), "256": theme.New(theme.Indexed, true), "none": theme.New(theme.None, true)}
}
