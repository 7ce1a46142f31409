package gfm

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Bounds of what is taken for Markdown. goldmark looks for the partner of each
// sign among all before it, and goes into what is nested by recursion.
const (
	mostSigns = 2000 // of a paragraph, or a line
	mostDepth = 24   // of quotes and lists in one line
)

// signs are what may stand in a pair within a line.
const signs = "*_~[]<`"

// countSigns counts them.
func countSigns(line []byte) int {
	n := 0
	for _, c := range line {
		if strings.IndexByte(signs, c) >= 0 {
			n++
		}
	}
	return n
}

// Wild reports whether a text holds a line that would take too long: it is then
// no Markdown as a whole. Long paragraphs are looked after by limit.
func Wild(s string) bool {
	for line := range strings.Lines(s) {
		if len(line) > mostSigns && countSigns([]byte(line)) > mostSigns || depth(line) > mostDepth {
			return true
		}
	}
	return false
}

// depth counts the quotes and lists that a line begins.
func depth(line string) int {
	n := 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '>':
			n++
		case c == ' ' || c == '\t' || c >= '0' && c <= '9':
		case strings.IndexByte("-+*.)", c) >= 0:
			if i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t') {
				n++
			}
		default:
			return n
		}
	}
	return n
}

// limit turns paragraphs with too many signs into text.
type limit struct{}

// Transform implements parser.ParagraphTransformer.
func (limit) Transform(n *ast.Paragraph, reader text.Reader, _ parser.Context) {
	count := 0
	for i := range n.Lines().Len() {
		count += countSigns(reader.Value(n.Lines().At(i)))
	}
	if count <= mostSigns {
		return
	}
	var b bytes.Buffer
	for i := range n.Lines().Len() {
		b.Write(reader.Value(n.Lines().At(i)))
	}
	r := &Raw{Written: strings.TrimRight(b.String(), "\n")}
	r.SetPos(n.Pos())
	n.Parent().ReplaceChild(n.Parent(), n, r)
}

// Raw is text that is shown as it was written: its marks mean nothing.
type Raw struct {
	ast.BaseBlock
	Written string
}

// KindRaw is the kind of Raw.
const KindRaw = ast.NodeKind(-1)

// Kind implements ast.Node.
func (*Raw) Kind() ast.NodeKind { return KindRaw }

// IsRaw implements ast.Node: nothing in it is looked for.
func (*Raw) IsRaw() bool { return true }

// Dump implements ast.Node.
func (r *Raw) Dump(source []byte, level int) { ast.DumpHelper(r, source, level, nil, nil) }

var _ ast.Node = (*Raw)(nil)
