package tuitest

import (
	"regexp"
	"strings"
	"sync"
)

// Shows reports whether a text stands on a screen, as Screen returns it, wherever
// a program broke the text into rows: at its blanks, or inside a word that is too
// long for a row. What a program draws at the ends of rows beside text, blanks, bars
// and the marks of rows that go on, does not count as text. It is for what is asked of a screen where the
// length of a path, a name or a figure decides where rows end. Blanks that the
// text begins with are an indentation, and stand as they are.
func Shows(screen, text string) bool {
	return shown(text)(screen)
}

// shown is [Shows] of one text, to be asked about one screen after the other.
func shown(text string) func(screen string) bool {
	pattern := sync.OnceValue(func() *regexp.Regexp { return broken(text) })
	return func(screen string) bool {
		return strings.Contains(screen, text) || pattern().MatchString(screen)
	}
}

// broken matches a text that is broken into rows. Inside a word a row may end; a
// blank is one, or the end of a row.
func broken(text string) *regexp.Regexp {
	const end = ` *[│┃▐]? *\n(?:… |\\ )? *[│┃▌┊]? *`
	var pattern strings.Builder
	words := strings.TrimLeft(text, " ")
	pattern.WriteString(text[:len(text)-len(words)])
	before := ' '
	for _, r := range words {
		switch {
		case r == ' ':
			pattern.WriteString(`(?: |` + end + `)`)
		case before != ' ':
			pattern.WriteString(`(?:` + end + `)?` + regexp.QuoteMeta(string(r)))
		default:
			pattern.WriteString(regexp.QuoteMeta(string(r)))
		}
		before = r
	}
	return regexp.MustCompile(pattern.String())
}
