package markdown

import (
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// A span is a piece of a line with one look.
type span struct {
	text string
	role theme.Role
}

// spans returns what stands in a block. A newline is a line that was ended.
func (w *writer) spans(n ast.Node, role theme.Role) []span {
	var all []span
	put := func(s string, role theme.Role) {
		if s != "" {
			all = append(all, span{s, role})
		}
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			put(w.written(c.Segment.Value(w.source), c.IsRaw()), role)
			switch {
			case c.HardLineBreak():
				put("\n", role)
			case c.SoftLineBreak():
				put(" ", role)
			}
		case *ast.CodeSpan:
			put(w.codeText(c), theme.Accent)
		case *ast.Emphasis:
			look := theme.Emphasis
			if c.Level > 1 || role == theme.Strong || role == theme.Title {
				look = theme.Strong
			}
			all = append(all, w.spans(c, look)...)
		case *tables.Strikethrough:
			all = append(all, w.spans(c, theme.Faint)...)
		case *ast.Link:
			all = append(all, w.link(w.spans(c, role), c.Destination, role)...)
		case *ast.Image:
			all = append(all, w.link(w.spans(c, role), c.Destination, role)...)
		case *ast.AutoLink:
			put(term.Line(string(c.Label(w.source))), role)
		case *tables.TaskCheckBox: // it is the sign of its item
		default:
			all = append(all, w.spans(c, role)...)
		}
	}
	return all
}

// link is the text of a link with its address behind it.
func (w *writer) link(label []span, address []byte, role theme.Role) []span {
	url := w.written(address, false)
	said := ""
	for _, s := range label {
		said += s.text
	}
	switch {
	case url == "" || strings.TrimPrefix(url, "mailto:") == said:
		return label
	case said == "":
		return []span{{url, role}}
	}
	return append(label, span{" (" + url + ")", role})
}

// written is text with its escapes and entities resolved: what they stand for is
// made safe, too.
func (w *writer) written(s []byte, raw bool) string {
	if !raw {
		s = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(s)))
	}
	return term.Line(string(s))
}

// codeText is what stands in a span of code.
func (w *writer) codeText(n *ast.CodeSpan) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(w.source))
		}
	}
	return strings.Trim(term.Line(b.String()), "\n")
}

// paint is one line of spans.
func (w *writer) paint(line []span) string {
	out := ""
	var b strings.Builder
	for i := 0; i < len(line); {
		from, n := i, 0
		for ; i < len(line) && line[i].role == line[from].role; i++ {
			n += len(line[i].text)
		}
		b.Reset()
		b.Grow(n)
		for _, s := range line[from:i] {
			b.WriteString(s.text)
		}
		out += w.th.Paint(line[from].role, b.String())
	}
	return out
}

// width is how wide spans are on one line.
func width(all []span) int {
	n := 0
	for _, s := range all {
		n += term.Width(s.text)
	}
	return n
}

// numbered is the sign of an item of a numbered list.
func numbered(n int, marker byte) string { return strconv.Itoa(n) + string(rune(marker)) + " " }
