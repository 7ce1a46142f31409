package search

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A literal is a word or a phrase to be found as it is written, but for upper
// and lower case and for how much blank there is between its parts.
type literal struct {
	// needle is folded; every run of blanks is one space.
	needle []byte
	// anchor is the part of needle before its first space.
	anchor []byte
	// prefix says that the word the needle ends in may go on.
	prefix bool
	// head and tail are the classes of the first and the last rune: a word must
	// begin and end there.
	head, tail class
	// words are the words of the needle as an index keeps them.
	words []keyword
}

// A keyword is a word of a query.
type keyword struct {
	text string
	// prefix says that it is the beginning of a word.
	prefix bool
}

// cut says that an index keeps only part of the word, so that it tells nothing
// of how often it occurs.
func (k keyword) cut() bool { return len(k.text) >= maxWord-utf8.UTFMax }

// newLiteral returns the literal of what a person wrote; nil when it is blank.
func newLiteral(text string, prefix bool) *literal {
	var f foldedText
	f.set(bytes.Join(bytes.Fields([]byte(text)), []byte(" ")))
	if len(f.text) == 0 {
		return nil
	}
	l := &literal{needle: f.text, anchor: f.text, prefix: prefix, head: after(f.text, 0), tail: before(f.text, len(f.text))}
	if at := bytes.IndexByte(l.anchor, ' '); at > 0 {
		l.anchor = l.anchor[:at]
	}
	eachWord(l.needle, func(word []byte) bool {
		l.words = append(l.words, keyword{text: string(word)})
		return true
	})
	if prefix && l.tail == inWord {
		l.words[len(l.words)-1].prefix = true
	}
	return l
}

// find returns where the literal stands first in a folded text, not before from,
// or -1.
func (l *literal) find(text []byte, from int) (start, end int) {
	for from <= len(text) {
		at := bytes.Index(text[from:], l.anchor)
		if at < 0 {
			break
		}
		start = from + at
		if end = l.at(text, start); end >= 0 {
			return start, end
		}
		from = start + 1
	}
	return -1, -1
}

// at returns where the literal ends if it stands at start, else -1.
func (l *literal) at(text []byte, start int) int {
	if !edge(before(text, start), l.head) {
		return -1
	}
	end := start + len(l.anchor)
	if len(l.anchor) < len(l.needle) {
		if end = follow(text, end, l.needle[len(l.anchor):]); end < 0 {
			return -1
		}
	}
	if !l.prefix && !edge(l.tail, after(text, end)) {
		return -1
	}
	return end
}

// follow compares text from at on with needle, a space of which stands for any
// run of blanks. It returns where the needle ends, or -1.
func follow(text []byte, at int, needle []byte) int {
	for len(needle) > 0 {
		if needle[0] != ' ' {
			n := bytes.IndexByte(needle, ' ')
			if n < 0 {
				n = len(needle)
			}
			if !bytes.HasPrefix(text[at:], needle[:n]) {
				return -1
			}
			at, needle = at+n, needle[n:]
			continue
		}
		blank := at
		for at < len(text) {
			r, size := utf8.DecodeRune(text[at:])
			if !unicode.IsSpace(r) {
				break
			}
			at += size
		}
		if at == blank {
			return -1
		}
		needle = needle[1:]
	}
	return at
}

// Levels of how often a word stands in a chunk: once, at least twice, four
// times, eight times.
const levels = 4

// levelOf returns the level of a count of at least 1.
func levelOf(count int) uint8 {
	switch {
	case count >= 8:
		return 3
	case count >= 4:
		return 2
	case count >= 2:
		return 1
	}
	return 0
}

// weigh returns what a level counts for.
func weigh(level uint8) int { return 1 << level }

// A counter counts a keyword in the passages of a chunk: it tells the same as
// an index of its words.
type counter struct {
	literal literal
	word    keyword
	count   int
	tally   map[string]int // of the words that begin so
}

func newCounter(k keyword) *counter {
	l := literal{needle: []byte(k.text), prefix: k.prefix}
	l.anchor, l.head, l.tail = l.needle, after(l.needle, 0), before(l.needle, len(l.needle))
	return &counter{literal: l, word: k, tally: map[string]int{}}
}

// in returns what the keyword weighs in a chunk, of which f is the folded form;
// 0 when it is not in it.
func (n *counter) in(c *chunk, f *foldedText) int {
	if n.word.cut() || !n.literal.may(f.text) {
		return 0
	}
	clear(n.tally)
	n.count = 0
	for i := range c.passages {
		t := textOf(c, f, &c.passages[i])
		n.add(t.folded)
	}
	if n.count == 0 {
		return 0
	}
	return weigh(levelOf(n.count))
}

// add counts in a folded text.
func (n *counter) add(text []byte) {
	l := &n.literal
	for start, end := l.find(text, 0); start >= 0; start, end = l.find(text, end) {
		if !n.word.prefix {
			n.count++
			continue
		}
		eachWord(text[start:], func(word []byte) bool {
			n.tally[string(word)]++
			n.count = max(n.count, n.tally[string(word)])
			return false
		})
	}
}

// distinctWords returns the keywords of literals, each once.
func distinctWords(literals []*literal) []keyword {
	var all []keyword
	for _, l := range literals {
		for _, k := range l.words {
			if !slices.Contains(all, k) {
				all = append(all, k)
			}
		}
	}
	return all
}

// spans returns where the literal stands.
func (l *literal) spans(t *passageText, most int) [][2]int {
	var all [][2]int
	for start, end := l.find(t.folded, 0); start >= 0 && len(all) < most; start, end = l.find(t.folded, end) {
		all = append(all, [2]int{t.origin(start), t.origin(end)})
	}
	return all
}

func (l *literal) may(folded []byte) bool { return bytes.Contains(folded, l.anchor) }
