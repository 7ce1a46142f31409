package treeview

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// move takes a key that moves the cursor.
func (m *Model) move(k tea.KeyPressMsg) bool {
	if m.pane.where == alone && m.readAlone(k) {
		return true
	}
	row := m.cursor
	switch {
	case key.Matches(k, m.keys.Up):
		row--
	case key.Matches(k, m.keys.Down):
		row++
	case key.Matches(k, m.keys.PageUp):
		row -= m.listRows()
	case key.Matches(k, m.keys.PageDown):
		row += m.listRows()
	case key.Matches(k, m.keys.First):
		row = 0
	case key.Matches(k, m.keys.Last):
		row = len(m.shape.rows) - 1
	case key.Matches(k, m.keys.Fold):
		m.goTo(m.cursor)
		m.fold()
		return true
	case key.Matches(k, m.keys.Unfold):
		m.goTo(m.cursor)
		m.unfold()
		return true
	case key.Matches(k, m.keys.Next):
		row = m.beside(1)
	case key.Matches(k, m.keys.Previous):
		row = m.beside(-1)
	case key.Matches(k, m.keys.Leaf):
		m.toLeaf()
		return true
	default:
		return false
	}
	m.goTo(row)
	return true
}

// readAlone scrolls the text while nothing else is on the screen.
func (m *Model) readAlone(k tea.KeyPressMsg) bool {
	_, rows := m.paneSize()
	switch {
	case key.Matches(k, m.keys.Up):
		m.readOn(-1)
	case key.Matches(k, m.keys.Down):
		m.readOn(1)
	case key.Matches(k, m.keys.PageUp):
		m.readOn(-rows)
	case key.Matches(k, m.keys.PageDown):
		m.readOn(rows)
	case key.Matches(k, m.keys.First):
		m.pane.top = 0
	case key.Matches(k, m.keys.Last):
		m.readOn(len(m.pane.lines))
	default:
		return false
	}
	return true
}

// beside returns the first row of the branch beside this one.
func (m *Model) beside(by int) int {
	if m.cursor < 0 {
		return m.cursor
	}
	return m.shape.sibling(m.cursor, by)
}

// toLeaf goes where the session goes on, and unfolds what hides it.
func (m *Model) toLeaf() {
	for up := int32(m.outline.leaf); up >= 0; up = m.outline.parent[up] {
		delete(m.choice.folded, up)
	}
	m.wished = m.outline.leaf
	m.arrange()
}

// fold closes the stretch of the cursor, or goes to its beginning, or, when it
// is closed, to the fork above.
func (m *Model) fold() {
	if m.cursor < 0 {
		return
	}
	at := m.shape.rows[m.cursor]
	of := m.shape.of(m.cursor)
	switch {
	case int(of.head) != m.cursor:
		m.goTo(int(of.head))
	case m.shape.kids[at] > 0 && !m.choice.folded[at]:
		m.choice.folded[at] = true
		m.arrange()
	case m.shape.up[at] >= 0:
		m.goTo(int(m.shape.row[m.shape.up[at]]))
	}
}

// unfold opens what is closed at the cursor, or goes to the end of its stretch,
// or to the next one.
func (m *Model) unfold() {
	if m.cursor < 0 {
		return
	}
	at := m.shape.rows[m.cursor]
	switch end := m.shape.end(m.cursor); {
	case m.choice.folded[at]:
		delete(m.choice.folded, at)
		m.arrange()
	case end > m.cursor:
		m.goTo(end)
	default:
		m.goTo(m.cursor + 1)
	}
}
