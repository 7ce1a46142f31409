package chatview

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A CommandHelp is a command that may be typed behind a slash.
type CommandHelp struct {
	Name, Arguments, Help string
	// Completes says that its argument can be completed.
	Completes bool
}

// mostChoices is how many choices are shown at once.
const mostChoices = 6

// A completion is the list of what may stand in the place of a word.
type completion struct {
	seq    int
	word   string // that it is for
	all    []Choice
	chosen int
}

// complete looks at what is typed and says what may stand there: commands are
// known, the rest is asked for.
func (m *Model) complete() tea.Cmd {
	word, line := m.editor.word()
	m.choices.seq++
	if m.choices.word != word {
		m.choices.chosen = 0
	}
	m.choices.word = word
	name, argument, spaced := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	switch {
	case strings.HasPrefix(line, "/") && !spaced:
		m.choices.all = nil
		for _, c := range m.opt.Commands {
			if strings.HasPrefix(c.Name, name) {
				m.choices.all = append(m.choices.all, Choice{Text: "/" + c.Name, Arguments: c.Arguments, Help: c.Help})
			}
		}
		return nil
	case strings.HasPrefix(line, "/") && m.command(name).Completes:
		return m.wish(Complete{m.choices.seq, name, spelled(argument, nil)})
	case strings.HasPrefix(word, "@"):
		return m.wish(Complete{m.choices.seq, "", spelled(word[1:], nil)})
	}
	m.choices.all = nil
	return nil
}

// command returns the command of a name.
func (m *Model) command(name string) CommandHelp {
	for _, c := range m.opt.Commands {
		if c.Name == name {
			return c
		}
	}
	return CommandHelp{}
}

// close takes the list away. What was asked for and comes late is not for it.
func (c *completion) close() {
	c.seq++
	c.all = nil
}

// chooseFrom takes what was asked for, unless it was sent meanwhile.
func (m *Model) chooseFrom(c Choices) {
	if c.Seq == m.choices.seq && m.editor.text() != "" {
		m.choices.all = c.All
		m.choices.chosen = min(m.choices.chosen, max(len(c.All)-1, 0))
	}
}

// take puts the choice into the editor. It reports false where there is none.
func (m *Model) take() bool {
	if len(m.choices.all) == 0 {
		return false
	}
	text := m.choices.all[m.choices.chosen].Text
	word, line := m.editor.word()
	if strings.HasPrefix(line, "/") && strings.Contains(line, " ") {
		_, word, _ = strings.Cut(line, " ") // an argument may hold blanks
	}
	if !strings.HasSuffix(text, "/") || strings.HasPrefix(text, "/") {
		text += " "
	}
	m.editor.replace(word, text)
	m.choices.close()
	return true
}

// choiceLines draws the list.
func (m *Model) choiceLines() []string {
	c := m.choices
	from := max(0, min(c.chosen-mostChoices/2, len(c.all)-mostChoices))
	names := 0
	for _, x := range c.all {
		names = max(names, term.Width(x.line()))
	}
	names = min(names, m.cols*2/3)
	var lines []string
	for i := from; i < min(from+mostChoices, len(c.all)); i++ {
		x := c.all[i]
		row := i == c.chosen
		help := term.Cut(term.Line(x.Help), max(m.cols-names-6, 0))
		line := m.th.PaintRow(theme.Text, row, "  "+term.Fit(x.line(), names)+"  ") + m.th.PaintRow(theme.Faint, row, help)
		lines = append(lines, line)
	}
	if more := len(c.all) - len(lines); more > 0 {
		lines = append(lines, m.th.Paint(theme.Faint, term.Cut(fmt.Sprintf("  … %d more, with ↑ and ↓", more), m.cols)))
	}
	return lines
}

// line is what may be typed, with what may follow.
func (c Choice) line() string {
	if c.Arguments == "" {
		return term.Line(c.Text)
	}
	return term.Line(c.Text + " " + c.Arguments)
}
