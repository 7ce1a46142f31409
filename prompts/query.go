package prompts

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// most is how many prompts are found at most (xcsh 17.4.4, omp 18.2.3).
const most = 1000

// Limit returns the number of prompts that a number asks for, as the programs
// take it: what is not finite is 0, a fraction is cut off, less than 0 is 0 and
// more than 1000 is 1000.
func Limit(n float64) int {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return 0
	}
	return int(math.Floor(min(max(n, 0), most)))
}

func clamp(n int) int { return min(max(n, 0), most) }

// space reports whether JavaScript takes r for white space.
func space(r rune) bool {
	return unicode.IsSpace(r) && r != '\u0085' || r == '\ufeff'
}

// trim returns a prompt as it is stored.
func trim(prompt string) string {
	return strings.TrimFunc(strings.ToValidUTF8(prompt, "\ufffd"), space)
}

// words cuts a query at its blanks.
func words(query string) []string {
	return strings.FieldsFunc(strings.ToValidUTF8(query, "\ufffd"), space)
}

// parts cuts a query, in lower case, at all that is no letter and no digit.
func parts(query string) []string {
	// What JavaScript makes of İ has a mark in it, which is no letter.
	query = strings.ReplaceAll(strings.ToValidUTF8(query, "\ufffd"), "İ", "i\u0307")
	all := strings.FieldsFunc(query, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for i, part := range all {
		lower := strings.ToLower(part)
		if stem, ok := strings.CutSuffix(part, "Σ"); ok && stem != "" {
			lower = lower[:len(lower)-len("σ")] + "ς"
		}
		all[i] = lower
	}
	return all
}

// match returns the FTS5 expression for prompts in which each piece begins a
// word. It is one for any pieces: they are quoted, and NUL, at which SQLite
// would end the expression, separates words like a blank.
func match(pieces []string) string {
	var b strings.Builder
	for i, piece := range pieces {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteByte('"')
		b.WriteString(strings.NewReplacer(`"`, `""`, "\x00", " ").Replace(piece))
		b.WriteString(`"*`)
	}
	return b.String()
}

// longest returns the longest of the pieces, "" without any.
func longest(pieces []string) string {
	long := ""
	for _, piece := range pieces {
		if len(piece) > len(long) {
			long = piece
		}
	}
	return long
}

// holds reports whether text, with its ASCII letters in lower case, has all the
// parts in it: what LIKE says with a part between two signs of per cent.
func holds(text string, parts []string) bool {
	text = lowerASCII(text)
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

func lowerASCII(s string) string {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			return strings.Map(func(r rune) rune {
				if r < utf8.RuneSelf {
					return unicode.ToLower(r)
				}
				return r
			}, s)
		}
	}
	return s
}
