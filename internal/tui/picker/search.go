package picker

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// settled says that nothing was typed for a while.
type settled struct{ seq int }

// settleTime is how long nothing must be typed before texts are searched.
const settleTime = 120 * time.Millisecond

// typed takes what goes into a field.
func (m Model) typed(msg tea.Msg) (Model, tea.Cmd) {
	switch m.dialog.mode {
	case renaming, labelling, moving:
		m.dialog.editor, _ = m.dialog.editor.Update(msg)
		return m, nil
	case deleting, helping:
		return m, nil
	}
	was := m.field.Value()
	m.field, _ = m.field.Update(msg)
	if m.field.Value() == was {
		return m, nil
	}
	m.told = Told{}
	m.cursor.home()
	m.list.ask(m.field.Value())
	m.settle++
	m, look := m.changed()
	if m.opt.Texts == nil || len(m.list.wanted()) == 0 {
		return m, look
	}
	seq := m.settle
	return m, tea.Batch(look, m.later(settleTime, func(time.Time) tea.Msg { return settled{seq} }))
}

// search asks for a search through the texts, if nothing was typed since.
func (m Model) search(s settled) (Model, tea.Cmd) {
	if s.seq != m.settle || m.opt.Texts == nil {
		return m, nil
	}
	terms := m.list.wanted()
	if len(terms) == 0 {
		return m, nil
	}
	m.list.begin(terms)
	return m, m.opt.Texts(Search{Seq: m.list.asked, Terms: terms})
}

// matched takes an answer of a search through texts.
func (m Model) matched(found Matches) (Model, tea.Cmd) {
	if !m.list.answered(found) {
		return m, nil
	}
	m, look := m.changed()
	return m, tea.Batch(look, found.Next)
}
