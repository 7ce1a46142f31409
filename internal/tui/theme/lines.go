package theme

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
)

// Wrap makes a text safe and wraps it behind an indentation.
func (t Theme) Wrap(role Role, text, indent string, cols int) []string {
	var all []string
	for line := range term.Wrapped(strings.TrimRight(term.Safe(text), "\n"), max(cols-len(indent), 4)) {
		all = append(all, indent+t.Paint(role, line))
	}
	return all
}

// Bar makes a text safe and wraps it behind a coloured bar.
func (t Theme) Bar(role Role, text string, cols int) []string {
	var all []string
	for line := range term.Wrapped(strings.TrimRight(term.Safe(text), "\n"), max(cols-2, 4)) {
		all = append(all, t.Paint(role, "▌")+" "+line)
	}
	return all
}

// Diff makes a diff safe and paints it behind an indentation, each line cut.
func (t Theme) Diff(text, indent string, cols int) []string {
	var all []string
	for line := range strings.Lines(strings.TrimRight(term.Safe(text), "\n")) {
		line = strings.TrimSuffix(line, "\n")
		role := Faint
		switch {
		case strings.HasPrefix(line, "+"):
			role = Good
		case strings.HasPrefix(line, "-"):
			role = Bad
		}
		all = append(all, indent+t.Paint(role, term.Cut(line, max(cols-len(indent), 4))))
	}
	return all
}

// FirstLine is the first line of a text that says something, made safe.
func FirstLine(text string) string {
	for line := range strings.Lines(text) {
		if s := strings.TrimSpace(term.Line(line)); s != "" {
			return s
		}
	}
	return ""
}
