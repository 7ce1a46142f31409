package readview

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A marker tells what is looked for. The zero value looks for nothing.
type marker struct {
	words string         // how a person spells it
	all   []Pattern      // all must be in a row
	mark  *regexp.Regexp // any of them
}

// A Pattern matches a text that a person looks for.
type Pattern struct {
	re    *regexp.Regexp
	words []string
}

// In reports whether it stands in a text as that is shown.
func (p Pattern) In(text string) bool { return p.re.MatchString(term.Safe(text)) }

// Words returns words in lower case that are in all that it matches, whatever their case
// is there; none where that is not known.
func (p Pattern) Words() []string { return p.words }

// String returns its expression.
func (p Pattern) String() string { return p.re.String() }

// newMarker returns the marker of some patterns.
func newMarker(words string, all ...Pattern) marker {
	switch len(all) {
	case 0:
		return marker{}
	case 1:
		return marker{words, all, all[0].re}
	}
	any := make([]string, len(all))
	for i, one := range all {
		any[i] = "(?:" + one.String() + ")"
	}
	mark, err := regexp.Compile(strings.Join(any, "|"))
	if err != nil {
		mark = all[0].re // together they are too large
	}
	return marker{words, all, mark}
}

// expression begins what is a regular expression.
const expression = "re:"

// Mark returns what matches a text that a person looks for: upper and lower case are
// alike, and any blanks between words. Behind "re:" it is a regular expression.
func Mark(text string) (Pattern, error) {
	if pattern, ok := strings.CutPrefix(text, expression); ok && pattern != "" {
		re, err := regexp.Compile("(?im)" + pattern)
		return Pattern{re: re}, err
	}
	re, err := regexp.Compile(spelled(text))
	return Pattern{re, strings.Fields(strings.ToLower(text))}, err
}

// spelled is the expression for a text as it is written.
func spelled(text string) string {
	fields := strings.Fields(text)
	for i := range fields {
		fields[i] = regexp.QuoteMeta(fields[i])
	}
	return "(?i)" + strings.Join(fields, `\s+`)
}

func (m *marker) none() bool { return m == nil || m.mark == nil }

// in reports whether it stands in a text.
func (m *marker) in(text string) bool { return !m.none() && m.mark.MatchString(term.Safe(text)) }

// line returns the next line of some in which it stands, from one on, down or up; -1 for
// none.
func (m *marker) line(lines []Line, from, by int) int {
	if m.none() {
		return -1
	}
	for i := from + by; i >= 0 && i < len(lines); i += by {
		if m.mark.MatchString(bare(lines[i].Text)) {
			return i
		}
	}
	return -1
}

// paint marks what is looked for in a line that is painted.
func (m *marker) paint(th theme.Theme, line string) string {
	if m.none() {
		return line
	}
	plain := bare(line)
	found := m.mark.FindAllStringIndex(plain, -1)
	found = slices.DeleteFunc(found, func(r []int) bool { return r[0] == r[1] })
	if len(found) == 0 {
		return line
	}
	var out strings.Builder
	look, at := "", 0 // what is open, and where in the plain line
	for line != "" {
		if n := style(line); n > 0 {
			if look += line[:n]; isReset(line[:n]) {
				look = ""
			}
			out.WriteString(line[:n])
			line = line[n:]
			continue
		}
		if len(found) > 0 && at == found[0][0] {
			end := found[0][1]
			rest, after := skip(line, end-at)
			if look != "" {
				out.WriteString(reset)
			}
			out.WriteString(th.Paint(theme.Match, plain[at:end]))
			for _, s := range after { // what began or ended within it
				if look += s; isReset(s) {
					look = ""
				}
			}
			out.WriteString(look)
			line, at, found = rest, end, found[1:]
			continue
		}
		out.WriteByte(line[0])
		line, at = line[1:], at+1
	}
	return out.String()
}

// reset ends every look.
const reset = "\x1b[m"

func isReset(s string) bool { return s == reset || s == "\x1b[0m" }

// style is how long the sequence is with which a painted line begins, 0 for none.
func style(line string) int {
	if !strings.HasPrefix(line, "\x1b[") {
		return 0
	}
	return strings.IndexByte(line, 'm') + 1
}

// skip leaves out so many bytes of a painted line, and returns the rest and the
// sequences among them.
func skip(line string, n int) (rest string, styles []string) {
	for n > 0 && line != "" {
		if s := style(line); s > 0 {
			styles, line = append(styles, line[:s]), line[s:]
			continue
		}
		line, n = line[1:], n-1
	}
	return line, styles
}

// bare is a painted line without how it looks.
func bare(line string) string {
	if !strings.Contains(line, "\x1b") {
		return line
	}
	var out strings.Builder
	for line != "" {
		if n := style(line); n > 0 {
			line = line[n:]
			continue
		}
		end := strings.IndexByte(line[1:], '\x1b') + 1
		if end == 0 {
			end = len(line)
		}
		out.WriteString(line[:end])
		line = line[end:]
	}
	return out.String()
}
