package readview_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tui/readview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// still is a clock that stands.
func still() time.Time { return time.Time{} }

// A row is one of a test's session: a message as it is stored, or what it is otherwise.
type row struct {
	sort    readview.Sort
	raw     string
	part    *transcript.Part
	passage readview.Passage
}

// said is a row with a message.
func said(sort readview.Sort, raw string) row { return row{sort: sort, raw: raw} }

// body is what a row says.
func (r row) body(i int) readview.Body {
	p := r.passage
	if r.part != nil {
		p.Parts = append(p.Parts, *r.part)
	}
	if r.raw != "" {
		p.Parts = append(p.Parts, transcript.Part{Entry: i, Message: transcript.Read([]byte(r.raw))})
	}
	if r.sort != readview.Fork {
		p.Side = []string{fmt.Sprintf("e%d", i), "10:00"}
	}
	return readview.Body{Row: i, Passage: p, Size: len(r.raw)}
}

// A bench runs a model as a program does, commands included, one after the other.
type bench struct {
	t      testing.TB
	m      readview.Model
	all    []row
	rows   []readview.Row
	read   map[int]int // by row, how often it was read
	wishes []tea.Msg   // what left the model
}

// open returns a bench with a session on it, at a row, -1 for the end.
func open(t testing.TB, all []row, o readview.Options, at int) *bench {
	t.Helper()
	b := &bench{t: t, all: all, read: map[int]int{}}
	for i, r := range all {
		b.rows = append(b.rows, readview.Row{Sort: r.sort, Entry: i})
	}
	o.Now = still
	o.Read, o.Search, o.Seek, o.Turn = b.bodies, b.search, b.seek, b.turn
	b.m = readview.New(o)
	b.send(readview.Opened{Rows: b.rows, Facts: readview.Facts{Name: "The pump"}, At: at})
	return b
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
	case readview.Bodies, readview.Hits, readview.Sought, readview.Opened, readview.Told:
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

// press types keys, as theme.Bind names them.
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
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		k.Mod, name = tea.ModCtrl, rest
	}
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "space": tea.KeySpace, "f1": tea.KeyF1}
	if code, ok := special[name]; ok {
		if k.Code = code; code == tea.KeySpace {
			k.Text = " "
		}
		return k
	}
	k.Code = []rune(name)[0]
	if k.Mod == 0 {
		k.Text = name
	}
	return k
}

// wish returns what left the model since it was asked last.
func (b *bench) wish() string {
	var all []string
	for _, w := range b.wishes {
		all = append(all, fmt.Sprintf("%T%+v", w, w))
	}
	b.wishes = nil
	return strings.ReplaceAll(strings.Join(all, " "), "readview.", "")
}

// at is the line of the cursor, as it is seen.
func (b *bench) at() string {
	b.t.Helper()
	for line := range strings.SplitSeq(plain(b.m.View()), "\n") {
		if rest, ok := strings.CutPrefix(line, "▶"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// status is the line above the keys.
func (b *bench) status() string {
	lines := strings.Split(strings.TrimRight(plain(b.m.View()), "\n"), "\n")
	return lines[len(lines)-2]
}

// plain is a view without styles.
func plain(view string) string {
	var b strings.Builder
	for row := range strings.SplitSeq(view, "\n") {
		b.WriteString(strings.TrimRight(term.Safe(row), " ") + "\n")
	}
	return b.String()
}

func (b *bench) bodies(first *readview.Row, rows []int) tea.Cmd {
	return func() tea.Msg {
		m := readview.Bodies{Of: first}
		for _, i := range rows {
			b.read[i]++
			m.All = append(m.All, b.all[i].body(i))
		}
		return m
	}
}

// search answers in two parts.
func (b *bench) search(s readview.Search) tea.Cmd {
	part := func(from, to int) (found []int) {
		for i := from; i < to; i++ {
			p := b.all[i].body(i).Passage
			if all(s.All, func(what readview.Pattern) bool {
				for text := range p.Words() {
					if what.In(text) {
						return true
					}
				}
				return false
			}) {
				found = append(found, i)
			}
		}
		return found
	}
	return func() tea.Msg {
		return readview.Hits{Seq: s.Seq, Rows: part(s.From, len(b.all)), Next: func() tea.Msg {
			return readview.Hits{Seq: s.Seq, Rows: part(0, s.From), Done: true}
		}}
	}
}

func all(marks []readview.Pattern, holds func(readview.Pattern) bool) bool {
	for _, m := range marks {
		if !holds(m) {
			return false
		}
	}
	return len(marks) > 0
}

func (b *bench) seek(s readview.Seek) tea.Cmd {
	return func() tea.Msg {
		for i := s.From + s.By; i >= 0 && i < len(b.all); i += s.By {
			for _, p := range b.all[i].body(i).Parts {
				if p.Sort == transcript.Said && p.Message.Errs() {
					return readview.Sought{Seq: s.Seq, By: s.By, Row: i}
				}
			}
		}
		return readview.Sought{Seq: s.Seq, By: s.By, Row: -1}
	}
}

func (b *bench) turn(w readview.Turn) tea.Cmd {
	b.wishes = append(b.wishes, w)
	return nil
}

// themes are those of every kind of terminal.
func themes() map[string]theme.Theme {
	return map[string]theme.Theme{"16": theme.New(theme.Sixteen, true), "256": theme.New(theme.Indexed, true), "none": theme.New(theme.None, true)}
}
