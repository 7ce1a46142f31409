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

// Words returns the words of all that are near to one, in small letters: first those that differ in accents
// or width only, then those that are one letter apart, with the same beginning first. They
// are at most so many. The error is that of all.
func Words(word string, all iter.Seq2[string, error], most int) ([]Match, error) {
	var found []Match
	low, want := strings.ToLower(word), plain(word)
	n := utf8.RuneCountInString(want)
	if len(want) > longest || n == 0 {
		return nil, nil
	}
	for other, err := range all {
		if err != nil {
			return nil, err
		}
		if len(other) > 2*longest || strings.ToLower(other) == low {
			continue
		}
		switch p := plain(other); {
		case p == want:
			found = append(found, Match{strings.ToLower(other), true})
		case n >= shortest && oneApart(want, p):
			found = append(found, Match{Word: strings.ToLower(other)})
		}
	}
	alike := func(m Match) int {
		return len(commonPrefix(want, plain(m.Word)))
	}
	slices.SortFunc(found, func(a, b Match) int {
		if a.Same != b.Same {
			if a.Same {
				return -1
			}
			return 1
		}
		return cmp.Or(alike(b)-alike(a), strings.Compare(a.Word, b.Word))
	})
	found = slices.Compact(found)
	return found[:min(most, len(found))], nil
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
