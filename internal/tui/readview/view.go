package readview

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// View draws the screen: exactly as many rows and columns as the window has.
func (m Model) View() string {
	th := m.opt.Theme
	if m.small() {
		return th.TooSmall(m.cols, m.rows, theme.Least{Cols: minCols, Rows: minRows, Leave: "q"})
	}
	lines := append(make([]string, 0, m.rows), m.head())
	switch {
	case m.help >= 0:
		all := th.HelpPage(m.keys.page(), m.cols)
		lines = append(lines, all[min(m.help, len(all)):]...)
	case !m.read || m.err != nil:
		lines = append(lines, m.waiting()...)
	case len(m.text.rows) == 0:
		lines = append(lines, "", "  "+th.Paint(theme.Faint, "nothing was said"))
	default:
		lines = append(lines, m.body()...)
	}
	lines = lines[:min(len(lines), m.rows-2)]
	for len(lines) < m.rows-2 {
		lines = append(lines, "")
	}
	return theme.Frame(append(lines, m.status(), m.bar()), m.cols, m.rows)
}

// body draws the text, with a mark at the line of the cursor and at its thing.
func (m *Model) body() []string {
	th, c := m.opt.Theme, m.text
	thing := c.thing()
	all := make([]string, 0, c.high)
	for _, s := range c.sights() {
		sign := "  "
		switch {
		case s.place == c.cur:
			sign = th.Paint(theme.Key, "▶") + " "
		case s.row == c.cur.row && thing != None && s.Thing == thing:
			sign = th.Paint(theme.Faint, "│") + " "
		}
		all = append(all, sign+m.find.paint(th, s.Text))
	}
	return all
}

// head says which session it is and where in it the cursor is.
func (m *Model) head() string {
	th := m.opt.Theme
	name, side, badge := m.opt.Name, "", ""
	if m.read {
		if m.facts.Name != "" {
			name = m.facts.Name
		}
		if m.notes > 0 {
			badge = theme.DamageBadge + " "
		}
		if n := len(m.text.rows); n > 0 {
			side = fmt.Sprintf("%d/%d · %d%%", m.text.cur.row+1, n, (m.text.cur.row+1)*100/n)
		}
		if m.facts.Elsewhere && m.cols >= 60 {
			side = "another branch · " + side
		}
	}
	const title = "Read"
	room := m.cols - len(title) - 2 - len(badge) - term.Width(side) - 2
	name = term.Cut(term.Line(name), max(room, 0))
	return th.Paint(theme.Title, title) + "  " + th.Paint(theme.Bad, badge) + th.Paint(theme.Strong, name) +
		strings.Repeat(" ", max(room-term.Width(name)+2, 1)) + th.Paint(theme.Faint, side)
}

// waiting is shown while there is no text.
func (m *Model) waiting() []string {
	th := m.opt.Theme
	if m.err == nil {
		return []string{"", "  " + th.Paint(theme.Faint, "reading the session "+theme.Ellipsis)}
	}
	return append([]string{""}, th.Wrap(theme.Bad, m.err.Error(), "  ", m.cols-2)...)
}

// status is what is typed, what came of the last wish, or what is searched for.
func (m *Model) status() string {
	th := m.opt.Theme
	switch {
	case m.help >= 0:
		return ""
	case m.find.typing:
		return m.typed()
	case m.told.Text != "":
		role := theme.Good
		if m.told.Bad {
			role = theme.Bad
		}
		return th.Paint(role, term.Cut(term.Line(m.told.Text), m.cols))
	case m.find.none():
		return ""
	}
	found := fmt.Sprintf("%d so far %s", len(m.find.hits), theme.Ellipsis)
	if m.find.done {
		found = "in " + term.Plural(len(m.find.hits), "message")
	}
	room := m.cols - term.Width(found) - 4
	return th.Paint(theme.Faint, "“"+term.Cut(term.Line(m.find.words), max(room, 4))+"” "+found)
}

// typed is the search that is typed, the end of it where it is long.
func (m *Model) typed() string {
	th, f := m.opt.Theme, &m.find.field
	text := []rune(f.Value())
	at := min(f.Position(), len(text))
	before, behind := term.Line(string(text[:at])), term.Line(string(text[at:]))
	before = term.CutLeft(before, max(m.cols-4, 1))
	under, rest := " ", ""
	if behind != "" {
		_, size := utf8.DecodeRuneInString(behind)
		under, rest = behind[:size], behind[size:]
	}
	rest = term.Cut(rest, max(m.cols-3-term.Width(before)-term.Width(under), 0))
	hint := ""
	if len(text) == 0 {
		hint = th.Paint(theme.Faint, term.Cut("text, or re: and an expression", max(m.cols-3, 1)))
	}
	return th.Paint(theme.Accent, "/") + before + "\x1b[7m" + under + "\x1b[27m" + rest + hint
}

// bar is the bar of keys, for what they do just now.
func (m *Model) bar() string {
	th, k := m.opt.Theme, m.keys
	switch {
	case m.help >= 0:
		k.Cancel.SetHelp("any other key", "back")
		if len(th.HelpPage(k.page(), m.cols)) <= m.rows-chrome {
			k.Cancel.SetHelp("any key", "back")
			return th.HelpBar([]key.Binding{k.Cancel}, m.cols)
		}
		return th.HelpBar([]key.Binding{k.Up, k.Down, k.Cancel}, m.cols)
	case m.find.typing:
		return th.HelpBar(k.typing(), m.cols)
	}
	k.Next.SetEnabled(!m.find.none())
	if len(m.text.rows) > 0 && m.text.rows[m.text.cur.row].Sort == Fork && m.text.thing() != None {
		k.Fold.SetHelp("enter", "this branch")
	}
	return th.HelpBar(k.bar(), m.cols)
}
