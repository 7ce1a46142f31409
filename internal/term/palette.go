package term

import "strings"

// Palette styles text. The zero value styles nothing. Styles nest, and each line
// of a styled text ends its style, so that a pager and a cut keep to it. The text
// must be safe already.
type Palette struct{ on bool }

// NewPalette returns a palette that styles when color is true.
func NewPalette(color bool) Palette { return Palette{on: color} }

// Color decides whether output is styled: it goes to a terminal that is not
// "dumb", and neither the person (no-color.org's NO_COLOR, set to anything) nor
// refused, a flag, is against it.
func Color(getenv func(string) string, terminal, refused bool) bool {
	return terminal && !refused && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// On says whether the palette styles.
func (p Palette) On() bool { return p.on }

// Bold returns s in bold type.
func (p Palette) Bold(s string) string { return p.style("1", "22", s) }

// Dim returns s in faint type.
func (p Palette) Dim(s string) string { return p.style("2", "22", s) }

// Italic returns s in italics.
func (p Palette) Italic(s string) string { return p.style("3", "23", s) }

// Underline returns s underlined.
func (p Palette) Underline(s string) string { return p.style("4", "24", s) }

// Reverse returns s with foreground and background exchanged.
func (p Palette) Reverse(s string) string { return p.style("7", "27", s) }

// Red returns s in the terminal's red.
func (p Palette) Red(s string) string { return p.style("31", "39", s) }

// Green returns s in the terminal's green.
func (p Palette) Green(s string) string { return p.style("32", "39", s) }

// Yellow returns s in the terminal's yellow.
func (p Palette) Yellow(s string) string { return p.style("33", "39", s) }

// Blue returns s in the terminal's blue.
func (p Palette) Blue(s string) string { return p.style("34", "39", s) }

// Magenta returns s in the terminal's magenta.
func (p Palette) Magenta(s string) string { return p.style("35", "39", s) }

// Cyan returns s in the terminal's cyan.
func (p Palette) Cyan(s string) string { return p.style("36", "39", s) }

// Gray returns s in the terminal's bright black.
func (p Palette) Gray(s string) string { return p.style("90", "39", s) }

// Sequences returns every escape sequence that a palette or a Progress writes.
// Anything else that a terminal receives came from stored text.
func Sequences() []string {
	var all []string
	for _, code := range []string{"1", "2", "3", "4", "7", "22", "23", "24", "27", "31", "32", "33", "34", "35", "36", "39", "90"} {
		all = append(all, sgr(code))
	}
	return append(all, eraseLine)
}

// sgr returns the sequence of one rendition.
func sgr(code string) string { return "\x1b[" + code + "m" }

// style puts s between two renditions, line by line. Where a style inside ends
// with the same rendition, the outer one begins again.
func (p Palette) style(open, end, s string) string {
	if !p.on || s == "" {
		return s
	}
	open, end = sgr(open), sgr(end)
	s = strings.ReplaceAll(s, end, end+open)
	var b strings.Builder
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		if line != "" {
			b.WriteString(open)
			b.WriteString(line)
			b.WriteString(end)
		}
	}
	return b.String()
}
