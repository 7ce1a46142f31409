package chatview

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// mostTold is how many notices are told at once.
const mostTold = 3

// tell adds a notice to those that are told. What is told already is told once.
func (m *Model) tell(t Told) {
	if t.Text == "" {
		return
	}
	all := slices.DeleteFunc(slices.Clone(m.told), func(old Told) bool { return old.Text == t.Text })
	all = append(all, t)
	m.told = all[max(0, len(all)-mostTold):]
}

// toldLines are what is told, in a third of the screen: the newest notice first
// takes what it needs of that. cut says that there is more of one.
func (m *Model) toldLines() (lines []string, cut bool) {
	left := max(m.rows/3, 2)
	for i, t := range slices.Backward(m.told) {
		room := max(left-i, 1) // each of the older ones has a line
		all := noticeLines(t.Text, m.cols-2)
		if len(all) > room {
			all, cut = m.clipped(all, room), true
		}
		left -= len(all)
		role, sign := theme.Faint, "· "
		if t.Bad {
			role, sign = theme.Bad, "✗ "
		}
		for j := range all {
			all[j] = m.th.Paint(role, sign+all[j])
			sign = "  "
		}
		lines = append(all, lines...)
	}
	return lines, cut
}

// toldCut reports whether there is more of what is told than is shown.
func (m *Model) toldCut() bool {
	_, cut := m.toldLines()
	return cut
}

// clipped leaves the first line and the last ones, which hold the cause and what
// to do, and says between them how all are seen.
func (m *Model) clipped(all []string, room int) []string {
	mark := " " + theme.Ellipsis + " " + m.keys.Tools.Help().Key + " shows all"
	first := strings.TrimSuffix(term.Cut(all[0], max(m.cols-2-term.Width(mark), 4)), theme.Ellipsis) + mark
	return append([]string{first}, all[len(all)-room+1:]...)
}

// noticeLines wraps a notice. Paths of one that is long are shortened.
func noticeLines(text string, cols int) []string {
	const most = 2
	text = term.Line(text)
	if all := term.Wrap(text, cols); len(all) <= most {
		return all
	}
	return term.Wrap(shortPaths(text), cols)
}

// shortPaths takes the middle out of the long paths of a text that begin at the
// root or the home directory.
func shortPaths(text string) string {
	var out strings.Builder
	done := 0 // up to here it is written
	for at := 0; at < len(text); at++ {
		end, quoted := pathEnd(text, done, at)
		if end < 0 {
			continue
		}
		out.WriteString(text[done:at] + shortPath(text[at:end]))
		if done = end; quoted {
			out.WriteByte('"')
			done++
		}
		at = done - 1
	}
	return out.String() + text[done:]
}

// pathEnd returns where a path ends that begins at a place, -1 where none does. It
// begins the text or stands behind a blank or one of some signs, which is not
// before done; behind a quote it goes up to the next one.
func pathEnd(text string, done, at int) (end int, quoted bool) {
	const blanks = " \t\n\f\r"
	rest := text[at:]
	if !strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, "~/") || at > 0 && at == done {
		return -1, false
	}
	switch {
	case at > 0 && text[at-1] == '"':
		if end = strings.IndexByte(rest, '"'); end < 0 {
			return -1, false
		}
		return at + end, true
	case at > 0 && !strings.Contains(blanks+"('`=", text[at-1:at]):
		return -1, false
	}
	if end = strings.IndexAny(rest, blanks+"\"'`,;:)"); end < 0 {
		return len(text), false
	}
	return at + end, false
}

// shortPath is a path without its middle, if it is long: its last name stays, of a
// long one its ends.
func shortPath(path string) string {
	const long, longName = 28, 24
	if term.Width(path) <= long {
		return path
	}
	path = strings.TrimRight(path, "/")
	root, _, _ := strings.Cut(path, "/")
	name := path[strings.LastIndex(path, "/")+1:]
	if term.Width(name) > longName {
		name = term.Cut(name, longName/2) + term.CutLeft(name, longName/2)
		name = strings.Replace(name, theme.Ellipsis+theme.Ellipsis, theme.Ellipsis, 1)
	}
	return root + "/" + theme.Ellipsis + "/" + name
}

// toldPage is all that is told, to be read on its own.
func (m *Model) toldPage() *Page {
	page := &Page{Title: "What is told"}
	for i, t := range m.told {
		if i > 0 {
			page.Lines = append(page.Lines, "")
		}
		page.Lines = append(page.Lines, term.Line(t.Text))
	}
	return page
}
