package theme

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"github.com/cambium-dev/cambium/internal/term"
)

// HelpBar returns one line with the keys that there is room for, in their order;
// those that are disabled are left out. The last of them is always there. The last cell
// stays free where it can: what is drawn in the corner of a screen takes a change of the
// terminal's mode.
func (t Theme) HelpBar(keys []key.Binding, cells int) string {
	const gap = 2
	keys = enabled(keys)
	if len(keys) == 0 {
		return ""
	}
	last := keys[len(keys)-1]
	left := cells - helpWidth(last)
	var parts []string
	for _, k := range keys[:len(keys)-1] {
		w := helpWidth(k) + gap
		if w >= left {
			break
		}
		left -= w
		parts = append(parts, t.help(k))
	}
	if left >= 0 {
		parts = append(parts, t.help(last))
	}
	return strings.Join(parts, strings.Repeat(" ", gap))
}

func helpWidth(k key.Binding) int {
	h := k.Help()
	return term.Width(h.Key) + 1 + term.Width(h.Desc)
}

func (t Theme) help(k key.Binding) string {
	h := k.Help()
	return t.Paint(Key, h.Key) + " " + t.Paint(Faint, h.Desc)
}

func enabled(keys []key.Binding) (on []key.Binding) {
	for _, k := range keys {
		if k.Enabled() && k.Help().Key != "" {
			on = append(on, k)
		}
	}
	return on
}

// HelpPage returns the keys as lines, a group after the other with an empty line
// between them, in as many columns as there is room for. No line is wider than
// cells.
func (t Theme) HelpPage(groups [][]key.Binding, cells int) []string {
	names, widest := 0, 0
	for _, group := range groups {
		for _, k := range enabled(group) {
			names = max(names, term.Width(k.Help().Key))
			widest = max(widest, term.Width(k.Help().Desc))
		}
	}
	width := names + 2 + widest + 3
	columns := max(1, min(3, (cells+3)/max(width, 1)))
	var lines []string
	for _, group := range groups {
		keys := enabled(group)
		if len(keys) == 0 {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		rows := (len(keys) + columns - 1) / columns
		for row := range rows {
			var line strings.Builder
			room := cells
			for at := row; at < len(keys); at += rows {
				h := keys[at].Help()
				line.WriteString(t.Paint(Key, term.Fit(h.Key, min(names, room))))
				room -= names + 2
				if room <= 0 {
					break
				}
				line.WriteString("  " + t.Paint(Text, term.Fit(h.Desc, min(width-names-2, room))))
				room -= width - names - 2
			}
			lines = append(lines, line.String())
		}
	}
	return lines
}

// Frame returns a screen of exactly so many rows and columns: rows that are
// missing are empty, those that are too many or too wide are cut.
func Frame(lines []string, cols, rows int) string {
	var b strings.Builder
	for row := range rows {
		if row > 0 {
			b.WriteByte('\n')
		}
		if row < len(lines) {
			b.WriteString(term.Cut(lines[row], cols))
		}
	}
	return b.String()
}

// A Least is what a screen needs of a terminal.
type Least struct {
	// Cols and Rows are its size.
	Cols, Rows int
	// Leave is the key that leaves it, however small the terminal is.
	Leave string
}

// TooSmall returns the screen for a terminal that is smaller than what a screen
// needs.
func (t Theme) TooSmall(cols, rows int, need Least) string {
	text := "The terminal is too small: make it " + Plural(need.Cols, "column") + " by " + Plural(need.Rows, "row") + ", or press " + need.Leave + "."
	lines := term.Wrap(text, max(cols, 1))
	return Frame(lines, cols, rows)
}
