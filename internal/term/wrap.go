package term

import (
	"iter"
	"slices"
	"strings"
)

// Wrap breaks s into lines of at most cells: at its newlines, then at spaces,
// between wide characters (which are written without spaces) and, where a word
// is wider than a line, anywhere but inside a grapheme. The spaces at a break go.
// A line that is broken keeps its indentation in all its parts, unless that takes
// more than half of the width. Tabs become spaces.
//
// A single grapheme wider than cells stands alone on a line that is too wide.
// With cells below 1 only newlines break. s is plain text: a style that begins
// on one line is not continued on the next.
func Wrap(s string, cells int) []string { return slices.Collect(Wrapped(s, cells)) }

// Wrapped yields the lines of [Wrap], for text that is long.
func Wrapped(s string, cells int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.SplitSeq(s, "\n") {
			line = untab(line, 0)
			if cells < 1 || Width(line) <= cells {
				if !yield(line) {
					return
				}
				continue
			}
			if !wrap(line, cells, yield) {
				return
			}
		}
	}
}

// wrap breaks one line that is wider than cells. It reports false when yield
// does.
func wrap(line string, cells int, yield func(string) bool) bool {
	text := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(text)]
	// What is left must hold a wide character.
	if len(indent) > cells/2 || len(indent) > cells-2 {
		indent = ""
	}
	for first := true; ; first = false {
		text = strings.TrimLeft(text, " ")
		if text == "" {
			return !first || yield("")
		}
		n := fit(text, cells-len(indent))
		if !yield(indent + strings.TrimRight(text[:n], " ")) {
			return false
		}
		text = text[n:]
	}
}

// fit returns how many bytes of text go onto a line of cells: all of them, else
// up to the last place to break, else as many graphemes as fit, at least one.
func fit(text string, cells int) int {
	width, pos, last := 0, 0, 0
	wide := false
	for pos < len(text) {
		piece, w := next(text[pos:], width)
		if w == 2 || wide || piece == " " {
			// Before and behind a wide character, and before a space.
			last = pos
		}
		if width+w > cells && piece != " " {
			break
		}
		wide = w == 2
		width += w
		pos += len(piece)
		if piece == " " && width <= cells {
			last = pos
		}
	}
	switch {
	case pos == len(text):
		return pos
	case last > 0:
		return last
	case pos > 0:
		return pos
	}
	piece, _ := next(text, 0)
	return len(piece)
}
