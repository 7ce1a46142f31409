package picker

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	safe "github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// The smallest window, and from which one on there is more.
const (
	minCols    = 40
	minRows    = 8
	sideCols   = 100 // the preview beside the list
	titledRows = 18  // a line of titles over the list
)

// A layout is where things are on the screen.
type layout struct {
	cols   int  // of the list
	top    int  // the first line of the list
	height int  // lines of the list
	titled bool // a line of titles is over it
	side   int  // columns of the preview beside it, 0 for none
	whole  bool // the preview takes the place of the list
}

// layout divides the window.
func (m *Model) layout() layout {
	l := layout{cols: m.cols, top: 2, titled: m.rows >= titledRows}
	switch {
	case m.cols >= sideCols && m.preview.wide:
		l.side = min(m.cols*45/100, 90)
		l.cols = m.cols - l.side - 1
	case m.cols < sideCols && m.preview.narrow:
		l.whole, l.titled = true, false
	}
	if l.titled {
		l.top++
	}
	if m.supply.away != "" {
		l.top++
	}
	l.height = max(1, m.rows-l.top-2)
	return l
}

func (m *Model) tooSmall() bool { return m.cols < minCols || m.rows < minRows }

// gutter is what stands before the name: the cursor, the mark and a blank.
const gutter = 3

// A column is one of the facts behind the name.
type column struct {
	title string
	cells int
	right bool
	role  theme.Role
	text  func(m *Model, r *row, cells int) string
	// bad says of which rows it is painted as bad; nil for none.
	bad func(r *row) bool
}

// columns are those for which a list of so many cells has room, and the cells of
// the name.
func (m *Model) columns(cells int) (all []column, name int) {
	add := func(c column) { all = append(all, c) }
	project := column{title: "PROJECT", cells: 12, role: theme.Faint, text: projectText}
	switch {
	case m.paths:
		project = column{title: "DIRECTORY", cells: max(12, cells*2/5), role: theme.Faint, text: directoryText}
	case cells >= 100:
		project.cells = 24
	case cells >= 60:
		project.cells = 14
	}
	switch {
	case m.list.all || m.paths:
		add(project)
	}
	if cells >= 50 {
		add(column{title: "AGENT", cells: 7, role: theme.Faint, text: func(_ *Model, r *row, _ int) string { return string(r.Info.Agent) }})
	}
	if cells >= 56 {
		add(column{title: "MSGS", cells: 4, right: true, role: theme.Faint, text: func(_ *Model, r *row, _ int) string {
			return theme.Number(float64(r.Info.Messages))
		}})
	}
	if cells >= 74 {
		add(column{title: "SIZE", cells: 4, right: true, role: theme.Faint, text: func(_ *Model, r *row, _ int) string { return theme.Size(r.Info.Size) }})
	}
	if cells >= 64 {
		add(column{title: "COST", cells: 6, right: true, role: theme.Faint, text: func(_ *Model, r *row, _ int) string {
			return theme.Cost(r.Info.Usage.Cost)
		}})
	}
	status := column{cells: 1, role: theme.Warn, text: func(_ *Model, r *row, _ int) string { return statusSign(&r.Info) }, bad: failed}
	if cells >= 96 {
		status.title, status.cells = "STATUS", 11
		status.text = func(_ *Model, r *row, _ int) string { return statusWord(&r.Info) }
	}
	if cells >= 46 {
		add(status)
	}
	add(column{title: "AGE", cells: 3, right: true, role: theme.Faint, text: func(m *Model, r *row, _ int) string {
		return theme.Age(r.Info.Modified, m.opt.Now())
	}})
	return fitting(all, cells)
}

// wantedName is for how many cells of the name columns are left out.
const wantedName = 26

// fitting leaves out columns until there is room for the name.
func fitting(all []column, cells int) ([]column, int) {
	name := cells - gutter
	for _, c := range all {
		name -= c.cells + 1
	}
	for _, title := range []string{"SIZE", "COST", "MSGS", "AGENT"} {
		at := slices.IndexFunc(all, func(c column) bool { return c.title == title })
		if name < wantedName && at >= 0 {
			name += all[at].cells + 1
			all = slices.Delete(all, at, at+1)
		}
	}
	return all, name
}

func projectText(_ *Model, r *row, _ int) string { return r.project }

func directoryText(m *Model, r *row, cells int) string {
	return safe.CutLeft(safe.Line(m.tilde(r.Info.CWD)), cells)
}

func failed(r *row) bool { return r.Info.Damaged || r.Info.Status == catalog.Failed }

// statusWord is how a conversation stands; a finished one needs no word.
func statusWord(i *catalog.Info) string {
	switch {
	case i.Damaged:
		return "damaged"
	case i.Status == catalog.Complete, i.Status == catalog.UnknownEnd:
		return ""
	}
	return string(i.Status)
}

// statusSign is statusWord in one cell; that of a damaged one is its badge.
func statusSign(i *catalog.Info) string {
	if i.Damaged {
		return ""
	}
	return theme.StatusSign(string(i.Status))
}

// A piece is text of one role.
type piece struct {
	text string
	role theme.Role
}

// line draws a row in so many cells.
func (m *Model) line(r *row, chosen bool, columns []column, name int) string {
	var b strings.Builder
	put := func(role theme.Role, text string) { b.WriteString(m.opt.Theme.PaintRow(role, chosen, text)) }
	if chosen {
		put(theme.Accent, "›")
	} else {
		put(theme.Text, " ")
	}
	if m.marked[r.Info.Path] {
		put(theme.Pin, theme.MarkBadge+" ")
	} else {
		put(theme.Text, "  ")
	}
	for _, p := range m.nameCell(r, name) {
		put(p.role, p.text)
	}
	for _, c := range columns {
		text := safe.Cut(safe.Line(c.text(m, r, c.cells)), c.cells)
		if c.right {
			text = safe.PadLeft(text, c.cells)
		} else {
			text = safe.Pad(text, c.cells)
		}
		role := c.role
		if c.bad != nil && c.bad(r) {
			role = theme.Bad
		}
		put(role, " "+text)
	}
	return b.String()
}

// nameCell is the name with its badges in exactly so many cells.
func (m *Model) nameCell(r *row, cells int) (all []piece) {
	left := cells
	badge := func(role theme.Role, sign string) {
		if w := safe.Width(sign); left > w {
			all = append(all, piece{sign, role})
			left -= w
		}
	}
	thread := m.list.now() == byThread
	if thread && r.depth > 0 {
		badge(theme.Faint, strings.Repeat("  ", min(r.depth-1, 8))+theme.ForkBadge+" ")
	}
	if r.Info.Pinned {
		badge(theme.Pin, theme.PinBadge+" ")
	}
	if len(r.Info.Busy) > 0 {
		sign := theme.MaybeBusy
		if r.Info.Busy[0].Sure {
			sign = theme.BusyBadge
		}
		badge(theme.Good, sign+" ")
	}
	if r.Info.Damaged {
		badge(theme.Bad, theme.DamageBadge+" ")
	}
	if r.Info.Forked && r.depth == 0 {
		badge(theme.Faint, theme.ForkBadge+" ")
	}
	role := theme.Text
	switch {
	case r.Info.Damaged && r.Info.Messages == 0:
		role = theme.Bad
	case r.Info.Named:
		role = theme.Strong
	}
	text := safe.Cut(r.name, left)
	blank := left - safe.Width(text)
	all = append(all, spotted(text, r.joined(), role)...)
	if blank > 0 {
		all = append(all, piece{strings.Repeat(" ", blank), theme.Text})
	}
	return all
}

// spotted divides a name, which may be cut, where something is found in it.
func spotted(text string, spots [][2]int, role theme.Role) (all []piece) {
	end := len(strings.TrimSuffix(text, theme.Ellipsis))
	at := 0
	for _, s := range spots {
		if s[0] >= end {
			break
		}
		if s[0] > at {
			all = append(all, piece{text[at:s[0]], role})
		}
		at = min(s[1], end)
		all = append(all, piece{text[s[0]:at], theme.Match})
	}
	if at < len(text) {
		all = append(all, piece{text[at:], role})
	}
	return all
}

// tilde writes the home directory as "~".
func (m *Model) tilde(p string) string {
	home := m.opt.Home
	if rest, ok := strings.CutPrefix(p, home); ok && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return p
}
