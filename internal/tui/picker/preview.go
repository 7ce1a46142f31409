package picker

import (
	"fmt"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"
	safe "github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A preview is what is shown of the session at the cursor.
type preview struct {
	wide, narrow bool               // it is shown in a wide window, in a narrow one
	kept         map[string]Preview // what is known, by path
	stale        map[string]bool    // the session changed since
	waiting      string             // the session whose preview was asked for
	path         string             // whose lines these are
	lines        []string
	top          int // the first line that is shown
}

// maxKept is how many previews are kept.
const maxKept = 64

// How many lines of one text are shown.
const (
	firstLines = 8
	saidLines  = 12
)

// from are the lines from the first that is shown.
func (p *preview) from() []string { return p.lines[min(p.top, len(p.lines)):] }

// look draws the preview of the session at the cursor anew and asks for what it
// does not know yet: of one session at a time, so that moving fast asks for
// little.
func (m Model) look() (Model, tea.Cmd) {
	m = m.drawn()
	p := &m.preview
	if _, ok := p.kept[p.path]; ok && !p.stale[p.path] || p.path == "" || p.waiting != "" {
		return m, nil
	}
	delete(p.stale, p.path)
	p.waiting = p.path
	return m, m.opt.Preview(p.path)
}

// drawn draws the preview anew, if there is one to be seen.
func (m Model) drawn() Model {
	l := m.layout()
	cells := l.side - 2
	if l.whole {
		cells = m.cols - 1
	}
	r := m.current()
	if m.opt.Preview == nil || cells <= 0 || r == nil || m.tooSmall() {
		m.preview.lines, m.preview.path = nil, ""
		return m
	}
	p := &m.preview
	if p.path != r.Info.Path {
		p.path, p.top = r.Info.Path, 0
	}
	p.lines = m.previewLines(r, cells)
	return m
}

// previewed takes a preview.
func (m Model) previewed(got Preview) (Model, tea.Cmd) {
	p := &m.preview
	if got.Path != p.waiting {
		return m, nil // nobody asked
	}
	next := got.Next
	got.Next = nil
	kept := make(map[string]Preview, len(p.kept)+1)
	if len(p.kept) < maxKept {
		maps.Copy(kept, p.kept)
	}
	switch {
	case next == nil:
		kept[got.Path], p.waiting = got, ""
	case got.Path == m.cursor.path:
		kept[got.Path] = got
	default: // nobody looks any more
		next, p.waiting = nil, ""
	}
	p.kept = kept
	m, look := m.look()
	return m, tea.Batch(look, next)
}

// peek scrolls the preview.
func (m Model) peek(lines int) Model {
	p := &m.preview
	p.top = max(0, min(p.top+lines, len(p.lines)-m.layout().height/2))
	return m
}

// A page gathers lines of so many cells.
type page struct {
	t     *theme.Theme
	cells int
	lines []string
}

// text adds a text, at most so many lines of it.
func (p *page) text(role theme.Role, text string, most int) {
	// What cannot be shown need not be wrapped.
	text = strings.TrimSpace(safe.Safe(cutBytes(text, 4*p.cells*(most+1))))
	if text == "" {
		return
	}
	lines := safe.Wrap(text, p.cells)
	for i, line := range lines {
		if i == most {
			p.lines = append(p.lines, p.t.Paint(theme.Faint, theme.Ellipsis))
			return
		}
		p.lines = append(p.lines, p.t.Paint(role, line))
	}
}

// head adds an empty line and a heading.
func (p *page) head(role theme.Role, text string) {
	p.lines = append(p.lines, "", p.t.Paint(role, safe.Cut(safe.Line(text), p.cells)))
}

// previewLines are the lines about a session: what the list knows of it at once,
// the rest when it is known.
func (m *Model) previewLines(r *row, cells int) []string {
	p := &page{t: &m.opt.Theme, cells: cells}
	got, known := m.preview.kept[r.Info.Path]
	m.summary(p, r)
	if match := m.list.inTexts(r); match != nil && len(m.list.query.terms) > 0 {
		p.head(theme.Title, "Found")
		p.lines = append(p.lines, highlight(p.t, match, cells))
	}
	switch {
	case !known:
		p.head(theme.Faint, "reading …")
		return p.lines
	case got.Err != nil:
		p.lines = append(p.lines, "")
		p.text(theme.Bad, got.Err.Error(), firstLines)
	}
	first := got.First
	if first == "" && r.Info.Messages > 0 {
		first = r.Info.FirstMessage
	}
	again := len(got.Last) > 0 && strings.HasPrefix(first, got.Last[0].Text)
	if first != "" && !again && strings.Join(strings.Fields(first), " ") != r.name {
		p.head(theme.Title, "First prompt")
		p.text(theme.Text, first, firstLines)
	}
	p.places("Labels", got.Labels)
	p.places("Other branches", got.Tips)
	p.last(got.Last, m.rows-4-len(p.lines))
	p.lines = append(p.lines, "")
	p.text(theme.Faint, m.tilde(r.Info.Path), 4)
	return p.lines
}

// summary adds what the list knows of a session.
func (m *Model) summary(p *page, r *row) {
	i := &r.Info
	p.text(theme.Strong, r.name, 3)
	facts := []string{string(i.Agent), m.tilde(i.CWD)}
	if age := theme.Age(i.Modified, m.opt.Now()); age != "" {
		facts = append(facts, age)
	}
	facts = append(facts, theme.Plural(i.Messages, "message"), theme.Size(i.Size))
	for _, more := range []string{theme.Cost(i.Usage.Cost), i.Model, statusWord(i)} {
		if more != "" {
			facts = append(facts, more)
		}
	}
	p.text(theme.Faint, strings.Join(facts, " · "), 4)
	if i.Forked {
		p.text(theme.Faint, theme.ForkBadge+" fork of "+m.tilde(i.Parent), 2)
	}
	if len(i.Busy) > 0 {
		p.text(theme.Good, theme.BusyBadge+" "+holders(i), 3)
	}
	if i.Damaged {
		p.text(theme.Bad, theme.DamageBadge+" "+i.Detail, 3)
	}
	for _, note := range m.preview.kept[i.Path].Notes {
		p.text(theme.Bad, theme.DamageBadge+" "+note, 3)
	}
}

// last adds the last of messages: as many as there are lines for, and one in any
// case, so that the last one is seen.
func (p *page) last(all []Said, height int) {
	var lines []string
	for i := len(all) - 1; i >= 0; i-- {
		one := page{t: p.t, cells: p.cells}
		one.said(all[i])
		if len(lines) > 0 {
			one.lines = append(one.lines, "")
		}
		if len(lines) > 0 && len(one.lines)+len(lines)+2 > height {
			break
		}
		lines = append(one.lines, lines...)
	}
	if len(lines) > 0 {
		p.head(theme.Title, "Last messages")
		p.lines = append(p.lines, lines...)
	}
}

// said adds a message.
func (p *page) said(s Said) {
	role := theme.Faint
	if s.Role == "user" {
		role = theme.Accent
	}
	p.lines = append(p.lines, p.t.Paint(role, safe.Cut(safe.Line(s.Role), p.cells)))
	p.text(theme.Text, s.Text, saidLines)
}

// places adds entries.
func (p *page) places(head string, all []Place) {
	const most = 5
	if len(all) == 0 {
		return
	}
	p.head(theme.Title, head)
	for i, at := range all {
		if i == most {
			p.lines = append(p.lines, p.t.Paint(theme.Faint, fmt.Sprintf("and %d more", len(all)-most)))
			return
		}
		name := safe.Cut(safe.Line(at.Name), p.cells/2)
		text := safe.Cut(safe.Line(at.Text), p.cells-safe.Width(name)-2)
		p.lines = append(p.lines, p.t.Paint(theme.Accent, name)+"  "+p.t.Paint(theme.Text, text))
	}
}

// highlight draws a snippet in so many cells, what was found in it marked.
func highlight(t *theme.Theme, match *TextMatch, cells int) string {
	var b strings.Builder
	put := func(text string, role theme.Role) {
		text = safe.Cut(safe.Line(text), cells)
		cells -= safe.Width(text)
		b.WriteString(t.Paint(role, text))
	}
	ranges, units, start, role := match.Ranges, 0, 0, theme.Text
	for at, c := range match.Snippet {
		for len(ranges) > 0 && units >= ranges[0][1] {
			put(match.Snippet[start:at], role)
			start, role, ranges = at, theme.Text, ranges[1:]
		}
		if len(ranges) > 0 && units == ranges[0][0] {
			put(match.Snippet[start:at], role)
			start, role = at, theme.Match
		}
		if units++; c > 0xFFFF {
			units++
		}
	}
	put(match.Snippet[start:], role)
	return b.String()
}
