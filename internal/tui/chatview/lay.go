package chatview

import (
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/term"
	said "github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tui/markdown"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// lay returns the lines of a part, painted, each at most cols wide.
func (p Part) lay(th theme.Theme, cols int, open folds) []string {
	cols = max(cols, 8)
	switch p.Style {
	case Markdown:
		if p.stream != nil {
			return p.stream.Lay(th, p.Text, cols)
		}
		return markdown.Lay(th, p.Text, cols)
	case Prompt:
		return bar(th, theme.Accent, p.Text, cols)
	case Thinking:
		if !open.thinking {
			return []string{th.Paint(theme.Faint, term.Cut("✻ "+firstLine(p.Text), cols))}
		}
		return painted(th, theme.Faint, p.Text, "  ", cols)
	case Call:
		return p.layCall(th, cols, open)
	case Output:
		return p.layOutput(th, cols, open)
	case Diff:
		return p.layDiff(th, cols, open)
	case Bad:
		if p.Head != "" && !open.tools {
			return []string{th.Paint(theme.Bad, term.Cut("  ✗ "+p.of(": ")+firstLine(p.Text), cols))}
		}
		return append(p.headed(th, cols), painted(th, theme.Bad, p.Text, "  ", cols)...)
	}
	return painted(th, theme.Faint, p.Text, "", cols)
}

func (p Part) layCall(th theme.Theme, cols int, open folds) []string {
	head := "→ " + consent.Visible(p.Head, open.ascii)
	if open.tools {
		all := append([]string{th.Paint(theme.Warn, term.Cut(head, cols))}, painted(th, theme.Faint, seen(p.Text, open.ascii), "    ", cols)...)
		if p.diff != "" {
			all = append(all, diffLines(th, seen(p.diff, open.ascii), "    ", cols)...)
		}
		return all
	}
	head = term.Cut(head, cols)
	rest, count := "", ""
	if p.diff != "" {
		count = "  " + said.Counted(p.diff)
	}
	if room := cols - term.Width(head) - 2 - len(count); room > 8 && p.Text != "" {
		rest = "  " + term.Cut(strings.Join(strings.Fields(consent.Visible(strings.TrimSpace(strings.ReplaceAll(p.Text, "\t", " ")), open.ascii)), " "), room) + count
	}
	return []string{th.Paint(theme.Warn, head) + th.Paint(theme.Faint, rest)}
}

// seen is what a call was given with every character but tabs and line ends seen.
func seen(text string, ascii bool) string {
	lines := strings.Split(strings.ReplaceAll(text, "\t", "    "), "\n")
	for i, line := range lines {
		lines[i] = consent.Visible(strings.TrimRight(line, " "), ascii)
	}
	return strings.Join(lines, "\n")
}

func (p Part) layOutput(th theme.Theme, cols int, open folds) []string {
	text := strings.TrimRight(p.Text, "\n")
	if open.tools {
		return append(p.headed(th, cols), painted(th, theme.Faint, text, "  ", cols)...)
	}
	line := "  ⎿ " + p.of(": ") + firstLine(text)
	if strings.TrimSpace(text) == "" {
		line = "  ⎿ " + p.of(": ") + "(nothing)"
	}
	more := ""
	if n := strings.Count(text, "\n"); n > 0 {
		more = fmt.Sprintf(" (+%s)", theme.Plural(n, "line"))
	}
	return []string{th.Paint(theme.Faint, term.Cut(line, max(cols-term.Width(more), 4))+more)}
}

func (p Part) layDiff(th theme.Theme, cols int, open folds) []string {
	all := []string{th.Paint(theme.Faint, term.Cut("  ⎿ "+p.of("  ")+said.Counted(p.Text), cols))}
	if !open.tools {
		return all
	}
	return append(all, diffLines(th, p.Text, "    ", cols)...)
}

// diffLines paints a diff, each line cut.
func diffLines(th theme.Theme, text, indent string, cols int) []string {
	var all []string
	for line := range strings.Lines(strings.TrimRight(term.Safe(text), "\n")) {
		line = strings.TrimSuffix(line, "\n")
		role := theme.Faint
		switch {
		case strings.HasPrefix(line, "+"):
			role = theme.Good
		case strings.HasPrefix(line, "-"):
			role = theme.Bad
		}
		all = append(all, indent+th.Paint(role, term.Cut(line, max(cols-len(indent), 4))))
	}
	return all
}

// painted wraps a text behind an indentation.
func painted(th theme.Theme, role theme.Role, text, indent string, cols int) []string {
	var all []string
	for line := range term.Wrapped(strings.TrimRight(term.Safe(text), "\n"), max(cols-len(indent), 4)) {
		all = append(all, indent+th.Paint(role, line))
	}
	return all
}

// bar wraps a text behind a coloured bar.
func bar(th theme.Theme, role theme.Role, text string, cols int) []string {
	var all []string
	for line := range term.Wrapped(strings.TrimRight(term.Safe(text), "\n"), max(cols-2, 4)) {
		all = append(all, th.Paint(role, "▌")+" "+line)
	}
	return all
}

// firstLine is the first line of a text that says something.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if s := strings.TrimSpace(term.Line(line)); s != "" {
			return s
		}
	}
	return ""
}
