package markdown

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A word is what is not broken: spans without a blank between them.
type word struct {
	spans []span
	width int
	ends  bool // the line ends before it
}

// words takes spans apart at their blanks. The spans of all words share memory.
func words(all []span) []word {
	n := 0
	for _, s := range all {
		n += 1 + strings.Count(s.text, " ")
	}
	out, parts := make([]word, 0, n), make([]span, 0, n)
	joined, ends := false, false
	for _, s := range all {
		if s.text == "\n" {
			joined, ends = false, true
			continue
		}
		first := true
		for piece := range strings.SplitSeq(s.text, " ") {
			joined = joined && first
			first = false
			if piece == "" {
				continue
			}
			if !joined {
				out = append(out, word{ends: ends})
				ends = false
			}
			last := &out[len(out)-1]
			parts = append(parts, span{piece, s.role})
			last.spans = parts[len(parts)-len(last.spans)-1:]
			last.width += term.Width(piece)
			joined = true
		}
	}
	return out
}

// wrap breaks spans into lines of at most cols: at blanks, and within a word that
// is wider than a line.
func wrap(all []span, cols int) [][]span {
	var lines [][]span
	split := words(all)
	line := make([]span, 0, 2*len(split)) // the lines share it
	used := 0
	end := func() {
		lines = append(lines, line[:len(line):len(line)])
		line, used = line[len(line):], 0
	}
	for _, w := range split {
		if w.ends && (used > 0 || len(lines) > 0) || used > 0 && used+1+w.width > cols && w.width <= cols {
			end()
		}
		if used > 0 && used+1 < cols {
			line = append(line, span{" ", blankRole(line[len(line)-1].role, w.spans[0].role)})
			used++
		} else if used > 0 {
			end()
		}
		for _, s := range w.spans {
			n := w.width
			if len(w.spans) > 1 {
				n = term.Width(s.text)
			}
			if used+n <= cols {
				line = append(line, s)
				used += n
				continue
			}
			for _, piece := range pieces(s.text, cols, cols-used) {
				n := term.Width(piece)
				if used > 0 && used+n > cols {
					end()
				}
				line = append(line, span{piece, s.role})
				used += n
			}
		}
	}
	if used > 0 {
		end()
	}
	return lines
}

// pieces breaks what is wider than a line: the first piece fits into the room that
// is left in one, if that is worth it.
func pieces(s string, cols, left int) []string {
	const worth = 8
	if left < worth || left >= cols {
		return term.Wrap(s, cols)
	}
	first := term.Wrap(s, left)[0]
	return append([]string{first}, term.Wrap(s[len(first):], cols)...)
}

// blankRole is how a blank between two words looks: as both, if they look alike.
func blankRole(a, b theme.Role) theme.Role {
	if a == b {
		return a
	}
	return theme.Text
}
