package picker

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// doubleTime is within what time two clicks are one double click.
const doubleTime = 400 * time.Millisecond

// wheelLines is how far the wheel scrolls.
const wheelLines = 3

// click takes a click: on a session it puts the cursor there, a second one
// chooses it.
func (m Model) click(at tea.Mouse) (Model, tea.Cmd) {
	if m.dialog.mode == helping {
		m.dialog.end()
		return m, nil
	}
	l := m.layout()
	row := m.cursor.top + at.Y - l.top
	if m.dialog.mode != browsing || m.tooSmall() || l.whole || at.Button != tea.MouseLeft || at.X >= l.cols ||
		at.Y < l.top || at.Y >= l.top+l.height || row >= len(m.list.shown) {
		return m, nil
	}
	now := m.opt.Now()
	double := m.last.row == row && row == m.cursor.at && now.Sub(m.last.time) < doubleTime
	m.last.row, m.last.time = row, now
	if double {
		m.last.time = time.Time{}
		return m, wish(Chosen{Path: m.list.shown[row].Info.Path})
	}
	return m.to(row)
}

// wheel scrolls what the mouse is over.
func (m Model) wheel(at tea.Mouse) (Model, tea.Cmd) {
	lines := wheelLines
	switch at.Button {
	case tea.MouseWheelUp:
		lines = -lines
	case tea.MouseWheelDown:
	default:
		return m, nil
	}
	switch l := m.layout(); {
	case m.dialog.mode == helping:
		m.dialog.scroll(lines, len(m.helpLines())-(m.rows-2))
		return m, nil
	case m.dialog.mode != browsing || m.tooSmall():
		return m, nil
	case l.whole, at.X > l.cols:
		return m.peek(lines), nil
	default:
		at, moved := m.cursor.scroll(lines, len(m.list.shown), l.height)
		if !moved {
			return m, nil
		}
		return m.to(at)
	}
}
