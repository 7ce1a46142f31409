// Package near tells which words are near to one that is not found: spelt with other
// accents or in another width, or one letter apart.
package near

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// shortest is how many characters a word has at least that is near to one with another
// letter: of shorter ones too many are.
const shortest = 4

// longest is how long a word is at most that is looked at, in bytes.
const longest = 128

// apart are letters that no accent is taken from, as people write them without.
var apart = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i")

// plain returns a word without accents, in small letters of one width.
func plain(word string) string {
	ascii := true
	for i := range len(word) {
		ascii = ascii && word[i] < utf8.RuneSelf
	}
	if word = strings.ToLower(word); ascii {
		return word
	}
	return apart.Replace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(word)))
}

// A Match is a word that is near to another.
type Match struct {
	Word string
	// Same says that the words differ in accents or width only.
	Same bool
}

// Words returns, for each of some words, those of all that are near to it, in small
// letters: first those that differ in accents or width only, then those that are one
// letter apart, with the same beginning first. They are at most so many for each. The error
// is that of all.
func Words(words []string, all iter.Seq2[string, error], most int) ([][]Match, error) {
	found, wanted := make([][]Match, len(words)), make([]want, len(words))
	for i, w := range words {
		p := plain(w)
		wanted[i] = want{strings.ToLower(w), p, utf8.RuneCountInString(p)}
	}
	for other, err := range all {
		if err != nil {
			return nil, err
		}
		if len(other) > longest {
			continue
		}
		p := plain(other)
		for i := range wanted {
			if m, ok := wanted[i].match(other, p); ok {
				found[i] = append(found[i], m)
			}
		}
	}
	for i := range found {
		found[i] = wanted[i].best(found[i], most)
	}
	return found, nil
}

// A want is a word to which others may be near.
type want struct {
	low, plain string
	letters    int
}

func (w *want) match(other, plain string) (m Match, near bool) {
	switch {
	case plain == w.plain:
		low := strings.ToLower(other)
		return Match{low, true}, low != w.low && w.letters > 0
	case w.letters >= shortest && oneApart(w.plain, plain):
		return Match{Word: strings.ToLower(other)}, true
	}
	return Match{}, false
}

// best returns the first of matches in order.
func (w *want) best(all []Match, most int) []Match {
	slices.SortFunc(all, func(a, b Match) int {
		if a.Same != b.Same {
			if a.Same {
				return -1
			}
			return 1
		}
		return cmp.Or(len(commonPrefix(w.plain, plain(b.Word)))-len(commonPrefix(w.plain, plain(a.Word))), strings.Compare(a.Word, b.Word))
	})
	all = slices.Compact(all)
	return all[:min(most, len(all))]
}

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// oneApart reports whether a becomes b when a letter is put in, taken out, changed, or
// swapped with the next.
func oneApart(a, b string) bool {
	if d := len(a) - len(b); d > utf8.UTFMax || d < -utf8.UTFMax {
		return false
	}
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y {
			break
		}
		a, b = a[n:], b[m:]
	}
	for a != "" && b != "" {
		x, n := utf8.DecodeLastRuneInString(a)
		y, m := utf8.DecodeLastRuneInString(b)
		if x != y {
			break
		}
		a, b = a[:len(a)-n], b[:len(b)-m]
	}
	x, y := []rune(a), []rune(b)
	return len(x) <= 1 && len(y) <= 1 || len(x) == 2 && len(y) == 2 && x[0] == y[1] && x[1] == y[0]
}
