package treeview

import tea "charm.land/bubbletea/v2"

// headRows is how many rows stand above the tree.
const headRows = 2

// wheel scrolls what is under the pointer: the text or the tree.
func (m *Model) wheel(w tea.MouseWheelMsg) {
	by := 3
	switch w.Button {
	case tea.MouseWheelUp:
		by = -3
	case tea.MouseWheelDown:
	default:
		return
	}
	if m.outline == nil || m.dialog.mode != browsing {
		return
	}
	if m.overPane(w.X, w.Y) {
		m.readOn(by)
		return
	}
	m.goTo(m.cursor + by)
}

// click chooses the row under the pointer; a click on the chosen one folds or
// unfolds it.
func (m *Model) click(c tea.MouseClickMsg) {
	row := m.top + c.Y - headRows
	switch {
	case c.Button != tea.MouseLeft || m.outline == nil || m.dialog.mode != browsing || m.overPane(c.X, c.Y):
	case c.Y < headRows || c.Y >= headRows+m.listRows() || row >= len(m.shape.rows):
	case row != m.cursor:
		m.goTo(row)
	case m.shape.kids[m.shape.rows[row]] > 0:
		at := m.shape.rows[row]
		if m.choice.folded[at] {
			delete(m.choice.folded, at)
		} else {
			m.choice.folded[at] = true
		}
		m.arrange()
	}
}

// overPane reports whether a place of the screen belongs to the pane.
func (m *Model) overPane(x, y int) bool {
	switch {
	case m.pane.where == closed || y < headRows || y >= m.rows-2:
		return false
	case m.pane.where == alone:
		return true
	case m.wide():
		return x > m.listCols()
	}
	return y >= headRows+m.listRows()
}
