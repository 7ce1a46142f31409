package catalog

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// A pattern is a regular expression to be found in the text of an entry.
type pattern struct {
	re *regexp.Regexp
	// needle is text, folded, that stands in whatever matches; it may be empty.
	needle []byte
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
	return &pattern{re: re, needle: needleOf(tree)}, nil
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

func (p *pattern) may(text []byte) bool { return bytes.Contains(text, p.needle) }

// needleOf returns the longest text, folded, that is part of every match.
func needleOf(re *syntax.Regexp) []byte {
	switch re.Op {
	case syntax.OpLiteral:
		var needle []byte
		for _, r := range re.Rune {
			if r == utf8.RuneError {
				return nil // it matches what is not UTF-8, too
			}
			needle = utf8.AppendRune(needle, fold(r))
		}
		return needle
	case syntax.OpCapture, syntax.OpPlus:
		return needleOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needleOf(re.Sub[0])
		}
	case syntax.OpConcat:
		var longest []byte
		for _, sub := range re.Sub {
			if needle := needleOf(sub); len(needle) > len(longest) {
				longest = needle
			}
		}
		return longest
	}
	return nil
}
