package export

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/gfm"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/yuin/goldmark/ast"
)

// harmless is Markdown in which no tag of HTML begins, no picture is asked for and
// no block of code goes on behind its end. Footnotes are none: some renderers have them and
// some take them for code. What cannot be had so becomes code.
func harmless(s string) string {
	s = strings.Trim(term.Safe(s), "\n")
	if len(s) > mostMarkdown || gfm.Wild(s) {
		return fenced(s)
	}
	// To escape a sign can make code of what was none, and the other way round.
	const rounds = 4
	for range rounds {
		escaped := escapedOutside(s)
		if escaped == s {
			return ended(s)
		}
		s = escaped
	}
	return fenced(s)
}

// fenced is text as code.
func fenced(s string) string {
	ticks := strings.Repeat("`", max(3, longestRun(s)+1))
	return ticks + "\n" + s + "\n" + ticks
}

// escapedOutside escapes what begins a tag, a picture or a footnote outside of code.
func escapedOutside(s string) string {
	if !strings.ContainsAny(s, "<!") && !strings.Contains(s, "[^") {
		return s
	}
	code := codeIn(s)
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		for len(code) > 0 && i >= code[0].Stop {
			code = code[1:]
		}
		switch inside := len(code) > 0 && i >= code[0].Start; {
		case inside:
			b.WriteByte(s[i])
		case s[i] == '<':
			b.WriteString("&lt;")
		case s[i] == '!' && strings.HasPrefix(s[i:], "![") && !escapedAt(s, i):
			b.WriteString("\\!")
		case noted(s[i:]) && !escapedAt(s, i):
			b.WriteString("\\[")
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// noted reports whether a text begins as a footnote does.
func noted(s string) bool {
	line, _, _ := strings.Cut(s, "\n")
	return strings.HasPrefix(line, "[^") && strings.Contains(line, "]:")
}

// escapedAt reports whether an odd number of backslashes stands before a place.
func escapedAt(s string, at int) bool {
	n := 0
	for at-n > 0 && s[at-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// codeIn returns where code is, in order.
func codeIn(s string) (all []span) {
	_ = ast.Walk(gfm.Parse([]byte(s)), func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if !enter {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			for i := range n.Lines().Len() {
				at := n.Lines().At(i)
				all = append(all, span{at.Start, at.Stop})
			}
			return ast.WalkSkipChildren, nil
		case *ast.CodeSpan:
			// One of several lines ends where a block of HTML or a footnote begins.
			if t, ok := n.FirstChild().(*ast.Text); ok && t.NextSibling() == nil {
				all = append(all, span{t.Segment.Start, t.Segment.Stop})
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return all
}

// A span is a part of a text.
type span struct{ Start, Stop int }

// ended closes the fence that is open at the end of a text.
func ended(s string) string {
	if closed(s) {
		return s
	}
	for line := range strings.Lines(s) {
		sign := strings.TrimLeft(line, " ")
		for _, c := range []string{"`", "~"} {
			if n := len(sign) - len(strings.TrimLeft(sign, c)); n >= 3 {
				if with := s + "\n" + strings.Repeat(c, n); closed(with) {
					return with
				}
			}
		}
	}
	return fenced(s)
}

// closed reports whether a line behind a text is a paragraph of its own.
func closed(s string) bool {
	const probe = "\n\nbehind"
	last := gfm.Parse([]byte(s + probe)).LastChild()
	p, ok := last.(*ast.Paragraph)
	return ok && p.Lines().Len() == 1 && p.Lines().At(0).Start == len(s)+2
}
