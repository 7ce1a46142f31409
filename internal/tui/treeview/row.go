package treeview

import (
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// listCols returns how many columns the tree has when the pane is beside it.
func (m *Model) listCols() int { return m.cols * 11 / 20 }

// columns draws the tree and the pane side by side.
func (m *Model) columns() []string {
	cols, n := m.listCols(), m.listRows()
	left, right := pad(m.list(cols), n), pad(m.paneLines(), n)
	bar := " " + m.opt.Theme.Paint(theme.Border, "│") + " "
	for i := range left {
		left[i] = term.Pad(left[i], cols) + bar + right[i]
	}
	return left
}

// list draws the rows of the tree that are on the screen.
func (m *Model) list(cols int) []string {
	th := m.opt.Theme
	if len(m.shape.rows) == 0 {
		text := "No entries"
		switch {
		case len(m.search.words) > 0 && !m.search.done:
			text = "searching …"
		case m.outline.Len() > 0:
			text = "No entries match; " + m.keys.Cycle.Help().Key + " shows others"
		}
		return []string{"", th.Paint(theme.Faint, term.Cut("  "+text, cols))}
	}
	leaf := m.shape.nearest(m.outline, m.outline.leaf)
	shift := m.shift(cols)
	var lines []string
	for row := m.top; row < min(m.top+m.listRows(), len(m.shape.rows)); row++ {
		lines = append(lines, m.row(row, cols, shift, row == leaf))
	}
	return lines
}

// levels is how many columns of forks are drawn at most.
func levels(cols int) int { return max(min(cols/8, 12), 2) }

// shift returns how many columns of forks are left out on the left, so that the
// entry at the cursor can be read however deep it is.
func (m *Model) shift(cols int) int {
	if m.cursor < 0 {
		return 0
	}
	return max(int(m.shape.of(m.cursor).depth)-levels(cols), 0)
}

// gutter draws the lines of the forks in front of a row.
func (m *Model) gutter(row, cols, shift int) string {
	s := m.shape
	of := s.of(row)
	most := levels(cols)
	var parts []string
	head := int(of.head) == row
	for x := of; x.up >= 0 && int(x.depth) > shift; x = s.stretches[x.up] {
		part := "│ "
		switch {
		case head && x.last:
			part = "└─"
		case head:
			part = "├─"
		case x.last:
			part = "  "
		}
		head = false
		if len(parts) < most {
			parts = append(parts, part)
		}
	}
	var b strings.Builder
	if shift > 0 {
		b.WriteString("‹ ")
	}
	if deep := int(of.depth) - shift; deep > most && len(parts) > 0 {
		parts[len(parts)-1] = "… "
	}
	for n := len(parts) - 1; n >= 0; n-- {
		b.WriteString(parts[n])
	}
	return b.String()
}

// row draws one row in cols cells.
func (m *Model) row(row, cols, shift int, leaf bool) string {
	at := int(m.shape.rows[row])
	chosen := row == m.cursor
	p := painter{th: m.opt.Theme, chosen: chosen, room: cols}
	if chosen {
		p.put(theme.Accent, "›")
	} else {
		p.put(theme.Text, " ")
	}
	p.put(theme.Border, m.gutter(row, cols, shift))
	switch hidden := m.shape.folded[int32(at)]; {
	case hidden > 0:
		p.put(theme.Warn, "▸ ")
	case m.outline.active[at]:
		p.put(theme.Good, "● ")
	default:
		p.put(theme.Faint, "○ ")
	}
	side := m.side(at, cols)
	p.room -= term.Width(side)
	tail := m.tail(at, p.room, leaf)
	if term.Width(tail) > p.room/2 {
		tail = term.Cut(tail, p.room/2)
	}
	p.room -= term.Width(tail)
	m.say(&p, at)
	p.room += term.Width(tail)
	p.put(theme.Warn, tail)
	p.fill()
	p.room += term.Width(side)
	p.put(theme.Faint, side)
	return p.String()
}

// say draws what an entry is and says.
func (m *Model) say(p *painter, at int) {
	if m.outline.facts.Marks[at] != "" {
		p.put(theme.Bad, theme.DamageBadge+" ")
	}
	if name := m.outline.Label(at); name != "" {
		p.put(theme.Pin, term.Cut("["+term.Line(name)+"]", max(p.room/2, 4))+" ")
	}
	g, known := m.gists.known[at]
	kind, role := m.outline.index.Kind(at), m.outline.index.Role(at)
	who := first(g.Who, role.String(), kind.String(), "entry")
	text := theme.Text
	switch {
	case g.Bad:
		text = theme.Bad
		p.put(theme.Bad, term.Line(who)+" ")
	case role == entry.RoleUser:
		text = theme.Strong
		p.put(theme.Accent, term.Line(who)+" ")
	case role == entry.RoleAssistant:
		p.put(theme.Good, term.Line(who)+" ")
	case kind == entry.Compaction || kind == entry.BranchSummary || kind == entry.ResetBoundary:
		p.put(theme.Title, "── "+term.Line(who)+" ")
	case role == entry.RoleToolResult || kind != entry.Message && kind != entry.CustomMessage:
		text = theme.Faint
		p.put(theme.Faint, term.Line(who)+" ")
	default:
		p.put(theme.Faint, term.Line(who)+" ")
	}
	if !known {
		p.put(theme.Faint, theme.Ellipsis)
		return
	}
	p.put(text, term.Line(g.Text))
}

// tail says what stands behind an entry: how many are folded, how many branches
// begin (where there is room), that the session goes on here.
func (m *Model) tail(at, room int, leaf bool) string {
	tail := ""
	if n := m.shape.folded[int32(at)]; n > 0 {
		tail += " +" + theme.Number(float64(n))
	} else if n := m.shape.kids[at]; n > 1 && room > 40 {
		tail += " " + theme.Plural(int(n), "branch")
	}
	if leaf {
		tail += " ← leaf"
		if at != m.outline.leaf {
			tail += " below"
		}
	}
	return tail
}

// side says when an entry was made and, where there is room, its id.
func (m *Model) side(at, cols int) string {
	when := ""
	t := m.outline.Time(at)
	switch {
	case cols < 44:
		return ""
	case m.times && cols >= 60:
		when = strings.Repeat(" ", 12)
		if !t.IsZero() {
			when = t.In(m.opt.Now.Location()).Format("02 Jan 15:04")
		}
	default:
		when = term.PadLeft(theme.Age(t, m.opt.Now), 3)
	}
	if cols >= 90 {
		return "  " + term.Fit(term.Line(m.outline.ID(at)), 8) + "  " + when
	}
	return "  " + when
}

// A painter writes one row piece by piece until there is no room.
type painter struct {
	strings.Builder
	th     theme.Theme
	chosen bool
	room   int
}

// put writes a piece, cut to the room that is left.
func (p *painter) put(r theme.Role, s string) {
	s = term.Cut(s, max(p.room, 0))
	p.room -= term.Width(s)
	p.WriteString(p.th.PaintRow(r, p.chosen, s))
}

// fill writes blanks up to the room that is left.
func (p *painter) fill() {
	p.put(theme.Text, strings.Repeat(" ", max(p.room, 0)))
}
