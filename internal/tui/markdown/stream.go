package markdown

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/gfm"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A Stream lays out a text that grows. Its zero value is ready. It is not safe
// for concurrent use.
type Stream struct {
	th   theme.Theme
	cols int

	text  string   // as it was laid out last
	done  int      // bytes of it that do not change any more
	lines []string // of those
}

// Lay returns the lines of a text, as [Lay] would but for its end, which is shown
// as what it will most likely become. What was laid out before is not laid out
// again while the text, the theme and the width stay and the text only grows. The
// lines are valid until the next call.
func (s *Stream) Lay(th theme.Theme, text string, cols int) []string {
	if th.Depth() != s.th.Depth() || th.Dark() != s.th.Dark() || cols != s.cols || !strings.HasPrefix(text, s.text) {
		*s = Stream{th: th, cols: cols}
	}
	s.text = text
	rest := term.Safe(text[s.done:])
	if gfm.Wild(rest) {
		return append(s.lines[:len(s.lines):len(s.lines)], plain(th, theme.Text, strings.Trim(rest, "\n"), cols)...)
	}
	if rest == text[s.done:] {
		rest = s.settle(rest)
	}
	w := writer{th: th, source: []byte(likely(rest))}
	end := w.blocks(gfm.Parse(w.source), place{cols, theme.Text})
	all := s.lines[:len(s.lines):len(s.lines)]
	if len(all) > 0 && len(end) > 0 {
		all = append(all, "")
	}
	return append(all, end...)
}

// settle lays out the blocks that are complete, which all but the last one are,
// and returns the text of the last.
func (s *Stream) settle(rest string) string {
	w := writer{th: s.th, source: []byte(rest)}
	doc := gfm.Parse(w.source)
	last := doc.LastChild()
	if last == nil || last == doc.FirstChild() || last.Pos() <= 0 || last.Pos() > len(rest) {
		return rest
	}
	at := strings.LastIndexByte(rest[:last.Pos()], '\n') + 1
	if at == 0 {
		return rest
	}
	doc.RemoveChild(doc, last)
	lines := w.blocks(doc, place{s.cols, theme.Text})
	if len(s.lines) > 0 && len(lines) > 0 {
		s.lines = append(s.lines, "")
	}
	s.lines = append(s.lines, lines...)
	s.done += at
	return rest[at:]
}

// likely is a text as it will most likely go on: a last line of which only the
// signs are there is left out, a table too of which only the head is, and what
// stands in a pair whose second half is not there yet gets it.
func likely(s string) string {
	at := strings.LastIndexByte(s, '\n') + 1
	last := s[at:]
	if inFence(s[:at]) {
		if strings.Trim(last, " `~") == "" {
			return s[:at] // it may be the end of the fence
		}
		return s
	}
	from := 0
	if i := strings.LastIndex(s, "\n\n"); i >= 0 {
		from = i + 2
	}
	if headAlone(s[from:]) {
		return s[:from]
	}
	if strings.Trim(last, " \t-=*_+#>|:`~.0123456789[]xX") == "" && !numberAlone(s, last) {
		return s[:at]
	}
	return paired(s, from)
}

// headAlone reports whether a block is the head of a table and no more: the line
// of dashes may be on its way.
func headAlone(block string) bool {
	_, second, _ := strings.Cut(block, "\n")
	return strings.HasPrefix(block, "|") && strings.Trim(second, " |:-") == ""
}

// numberAlone reports whether the last line only looks like a sign: it goes on a
// paragraph with a number or an x.
func numberAlone(s, last string) bool {
	return strings.Trim(last, " 0123456789xX.:") == "" && strings.TrimSpace(last) != "" && len(s) > len(last)
}

// inFence reports whether a text, of whole lines, ends within a block of code.
func inFence(s string) bool {
	fence := ""
	for line := range strings.Lines(s) {
		line = strings.TrimLeft(line, " ")
		switch sign := fenceOf(line); {
		case sign == "":
		case fence == "":
			fence = sign
		case strings.HasPrefix(sign, fence) && strings.Trim(line, sign[:1]+" \n") == "":
			fence = ""
		}
	}
	return fence != ""
}

// fenceOf returns the signs of a fence that a line begins with.
func fenceOf(line string) string {
	for _, sign := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, sign)); n >= 3 && (sign == "~" || !strings.Contains(line[n:], sign)) {
			return line[:n]
		}
	}
	return ""
}

// paired closes the pairs that are open at the end of a text whose last paragraph
// begins at from: of code, or of emphasis. A sign behind which nothing stands yet
// is left out.
func paired(s string, from int) string {
	var open []string
	for i := from; i < len(s); {
		c := s[i]
		if c == '\\' {
			i += 2
			continue
		}
		if strings.IndexByte("`*~_", c) < 0 {
			i++
			continue
		}
		n := 1
		for i+n < len(s) && s[i+n] == c {
			n++
		}
		mark, last := s[i:i+n], i+n == len(s)
		begins := i == from || strings.IndexByte(" \n(*_~\"", s[i-1]) >= 0
		top := ""
		if len(open) > 0 {
			top = open[len(open)-1]
		}
		switch {
		case c == '`':
			end := strings.Index(s[i+n:], mark)
			switch {
			case end >= 0:
				n += end + n
			case last:
				return closed(s[:i], open)
			default:
				return closed(strings.TrimRight(s, "`")+mark, open)
			}
		case mark == top && !begins:
			open = open[:len(open)-1]
		case last && (begins || strings.HasPrefix(top, mark)):
			return closed(s[:i], open) // it is about to begin, or to end
		case n <= 3 && !last && s[i+n] != ' ' && s[i+n] != '\n' && (begins || c == '*') && (c != '~' || n == 2):
			open = append(open, mark)
		}
		i += n
	}
	return closed(s, open)
}

// closed puts the ends of pairs behind a text.
func closed(s string, open []string) string {
	const most = 4 // more are no pairs
	s = strings.TrimRight(s, " ")
	if len(open) > most || strings.HasSuffix(s, "\n") {
		return s
	}
	for i := len(open) - 1; i >= 0; i-- {
		if bare := strings.TrimRight(s, " "); strings.HasSuffix(bare, open[i]) {
			s = strings.TrimSuffix(bare, open[i]) // nothing stands in it
			continue
		}
		s += open[i]
	}
	return s
}
