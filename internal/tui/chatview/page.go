package chatview

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// laid are the lines of a page, as wide as the screen.
func (p *Page) laid(cols int) []string {
	var all []string
	for _, line := range p.Lines {
		all = append(all, term.Wrap(term.Safe(line), cols)...)
	}
	return all
}

// pageFrame is how many lines stand around those of a page.
const pageFrame = 3

// view draws a page on its own.
func (p *Page) view(th theme.Theme, cols, rows int) string {
	all, room := p.laid(cols), max(rows-pageFrame, 1)
	top := p.bound(p.top, cols, rows)
	lines := []string{th.Paint(theme.Title, term.Cut(term.Line(p.Title), cols)), ""}
	lines = append(lines, all[top:min(top+room, len(all))]...)
	for len(lines) < rows-1 {
		lines = append(lines, "")
	}
	foot := "esc goes back"
	if len(all) > room {
		foot = fmt.Sprintf("%d-%d of %s   ↑ ↓ pgup pgdn   %s", top+1, min(top+room, len(all)), theme.Plural(len(all), "line"), foot)
	}
	return theme.Frame(append(lines, th.Paint(theme.Faint, term.Cut(foot, cols))), cols, rows)
}

// bound is the nearest first line to one that leaves no room empty.
func (p *Page) bound(top, cols, rows int) int {
	return max(0, min(top, len(p.laid(cols))-max(rows-pageFrame, 1)))
}

// scrollPage moves what is in sight of the page by so many lines.
func (m *Model) scrollPage(by int) {
	p := *m.page
	p.top = p.bound(p.bound(p.top, m.cols, m.rows)+by, m.cols, m.rows)
	m.page = &p
}

// readPage takes a key while a page is read.
func (m *Model) readPage(msg tea.KeyPressMsg) {
	k, whole := m.keys, len(m.page.Lines)*max(m.cols, 1)
	page := max(m.rows-pageFrame-1, 1)
	switch name := strings.ToLower(msg.String()); {
	case key.Matches(msg, k.Abort), key.Matches(msg, k.Exit), key.Matches(msg, k.Leave), name == "q", name == "enter":
		m.page = nil
	case key.Matches(msg, k.Older), name == "k":
		m.scrollPage(-1)
	case key.Matches(msg, k.Newer), name == "j":
		m.scrollPage(1)
	case key.Matches(msg, k.PageUp):
		m.scrollPage(-page)
	case key.Matches(msg, k.PageDown), name == "space":
		m.scrollPage(page)
	case slices.Contains([]string{"home", "ctrl+home"}, name):
		m.scrollPage(-whole)
	case slices.Contains([]string{"end", "ctrl+end"}, name):
		m.scrollPage(whole)
	}
}
