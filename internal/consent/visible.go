package consent

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what stands for itself.
const (
	blankRun = 20 // each so many of the blanks of a run is written by its number
	mostOver = 3  // marks over one letter
)

// tab is what a tab is shown as.
const tab = '⇥'

// Visible returns a text on one line in which every character is seen; see the
// package. [Original] makes the text of it again.
func Visible(text string, ascii bool) string { return string(appendVisible(nil, text, ascii, false)) }

// VisibleLines is Visible of each line of a text, with tabs as blanks.
func VisibleLines(text string, ascii bool) string {
	lines := strings.Split(strings.ReplaceAll(text, "\t", "    "), "\n")
	for i, line := range lines {
		lines[i] = Visible(strings.TrimRight(line, " "), ascii)
	}
	return strings.Join(lines, "\n")
}

// appendVisible appends Visible(text). In quotes, a double quote is escaped too.
func appendVisible(dst []byte, text string, ascii, quotes bool) []byte {
	var over cluster
	blanks := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		rest := text[i+size:]
		if r != ' ' {
			blanks = 0
		}
		switch {
		case r == utf8.RuneError && size == 1:
			dst = fmt.Appendf(dst, `\x{%x}`, text[i])
			over = cluster{}
		case r == ' ':
			if blanks++; rest == "" || blanks%blankRun == 0 {
				dst = append(dst, `\u{20}`...)
			} else {
				dst = append(dst, ' ')
			}
			over = cluster{}
		case r == '\t' && !ascii:
			dst = utf8.AppendRune(dst, tab)
			over = cluster{}
		case r == '\\' && introduces(rest), r == '"' && quotes, ascii && r > '~', !over.takes(r):
			dst = fmt.Appendf(dst, `\u{%x}`, r)
			over = cluster{}
		default:
			dst = append(dst, text[i:i+size]...)
		}
		i += size
	}
	return dst
}

// introduces reports whether what follows a backslash makes an escape of it.
func introduces(rest string) bool {
	return strings.HasPrefix(rest, "u{") || strings.HasPrefix(rest, "x{")
}

// A cluster is a letter and the marks that are drawn over it.
type cluster struct {
	letter bool
	marks  []rune
}

// takes reports whether a character that comes next is seen, and notes it.
func (c *cluster) takes(r rune) bool {
	if !joins(r) {
		*c = cluster{letter: unicode.IsLetter(r)}
		return seen(r)
	}
	if !c.letter || len(c.marks) == mostOver || unicode.Is(unicode.Me, r) || !seen(r) {
		return false
	}
	for _, other := range c.marks {
		if other == r {
			return false
		}
	}
	c.marks = append(c.marks, r)
	return true
}

// joins reports whether a character is drawn together with the one before it.
func joins(r rune) bool {
	return r >= 0x300 && (unicode.Is(unicode.M, r) || 0x1160 <= r && r <= 0x11ff || 0xd7b0 <= r && r <= 0xd7ff)
}

// seen reports whether a character that stands alone is seen, and is one of its
// own: neither a blank nor half of a flag nor a colour of the sign before it.
func seen(r rune) bool {
	return r == ' ' || unicode.IsPrint(r) && !unseen(r)
}

// unseen reports whether a character that is assigned and no control is nothing to
// look at all the same.
func unseen(r rune) bool {
	switch {
	case r < 0x2000:
		return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r)
	case r == tab, r == '\u2800', r == '\ufffc', r == utf8.RuneError, r == 0x16fe4, r == 0x1d159,
		0x13430 <= r && r <= 0x1345f, 0x1f1e6 <= r && r <= 0x1f1ff, 0x1f3fb <= r && r <= 0x1f3ff:
		return true
	}
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point)
}

// Original returns the text that [Visible] shows so. The error is for what it never
// writes.
func Original(visible string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(visible); {
		if n := escaped(visible[i:]); n > 0 {
			r, err := strconv.ParseUint(visible[i+3:i+n-1], 16, 32)
			if err != nil {
				return "", fmt.Errorf("read %q: no character: %w", visible[i:i+n], err)
			}
			if visible[i+1] == 'x' {
				b.WriteByte(byte(r))
			} else {
				b.WriteRune(rune(r))
			}
			i += n
			continue
		}
		if visible[i] == '\\' && introduces(visible[i+1:]) {
			return "", errors.New("read an escape: it does not end")
		}
		r, size := utf8.DecodeRuneInString(visible[i:])
		if r == tab {
			r = '\t'
		}
		b.WriteRune(r)
		i += size
	}
	return b.String(), nil
}

// escaped returns the length of the escape that a text begins with, 0 for none.
func escaped(text string) int {
	if text[0] != '\\' || !introduces(text[1:]) {
		return 0
	}
	return strings.IndexByte(text, '}') + 1
}

// backward reports whether some of a text is written from right to left.
func backward(visible string) bool {
	return strings.ContainsFunc(visible, func(r rune) bool {
		return 0x590 <= r && r <= 0x8ff || 0xfb1d <= r && r <= 0xfdff || 0xfe70 <= r && r <= 0xfeff ||
			0x10800 <= r && r <= 0x10fff || 0x1e800 <= r && r <= 0x1efff
	})
}
