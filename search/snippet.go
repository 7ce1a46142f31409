package search

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The sizes of a snippet, in characters: all of it, and what stands before the
// first match.
const (
	snippetRunes = 160
	snippetLead  = 40
)

// maxSpans is how many places of one matcher are looked at for a snippet.
const maxSpans = 64

// snippet returns a piece of the text around what the matchers find, blanks
// made single spaces and "…" where text was cut off, and where in it the
// matches are: ascending, not touching each other, in UTF-16 units.
func snippet(t *passageText, find []matcher) (string, [][2]int) {
	var spans [][2]int
	for _, m := range find {
		spans = append(spans, m.spans(t, maxSpans)...)
	}
	spans = joinSpans(spans)
	from := 0
	if len(spans) > 0 {
		from = back(t.text, densest(t.text, spans), snippetLead)
	}
	return render(t.text, from, spans)
}

// joinSpans sorts spans and makes one of those that overlap or touch.
func joinSpans(spans [][2]int) [][2]int {
	slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
	var all [][2]int
	for _, s := range spans {
		if n := len(all); n > 0 && s[0] <= all[n-1][1] {
			all[n-1][1] = max(all[n-1][1], s[1])
			continue
		}
		all = append(all, s)
	}
	return all
}

// densest returns the beginning of the span that most others follow within the
// size of a snippet; of several the first.
func densest(text []byte, spans [][2]int) int {
	best, most, last := 0, 0, 0
	for i, s := range spans {
		limit := s[0] + (snippetRunes - snippetLead)
		for last < len(spans) && spans[last][1] <= limit {
			last++
		}
		if n := last - i; n > most {
			best, most = s[0], n
		}
	}
	if most == 0 {
		return spans[0][0]
	}
	return best
}

// back returns the offset n characters before at, moved to the beginning of a
// word where there is one.
func back(text []byte, at, n int) int {
	i := at
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRune(text[:i])
		i -= size
	}
	if i == 0 {
		return 0
	}
	if blank := bytes.IndexAny(text[i:at], " \n\t"); blank >= 0 {
		i += blank + 1
	}
	return i
}

// render writes the snippet that begins at offset from.
func render(text []byte, from int, spans [][2]int) (string, [][2]int) {
	var (
		b      strings.Builder
		ranges [][2]int
		units  int
		opened = -1 // where the span of the last range begins
	)
	put := func(r rune) {
		b.WriteRune(r)
		units += max(utf16.RuneLen(r), 1)
	}
	if len(bytes.TrimSpace(text[:from])) > 0 {
		put('…')
	}
	for len(spans) > 0 && spans[0][1] <= from {
		spans = spans[1:]
	}
	blank, i := false, from
	for n := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if unicode.IsSpace(r) {
			blank = true
			i += size
			continue
		}
		if n++; n > snippetRunes {
			put('…')
			break
		}
		if blank && n > 1 {
			put(' ')
		}
		blank = false
		for len(spans) > 0 && spans[0][1] <= i {
			spans = spans[1:]
		}
		at := units
		put(r)
		if len(spans) > 0 && spans[0][0] <= i {
			if spans[0][0] == opened {
				ranges[len(ranges)-1][1] = units
			} else {
				ranges, opened = append(ranges, [2]int{at, units}), spans[0][0]
			}
		}
		i += size
	}
	return b.String(), ranges
}
