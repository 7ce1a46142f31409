package markdown

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/tui/theme"
	tables "github.com/yuin/goldmark/extension/ast"
)

// leastCell is how narrow a column of a table gets; where the columns do not fit
// so either, each row is written as a list of its cells.
const leastCell = 5

// table lays out a table. What a cell holds is wrapped, not cut.
func (w *writer) table(n *tables.Table, p place) []string {
	var rows [][][]span
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells [][]span
		role := p.role
		if row.Kind() == tables.KindTableHeader {
			role = theme.Strong
		}
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, w.spans(cell, role))
		}
		rows = append(rows, cells)
	}
	widths := widthsOf(rows)
	if !shrink(widths, p.cols) {
		return w.records(rows, p)
	}
	var all []string
	for i, row := range rows {
		all = append(all, w.row(row, widths, n.Alignments)...)
		if i == 0 {
			var rule []string
			for _, n := range widths {
				rule = append(rule, strings.Repeat("─", n))
			}
			all = append(all, w.th.Paint(theme.Border, strings.Join(rule, "─┼─")))
		}
	}
	return all
}

// row lays out one row, as many lines high as its highest cell.
func (w *writer) row(row [][]span, widths []int, aligned []tables.Alignment) []string {
	cells := make([][][]span, len(widths))
	high := 1
	for i := range min(len(row), len(widths)) {
		cells[i] = wrap(row[i], widths[i])
		high = max(high, len(cells[i]))
	}
	all := make([]string, high)
	for y := range high {
		var b strings.Builder
		for i, cols := range widths {
			if i > 0 {
				b.WriteString(w.th.Paint(theme.Border, " │ "))
			}
			var line []span
			if y < len(cells[i]) {
				line = cells[i][y]
			}
			blank := max(cols-width(line), 0)
			left := 0
			if i < len(aligned) {
				switch aligned[i] {
				case tables.AlignRight:
					left = blank
				case tables.AlignCenter:
					left = blank / 2
				}
			}
			b.WriteString(strings.Repeat(" ", left) + w.paint(line) + strings.Repeat(" ", blank-left))
		}
		all[y] = strings.TrimRight(b.String(), " ")
	}
	return all
}

// widthsOf says how wide each column would be.
func widthsOf(rows [][][]span) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 1)
			}
			widths[i] = max(widths[i], width(cell))
		}
	}
	return widths
}

// shrink narrows the widest columns until all fit into cols. It reports false
// where they cannot.
func shrink(widths []int, cols int) bool {
	room := cols - 3*(len(widths)-1)
	if len(widths) == 0 || room < leastCell*len(widths) {
		sum := 0
		for _, n := range widths {
			sum += n
		}
		return len(widths) > 0 && sum <= room
	}
	// Every column may have as much as lets all fit: narrow ones leave theirs to
	// the others.
	sorted := slices.Sorted(slices.Values(widths))
	most := 0
	for i, n := range sorted {
		share := room / (len(sorted) - i)
		if n > share {
			most = share
			break
		}
		room -= n
		most = n
	}
	for i := range widths {
		widths[i] = min(widths[i], most)
	}
	return true
}

// records writes each row as a list: the head of each column, and its cell.
func (w *writer) records(rows [][][]span, p place) []string {
	var all []string
	for _, row := range rows[min(1, len(rows)):] {
		if len(all) > 0 {
			all = append(all, "")
		}
		for i, cell := range row {
			var line []span
			if i < len(rows[0]) && width(rows[0][i]) > 0 {
				line = append(slices.Clone(rows[0][i]), span{": ", theme.Strong})
			}
			if line = append(line, cell...); len(line) == 0 {
				continue
			}
			for _, part := range wrap(line, p.cols) {
				all = append(all, w.paint(part))
			}
		}
	}
	if len(all) == 0 {
		for _, cell := range rows[0] {
			for _, part := range wrap(cell, p.cols) {
				all = append(all, w.paint(part))
			}
		}
	}
	return all
}
