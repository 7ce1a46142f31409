package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/syntax"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/yuin/goldmark/ast"
)

// codeLines are the lines of a block of code.
func (w *writer) codeLines(n ast.Node) []string {
	all := make([]string, n.Lines().Len())
	for i := range all {
		segment := n.Lines().At(i)
		all[i] = strings.TrimRight(strings.Repeat(" ", segment.Padding)+string(w.source[segment.Start:segment.Stop]), "\n")
	}
	return all
}

// painted returns a function that paints the pieces into which each line of some code
// is broken. It is called with the pieces in order.
func (w *writer) painted(language string, lines []string) func(line int, piece string) string {
	plain := func(_ int, piece string) string { return w.th.Paint(theme.Accent, piece) }
	if w.painter == nil || language == "" || w.th.Depth() == theme.None {
		return plain
	}
	parts := w.painter.Parts(language, strings.Join(lines, "\n"))
	if len(parts) == 1 && parts[0].Kind == syntax.Plain {
		return plain
	}
	split := make([][]span, len(lines))
	at := 0
	for _, p := range parts {
		for i, text := range strings.Split(p.Text, "\n") {
			if i > 0 {
				at++
			}
			if text != "" && at < len(split) {
				split[at] = append(split[at], span{text, roleOf(p.Kind)})
			}
		}
	}
	return func(line int, piece string) string { return w.piece(&split[line], piece) }
}

// piece paints a piece of a line, and takes what it shows from the line's spans. A
// piece lacks blanks where the line was broken, and has blanks for tabs and for the
// indentation of a line that was broken.
func (w *writer) piece(spans *[]span, piece string) string {
	var out, run strings.Builder
	role := theme.Text
	end := func() {
		out.WriteString(w.th.Paint(role, run.String()))
		run.Reset()
	}
	for _, r := range piece {
		next := role
		if r != ' ' {
			next = takeRune(spans, r)
		}
		if next != role {
			end()
			role = next
		}
		run.WriteRune(r)
	}
	end()
	return out.String()
}

// takeRune takes spans up to the first that is such a character, and returns how it
// looks.
func takeRune(spans *[]span, want rune) theme.Role {
	for len(*spans) > 0 {
		s := &(*spans)[0]
		r, size := utf8.DecodeRuneInString(s.text)
		role := s.role
		if s.text = s.text[size:]; s.text == "" {
			*spans = (*spans)[1:]
		}
		if r == want {
			return role
		}
	}
	return theme.Text
}

// roleOf is how a part of code looks.
func roleOf(k syntax.Kind) theme.Role {
	switch k {
	case syntax.Keyword:
		return theme.Keyword
	case syntax.Type, syntax.Function:
		return theme.Named
	case syntax.String:
		return theme.Quoted
	case syntax.Number:
		return theme.Numeral
	case syntax.Comment:
		return theme.Faint
	case syntax.Inserted:
		return theme.Good
	case syntax.Deleted:
		return theme.Bad
	}
	return theme.Text
}
