package chatview

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// Update takes messages in, one after the other, and returns what is to be done
// about them.
func (m Model) Update(msgs ...tea.Msg) (Model, tea.Cmd) {
	cmds := make([]tea.Cmd, 0, len(msgs)+1)
	m.wishes = nil
	for _, msg := range msgs {
		cmds = append(cmds, m.take1(msg))
	}
	if m.recall != nil {
		m.recalls = m.recall.seq
	}
	m.lay()
	return m, tea.Batch(append(cmds, m.load())...)
}

// load asks for the rows near the screen that are not there; for those on it alone
// until a new transcript was drawn.
func (m *Model) load() tea.Cmd {
	if m.opt.Load == nil {
		return nil
	}
	near := ahead
	if m.fresh {
		near = 0
	}
	if rows := m.transcript.needed(near); len(rows) > 0 {
		return m.opt.Load(rows)
	}
	return nil
}

func (m *Model) take1(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.cols, m.rows = msg.Width, msg.Height
		m.editor.resize(m.cols)
	case tea.KeyPressMsg:
		m.fresh = false
		if m.pasting {
			return nil // a paste holds what a terminal takes for a key
		}
		return m.press(msg)
	case tea.PasteStartMsg:
		m.pasting = true
	case tea.PasteEndMsg:
		m.pasting = false
	case tea.PasteMsg:
		m.pasting = false
		m.lapse()
		switch {
		case len(m.asks) > 0 && m.asks[0].ready:
		case m.recall != nil:
			return m.typedInRecall(msg)
		default:
			if len(m.asks) > 0 {
				m.asks[0].touched, m.asks[0].called = true, false
			}
			m.editor.insert(msg.Content)
			return m.complete()
		}
	case tea.MouseWheelMsg:
		m.fresh = false
		m.wheel(msg)
	case Rows:
		m.fresh = m.fresh || msg.Reset
		m.transcript.setRows(msg)
		m.past = slices.DeleteFunc(slices.Clone(m.past), func(c *cell) bool {
			if _, there := m.transcript.find(c.key); there {
				return false // settlePast knows where it stands
			}
			if msg.Had == nil {
				return msg.Reset
			}
			return msg.Had(c.key) // it is on a branch that was left
		})
		m.settlePast()
	case Drawn:
		m.fresh = false
	case Bodies:
		m.transcript.put(msg.All)
	case Ask:
		return m.asked(msg)
	case Seen:
		return m.seen(msg.ID)
	case Withdrawn:
		return m.dismiss(msg.ID)
	default:
		m.hear(msg)
	}
	return nil
}
