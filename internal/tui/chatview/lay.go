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
		return th.Bar(theme.Accent, p.Text, cols)
	case Thinking:
		if !open.thinking {
			return []string{th.Paint(theme.Faint, term.Cut("✻ "+theme.FirstLine(p.Text), cols))}
		}
		return th.Wrap(theme.Faint, p.Text, "  ", cols)
	case Call:
		return p.layCall(th, cols, open)
	case Output:
		return p.layOutput(th, cols, open)
	case Diff:
		return p.layDiff(th, cols, open)
	case Bad:
		if p.Head != "" && !open.tools {
			return []string{th.Paint(theme.Bad, term.Cut("  ✗ "+p.of(": ")+theme.FirstLine(p.Text), cols))}
		}
		return append(p.headed(th, cols), th.Wrap(theme.Bad, p.Text, "  ", cols)...)
	}
	return th.Wrap(theme.Faint, p.Text, "", cols)
}

func (p Part) layCall(th theme.Theme, cols int, open folds) []string {
	head := "→ " + consent.Visible(p.Head, open.ascii)
	if open.tools {
		all := append([]string{th.Paint(theme.Warn, term.Cut(head, cols))}, th.Wrap(theme.Faint, consent.VisibleLines(p.Text, open.ascii), "    ", cols)...)
		if p.diff != "" {
			all = append(all, th.Diff(consent.VisibleLines(p.diff, open.ascii), "    ", cols)...)
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

func (p Part) layOutput(th theme.Theme, cols int, open folds) []string {
	text := strings.TrimRight(p.Text, "\n")
	if open.tools {
		return append(p.headed(th, cols), th.Wrap(theme.Faint, text, "  ", cols)...)
	}
	line := "  ⎿ " + p.of(": ") + theme.FirstLine(text)
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
	return append(all, th.Diff(p.Text, "    ", cols)...)
}
