package chatview

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// hear takes what the agent and the session tell.
func (m *Model) hear(msg tea.Msg) {
	switch msg := msg.(type) {
	case Began:
		m.doing, m.spin = msg.Doing, 0
	case Ended:
		m.doing = ""
		m.answer, m.tools, m.asks = answer{}, nil, nil
		m.arrange()
	case AnswerBegan:
		m.begin()
	case Delta:
		m.spin++
		m.add(msg)
	case AnswerEnded:
		if m.answer.open {
			m.answer.cell.key = msg.Key
			m.past = append(slices.Clone(m.past), m.answer.cell)
		}
		m.answer = answer{}
		m.settlePast()
	case ToolBegan:
		t := &running{id: msg.ID, name: msg.Name, args: msg.Arguments, cell: &cell{}}
		t.wrote("")
		m.tools = append(m.tools, t)
		m.arrange()
	case ToolWrote:
		if t := m.tool(msg.ID); t != nil {
			m.spin++
			t.wrote(msg.Text)
		}
	case ToolEnded:
		m.tools = slices.DeleteFunc(m.tools, func(t *running) bool { return t.id == msg.ID })
		m.passed(msg.Key, msg.Parts)
	case Said:
		if i := slices.IndexFunc(m.waiting, func(s Send) bool { return s.Text.String() == msg.Text }); i >= 0 {
			m.waiting = slices.Delete(slices.Clone(m.waiting), i, i+1)
		}
		m.passed(msg.Key, msg.Parts)
	case Told:
		m.tell(msg)
	case Page:
		m.page = &msg
	case Switched:
		m.clear()
		m.tell(Told{Text: msg.Text})
	case Todos:
		m.todos = msg.All
	case Typed:
		m.editor.keep(m.edited != nil && *m.edited == m.editor.text())
		m.edited = nil
		m.editor.set(msg.Text)
		m.choices.close()
	case TakenBack:
		m.waiting = nil
		m.typeAgain(msg.Text)
	case Lapsed:
		if msg.Seq == m.again {
			m.lapse()
		}
	case Opening:
		m.opening = msg.What
	case Recalled:
		m.recalled(msg)
	case History:
		m.editor.history = append(slices.Clip(m.editor.history), msg.All...)
	case Choices:
		m.chooseFrom(msg)
	case State:
		m.state = msg
	}
}

// passed shows what was said or done until its row is there.
func (m *Model) passed(key string, parts []Part) {
	if key != "" && len(parts) > 0 {
		m.past = append(slices.Clone(m.past), &cell{key: key, parts: parts})
	}
	m.settlePast()
}

// settlePast takes away that of which the rows are there.
func (m *Model) settlePast() {
	m.past = slices.DeleteFunc(slices.Clone(m.past), func(c *cell) bool {
		_, there := m.transcript.find(c.key)
		return there
	})
	m.arrange()
}
