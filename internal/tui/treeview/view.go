package treeview

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// View draws the screen: exactly as many rows and columns as the window has.
func (m Model) View() string {
	th := m.opt.Theme
	if m.cols < minCols || m.rows < minRows {
		return th.TooSmall(m.cols, m.rows, theme.Least{Cols: minCols, Rows: minRows, Leave: "esc"})
	}
	lines := []string{m.head(), m.line()}
	switch {
	case m.dialog.mode == helping:
		all := th.HelpPage(m.keys.page(), m.cols)
		lines = append(lines, all[min(m.dialog.page, len(all)):]...)
	case m.outline == nil:
		lines = append(lines, m.waiting()...)
	case m.pane.where == alone:
		lines = append(lines, m.paneLines()...)
	case m.pane.where == beside && m.wide():
		lines = append(lines, m.columns()...)
	case m.pane.where == beside:
		lines = append(lines, pad(m.list(m.cols), m.listRows())...)
		lines = append(lines, th.Paint(theme.Border, strings.Repeat("─", m.cols)))
		lines = append(lines, m.paneLines()...)
	default:
		lines = append(lines, m.list(m.cols)...)
	}
	lines = pad(lines, m.rows-2)
	lines = append(lines, m.status(), m.help())
	return theme.Frame(lines, m.cols, m.rows)
}

// pad returns exactly n lines.
func pad(lines []string, n int) []string {
	for len(lines) < n {
		lines = append(lines, "")
	}
	return lines[:n]
}

// head says which session it is and what of it is shown.
func (m *Model) head() string {
	th := m.opt.Theme
	name, side, badge := m.opt.Name, "", ""
	if m.outline != nil {
		name = first(m.outline.facts.Name, name)
		if len(m.outline.facts.Notes) > 0 {
			badge = theme.DamageBadge + " "
		}
		side = fmt.Sprintf("%s · %d of %s", m.choice.filter, m.shape.passed, theme.Plural(m.outline.Len(), "entry"))
		if m.cols < 70 {
			side = fmt.Sprintf("%s · %d/%d", m.choice.filter, m.shape.passed, m.outline.Len())
		}
	}
	const title = "Tree"
	room := m.cols - len(title) - 2 - len(badge) - term.Width(side) - 2
	name = term.Cut(term.Line(name), max(room, 0))
	return th.Paint(theme.Title, title) + "  " + th.Paint(theme.Bad, badge) + th.Paint(theme.Strong, name) +
		strings.Repeat(" ", max(room-term.Width(name)+2, 1)) + th.Paint(theme.Faint, side)
}

// line is the row that is typed into.
func (m *Model) line() string {
	th := m.opt.Theme
	cursor := func(s string) string { return "\x1b[7m" + s + "\x1b[27m" }
	if m.dialog.mode == labelling {
		const prompt = "label: "
		return th.Paint(theme.Warn, prompt) + m.dialog.label.view(m.cols-len(prompt), cursor)
	}
	side := ""
	switch {
	case len(m.search.words) == 0:
	case m.search.done:
		side = theme.Plural(m.search.count, "match")
		if m.search.count != 1 {
			side = fmt.Sprintf("%d matches", m.search.count)
		}
	default:
		side = fmt.Sprintf("%d so far …", m.search.count)
	}
	const prompt = "> "
	room := m.cols - len(prompt) - term.Width(side) - 2
	text := m.search.field.view(room, cursor)
	used := min(term.Width(m.search.field.String())+1, room)
	if len(m.search.field.text) == 0 && m.dialog.mode == browsing {
		hint := term.Cut("type to search what was said", room-2)
		text += " " + th.Paint(theme.Faint, hint)
		used += 1 + term.Width(hint)
	}
	return th.Paint(theme.Accent, prompt) + text + strings.Repeat(" ", max(room-used+2, 1)) + th.Paint(theme.Faint, side)
}

// waiting is shown while there is no tree.
func (m *Model) waiting() []string {
	th := m.opt.Theme
	if m.err == nil {
		return []string{"", "  " + th.Paint(theme.Faint, "reading the session …")}
	}
	lines := []string{""}
	for _, line := range term.Wrap(term.Safe(m.err.Error()), m.cols-4) {
		lines = append(lines, "  "+th.Paint(theme.Bad, line))
	}
	return lines
}

// status says what came of the last wish, or what is wrong with the entry.
func (m *Model) status() string {
	th := m.opt.Theme
	if m.told.Text != "" {
		role := theme.Good
		if m.told.Bad {
			role = theme.Bad
		}
		return th.Paint(role, term.Cut(term.Line(m.told.Text), m.cols))
	}
	if m.outline == nil || m.dialog.mode == helping {
		return ""
	}
	f := m.outline.facts
	if at, _ := m.Selected(); at >= 0 && f.Marks[at] != "" {
		return th.Paint(theme.Bad, term.Cut(theme.DamageBadge+" "+term.Line(f.Marks[at]), m.cols))
	}
	return th.Paint(theme.Faint, term.Cut(m.place(), m.cols))
}

// place says where the cursor is.
func (m *Model) place() string {
	at, id := m.Selected()
	if at < 0 {
		return ""
	}
	parts := []string{fmt.Sprintf("%d/%d", m.cursor+1, len(m.shape.rows))}
	if id != "" {
		parts = append(parts, term.Line(id))
	}
	if t := m.outline.Time(at); !t.IsZero() {
		parts = append(parts, t.In(m.opt.Now.Location()).Format("2 Jan 2006 15:04"))
	}
	switch {
	case at == m.outline.leaf:
		parts = append(parts, "the session goes on from here")
	case m.outline.active[at]:
		parts = append(parts, "on the active branch")
	default:
		parts = append(parts, "on another branch")
	}
	return strings.Join(parts, " · ")
}

// help is the bar of keys, for what they do just now.
func (m *Model) help() string {
	th := m.opt.Theme
	k := m.keys
	switch m.dialog.mode {
	case labelling:
		return th.HelpBar(k.labelBar(), m.cols)
	case helping:
		k.Cancel.SetHelp("any other key", "back")
		if len(th.HelpPage(k.page(), m.cols)) <= m.rows-4 {
			k.Cancel.SetHelp("any key", "back")
			return th.HelpBar([]key.Binding{k.Cancel}, m.cols)
		}
		return th.HelpBar([]key.Binding{k.Up, k.Down, k.Cancel}, m.cols)
	}
	if len(m.search.field.text) > 0 {
		k.Cancel.SetHelp("esc", "clear")
		k.Help = k.HelpAnywhere
	}
	if m.pane.where == alone {
		k.Cancel.SetHelp("esc", "to the tree")
	}
	return th.HelpBar(k.bar(), m.cols)
}
