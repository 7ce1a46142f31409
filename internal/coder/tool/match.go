package tool

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// A replacement is one change that a model wants: a text of the file, which must
// be in it once, and what shall stand there.
type replacement struct {
	OldText, NewText string
}

// byteOrderMark is that of UTF-8.
const byteOrderMark = "\ufeff"

// A sheet is a file's text as a model sees it: lines end in "\n". It knows where
// each byte is in the file.
type sheet struct {
	original string
	// start is the length of the byte order mark.
	start int
	text  string
	// returns are the places in text of the "\n" that are "\r\n" in the file.
	returns []int
}

func newSheet(original string) *sheet {
	s := &sheet{original: original}
	rest := strings.TrimPrefix(original, byteOrderMark)
	s.start = len(original) - len(rest)
	if !strings.Contains(rest, "\r\n") {
		s.text = rest
		return s
	}
	var b strings.Builder
	b.Grow(len(rest))
	for {
		i := strings.Index(rest, "\r\n")
		if i < 0 {
			break
		}
		b.WriteString(rest[:i])
		s.returns = append(s.returns, b.Len())
		b.WriteByte('\n')
		rest = rest[i+2:]
	}
	b.WriteString(rest)
	s.text = b.String()
	return s
}

// at returns where a place of the text is in the file.
func (s *sheet) at(i int) int { return s.start + i + sort.SearchInts(s.returns, i) }

// ending returns how lines end in a part of the text: as most there do, or most
// of the file when no line ends there.
func (s *sheet) ending(from, to int) string {
	n := strings.Count(s.text[from:to], "\n")
	crlf := sort.SearchInts(s.returns, to) - sort.SearchInts(s.returns, from)
	if n == 0 {
		n, crlf = strings.Count(s.text, "\n"), len(s.returns)
	}
	if 2*crlf > n {
		return "\r\n"
	}
	return "\n"
}

// plainLines is what a model wrote, with lines that end in "\n".
func plainLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// A hit is a replacement with its place in the text.
type hit struct {
	from, to, number int
	newText          string
}

// apply returns the file with all of the replacements done, or why none was.
// All are looked for in the original. What they do not name stays byte for byte.
func apply(original string, edits []replacement) (string, error) {
	s := newSheet(original)
	var hits []hit
	for i, e := range edits {
		h, err := s.find(e)
		if err != nil {
			if len(edits) > 1 {
				err = fmt.Errorf("edit %d: %w", i+1, err)
			}
			return "", err
		}
		h.number = i + 1
		hits = append(hits, h)
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.from - b.from })
	for i := 1; i < len(hits); i++ {
		if hits[i].from < hits[i-1].to {
			a, b := hits[i-1].number, hits[i].number
			return "", fmt.Errorf("edits %d and %d overlap at line %d; make one of them", min(a, b), max(a, b), s.line(hits[i].from))
		}
	}
	var b strings.Builder
	done := 0
	for _, h := range hits {
		b.WriteString(original[done:s.at(h.from)])
		b.WriteString(strings.ReplaceAll(h.newText, "\n", s.ending(h.from, h.to)))
		done = s.at(h.to)
	}
	b.WriteString(original[done:])
	if b.String() == original {
		return "", fmt.Errorf("the new text is the same as the old; nothing would change")
	}
	return b.String(), nil
}

// find looks for the one place of a replacement.
func (s *sheet) find(e replacement) (hit, error) {
	oldText := plainLines(e.OldText)
	newText := plainLines(e.NewText)
	if strings.HasPrefix(oldText, byteOrderMark) && s.start > 0 {
		oldText = strings.TrimPrefix(oldText, byteOrderMark)
		newText = strings.TrimPrefix(newText, byteOrderMark)
	}
	if oldText == "" {
		return hit{}, fmt.Errorf("oldText is empty; give the text to replace, or use write for a whole file")
	}
	first := strings.Index(s.text, oldText)
	if first < 0 {
		return hit{}, fmt.Errorf("oldText is not in the file%s", s.nearest(oldText))
	}
	lines, more := []string{fmt.Sprint(s.line(first))}, false
	for at := first; ; {
		i := strings.Index(s.text[at+1:], oldText)
		if i < 0 {
			break
		}
		at += 1 + i
		if len(lines) == 5 {
			more = true
			break
		}
		lines = append(lines, fmt.Sprint(s.line(at)))
	}
	if len(lines) > 1 {
		tail := ""
		if more {
			tail = " and more"
		}
		return hit{}, fmt.Errorf("oldText is in the file more than once, at the lines %s%s; take more of what is around the one that is meant",
			strings.Join(lines, ", "), tail)
	}
	return hit{from: first, to: first + len(oldText), newText: newText}, nil
}

// line returns the number of the line of a place in the text, from 1.
func (s *sheet) line(at int) int { return strings.Count(s.text[:at], "\n") + 1 }

// The bounds of the search for the closest place: lines of the old text that are
// looked at, and comparisons of lines in all.
const (
	nearLines   = 200
	nearCompare = 20_000_000
)

// nearest says in words where the file comes closest to a text that is not in
// it: the place at which most lines are the same but for white space, or else
// the line that shares most with the first one.
func (s *sheet) nearest(oldText string) string {
	want := trimmed(strings.Split(strings.Trim(oldText, "\n"), "\n"))
	have := strings.Split(s.text, "\n")
	bare := trimmed(have)
	if len(want) > nearLines {
		want = want[:nearLines]
	}
	if len(have)*len(want) > nearCompare {
		want = want[:max(1, nearCompare/len(have))]
	}
	best, at := 0, -1
	for i := range bare {
		same := 0
		for j, w := range want {
			if i+j < len(bare) && w != "" && bare[i+j] == w {
				same++
			}
		}
		if same > best {
			best, at = same, i
		}
	}
	if at < 0 {
		return s.similar(want, have)
	}
	given := strings.Split(strings.Trim(oldText, "\n"), "\n")
	for j := range want {
		if at+j >= len(have) {
			return fmt.Sprintf("; the closest place is at line %d, but the file ends at line %d, before oldText does", at+1, len(have))
		}
		if have[at+j] == given[j] || j == 0 && strings.HasSuffix(have[at], given[0]) ||
			j == len(given)-1 && strings.HasPrefix(have[at+j], given[j]) {
			continue
		}
		how := ""
		if bare[at+j] == want[j] {
			how = " in white space"
		}
		return fmt.Sprintf("; the closest place begins at line %d and differs%s at line %d, where the file has %s and oldText %s",
			at+1, how, at+j+1, quoted(have[at+j]), quoted(given[j]))
	}
	return fmt.Sprintf("; the closest place begins at line %d and differs in the empty lines before or after", at+1)
}

// similar names the line that is most like one of the wanted.
func (s *sheet) similar(want, have []string) string {
	wanted := ""
	for _, w := range want {
		if wanted = w; w != "" {
			break
		}
	}
	pairs := pairsOf(wanted)
	best, at := 0.0, -1
	for i, line := range have {
		if like := likeness(pairs, strings.TrimSpace(head(line, MaxLine))); like > best {
			best, at = like, i
		}
	}
	if best < 0.4 {
		return ", and nothing in it is close to it; read the file again"
	}
	return fmt.Sprintf("; the closest is line %d, which is %s", at+1, quoted(have[at]))
}

// pairsOf counts the pairs of neighbouring bytes of a text.
func pairsOf(text string) map[string]int {
	pairs := map[string]int{}
	for i := 0; i+2 <= len(text); i++ {
		pairs[text[i:i+2]]++
	}
	return pairs
}

// likeness is the share of pairs that two texts have in common, from 0 to 1.
func likeness(pairs map[string]int, text string) float64 {
	all, common := 0, 0
	for _, n := range pairs {
		all += n
	}
	for pair, n := range pairsOf(text) {
		all += n
		common += min(n, pairs[pair])
	}
	if all == 0 {
		return 0
	}
	return 2 * float64(common) / float64(all)
}

// trimmed are lines without white space at their sides and with single blanks
// within.
func trimmed(lines []string) []string {
	bare := make([]string, len(lines))
	for i, line := range lines {
		bare[i] = strings.Join(strings.Fields(line), " ")
	}
	return bare
}

// quoted is a line in a message.
func quoted(line string) string {
	if utf8.RuneCountInString(line) > 200 {
		line = head(line, 200) + "…"
	}
	return fmt.Sprintf("%q", line)
}
