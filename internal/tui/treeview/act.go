package treeview

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// show takes a key that changes what is shown.
func (m *Model) show(k tea.KeyPressMsg) bool {
	_, rows := m.paneSize()
	switch {
	case key.Matches(k, m.keys.Cycle):
		m.filter((m.choice.filter + 1) % filters)
	case key.Matches(k, m.keys.Default):
		m.filter(Default)
	case key.Matches(k, m.keys.NoTools):
		m.toggle(NoTools)
	case key.Matches(k, m.keys.UserOnly):
		m.toggle(UserOnly)
	case key.Matches(k, m.keys.LabeledOnly):
		m.toggle(LabeledOnly)
	case key.Matches(k, m.keys.All):
		m.toggle(All)
	case key.Matches(k, m.keys.Peek):
		m.pane.where = (m.pane.where + 1) % (alone + 1)
		m.scroll()
	case key.Matches(k, m.keys.PeekUp):
		m.readOn(-max(rows/2, 1))
	case key.Matches(k, m.keys.PeekDown):
		m.readOn(max(rows/2, 1))
	case key.Matches(k, m.keys.Times):
		m.times = !m.times
	case key.Matches(k, m.keys.Clear):
		m.search.field.set("")
		m.searched()
	default:
		return false
	}
	return true
}

// toggle chooses a filter, or, when it is chosen already, the default.
func (m *Model) toggle(f Filter) {
	if m.choice.filter == f {
		f = Default
	}
	m.filter(f)
}

func (m *Model) filter(f Filter) {
	m.choice.filter = f
	m.arrange()
}

// act takes a key that does something to the entry.
func (m *Model) act(k tea.KeyPressMsg) (wish tea.Cmd, mine bool) {
	at, id := m.Selected()
	isLabel := key.Matches(k, m.keys.Label)
	switch {
	case key.Matches(k, m.keys.Read):
		return say(Read{ID: id}), true
	case !isLabel && !key.Matches(k, m.keys.Accept, m.keys.Fork, m.keys.Copy):
		return nil, false
	case at < 0:
		return nil, true // an empty list does nothing (published P3)
	case id == "":
		m.told = Told{Text: "this entry has no id: nothing can name it", Bad: true}
		return nil, true
	case key.Matches(k, m.keys.Copy):
		return say(Copy{ID: id}), true
	case !m.outline.Named(at):
		m.told = Told{Text: "a later entry has the same id: nothing can name this one", Bad: true}
		return nil, true
	case key.Matches(k, m.keys.Fork):
		return say(Fork{ID: id}), true
	case m.outline.facts.ReadOnly != "":
		m.told = Told{Text: m.outline.facts.ReadOnly, Bad: true}
		return nil, true
	case isLabel:
		m.dialog.edit(m.outline.Label(at))
		return nil, true
	}
	return say(Resume{ID: id, Leaf: at == m.outline.leaf}), true
}

// pressLabel takes a key while a label is edited.
func (m *Model) pressLabel(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(k, m.keys.Cancel):
		m.dialog.end()
	case key.Matches(k, m.keys.Save):
		m.dialog.end()
		at, id := m.Selected()
		if text := m.dialog.label.String(); at >= 0 && text != m.outline.Label(at) {
			m.told = Told{Text: "saving the label " + theme.Ellipsis}
			return say(Label{ID: id, Text: text})
		}
	default:
		if !m.dialog.label.typed(k) {
			m.dialog.label.moved(k)
		}
	}
	return nil
}
