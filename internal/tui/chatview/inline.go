package chatview

import (
	"strings"
	"unicode"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A span is a piece of a line with one look.
type span struct {
	text string
	role theme.Role
}

// inline takes the marks within a line apart.
func inline(s string, role theme.Role) []span {
	var all []span
	plain := 0
	put := func(to int) {
		if to > plain {
			all = append(all, span{s[plain:to], role})
		}
	}
	for i := 0; i < len(s); {
		inner, look, n := markAt(s, i, role)
		if n == 0 {
			if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\\`*_{}[]()#+-.!~|<>", s[i+1]) >= 0 {
				put(i)
				plain = i + 1
				i++
			}
			i++
			continue
		}
		put(i)
		if look == theme.Accent { // code holds no marks
			all = append(all, span{inner, look})
		} else {
			all = append(all, inline(inner, look)...)
		}
		i += n
		plain = i
	}
	put(len(s))
	return all
}

// markAt returns what stands in the mark that begins at i, its look and its
// length; 0 where none begins.
func markAt(s string, i int, role theme.Role) (inner string, look theme.Role, n int) {
	rest := s[i:]
	switch rest[0] {
	case '`':
		ticks := rest[:len(rest)-len(strings.TrimLeft(rest, "`"))]
		if end := strings.Index(rest[len(ticks):], ticks); end > 0 {
			return strings.TrimSpace(rest[len(ticks) : len(ticks)+end]), theme.Accent, 2*len(ticks) + end
		}
	case '*', '_', '~':
		for _, m := range []struct {
			mark string
			look theme.Role
		}{{"***", theme.Strong}, {"**", theme.Strong}, {"__", theme.Strong}, {"~~", theme.Faint}, {"*", theme.Emphasis}, {"_", theme.Emphasis}} {
			if inner, n := enclosed(s, i, m.mark); n > 0 {
				return inner, m.look, n
			}
		}
	case '[', '!':
		open := strings.IndexByte(rest, '[')
		if open > 1 || open < 0 || rest[0] == '!' && open != 1 {
			return "", role, 0
		}
		text, after, ok := strings.Cut(rest[open+1:], "](")
		if !ok || strings.ContainsAny(text, "[]") {
			return "", role, 0
		}
		url, _, ok := strings.Cut(after, ")")
		if !ok || strings.ContainsRune(url, ' ') {
			return "", role, 0
		}
		n := open + 1 + len(text) + 2 + len(url) + 1
		if url == text || url == "" {
			return text, role, n
		}
		return text + " (" + url + ")", role, n
	}
	return "", role, 0
}

// enclosed returns what a mark encloses at i: nothing that begins or ends with a
// blank, and no part of a word for single marks.
func enclosed(s string, i int, mark string) (string, int) {
	rest, ok := strings.CutPrefix(s[i:], mark)
	if !ok || rest == "" || rest[0] == ' ' || rest[0] == mark[0] && len(mark) == 1 {
		return "", 0
	}
	single := mark[0] == '_' || mark == "*"
	if single && i > 0 && wordByte(s[i-1]) {
		return "", 0
	}
	end := strings.Index(rest, mark)
	if end <= 0 || rest[end-1] == ' ' {
		return "", 0
	}
	after := end + len(mark)
	if single && after < len(rest) && wordByte(rest[after]) {
		return "", 0
	}
	return rest[:end], len(mark) + after
}

func wordByte(b byte) bool {
	return b >= 0x80 || unicode.IsLetter(rune(b)) || unicode.IsDigit(rune(b))
}

// plainSpans are spans without their looks.
func plainSpans(all []span) string {
	var b strings.Builder
	for _, s := range all {
		b.WriteString(s.text)
	}
	return b.String()
}

// wrapSpans breaks spans into lines of at most cols.
func wrapSpans(all []span, cols int) [][]span {
	lines := [][]span{nil}
	used, gap := 0, false
	put := func(word string, role theme.Role, blank bool) {
		last := &lines[len(lines)-1]
		if blank {
			*last = append(*last, span{" ", role})
			used++
		}
		*last = append(*last, span{word, role})
		used += term.Width(word)
	}
	// A word may consist of several spans without a blank between them.
	for _, word := range wordsOf(all) {
		width := 0
		for _, s := range word.spans {
			width += term.Width(s.text)
		}
		gap = used > 0 && word.blank
		if used > 0 && used+width+btoi(gap) > cols {
			lines = append(lines, nil)
			used, gap = 0, false
		}
		for n, s := range word.spans {
			blank := gap && n == 0
			if used+term.Width(s.text)+btoi(blank) <= cols {
				put(s.text, s.role, blank)
				continue
			}
			for _, piece := range term.Wrap(s.text, cols) {
				if used > 0 && used+term.Width(piece) > cols {
					lines = append(lines, nil)
					used = 0
				}
				put(piece, s.role, false)
			}
		}
	}
	return lines
}

// A word is what is not broken.
type word struct {
	spans []span
	blank bool // one stands before it
}

func wordsOf(all []span) []word {
	var words []word
	joined := false // what comes next belongs to the last word
	for _, s := range all {
		for n, piece := range strings.Split(s.text, " ") {
			blank := n > 0
			if piece == "" {
				joined = joined && !blank
				continue
			}
			if joined && !blank && len(words) > 0 {
				last := &words[len(words)-1]
				last.spans = append(last.spans, span{piece, s.role})
				continue
			}
			words = append(words, word{spans: []span{{piece, s.role}}, blank: true})
			joined = true
		}
		joined = joined && !strings.HasSuffix(s.text, " ")
	}
	return words
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
