package search

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// A pattern is a regular expression to be found in the text of an entry.
type pattern struct {
	re *regexp.Regexp
	// needles are texts, folded, that stand in whatever matches.
	needles [][]byte
}

// newPattern compiles an expression: RE2, without regard to case, ^ and $ being
// the ends of lines.
func newPattern(text string) (*pattern, error) {
	if _, err := syntax.Parse(text, syntax.Perl); err != nil {
		return nil, err // places in it are those of text
	}
	re, err := regexp.Compile("(?im:" + text + ")")
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse("(?im:"+text+")", syntax.Perl)
	if err != nil {
		return nil, err
	}
	return &pattern{re: re, needles: needlesOf(tree)}, nil
}

// spans returns the matches that are not empty.
func (p *pattern) spans(t *passageText, most int) [][2]int {
	first := p.re.FindIndex(t.text)
	switch {
	case first == nil:
		return nil
	case most == 1 && first[1] > first[0]:
		return [][2]int{{first[0], first[1]}}
	}
	var all [][2]int
	for _, m := range p.re.FindAllIndex(t.text, maxEmpty) {
		if m[1] > m[0] {
			all = append(all, [2]int{m[0], m[1]})
		}
		if len(all) == most {
			break
		}
	}
	return all
}

// maxEmpty is how many matches are looked at to find some that are not empty.
const maxEmpty = 1 << 16

func (p *pattern) may(text []byte) bool {
	for _, needle := range p.needles {
		if !bytes.Contains(text, needle) {
			return false
		}
	}
	return true
}

// words returns the words that whatever matches has: those that stand inside of
// a needle, where it is known that they begin and end.
func (p *pattern) words() (all []keyword) {
	for _, needle := range p.needles {
		eachWord(needle, func(word []byte) bool {
			at := bytes.Index(needle, word)
			inside := edge(before(needle, at), inWord) && at > 0 && edge(inWord, after(needle, at+len(word))) && at+len(word) < len(needle)
			if k := (keyword{text: string(word)}); inside && !slices.Contains(all, k) {
				all = append(all, k)
			}
			return true
		})
	}
	return all
}

// needlesOf returns texts, folded, that are part of every match, the longest
// first.
func needlesOf(re *syntax.Regexp) (all [][]byte) {
	switch re.Op {
	case syntax.OpLiteral:
		var needle []byte
		for _, r := range re.Rune {
			if r == utf8.RuneError {
				return nil // it matches what is not UTF-8, too
			}
			needle = utf8.AppendRune(needle, fold(r))
		}
		return [][]byte{needle}
	case syntax.OpCapture, syntax.OpPlus:
		return needlesOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needlesOf(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			all = append(all, needlesOf(sub)...)
		}
		slices.SortStableFunc(all, func(a, b []byte) int { return len(b) - len(a) })
		return all[:min(len(all), maxNeedles)]
	}
	return nil
}

// maxNeedles is how many needles of an expression are looked for.
const maxNeedles = 4
