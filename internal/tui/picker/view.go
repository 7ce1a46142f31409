package picker

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	safe "github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/dustin/go-humanize"
)

// View draws the picker: exactly as many lines as the window has rows, and where
// the cursor of the terminal is. The alternate screen and the mouse are asked
// for.
func (m Model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	switch {
	case m.cols == 0 || m.rows == 0:
		return v
	case m.tooSmall():
		v.Content = m.opt.Theme.TooSmall(m.cols, m.rows, theme.Least{Cols: minCols, Rows: minRows, Leave: "esc"})
		return v
	case m.dialog.mode == helping:
		v.Content = m.helpView()
		return v
	}
	l := m.layout()
	search, x := m.searchLine()
	lines := []string{m.header(), search}
	if m.supply.away != "" {
		lines = append(lines, m.opt.Theme.Paint(theme.Warn, safe.Cut(safe.Line(m.supply.away), m.cols)))
	}
	above := len(lines)
	columns, name := m.columns(l.cols)
	if l.titled {
		lines = append(lines, m.titles(columns, name))
	}
	lines = append(lines, m.body(l, columns, name)...)
	if l.side > 0 {
		m.beside(lines[above:], l)
	}
	status, editorX := m.status(l)
	lines = append(lines, status, m.bar())
	v.Content = theme.Frame(lines, m.cols, m.rows)
	switch m.dialog.mode {
	case browsing:
		v.Cursor = tea.NewCursor(x, 1)
	case renaming, labelling, moving:
		v.Cursor = tea.NewCursor(editorX, m.rows-2)
	}
	return v
}

// header says what is listed and how.
func (m *Model) header() string {
	t, l := &m.opt.Theme, &m.list
	left := t.Paint(theme.Title, safe.Line(m.opt.Title))
	if m.opt.Project != "" {
		here, all := theme.Faint, theme.Faint
		if l.all {
			all = theme.Strong
		} else {
			here = theme.Strong
		}
		project := safe.CutLeft(safe.Line(m.tilde(m.opt.Project)), max(12, m.cols/3))
		if l.all {
			left += "  " + t.Paint(all, "all projects") + t.Paint(theme.Faint, " · "+project)
		} else {
			left += "  " + t.Paint(here, project) + t.Paint(theme.Faint, " · all projects")
		}
	}
	count := humanize.Comma(int64(len(l.shown)))
	if len(l.shown) != l.inScope {
		count += " of " + humanize.Comma(int64(l.inScope))
	}
	right := []string{count, l.now().String()}
	if l.agent != "" {
		right = append([]string{"only " + safe.Line(string(l.agent))}, right...)
	}
	if l.named {
		right = append([]string{"named only"}, right...)
	}
	if n := len(m.marked); n > 0 {
		right = append([]string{fmt.Sprintf("%d marked", n)}, right...)
	}
	room := m.cols - safe.Width(left) - 2
	text := strings.Join(right, " · ")
	for len(right) > 1 && safe.Width(text) > room {
		right = right[:len(right)-1]
		text = strings.Join(right, " · ")
	}
	return left + strings.Repeat(" ", max(2, m.cols-safe.Width(left)-safe.Width(text))) + t.Paint(theme.Faint, text)
}

// searchLine is the field in which one types, and the column of its cursor.
func (m *Model) searchLine() (string, int) {
	const prompt = "> "
	t := &m.opt.Theme
	if m.field.Value() == "" {
		hint := "type to search names, projects and all that was said"
		if m.opt.Texts == nil {
			hint = "type to search"
		}
		return t.Paint(theme.Accent, prompt) + t.Paint(theme.Faint, safe.Cut(hint, m.cols-3)), len(prompt)
	}
	text, x := fieldView(&m.field, m.cols-len(prompt)-1)
	return t.Paint(theme.Accent, prompt) + text, len(prompt) + x
}

// fieldView is the part of a field around its cursor in so many cells, and the
// column of the cursor in it.
func fieldView(f *textinput.Model, cells int) (string, int) {
	runes := []rune(f.Value())
	at := min(f.Position(), len(runes))
	before, behind := safe.Line(string(runes[:at])), safe.Line(string(runes[at:]))
	before = safe.CutLeft(before, max(1, cells))
	x := safe.Width(before)
	return before + safe.Cut(behind, cells-x), x
}

// titles name the columns.
func (m *Model) titles(columns []column, name int) string {
	var b strings.Builder
	b.WriteString(safe.Fit("   NAME", name+gutter))
	for _, c := range columns {
		text := safe.Fit(c.title, c.cells)
		if c.right {
			text = safe.PadLeft(c.title, c.cells)
		}
		b.WriteString(" " + text)
	}
	return m.opt.Theme.Paint(theme.Faint, b.String())
}

// body is the list, or what there is to say instead of it.
func (m *Model) body(l layout, columns []column, name int) []string {
	lines := make([]string, l.height)
	switch {
	case l.whole && len(m.list.shown) > 0:
		copy(lines, m.preview.from())
	case len(m.list.shown) == 0:
		for i, text := range m.nothing(l.cols - 2*gutter) {
			if i+1 < len(lines) {
				lines[i+1] = strings.Repeat(" ", gutter) + text
			}
		}
	default:
		for i := range lines {
			if at := m.cursor.top + i; at < len(m.list.shown) {
				lines[i] = m.line(m.list.shown[at], at == m.cursor.at, columns, name)
			}
		}
	}
	return lines
}

// nothing says why the list is empty, in lines of so many cells.
func (m *Model) nothing(cells int) (lines []string) {
	t, l := &m.opt.Theme, &m.list
	text, more := "No sessions found", ""
	role := theme.Text
	switch {
	case l.query.problem != "":
		text, role = "This search cannot be read: "+l.query.problem, theme.Bad
	case l.inScope > 0:
		text = fmt.Sprintf("Nothing found for %q", strings.TrimSpace(l.query.text))
		if l.searching() {
			text = "Searching all that was said …"
		}
		if !l.all {
			more = "Press Tab to search all projects."
		}
	case !m.supply.done:
		text = "Reading sessions …"
	case m.supply.away != "" && len(l.rows) == 0:
		text = "No sessions are kept here"
	case l.named || l.agent != "":
		text = "No sessions of this kind"
		more = m.undoFilters()
	case !l.all:
		text, more = "No sessions in this project", "Press Tab to view all."
	}
	for _, line := range safe.Wrap(safe.Line(text), cells) {
		lines = append(lines, t.Paint(role, line))
	}
	if more != "" {
		lines = append(lines, t.Paint(theme.Faint, safe.Cut(more, cells)))
	}
	return lines
}

// undoFilters says which keys show more.
func (m *Model) undoFilters() string {
	var keys []string
	if m.list.named {
		keys = append(keys, m.keys.Named.Help().Key)
	}
	if m.list.agent != "" {
		keys = append(keys, m.keys.Agent.Help().Key)
	}
	return "Press " + strings.Join(keys, " and ") + " to see others."
}

// beside adds the preview to lines that begin below the search field.
func (m *Model) beside(lines []string, l layout) {
	bar := m.opt.Theme.Paint(theme.Border, "│")
	side := m.preview.from()
	for i := range lines {
		text := ""
		if i < len(side) {
			text = " " + side[i]
		}
		lines[i] = safe.Fit(lines[i], l.cols) + bar + safe.Cut(text, l.side)
	}
}
