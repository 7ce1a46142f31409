package term

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// tabStop is the distance of the columns that a tab goes to.
const tabStop = 4

// Width returns how many cells of a terminal the line s fills. It counts by
// grapheme, as the terminals that draw clusters do; a tab counts up to its stop
// (every fourth column from the beginning of s), a palette's sequence nothing.
func Width(s string) int {
	width := 0
	for s != "" {
		piece, w := next(s, width)
		width += w
		s = s[len(piece):]
	}
	return width
}

// Widest returns how many cells plain text fills at most: by grapheme or by code
// point, whichever a terminal counts by.
func Widest(s string) int { return max(Width(s), ansi.StringWidthWc(s)) }

// next returns the first indivisible piece of s (a grapheme, a tab, one of a
// palette's sequences) and its width in the given column.
func next(s string, column int) (piece string, width int) {
	b := s[0]
	switch {
	case b == '\t':
		return s[:1], tabStop - column%tabStop
	case b == 0x1b:
		if n := sequence(s); n > 0 {
			return s[:n], 0
		}
		return s[:1], 0
	case b < ' ' || b == 0x7f:
		return s[:1], 0
	case b < 0x80 && (len(s) == 1 || s[1] < 0x80):
		// Nothing can combine with it.
		return s[:1], 1
	}
	piece, width = ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if i := strings.IndexByte(piece, ' '); i > 0 {
		// Some number signs take the next character into their cluster, be it a
		// space; terminals do not, and padding must count.
		piece = piece[:i]
		width = ansi.StringWidth(piece)
	}
	return piece, width
}

// Cut returns the line s when it fits into cells, else its beginning with "…"
// behind it; never more than cells wide. A palette's sequences behind the cut
// stay, so that the style ends. Tabs become spaces.
func Cut(s string, cells int) string {
	if cells <= 0 {
		return ""
	}
	s = untab(s, 0)
	if len(s) <= cells || Width(s) <= cells {
		return s
	}
	var b strings.Builder
	width, full := 0, false
	for s != "" {
		piece, w := next(s, width)
		s = s[len(piece):]
		switch {
		case piece[0] == 0x1b:
			b.WriteString(piece)
		case full:
		case width+w > cells-1:
			b.WriteString("…")
			full = true
		default:
			b.WriteString(piece)
			width += w
		}
	}
	return b.String()
}

// CutLeft is Cut at the other end, for what matters in its last part, such as a
// path: "…" and the end of s.
func CutLeft(s string, cells int) string {
	if cells <= 0 {
		return ""
	}
	s = untab(s, 0)
	width := Width(s)
	if width <= cells {
		return s
	}
	var b strings.Builder
	b.WriteString("…")
	for s != "" {
		piece, w := next(s, 0)
		s = s[len(piece):]
		if width <= cells-1 || piece[0] == 0x1b {
			b.WriteString(piece)
			continue
		}
		width -= w
	}
	return b.String()
}

// Pad returns s with spaces behind it up to cells. A wider s stays as it is.
func Pad(s string, cells int) string {
	return s + spaces(cells-Width(s))
}

// PadLeft returns s with spaces in front of it up to cells. A wider s stays as it
// is.
func PadLeft(s string, cells int) string {
	return spaces(cells-Width(s)) + s
}

// Fit returns s cut or padded to exactly cells.
func Fit(s string, cells int) string {
	return Pad(Cut(s, cells), max(cells, 0))
}

// spaces returns n spaces, none for n below zero.
func spaces(n int) string {
	return strings.Repeat(" ", max(n, 0))
}

// untab replaces tabs by spaces, for a line that begins in the given column.
func untab(s string, column int) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	for s != "" {
		piece, w := next(s, column)
		if piece == "\t" {
			b.WriteString(spaces(w))
		} else {
			b.WriteString(piece)
		}
		column += w
		s = s[len(piece):]
	}
	return b.String()
}
