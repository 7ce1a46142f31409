package chatview

import (
	"regexp"
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

// somePath is a path from the root or the home directory, in quotes or not.
var somePath = regexp.MustCompile("\"~?/[^\"]*\"|(?:^|[\\s('`=])~?/[^\\s\"'`,;:)]*")

// shortPaths takes the middle out of the long paths of a text: their last name
// stays, of a long one its ends.
func shortPaths(text string) string {
	const long, longName = 28, 24
	return somePath.ReplaceAllStringFunc(text, func(found string) string {
		at := strings.IndexAny(found, "~/")
		before, path, after := found[:at], found[at:], ""
		if strings.HasPrefix(before, "\"") {
			path, after = strings.TrimSuffix(path, "\""), "\""
		}
		if term.Width(path) <= long {
			return found
		}
		path = strings.TrimRight(path, "/")
		root, _, _ := strings.Cut(path, "/")
		name := path[strings.LastIndex(path, "/")+1:]
		if term.Width(name) > longName {
			name = term.Cut(name, longName/2) + term.CutLeft(name, longName/2)
			name = strings.Replace(name, theme.Ellipsis+theme.Ellipsis, theme.Ellipsis, 1)
		}
		return before + root + "/" + theme.Ellipsis + "/" + name + after
	})
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
