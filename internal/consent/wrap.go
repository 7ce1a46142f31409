package consent

import (
	"strings"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/term"
)

// A Screen is where a question is shown.
type Screen struct {
	// Cols is how wide it is; 0 means that nothing is wrapped.
	Cols int
	// ASCII says that it draws nothing else.
	ASCII bool
}

// LeastCols is how wide a screen must be to show a question.
const LeastCols = 40

// Marks with which a row goes on that began above.
const (
	goesOn      = "… "
	goesOnASCII = `\ `
)

// Wrap returns the rows of a line that [Visible] or [Call.Show] made. Each is less
// wide than the screen, however the terminal counts, and ends in something that is
// seen; all but the first begin with a mark. [Unwrap] makes the line of them again.
func (s Screen) Wrap(line string) []string {
	if s.Cols <= 0 {
		return []string{line}
	}
	mark := goesOn
	if s.ASCII {
		mark = goesOnASCII
	}
	room := max(s.Cols, LeastCols) - 1
	n := fit(line, room)
	rows := []string{line[:n]}
	for line = line[n:]; line != ""; line = line[n:] {
		n = fit(line, room-term.Width(mark))
		rows = append(rows, mark+line[:n])
	}
	return rows
}

// fit returns how many bytes of a line go on a row: behind the last space if there
// is one in its second half, else as many characters as fit; never a space at the
// end.
func fit(line string, cells int) int {
	width, at, last, solid := 0, 0, 0, 0
	for at < len(line) {
		n := unit(line[at:])
		piece := line[at : at+n]
		if width += term.Widest(piece); width > cells {
			break
		}
		if piece == " " && solid == at && width > cells/2 {
			last = at
		}
		at += n
		if piece != " " {
			solid = at
		}
	}
	switch {
	case at == len(line):
		return at
	case last > 0:
		return last
	}
	return solid
}

// unit returns the length of the first piece of a line that is not broken: an
// escape, or a letter with its marks.
func unit(line string) int {
	if n := escaped(line); n > 0 {
		return n
	}
	_, n := utf8.DecodeRuneInString(line)
	for n < len(line) {
		r, size := utf8.DecodeRuneInString(line[n:])
		if !joins(r) {
			break
		}
		n += size
	}
	return n
}

// Unwrap returns the lines of rows that [Screen.Wrap] made.
func Unwrap(rows []string) []string {
	var lines []string
	for i := 0; i < len(rows); {
		all := []string{rows[i]}
		for i++; i < len(rows); i++ {
			rest, on := strings.CutPrefix(rows[i], goesOn)
			if !on {
				rest, on = strings.CutPrefix(rows[i], goesOnASCII)
			}
			if !on {
				break
			}
			all = append(all, rest)
		}
		lines = append(lines, strings.Join(all, ""))
	}
	return lines
}
