package treeview

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A reading is the pane with the whole text of one entry.
type reading struct {
	where pane
	entry int // whose text it is, or is to be; -1 for none
	body  *Body
	lines []string // of the text, in width
	width int
	top   int
}

// forget lets the text be asked for again.
func (r *reading) forget() { r.entry, r.body, r.lines = -1, nil, nil }

// ask returns the command that reads the text of an entry, if it is not here or
// on its way.
func (r *reading) ask(at int, body func(int) tea.Cmd) tea.Cmd {
	if r.where == closed || at < 0 || at == r.entry || body == nil {
		return nil
	}
	r.entry, r.body, r.lines, r.top = at, nil, nil, 0
	return body(at)
}

// take takes a text in, if it is still wanted.
func (r *reading) take(b Body) {
	if b.Entry == r.entry {
		r.body, r.lines, r.width = &b, nil, 0
	}
}

// lay breaks the text into lines of a width.
func (r *reading) lay(width int) {
	if r.body == nil || r.width == width {
		return
	}
	r.width, r.lines = width, nil
	text := strings.TrimRight(term.Safe(r.body.Text), " \t\n")
	if text != "" {
		r.lines = term.Wrap(text, width)
	}
	if r.body.Clipped > 0 {
		r.lines = append(r.lines, "", fmt.Sprintf("… %s more", term.Bytes(r.body.Clipped)))
	}
	if len(r.lines) == 0 {
		r.lines = []string{"(nothing said)"}
	}
}

// scroll moves the text by rows, so many of which are on the screen.
func (r *reading) scroll(by, rows int) {
	r.top = max(min(r.top+by, len(r.lines)-rows), 0)
}

// paneSize returns the columns and rows of the pane, its frame left out.
func (m *Model) paneSize() (cols, rows int) {
	switch {
	case m.pane.where == alone:
		return m.cols, m.rows - 4
	case m.wide():
		return m.cols - m.listCols() - 3, m.rows - 4
	}
	return m.cols, m.rows - 4 - m.listRows() - 1
}

// layPane breaks the text for the pane as it is now.
func (m *Model) layPane() {
	if m.pane.where == closed || m.outline == nil {
		return
	}
	cols, _ := m.paneSize()
	m.pane.lay(cols)
	m.readOn(0)
}

// readOn scrolls the text.
func (m *Model) readOn(by int) { m.pane.scroll(by, m.textRows(len(m.paneHead()))) }

// textRows returns how many rows of the pane are for the text below its head.
func (m *Model) textRows(head int) int {
	_, rows := m.paneSize()
	return max(rows-head-1, 1)
}

// paneLines draws the pane: who, when, what is to be known, the text.
func (m *Model) paneLines() []string {
	th := m.opt.Theme
	cols, _ := m.paneSize()
	lines := m.paneHead()
	if m.cursor < 0 || m.pane.body == nil {
		return lines
	}
	room := m.textRows(len(lines))
	end := min(m.pane.top+room, len(m.pane.lines))
	place := ""
	if len(m.pane.lines) > room {
		place = fmt.Sprintf("%d–%d of %s", m.pane.top+1, end, theme.Plural(len(m.pane.lines), "line"))
	}
	lines = append(lines, th.Paint(theme.Faint, term.Cut(place, cols)))
	for _, line := range m.pane.lines[m.pane.top:end] {
		lines = append(lines, th.Paint(theme.Text, line))
	}
	return lines
}

// paneHead draws what stands above the text.
func (m *Model) paneHead() []string {
	cols, _ := m.paneSize()
	at, id := m.Selected()
	if at < 0 {
		return nil
	}
	th, zone := m.opt.Theme, m.opt.Now.Location()
	head := []string{term.Line(first(m.gists.known[at].Who, m.outline.index.Kind(at).String()))}
	if t := m.outline.Time(at); !t.IsZero() {
		head = append(head, t.In(zone).Format("2 Jan 2006 15:04:05"))
	}
	if id != "" {
		head = append(head, term.Line(id))
	}
	lines := []string{th.Paint(theme.Strong, term.Cut(strings.Join(head, " · "), cols))}
	if name := m.outline.Label(at); name != "" {
		text := "label " + term.Line(name)
		if t := m.outline.LabelTime(at); !t.IsZero() {
			text += ", given " + t.In(zone).Format("2 Jan 2006 15:04")
		}
		lines = append(lines, th.Paint(theme.Pin, term.Cut(text, cols)))
	}
	if mark := m.outline.facts.Marks[at]; mark != "" {
		for _, line := range term.Wrap(theme.DamageBadge+" "+term.Line(mark), cols) {
			lines = append(lines, th.Paint(theme.Bad, line))
		}
	}
	if m.pane.body == nil {
		return append(lines, th.Paint(theme.Faint, theme.Ellipsis))
	}
	for _, note := range m.pane.body.Notes {
		lines = append(lines, th.Paint(theme.Faint, term.Cut(term.Line(note), cols)))
	}
	return lines
}

func first(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}
