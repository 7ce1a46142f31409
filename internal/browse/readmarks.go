package browse

import (
	"regexp"
	"strings"

	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/readview"
)

// marksOf returns a reading in which is marked what was searched for: the words and
// phrases of a query, without its filters and without what is not to be found.
func marksOf(terms []picker.Term) (r Reading) {
	var words []string
	for _, term := range terms {
		switch {
		case term.Query:
			words = append(words, queryWords(term.Text)...)
		case term.Pattern:
			words = append(words, "re:"+term.Text)
		default:
			words = append(words, term.Text)
		}
	}
	for _, word := range words {
		if mark, err := readview.Mark(word); err == nil && !mark.In("") {
			r.Marks = append(r.Marks, mark)
		}
	}
	if len(r.Marks) > 0 {
		r.Words = strings.Join(words, " ")
	}
	return r
}

// ReadingOf returns a reading in which is marked what a query of `cambium search` finds.
func ReadingOf(query string) Reading { return marksOf([]picker.Term{{Text: query, Query: true}}) }

// part is a part of a query: what is before a colon, and a phrase, a word or both.
var part = regexp.MustCompile(`(-?)(?:([A-Za-z]+):)?(?:"([^"]*)"|([^\s"]+))`)

// queryWords are the words and phrases that a query wants to be found.
func queryWords(query string) (all []string) {
	for _, m := range part.FindAllStringSubmatch(query, -1) {
		word := m[3] + strings.TrimRight(m[4], "*")
		switch {
		case m[1] != "" || word == "":
		case m[2] == "re":
			all = append(all, "re:"+word)
		case m[2] == "":
			all = append(all, word)
		}
	}
	return all
}
