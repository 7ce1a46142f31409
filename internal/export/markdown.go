package export

import (
	"net/url"
	"strings"

	"github.com/cambium-dev/cambium/internal/gfm"
	"github.com/cambium-dev/cambium/internal/syntax"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// mostMarkdown is how long a text is that is taken apart, in bytes.
const mostMarkdown = 256 << 10

// markdown writes text of a model.
func (p *page) markdown(text string) {
	text = strings.Trim(term.Safe(text), "\n")
	if len(text) > mostMarkdown || gfm.Wild(text) {
		p.in(`<div class="typed">`, "</div>\n", text)
		return
	}
	source := []byte(text)
	m := &marks{page: p, source: source}
	p.mark(`<div class="text">`)
	_ = ast.Walk(gfm.Parse(source), m.visit) // visit gives no error
	p.mark("</div>\n")
}

// marks writes one text.
type marks struct {
	*page
	source []byte
}

// visit writes the beginning of a node, or its end.
func (m *marks) visit(n ast.Node, enter bool) (ast.WalkStatus, error) {
	switch n := n.(type) {
	case *ast.Text:
		if enter {
			m.words(n)
		}
	case *ast.String:
		if enter {
			m.text(string(n.Value))
		}
	case *ast.FencedCodeBlock:
		return m.code(string(n.Language(m.source)), n, enter), nil
	case *ast.CodeBlock:
		return m.code("", n, enter), nil
	case *gfm.Raw:
		if enter {
			m.in(`<div class="typed">`, "</div>", n.Written)
		}
		return ast.WalkSkipChildren, nil
	case *ast.Image: // a picture elsewhere is not asked for
		m.mark(either(enter, "[picture: ", "]"))
	case *ast.Link:
		m.link(string(n.Destination), enter)
	case *ast.AutoLink:
		if enter {
			address := string(n.URL(m.source))
			m.link(address, true)
			m.text(string(n.Label(m.source)))
			m.link(address, false)
		}
		return ast.WalkSkipChildren, nil
	case *tables.TaskCheckBox:
		if enter {
			m.mark(either(n.IsChecked, "☑ ", "☐ "))
		}
	case *ast.ThematicBreak:
		m.mark(either(enter, "<hr>", ""))
	case *ast.LinkReferenceDefinition:
		return ast.WalkSkipChildren, nil
	default:
		m.element(n, enter)
	}
	return ast.WalkContinue, nil
}

// element writes the tag of a node that has nothing but one.
func (m *marks) element(n ast.Node, enter bool) {
	var open, end markup
	switch n := n.(type) {
	case *ast.Paragraph:
		open, end = "<p>", "</p>\n"
	case *ast.Heading: // those of the page are above them
		open, end = `<p class="heading">`, "</p>\n"
	case *ast.Blockquote:
		open, end = "<blockquote>", "</blockquote>\n"
	case *ast.List:
		if open, end = "<ul>", "</ul>\n"; n.IsOrdered() {
			open, end = "<ol>", "</ol>\n"
			if enter && n.Start != 1 {
				m.mark(`<ol start="`)
				m.number(n.Start)
				m.mark(`">`)
				return
			}
		}
	case *ast.ListItem:
		open, end = "<li>", "</li>\n"
	case *ast.CodeSpan:
		open, end = "<code>", "</code>"
	case *ast.Emphasis:
		if open, end = "<em>", "</em>"; n.Level > 1 {
			open, end = "<strong>", "</strong>"
		}
	case *tables.Strikethrough:
		open, end = "<s>", "</s>"
	case *tables.Table:
		open, end = `<div class="wide"><table>`, "</table></div>\n"
	case *tables.TableHeader, *tables.TableRow:
		open, end = "<tr>", "</tr>\n"
	case *tables.TableCell:
		if open, end = "<td>", "</td>"; n.Parent().Kind() == tables.KindTableHeader {
			open, end = "<th>", "</th>"
		}
	case *ast.TextBlock:
		if !enter && n.NextSibling() != nil {
			m.mark("\n")
		}
		return
	}
	m.mark(either(enter, open, end))
}

// words writes text, with the break behind it.
func (m *marks) words(n *ast.Text) {
	text := n.Segment.Value(m.source)
	if !n.IsRaw() {
		text = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(text)))
	}
	m.text(string(text))
	switch {
	case n.HardLineBreak():
		m.mark("<br>\n")
	case n.SoftLineBreak():
		m.mark("\n")
	}
}

// link writes the beginning or the end of a link to where people go on purpose: the web
// and mail. Of any other the address is shown, and does nothing.
func (m *marks) link(address string, enter bool) {
	if !followed(address) {
		if !enter {
			m.in(" (", ")", address)
		}
		return
	}
	if !enter {
		m.mark("</a>")
		return
	}
	m.mark(`<a rel="noopener noreferrer nofollow" href="`)
	m.line(address)
	m.mark(`" title="`)
	m.line(address)
	m.mark(`">`)
}

// followed reports whether an address may be that of a link.
func followed(address string) bool {
	u, err := url.Parse(address)
	if err != nil || term.Line(address) != address {
		return false
	}
	switch u.Scheme {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return true
	}
	return false
}

// code writes a block of code in colours.
func (m *marks) code(language string, n ast.Node, enter bool) ast.WalkStatus {
	if !enter {
		return ast.WalkContinue
	}
	var b strings.Builder
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		b.Write(at.Value(m.source))
	}
	m.mark(`<pre class="code"><code>`)
	for _, part := range m.painter.Parts(language, strings.TrimRight(b.String(), "\n")) {
		class := colour(part.Kind)
		if class == "" {
			m.text(part.Text)
			continue
		}
		m.mark(`<span class="`, class, `">`)
		m.in("", "</span>", part.Text)
	}
	m.mark("</code></pre>\n")
	return ast.WalkSkipChildren
}

// colour is how a part of code looks.
func colour(k syntax.Kind) markup {
	switch k {
	case syntax.Keyword:
		return "k"
	case syntax.Type:
		return "t"
	case syntax.Function:
		return "f"
	case syntax.String:
		return "s"
	case syntax.Number:
		return "n"
	case syntax.Comment:
		return "c"
	case syntax.Inserted:
		return "i"
	case syntax.Deleted:
		return "d"
	}
	return ""
}

// either is a for true, b for false.
func either(which bool, a, b markup) markup {
	if which {
		return a
	}
	return b
}
