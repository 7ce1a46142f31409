package picker

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	"github.com/cambium-dev/cambium/catalog"
	safe "github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/dustin/go-humanize"
)

// status is the line above the help bar: a question, an answer, or what is going
// on; and the column of the cursor if it is a field.
func (m *Model) status(l layout) (string, int) {
	t := &m.opt.Theme
	switch m.dialog.mode {
	case deleting:
		return t.Paint(theme.Warn, m.question()), 0
	case renaming, labelling, moving:
		return m.editorLine()
	}
	line := func(role theme.Role, text string) (string, int) {
		return t.Paint(role, safe.Cut(safe.Line(text), m.cols)), 0
	}
	switch {
	case m.told.Text != "":
		role, hint := theme.Good, ""
		if m.told.Bad {
			role = theme.Bad
		}
		if m.told.Undo {
			hint = " · " + m.keys.UndoOffer.Help().Key + " takes it back"
		}
		return t.Paint(role, safe.Cut(safe.Line(m.told.Text), m.cols-len(hint))) + t.Paint(theme.Faint, hint), 0
	case m.supply.err != nil:
		return line(theme.Bad, m.supply.err.Error())
	case !m.supply.done && m.supply.read.Total > 0:
		return line(theme.Faint, fmt.Sprintf("reading sessions: %s of %s", humanize.Comma(int64(m.supply.read.Done)), humanize.Comma(int64(m.supply.read.Total))))
	case !m.supply.done:
		return line(theme.Faint, "reading sessions …")
	}
	if r := m.current(); r != nil && m.paths {
		return t.Paint(theme.Faint, safe.CutLeft(safe.Line(m.tilde(r.Info.Path)), m.cols)), 0
	}
	return m.found(l), 0
}

// found is where in the texts of the session at the cursor something is found,
// where the preview does not say so, or that texts are being searched.
func (m *Model) found(l layout) string {
	t := &m.opt.Theme
	if l.side == 0 && !l.whole {
		if r := m.current(); r != nil && len(m.list.query.terms) > 0 {
			if match := m.list.inTexts(r); match != nil {
				role := safe.Cut(safe.Line(match.Role), 12) + ": "
				return t.Paint(theme.Faint, role) + highlight(t, match, m.cols-safe.Width(role))
			}
		}
	}
	for i := range m.list.query.terms {
		if set := m.list.texts[m.list.query.terms[i].key()]; set != nil && set.err != nil {
			return t.Paint(theme.Bad, safe.Cut(safe.Line(set.err.Error()), m.cols))
		}
	}
	if m.list.searching() {
		return t.Paint(theme.Faint, "searching all that was said …")
	}
	return ""
}

// question asks whether to delete.
func (m *Model) question() string {
	what := theme.Plural(len(m.dialog.target), "session")
	if r := m.list.byPath[m.dialog.target[0]]; len(m.dialog.target) == 1 && r != nil {
		what = fmt.Sprintf("“%s”", safe.Cut(r.name, max(8, m.cols-44)))
	}
	return safe.Cut(fmt.Sprintf("Move %s to the trash? %s yes · %s no", what, m.keys.Yes.Help().Key, m.keys.No.Help().Key), m.cols)
}

// editorLine is the line of the editor and the column of its cursor.
func (m *Model) editorLine() (string, int) {
	prompt := map[mode]string{renaming: "Name: ", labelling: "Label: ", moving: "Move to directory: "}[m.dialog.mode]
	text, x := fieldView(&m.dialog.editor, m.cols-len(prompt)-1)
	return m.opt.Theme.Paint(theme.Accent, prompt) + text, len(prompt) + x
}

// bar is the help bar of the mode.
func (m *Model) bar() string {
	here := m.keys
	if m.list.all {
		here.Scope.SetHelp(here.Scope.Help().Key, "this project")
	}
	keys := here.bar()
	switch m.dialog.mode {
	case deleting:
		keys = []key.Binding{m.keys.Yes, m.keys.No}
	case renaming, labelling, moving:
		save := m.keys.Accept
		save.SetHelp(save.Help().Key, "save")
		keys = []key.Binding{save, m.keys.Cancel}
	case browsing:
		if m.field.Value() != "" { // a question mark is searched for, then
			keys[len(keys)-1] = m.keys.HelpAnywhere
		}
	}
	return m.opt.Theme.HelpBar(keys, m.cols)
}

// helpLines are all keys.
func (m *Model) helpLines() []string {
	lines := m.opt.Theme.HelpPage(m.keys.page(), m.cols-2)
	signs := fmt.Sprintf("%s pinned  %s open elsewhere  %s perhaps open  %s damaged  %s fork of another  %s marked",
		theme.PinBadge, theme.BusyBadge, theme.MaybeBusy, theme.DamageBadge, theme.ForkBadge, theme.MarkBadge)
	ends := "? no answer yet  ~ interrupted  - stopped  x failed"
	search := `Search: words in any order, "a phrase", re:a regular expression`
	lines = append(lines, "")
	for _, text := range []string{search, signs, ends} {
		for _, line := range safe.Wrap(text, m.cols-2) {
			lines = append(lines, m.opt.Theme.Paint(theme.Faint, line))
		}
	}
	return lines
}

// helpView is the screen with all keys.
func (m *Model) helpView() string {
	t := &m.opt.Theme
	lines := []string{t.Paint(theme.Title, "Keys")}
	all := m.helpLines()
	height := m.rows - 2
	from := max(0, min(m.dialog.help, len(all)-height))
	for i := range height {
		line := ""
		if from+i < len(all) {
			line = " " + all[from+i]
		}
		lines = append(lines, line)
	}
	foot := "any key goes back"
	if len(all) > height {
		foot = "↑ ↓ for more, " + foot
	}
	return theme.Frame(append(lines, t.Paint(theme.Faint, foot)), m.cols, m.rows)
}

// holders says who has a session open.
func holders(i *catalog.Info) string {
	var all []string
	for _, h := range i.Busy {
		all = append(all, h.String())
	}
	return strings.Join(all, ", ")
}
