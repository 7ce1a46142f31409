package markdown

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/gfm"
	"github.com/cambium-dev/cambium/internal/syntax"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
)

// Lay returns the lines of a text, painted, each at most cols wide, or as wide as
// one character where cols is less than that.
func Lay(th theme.Theme, text string, cols int) []string { return Coloured(th, text, cols, nil) }

// Coloured is Lay with the code in fences in colours, as the painter tells its parts
// apart; nil tells none.
func Coloured(th theme.Theme, text string, cols int, painter *syntax.Painter) []string {
	text = strings.Trim(term.Safe(text), "\n")
	if gfm.Wild(text) {
		return plain(th, theme.Text, text, cols)
	}
	w := writer{th: th, source: []byte(text), painter: painter}
	return w.blocks(gfm.Parse(w.source), place{cols, theme.Text})
}

// Codes returns the blocks of code in a text, in order, made safe.
func Codes(text string) (all []string) {
	text = strings.Trim(term.Safe(text), "\n")
	if gfm.Wild(text) {
		return nil
	}
	w := writer{source: []byte(text)}
	// The function that is given returns no error.
	_ = ast.Walk(gfm.Parse(w.source), func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		switch n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if enter {
				all = append(all, strings.Join(w.codeLines(n), "\n")+"\n")
			}
		}
		return ast.WalkContinue, nil
	})
	return all
}

// A writer lays out one text.
type writer struct {
	th      theme.Theme
	source  []byte
	painter *syntax.Painter // nil for code in one colour
}

// A place is the room that a block has, and how its text looks.
type place struct {
	cols int
	role theme.Role
}

// leastCols is how narrow a block gets behind signs.
const leastCols = 4

// within is the place behind a sign of so many cells. Where there is no room for
// the sign it is the place itself, and false.
func (p place) within(cells int, role theme.Role) (in place, signed bool) {
	if p.cols < cells+leastCols {
		return place{p.cols, role}, false
	}
	return place{p.cols - cells, role}, true
}

// blocks lays out what a node holds, with an empty line between two blocks but
// for those of a tight list.
func (w *writer) blocks(n ast.Node, p place) []string {
	var all []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		lines := w.block(c, p)
		if len(lines) == 0 {
			continue
		}
		if len(all) > 0 && c.Kind() != ast.KindTextBlock && !inTightItem(c) {
			all = append(all, "")
		}
		all = append(all, lines...)
	}
	return all
}

// inTightItem reports whether a block stands in an item of a tight list.
func inTightItem(n ast.Node) bool {
	if n.Parent() == nil {
		return false
	}
	list, ok := n.Parent().Parent().(*ast.List)
	return ok && list.IsTight
}

func (w *writer) block(n ast.Node, p place) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return w.paragraph(n, place{p.cols, theme.Title})
	case *ast.ThematicBreak:
		const most = 40
		return []string{w.th.Paint(theme.Border, strings.Repeat("─", max(min(p.cols, most), 1)))}
	case *ast.Blockquote:
		in, signed := p.within(2, theme.Faint)
		lines := w.blocks(n, in)
		if signed {
			lines = w.behind("│ ", "│ ", lines)
		}
		return lines
	case *ast.List:
		return w.list(n, p)
	case *ast.FencedCodeBlock:
		return w.code(string(n.Language(w.source)), n, p)
	case *ast.CodeBlock:
		return w.code("", n, p)
	case *tables.Table:
		return w.table(n, p)
	case *gfm.Raw:
		return plain(w.th, p.role, n.Written, p.cols)
	case *ast.LinkReferenceDefinition:
		return nil
	}
	return w.paragraph(n, p)
}

// paragraph lays out the marks within a block.
func (w *writer) paragraph(n ast.Node, p place) []string {
	var all []string
	for _, line := range wrap(w.spans(n, p.role), p.cols) {
		all = append(all, w.paint(line))
	}
	return all
}

// behind puts a sign in front of lines.
func (w *writer) behind(first, rest string, lines []string) []string {
	for i, line := range lines {
		if i > 0 {
			first = rest
		}
		if first != rest || strings.TrimSpace(first) != "" {
			line = w.th.Paint(theme.Faint, first) + line
		} else {
			line = first + line
		}
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

// list lays out a list: with an empty line between its items where it is loose.
func (w *writer) list(n *ast.List, p place) []string {
	var all []string
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		sign := "• "
		if n.IsOrdered() {
			sign = numbered(number, n.Marker)
			number++
		} else if box := boxOf(item); box != "" {
			sign = box
		}
		width := term.Width(sign)
		in, signed := p.within(width, p.role)
		lines := w.blocks(item, in)
		if len(lines) == 0 {
			lines = []string{""}
		}
		if len(all) > 0 && !n.IsTight {
			all = append(all, "")
		}
		if signed {
			lines = w.behind(sign, strings.Repeat(" ", width), lines)
		}
		all = append(all, lines...)
	}
	return all
}

// boxOf is the sign of a task, "" for any other item.
func boxOf(item ast.Node) string {
	if item.FirstChild() == nil {
		return ""
	}
	if box, ok := item.FirstChild().FirstChild().(*tables.TaskCheckBox); ok {
		if box.IsChecked {
			return "☑ "
		}
		return "☐ "
	}
	return ""
}

// code lays out a block of code: its language, and its lines behind an
// indentation; what was broken is marked, so that it is not taken for a line.
func (w *writer) code(language string, n ast.Node, p place) []string {
	var all []string
	indent, broken := "  ", w.th.Paint(theme.Faint, theme.ForkBadge+" ")
	in, signed := p.within(2, p.role)
	if !signed {
		indent, broken = "", ""
	}
	if language = term.Line(language); language != "" {
		all = append(all, indent+w.th.Paint(theme.Faint, term.Cut(language, in.cols)))
	}
	source := w.codeLines(n)
	paint := w.painted(language, source)
	for i, line := range source {
		before := indent // nothing to paint
		for part := range term.Wrapped(line, in.cols) {
			if part == "" {
				all = append(all, "")
			} else {
				all = append(all, before+paint(i, part))
			}
			before = broken
		}
	}
	for len(all) > 0 && all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// plain lays out text that is shown as it was written.
func plain(th theme.Theme, role theme.Role, s string, cols int) []string {
	var all []string
	for line := range term.Wrapped(s, max(cols, 1)) {
		all = append(all, th.Paint(role, line))
	}
	return all
}
