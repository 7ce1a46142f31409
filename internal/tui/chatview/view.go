package chatview

import (
	"fmt"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// The smallest screen.
const (
	leastCols = 40
	leastRows = 8
)

// lay says how much room the transcript has: what the lines below it leave.
func (m *Model) lay() {
	m.fitAsk()
	if m.small() {
		m.transcript.resize(m.cols, 0)
		return
	}
	below, _ := m.below()
	m.transcript.resize(m.cols, max(m.rows-len(below), 1))
}

// small reports whether nothing can be shown.
func (m *Model) small() bool { return m.cols < leastCols || m.rows < leastRows }

// View draws the screen: exactly as many rows and columns as the window has.
func (m Model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	v.WindowTitle = ""
	switch {
	case m.cols == 0:
	case m.small():
		v.SetContent(m.th.TooSmall(m.cols, m.rows, theme.Least{Cols: leastCols, Rows: leastRows, Leave: "ctrl+c twice"}))
	case m.page != nil:
		v.SetContent(m.page.view(m.th, m.cols, m.rows))
	default:
		below, cursor := m.below()
		lines := m.transcript.view()
		if hint := m.hint(); hint != "" && lines[len(lines)-1] == "" {
			lines[len(lines)-1] = hint
		}
		lines = append(lines, below...)
		if cursor != nil {
			cursor.Y += m.transcript.high
			v.Cursor = cursor
		}
		v.SetContent(theme.Frame(lines, m.cols, m.rows))
	}
	return v
}

// hint says where one is and what helps, as long as nothing was said.
func (m *Model) hint() string {
	t := m.transcript
	if m.state.Dir == "" || len(t.live) > 0 {
		return ""
	}
	const most = 4 // settings that begin a session
	if len(t.rows) > most {
		return ""
	}
	for i := range t.rows {
		c := t.cells[t.key(i)]
		if c == nil || slices.ContainsFunc(c.parts, func(p Part) bool { return p.Style != Note }) {
			return ""
		}
	}
	text := term.Line(m.state.Dir)
	if m.state.Model != "" {
		text += " · " + term.Line(m.state.Model)
	}
	return m.th.Paint(theme.Faint, term.Cut(text+" · /help lists keys and commands", m.cols))
}

// below returns the lines under the transcript, and where the cursor stands, by
// the first of them.
func (m *Model) below() (lines []string, cursor *tea.Cursor) {
	if m.doing != "" {
		lines = append(lines, m.loader())
	}
	if m.opening != "" {
		lines = append(lines, m.th.Paint(theme.Faint, term.Cut(term.Line(m.opening)+theme.Ellipsis+" · esc leaves it", m.cols)))
	}
	lines = append(lines, m.todoLines()...)
	lines = append(lines, m.waitingLines()...)
	told, _ := m.toldLines()
	lines = append(lines, told...)
	lines = append(lines, m.th.Paint(theme.Border, strings.Repeat("─", m.cols)))
	if len(m.asks) > 0 {
		q := m.asks[0]
		lines = append(lines, q.view(m.th, m.keys, m.cols)...)
		if q.ready {
			return m.lowered(append(lines, m.status()), nil)
		}
		lines = append(lines, m.th.Paint(theme.Border, strings.Repeat("─", m.cols)))
	}
	if m.recall != nil {
		text, at := m.recall.view(m.th, m.cols, max(m.rows/2, 4))
		at.Y += len(lines)
		return m.lowered(append(append(lines, text...), m.status()), at)
	}
	text, at := m.editor.view()
	if at != nil {
		at.Y += len(lines)
		cursor = at
	}
	lines = append(lines, text...)
	lines = append(lines, m.choiceLines()...)
	lines = append(lines, m.status())
	if len(m.choiceLines()) > 0 && len(m.asks) == 0 {
		return lines, cursor
	}
	return m.lowered(lines, cursor)
}

// lowered takes away from the top what a low screen has no room for: the editor
// counts.
func (m *Model) lowered(lines []string, cursor *tea.Cursor) ([]string, *tea.Cursor) {
	if over := len(lines) - (m.rows - 1); over > 0 {
		lines = lines[over:]
		if cursor != nil {
			cursor.Y -= over
		}
	}
	return lines, cursor
}

// loader says what is going on. It moves when something comes.
func (m *Model) loader() string {
	const wheel = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
	frames := []rune(wheel)
	sign := string(frames[m.spin%len(frames)])
	return m.th.Paint(theme.Good, sign) + m.th.Paint(theme.Faint, term.Cut(" "+term.Line(m.doing)+" · esc stops it", m.cols-1))
}

// todoLines are what is to be done: what was done is counted.
func (m *Model) todoLines() []string {
	const most = 5
	var lines []string
	done := 0
	for _, t := range m.todos {
		if t.done() {
			done++
		}
	}
	if len(m.todos) == 0 {
		return nil
	}
	lines = append(lines, m.th.Paint(theme.Strong, fmt.Sprintf("%d of %s done", done, theme.Plural(len(m.todos), "todo"))))
	shown := 0
	for _, t := range m.todos {
		if t.done() {
			continue
		}
		if shown == most {
			lines = append(lines, m.th.Paint(theme.Faint, fmt.Sprintf("  … %d more", len(m.todos)-done-most)))
			break
		}
		shown++
		sign, role := "☐ ", theme.Text
		if t.State == "in_progress" {
			sign, role = "▶ ", theme.Accent
		}
		lines = append(lines, m.th.Paint(role, term.Cut("  "+sign+term.Line(t.Text), m.cols)))
	}
	return lines
}

func (t Todo) done() bool {
	switch t.State {
	case "completed", "done", "abandoned", "cancelled":
		return true
	}
	return false
}

// waitingLines are what is to be said.
func (m *Model) waitingLines() []string {
	const most = 3
	var lines []string
	for i, s := range m.waiting {
		if i == most {
			lines = append(lines, m.th.Paint(theme.Faint, fmt.Sprintf("  … %d more", len(m.waiting)-most)))
			break
		}
		when := "steers: "
		if s.Queue == FollowUp {
			when = "then: "
		}
		lines = append(lines, m.th.Paint(theme.Faint, term.Cut("  "+when+theme.FirstLine(s.Text.String()), m.cols)))
	}
	if len(lines) > 0 {
		hint := "  " + m.keys.TakeBack.Help().Key + " takes " + map[bool]string{true: "it", false: "them"}[len(m.waiting) == 1] + " back"
		if room := m.cols - term.Width(lines[len(lines)-1]); room > term.Width(hint) {
			lines[len(lines)-1] += m.th.Paint(theme.Faint, hint)
		}
	}
	return lines
}

// status is the line at the bottom: what matters most comes first.
func (m *Model) status() string {
	s := m.state
	type piece struct {
		text string
		role theme.Role
	}
	model := term.Line(s.Model)
	if model == "" {
		model = "no model"
	}
	all := []piece{{model, theme.Strong}}
	add := func(text string, role theme.Role) {
		if text != "" {
			all = append(all, piece{text, role})
		}
	}
	if s.Unsaved > 0 {
		add(fmt.Sprintf("%d unsaved", s.Unsaved), theme.Bad)
	}
	if s.Unsent > 0 {
		add(fmt.Sprintf("%d unsent", s.Unsent), theme.Bad)
	}
	if s.Unseen != "" {
		add(term.Line(s.Unseen)+": /context", theme.Warn)
	}
	if s.Mode != "" && s.Mode != "none" {
		add(term.Line(s.Mode), theme.Warn)
	}
	add(term.Line(s.Thinking), theme.Faint)
	add(tokensText(s.Tokens, s.Window), theme.Faint)
	add(theme.Cost(s.Cost), theme.Faint)
	if s.Others != "" {
		add(theme.BusyBadge+" "+term.Line(s.Others), theme.Warn)
	}
	if !m.transcript.follow {
		add("ctrl+end to the end", theme.Faint)
	}
	add(term.Line(s.Name), theme.Text)
	var b strings.Builder
	room := m.cols
	for i, p := range all {
		if i > 0 {
			if room < 8 {
				break
			}
			b.WriteString(m.th.Paint(theme.Border, " · "))
			room -= 3
		}
		text := term.Cut(p.text, room)
		room -= term.Width(text)
		b.WriteString(m.th.Paint(p.role, text))
	}
	return b.String()
}

// tokensText is how full the window is.
func tokensText(tokens, window int) string {
	switch {
	case tokens <= 0 && window <= 0:
		return ""
	case window <= 0:
		return theme.Number(float64(tokens)) + " tokens"
	}
	share := math.Round(float64(tokens) * 100 / float64(window))
	return fmt.Sprintf("%s/%s (%.0f%%)", theme.Number(float64(tokens)), theme.Number(float64(window)), share)
}
