package chatview

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// of says which call a result came of, where that has to be said.
func (p Part) of(behind string) string {
	if p.label == "" {
		return ""
	}
	return p.label + behind
}

// headed is a line of its own that says it.
func (p Part) headed(th theme.Theme, cols int) []string {
	if p.label == "" {
		return nil
	}
	return []string{th.Paint(theme.Faint, term.Cut("  ⎿ "+p.label, cols))}
}

// result reports whether a part came of a call.
func (p Part) result() bool { return p.id != "" && p.Style != Call }

// cell returns what is known of row i, nil for nothing.
func (t *transcript) cell(i int) *cell {
	if i < len(t.rows) {
		return t.cells[t.key(i)]
	}
	return t.live[i-len(t.rows)]
}

// label names the call that row i came of, where the answer above it has several.
func (t *transcript) label(i int) string {
	const most = 40 // rows are looked at
	of := t.cell(i)
	if of == nil || len(of.parts) == 0 || !of.parts[0].result() {
		return ""
	}
	for j := i - 1; j >= max(0, i-most); j-- {
		c := t.cell(j)
		if c == nil {
			return ""
		}
		calls, mine := 0, ""
		for _, p := range c.parts {
			if p.Style != Call {
				continue
			}
			if calls++; p.id == of.parts[0].id {
				mine = p.short()
			}
		}
		if calls > 1 {
			return mine
		}
		if calls > 0 || len(c.parts) > 0 && !c.parts[0].result() {
			return ""
		}
	}
	return ""
}

// short is a call in a few words.
func (p Part) short() string {
	const most = 32
	return term.Cut(strings.Join(strings.Fields(term.Line(p.Head+" "+p.Text)), " "), most)
}
