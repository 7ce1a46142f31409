// Package theme is the one place that says how the screens look: their colours
// for terminals of every depth, the short texts for ages, sizes and costs, the
// badges of sessions, the names of the keys that all screens share, and the help
// bar that is made from them.
//
// Text that is painted must be safe already (internal/term) and must be cut
// before it is painted. A theme never writes anything; it is a value that is not
// changed once it is made and is safe for concurrent use.
package theme

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Depth is how many colours a terminal has.
type Depth uint8

// The depths. A terminal without colours still has bold, underlined and reversed
// text.
const (
	None Depth = iota
	Sixteen
	Indexed // 256
	True    // 16 million; painted with the 256, which every terminal shows alike
)

// DepthOf tells how many colours the terminal has from its environment. None is
// the answer when the person wants no colour: NO_COLOR set to anything
// (no-color.org), or refused, a flag.
func DepthOf(getenv func(string) string, refused bool) Depth {
	name := getenv("TERM")
	switch color := strings.ToLower(getenv("COLORTERM")); {
	case refused || getenv("NO_COLOR") != "" || name == "dumb":
		return None
	case color == "truecolor" || color == "24bit" || strings.HasSuffix(name, "-direct"):
		return True
	case strings.Contains(name, "256color"), color != "":
		return Indexed
	}
	return Sixteen
}

// Role is what a piece of text is there for.
type Role uint8

// The roles.
const (
	Text     Role = iota // what is read
	Strong               // names, headings
	Faint                // what is looked at last
	Title                // the name of a screen
	Accent               // what a person wrote, the prompt of a field
	Match                // what a search found in a text
	Good                 // busy, done
	Warn                 // unfinished, a question
	Bad                  // damaged, failed
	Pin                  // what somebody wants on top
	Key                  // a key in the help
	Border               // lines between things
	Emphasis             // what is stressed in a text
	Keyword              // a word of a language, in code
	Named                // the name of a type or a function, in code
	Quoted               // a string, in code
	Numeral              // a number, in code
	roles                // how many there are
)

// Theme paints text. The zero value paints nothing.
type Theme struct {
	depth Depth
	dark  bool
	// brushes are those of the roles, in a usual row and in the chosen one.
	brushes [roles][2]brush
}

// A brush is what is written before and behind a text.
type brush struct{ open, end string }

// New returns the theme for a terminal of a depth with a dark or a light
// background.
func New(depth Depth, dark bool) Theme {
	t := Theme{depth: depth, dark: dark}
	for r := range roles {
		s := decorate(r)
		t.brushes[r] = [2]brush{brushOf(t.color(r, s, false)), brushOf(t.color(r, s, true))}
	}
	return t
}

// brushOf takes a style apart, so that painting a screen costs no more than
// copying it.
func brushOf(s lipgloss.Style) brush {
	const probe = "x"
	open, end, _ := strings.Cut(s.Render(probe), probe)
	return brush{open, end}
}

// Depth returns what the theme was made for.
func (t Theme) Depth() Depth { return t.depth }

// Dark says whether the theme is for a dark background.
func (t Theme) Dark() bool { return t.dark }

// Paint returns a piece of one line as its role looks.
func (t Theme) Paint(r Role, s string) string { return t.paint(r, s, 0) }

// PaintRow is Paint for a piece of the row that is chosen, if chosen is true.
func (t Theme) PaintRow(r Role, chosen bool, s string) string {
	if chosen {
		return t.paint(r, s, 1)
	}
	return t.paint(r, s, 0)
}

func (t Theme) paint(r Role, s string, row int) string {
	if b := t.brushes[r][row]; s != "" && b.open != "" {
		return b.open + s + b.end
	}
	return s
}

// decorate is what a role has without colours, too.
func decorate(r Role) lipgloss.Style {
	s := lipgloss.NewStyle().Inline(true)
	switch r {
	case Strong, Title, Key, Bad, Pin:
		return s.Bold(true)
	case Match:
		return s.Bold(true).Underline(true)
	case Emphasis:
		return s.Italic(true)
	}
	return s
}

// color adds the colours of a role. In the chosen row of 16 colours and of none
// the row is reversed as a whole: colours on colours that the person chose could
// not be read.
func (t Theme) color(r Role, s lipgloss.Style, chosen bool) lipgloss.Style {
	if t.depth < Indexed && chosen {
		return s.Reverse(true)
	}
	code := ""
	switch t.depth {
	case None:
		return s
	case Sixteen:
		code = sixteen(r)
	default:
		if code = indexed(r, t.dark); chosen {
			if r == Faint || r == Border {
				code = pick(t.dark, "250", "240")
			}
			s = s.Background(lipgloss.Color(pick(t.dark, "237", "254")))
		}
	}
	if code != "" {
		s = s.Foreground(lipgloss.Color(code))
	}
	return s
}

// sixteen is the colour of a role among the terminal's own, "" for its usual one.
func sixteen(r Role) string {
	switch r {
	case Faint, Border:
		return "8"
	case Title, Accent:
		return "6"
	case Match, Pin, Warn:
		return "3"
	case Good, Quoted:
		return "2"
	case Bad:
		return "1"
	case Keyword:
		return "5"
	case Named:
		return "4"
	case Numeral:
		return "6"
	}
	return ""
}

// indexed is the colour of a role among the 256.
func indexed(r Role, dark bool) string {
	switch r {
	case Faint:
		return pick(dark, "245", "243")
	case Border:
		return pick(dark, "239", "250")
	case Title, Accent:
		return pick(dark, "80", "30")
	case Match:
		return pick(dark, "221", "130")
	case Pin:
		return pick(dark, "220", "136")
	case Warn:
		return pick(dark, "179", "130")
	case Good:
		return pick(dark, "114", "28")
	case Bad:
		return pick(dark, "203", "160")
	case Keyword:
		return pick(dark, "176", "90")
	case Named:
		return pick(dark, "111", "25")
	case Quoted:
		return pick(dark, "150", "28")
	case Numeral:
		return pick(dark, "173", "130")
	}
	return ""
}

func pick(dark bool, onDark, onLight string) string {
	if dark {
		return onDark
	}
	return onLight
}
