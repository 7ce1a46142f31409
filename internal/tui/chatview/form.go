package chatview

import "github.com/cambium-dev/cambium/internal/tui/theme"

// A Form is how rows are laid out: for which width, in which colours, and what is
// folded. It never changes, so that whoever reads bodies can lay them out for the
// screen that there is, beside it. It is safe for concurrent use.
type Form struct {
	th   theme.Theme
	cols int
	open folds
}

// folds says which parts are unfolded; ascii, that calls are shown in ASCII.
type folds struct{ tools, thinking, ascii bool }

// usualCols is the width of a screen that is not known yet.
const usualCols = 80

// Form is how rows are laid out now.
func (m Model) Form() *Form { return m.transcript.form }

// Lay lays a body out, and returns how many lines it takes. The screen takes them
// as they are, unless it has another form by then.
func (b *Body) Lay(f *Form, foreign bool) int {
	b.form, b.lines = f, f.lay(b.Parts, foreign, "")
	return len(b.lines)
}

// lay lays out a row, with an empty line behind it; what came of a call behind a
// label.
func (f *Form) lay(parts []Part, foreign bool, label string) []string {
	var all []string
	cols := f.cols
	if cols == 0 {
		cols = usualCols
	}
	cols-- // the last one stays free
	if foreign {
		cols -= 2
	}
	before := Style(255)
	for _, p := range parts {
		if before != 255 && p.Style == Markdown && len(all) > 0 {
			all = append(all, "")
		}
		if p.result() {
			p.label = label
		}
		all = append(all, p.lay(f.th, cols, f.open)...)
		before = p.Style
	}
	if len(all) == 0 {
		return nil
	}
	if foreign {
		for i, line := range all {
			all[i] = f.th.Paint(theme.Warn, "┊ ") + line
		}
	}
	if before != Call {
		all = append(all, "")
	}
	return all
}
