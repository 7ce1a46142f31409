package chatview

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// markdown lays out what models write: headings, lists, quotes, tables, rules,
// fenced code, and within lines strong, emphasis, code, strike and links. What is
// none of these stays as it is written. Nothing in it drives the terminal.
func markdown(th theme.Theme, text string, cols int) []string {
	w := &writer{th: th, cols: cols}
	lines := strings.Split(strings.Trim(term.Safe(text), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if fence, ok := fenceOf(line); ok {
			i = w.code(lines, i+1, fence)
			continue
		}
		if isTable(lines, i) {
			i = w.table(lines, i)
			continue
		}
		w.line(line)
	}
	w.flush()
	return w.lines
}

// A writer puts lines of Markdown together.
type writer struct {
	th    theme.Theme
	cols  int
	lines []string

	// A paragraph that is not written yet, and what stands before its first and
	// its further lines.
	open        bool
	para        []string
	first, rest string
	role        theme.Role
}

// line takes one line that is in no block of code.
func (w *writer) line(line string) {
	trimmed := strings.TrimSpace(line)
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	switch {
	case trimmed == "":
		w.flush()
		if n := len(w.lines); n > 0 && w.lines[n-1] != "" {
			w.lines = append(w.lines, "")
		}
	case isRule(trimmed):
		w.flush()
		w.lines = append(w.lines, w.th.Paint(theme.Border, strings.Repeat("─", min(w.cols, 40))))
	case headingOf(trimmed) != "":
		w.begin(headingOf(trimmed), "", "", theme.Title)
		w.flush()
	case strings.HasPrefix(trimmed, ">"):
		text := strings.TrimSpace(strings.TrimPrefix(trimmed, ">"))
		if w.open && w.first == "│ " {
			w.para = append(w.para, text)
			return
		}
		w.begin(text, "│ ", "│ ", theme.Faint)
	default:
		if sign, text, ok := itemOf(trimmed); ok {
			pad := strings.Repeat(" ", min(term.Width(indent), w.cols/3))
			w.begin(text, pad+sign, pad+strings.Repeat(" ", term.Width(sign)), theme.Text)
			return
		}
		if w.open {
			w.para = append(w.para, trimmed)
			return
		}
		w.begin(trimmed, "", "", theme.Text)
	}
}

// begin begins a paragraph.
func (w *writer) begin(text, first, rest string, role theme.Role) {
	w.flush()
	w.open, w.para, w.first, w.rest, w.role = true, []string{text}, first, rest, role
}

// flush writes the paragraph that is open.
func (w *writer) flush() {
	if !w.open {
		return
	}
	w.open = false
	room := max(w.cols-term.Width(w.first), 4)
	before := w.first
	for _, line := range wrapSpans(inline(strings.Join(w.para, " "), w.role), room) {
		text := ""
		for _, s := range line {
			text += w.th.Paint(s.role, s.text)
		}
		w.lines = append(w.lines, w.th.Paint(theme.Faint, before)+text)
		before = w.rest
	}
}

// code writes the lines of a fenced block, and returns the line that ends it.
func (w *writer) code(lines []string, from int, fence string) int {
	w.flush()
	at := from
	for ; at < len(lines); at++ {
		if s := strings.TrimSpace(lines[at]); strings.HasPrefix(s, fence) && strings.Trim(s, fence[:1]) == "" {
			break
		}
		for _, line := range term.Wrap(lines[at], max(w.cols-2, 4)) {
			w.lines = append(w.lines, "  "+w.th.Paint(theme.Accent, line))
		}
	}
	return at
}

// table writes a table and returns its last line.
func (w *writer) table(lines []string, from int) int {
	w.flush()
	var rows [][]string
	at := from
	for ; at < len(lines) && strings.Contains(lines[at], "|") && strings.TrimSpace(lines[at]) != ""; at++ {
		if at != from+1 {
			rows = append(rows, cellsOf(lines[at]))
		}
	}
	widths := tableWidths(rows, w.cols)
	for n, row := range rows {
		var b strings.Builder
		for i, width := range widths {
			cell := ""
			if i < len(row) {
				cell = row[i]
			}
			role := theme.Text
			if n == 0 {
				role = theme.Strong
			}
			if i > 0 {
				b.WriteString(w.th.Paint(theme.Border, " │ "))
			}
			b.WriteString(w.th.Paint(role, term.Fit(plainSpans(inline(cell, theme.Text)), width)))
		}
		w.lines = append(w.lines, strings.TrimRight(b.String(), " "))
	}
	return at - 1
}

// tableWidths says how wide each column is, so that all fit.
func tableWidths(rows [][]string, cols int) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 1)
			}
			widths[i] = max(widths[i], term.Width(plainSpans(inline(cell, theme.Text))))
		}
	}
	for {
		sum, widest := 3*(len(widths)-1), 0
		for i, n := range widths {
			sum += n
			if n > widths[widest] {
				widest = i
			}
		}
		if sum <= cols || len(widths) == 0 || widths[widest] <= 3 {
			return widths
		}
		widths[widest] = max(3, widths[widest]-(sum-cols))
	}
}

// fenceOf returns the fence that a line opens.
func fenceOf(line string) (string, bool) {
	s := strings.TrimSpace(line)
	for _, sign := range []string{"`", "~"} {
		if n := len(s) - len(strings.TrimLeft(s, sign)); n >= 3 && !strings.Contains(s[n:], sign) {
			return s[:n], true
		}
	}
	return "", false
}

// headingOf is the text of a heading, "" for any other line.
func headingOf(s string) string {
	text := strings.TrimLeft(s, "#")
	if n := len(s) - len(text); n == 0 || n > 6 || !strings.HasPrefix(text, " ") {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(text), "#"))
}

// isRule reports whether a line is a rule.
func isRule(s string) bool {
	bare := strings.ReplaceAll(s, " ", "")
	return len(bare) >= 3 && (strings.Trim(bare, "-") == "" || strings.Trim(bare, "*") == "" || strings.Trim(bare, "_") == "")
}

// isTable reports whether a table begins at a line.
func isTable(lines []string, i int) bool {
	if i+1 >= len(lines) || !strings.Contains(lines[i], "|") || !strings.Contains(lines[i+1], "-") || !strings.Contains(lines[i+1], "|") {
		return false
	}
	return strings.Trim(lines[i+1], " |:-\t") == ""
}

// cellsOf are the cells of a table's row.
func cellsOf(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	all := strings.Split(line, "|")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// itemOf takes the item of a list apart.
func itemOf(s string) (sign, text string, ok bool) {
	for _, mark := range []string{"- ", "* ", "+ "} {
		if rest, found := strings.CutPrefix(s, mark); found {
			for box, shown := range map[string]string{"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "} {
				if task, is := strings.CutPrefix(rest, box); is {
					return shown, task, true
				}
			}
			return "• ", rest, true
		}
	}
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n > 0 && n < 10 && len(s) > n+1 && (s[n] == '.' || s[n] == ')') && s[n+1] == ' ' {
		return s[:n+2], s[n+2:], true
	}
	return "", "", false
}
