package chatview

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A recall is a search through the prompts that were typed before, in the place
// of the editor, which keeps what is in it.
type recall struct {
	field  textinput.Model
	seq    int
	all    []Choice
	chosen int
	waits  bool // for an answer
	takes  bool // what is found is taken as soon as the answer comes
}

// mostQuery is how much may be typed to search for.
const mostQuery = 200

// beginRecall opens the search.
func (m *Model) beginRecall() tea.Cmd {
	f := textinput.New()
	f.Prompt, f.CharLimit = "", mostQuery
	f.KeyMap.Paste.SetEnabled(false) // the terminal pastes
	_ = f.Focus()                    // its command only blinks a cursor that is the terminal's
	m.choices.close()
	m.recall = &recall{field: f, seq: m.recalls}
	return m.wish(m.recall.ask())
}

// ask wants what matches.
func (r *recall) ask() Recall {
	r.seq++
	r.waits, r.takes = true, false
	return Recall{r.seq, r.field.Value()}
}

// recalled shows what was found, if nothing else was typed since, and takes it for
// who did not wait to see it.
func (m *Model) recalled(f Recalled) {
	r := m.recall
	if r == nil || f.Seq != r.seq {
		return
	}
	r.all, r.chosen, r.waits = f.All, 0, false
	if r.takes {
		m.takeRecalled()
	}
}

// takeRecalled puts the chosen prompt into the editor. Before the answer has come
// what is on the screen is not what was searched for.
func (m *Model) takeRecalled() {
	r := m.recall
	r.takes = r.waits
	if r.waits || r.chosen >= len(r.all) {
		return
	}
	m.editor.keep(false)
	m.editor.set(r.all[r.chosen].Text)
	m.recall = nil
}

// typedInRecall takes what goes into the field of the search.
func (m *Model) typedInRecall(msg tea.Msg) tea.Cmd {
	r := m.recall
	was := r.field.Value()
	if p, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: term.Line(p.Content)}
	}
	r.field, _ = r.field.Update(msg)
	if r.field.Value() == was {
		return nil
	}
	return m.wish(r.ask())
}

// recalling takes a key while prompts are searched.
func (m *Model) recalling(msg tea.KeyPressMsg) tea.Cmd {
	k, r := m.keys, m.recall
	switch {
	case key.Matches(msg, k.Abort), key.Matches(msg, k.Exit):
		m.recall = nil
		return nil
	case key.Matches(msg, k.Send), key.Matches(msg, k.Take):
		m.takeRecalled()
		return nil
	case key.Matches(msg, k.Newer), key.Matches(msg, k.Recall):
		r.chosen = min(r.chosen+1, max(len(r.all)-1, 0))
		return nil
	case key.Matches(msg, k.Older):
		r.chosen = max(r.chosen-1, 0)
		return nil
	}
	return m.typedInRecall(msg)
}

// view draws the field, what was found and what the keys do, in at most high
// lines.
func (r *recall) view(th theme.Theme, cols, high int) ([]string, *tea.Cursor) {
	const label = "search prompts: "
	typed := []rune(r.field.Value())
	at := min(r.field.Position(), len(typed))
	wide := max(cols-term.Width(label)-1, 8)
	before := term.CutLeft(term.Line(string(typed[:at])), wide)
	x := term.Width(before)
	lines := []string{th.Paint(theme.Accent, label) + before + term.Cut(term.Line(string(typed[at:])), wide-x)}
	cursor := tea.NewCursor(term.Width(label)+x, 0)
	room := max(high-2, 1)
	from := max(0, min(r.chosen-room/2, len(r.all)-room))
	for i := from; i < min(from+room, len(r.all)); i++ {
		c, chosen := r.all[i], i == r.chosen
		help := term.Cut(term.Line(c.Help), cols/3)
		text := strings.Join(strings.Fields(term.Line(c.Text)), " ")
		wide := max(cols-term.Width(help)-4, 8)
		lines = append(lines, th.PaintRow(theme.Text, chosen, "  "+term.Fit(text, wide)+"  ")+th.PaintRow(theme.Faint, chosen, help))
	}
	foot := "enter takes it   esc leaves everything as it is"
	switch {
	case len(r.all) > room:
		foot = fmt.Sprintf("%d of %d   ", r.chosen+1, len(r.all)) + foot
	case len(r.all) == 0 && r.waits:
		foot = "searching" + theme.Ellipsis
	case len(r.all) == 0:
		foot = "no prompts found   esc leaves everything as it is"
	}
	return append(lines, th.Paint(theme.Faint, term.Cut(foot, cols))), cursor
}
