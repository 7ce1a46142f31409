package chatview

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// press takes a key.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	k := m.keys
	before := m.before
	m.lapse()
	if !key.Matches(msg, k.Send, k.Later) {
		m.doubted = ""
	}
	switch {
	case m.page != nil:
		m.readPage(msg)
		return nil
	case key.Matches(msg, k.PageUp):
		m.turn(-1)
		return nil
	case key.Matches(msg, k.PageDown):
		m.turn(1)
		return nil
	case key.Matches(msg, k.First):
		m.transcript.first()
		return nil
	case key.Matches(msg, k.Last):
		m.transcript.last()
		return nil
	case key.Matches(msg, k.Tools) && m.toldCut():
		m.page = m.toldPage()
		return nil
	case key.Matches(msg, k.Tools):
		m.transcript.reform(func(f *Form) { f.open.tools = !f.open.tools })
		return nil
	case key.Matches(msg, k.Thinking):
		m.transcript.reform(func(f *Form) { f.open.thinking = !f.open.thinking })
		return nil
	case key.Matches(msg, k.Exit) && m.recall == nil:
		return m.exit(before == keyExit)
	}
	if len(m.asks) > 0 {
		if cmd, taken := m.reply(msg); taken {
			return cmd
		}
	}
	switch {
	case m.recall != nil:
		return m.recalling(msg)
	case key.Matches(msg, k.Abort):
		return m.escape(before == keyEscape)
	}
	return m.edit(msg)
}

// turn scrolls by a page: the question, if there is one, else the transcript.
func (m *Model) turn(way int) {
	if len(m.asks) > 0 {
		m.asks[0].turn(way)
		return
	}
	m.transcript.scroll(way * max(m.transcript.high-2, 1))
}

// wheel scrolls by some lines.
func (m *Model) wheel(msg tea.MouseWheelMsg) {
	const lines = 3
	by := map[tea.MouseButton]int{tea.MouseWheelUp: -lines, tea.MouseWheelDown: lines}[msg.Button]
	switch {
	case by == 0:
	case m.page != nil:
		m.scrollPage(by)
	default:
		m.transcript.scroll(by)
	}
}

// exit empties the editor, and leaves when it was pressed before. What was typed is
// behind ↑, and kept nowhere else.
func (m *Model) exit(again bool) tea.Cmd {
	if again {
		return m.wish(Quit{})
	}
	m.editor.keep(false)
	m.editor.set("")
	m.choices.close()
	m.before = keyExit
	return m.once(leavesAgain)
}

// escape closes what is open, else stops what runs, else, pressed twice, shows
// the tree. What was to be said is typed again.
func (m *Model) escape(again bool) tea.Cmd {
	switch {
	case len(m.choices.all) > 0:
		m.choices.close()
		return nil
	case m.opening != "":
		m.opening = ""
		return m.wish(Withdraw{})
	case m.doing != "":
		m.told = nil
		var texts []string
		for _, s := range m.waiting {
			texts = append(texts, s.Text.String())
		}
		m.typeAgain(strings.Join(texts, "\n\n"))
		m.waiting = nil
		return m.wish(Abort{})
	case again:
		m.told = nil
		return m.wish(Tree{})
	case len(m.told) > 0:
		m.told = nil
		return nil
	}
	m.before = keyEscape
	return m.once(treeAgain)
}

// What a key does that is pressed again.
const (
	leavesAgain = "ctrl+c again leaves"
	treeAgain   = "esc again shows the tree"
)

// once tells that a key was pressed once, for a while.
func (m *Model) once(text string) tea.Cmd {
	m.again++
	m.told = []Told{{Text: text}}
	return m.wish(Lapsing{m.again})
}

// lapse forgets that a key was pressed once, and takes away what told it.
func (m *Model) lapse() {
	if m.before != keyOther {
		m.told = slices.DeleteFunc(slices.Clone(m.told), func(t Told) bool { return t.Text == leavesAgain || t.Text == treeAgain })
	}
	m.before = keyOther
}
