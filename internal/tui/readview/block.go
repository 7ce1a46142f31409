package readview

import (
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tui/markdown"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// Bounds of what is laid out.
const (
	mostOpen   = 1 << 20  // bytes of one thing that is open
	mostWhole  = 64 << 10 // bytes of Markdown that are laid out to be folded
	headBytes  = 16 << 10 // of longer Markdown, at its beginning
	tailBytes  = 4 << 10  // and at its end
	mostLines  = 120      // lines of a text that is not folded
	headLines  = 80
	tailLines  = 20
	shownLines = 4 // of an output, at its beginning and at its end
)

// A fold is of how many lines of a text something is seen, at its ends.
type fold struct{ head, tail int }

var (
	outputFold      = fold{shownLines, shownLines}
	instructionFold = fold{3, 0}
	storedFold      = fold{3, 2}
	diffFold        = fold{8, 4}
	promptFold      = fold{headLines, tailLines}
)

// block lays out a block of a message that is no result.
func (l *layer) block(thing int, b transcript.Block, m transcript.Message) {
	switch b.Kind {
	case transcript.Text:
		if m.Who == transcript.User {
			l.folded(thing, b.Text, promptFold, func(text string) []string { return l.Theme.Bar(theme.Accent, text, l.Cols) })
			return
		}
		l.markdown(thing, b.Text)
	case transcript.Thinking:
		l.thinking(thing, b.Text)
	case transcript.Call:
		l.call(thing, b)
	case transcript.Command:
		l.folded(thing, b.Said(), promptFold, func(text string) []string { return l.Theme.Bar(theme.Accent, text, l.Cols) })
	case transcript.Output:
		if strings.TrimSpace(b.Text) != "" {
			l.folded(thing, b.Text, outputFold, l.plain(theme.Faint, "  "))
		}
	case transcript.Instruction:
		l.folded(thing, b.Text, instructionFold, l.plain(theme.Faint, ""))
	case transcript.Stored, transcript.Piece:
		l.folded(thing, b.Text, storedFold, l.plain(theme.Faint, "  "))
	case transcript.Mention:
		l.put(thing, l.Theme.Wrap(theme.Accent, b.Said(), "", l.Cols)...)
		if l.open(thing) {
			l.folded(thing, b.File.Content, outputFold, l.plain(theme.Faint, "  "))
		}
	case transcript.Failure, transcript.Stop:
		l.folded(thing, b.Said(), outputFold, l.plain(theme.Bad, ""))
	default:
		l.put(thing, l.Theme.Wrap(theme.Faint, b.Said(), "", l.Cols)...)
	}
}

// plain returns a function that wraps text behind an indentation.
func (l *layer) plain(role theme.Role, indent string) func(string) []string {
	return func(text string) []string { return l.Theme.Wrap(role, text, indent, l.Cols) }
}

// folded lays out a text: its ends, if it is long and not open.
func (l *layer) folded(thing int, text string, f fold, lay func(string) []string) {
	text = strings.TrimRight(text, "\n \t")
	if !l.open(thing) {
		head, middle, tail := ends(text, f, l.Cols)
		if middle != "" {
			l.put(thing, lay(head)...)
			l.more(thing, middle)
			if tail != "" {
				l.put(thing, lay(tail)...)
			}
			return
		}
	}
	shown := transcript.FirstLines(text, len(text)+1, mostOpen)
	l.put(thing, lay(shown)...)
	if rest := text[len(shown):]; rest != "" {
		l.put(thing, l.Theme.Paint(theme.Faint, term.Cut(fmt.Sprintf("  %s %s more: `cambium show --full --no-pager` prints it", theme.Ellipsis, term.Bytes(int64(len(rest)))), l.Cols)))
	}
}

// more says how much is folded.
func (l *layer) more(thing int, text string) {
	text = strings.Trim(text, "\n")
	words := fmt.Sprintf("  %s %s more, %s", theme.Ellipsis, term.Plural(strings.Count(text, "\n")+1, "line"), term.Bytes(int64(len(text))))
	l.put(thing, l.Theme.Paint(theme.Faint, term.Cut(words, l.Cols)))
}

// ends takes a text apart into its first lines, its last ones, and those between them;
// there are none between them where to say so takes no less room.
func ends(text string, f fold, cols int) (head, middle, tail string) {
	head = transcript.FirstLines(text, f.head, 2*f.head*cols)
	rest := text[len(head):]
	from := len(rest)
	for range f.tail {
		at := strings.LastIndexByte(rest[:from], '\n')
		if at < 0 || len(rest)-at > 2*f.tail*cols {
			break
		}
		from = at
	}
	middle, tail = rest[:from], strings.TrimPrefix(rest[from:], "\n")
	if lines := strings.Trim(middle, "\n"); strings.Count(lines, "\n") == 0 && len(lines) <= cols {
		return text, "", ""
	}
	return head, middle, tail
}

// markdown lays out what a model writes.
func (l *layer) markdown(thing int, text string) {
	text = strings.Trim(text, "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	lay := func(text string) []string { return markdown.Coloured(l.Theme, text, l.Cols, l.Painter) }
	switch {
	case l.open(thing):
		l.folded(thing, text, fold{}, lay) // only what is longer than may be shown is cut
	case len(text) > mostWhole:
		head := text[:strings.LastIndexByte(text[:headBytes], '\n')+1]
		if head == "" {
			head = transcript.FirstLines(text, 1, headBytes)
		}
		rest := text[len(head):]
		from := len(rest) - tailBytes
		if at := strings.IndexByte(rest[from:], '\n'); at >= 0 {
			from += at
		}
		l.put(thing, lay(head)...)
		l.more(thing, rest[:from])
		l.put(thing, lay(strings.ToValidUTF8(rest[from:], ""))...)
	default:
		lines := lay(text)
		if n := len(lines) - headLines - tailLines; len(lines) > mostLines {
			l.put(thing, lines[:headLines]...)
			l.put(thing, l.Theme.Paint(theme.Faint, term.Cut(fmt.Sprintf("  %s %s more", theme.Ellipsis, term.Plural(n, "line")), l.Cols)))
			lines = lines[headLines+n:]
		}
		l.put(thing, lines...)
	}
}

// thinking lays out reasoning: one line until it is open.
func (l *layer) thinking(thing int, text string) {
	if l.open(thing) {
		l.put(thing, l.Theme.Paint(theme.Faint, "✻ thinking"))
		l.folded(thing, text, outputFold, l.plain(theme.Faint, "  "))
		return
	}
	text = strings.TrimSpace(text)
	more := ""
	if n := strings.Count(text, "\n"); n > 0 {
		more = fmt.Sprintf(" (+%s)", theme.Plural(n, "line"))
	}
	line := term.Cut("✻ "+theme.FirstLine(transcript.FirstLines(text, 8, 4*l.Cols)), max(l.Cols-len(more), 4))
	l.put(thing, l.Theme.Paint(theme.Faint, line+more))
}

// call lays out the call of a tool: one line with what matters most, and what it changes.
func (l *layer) call(thing int, b transcript.Block) {
	th := l.Theme
	name := term.Cut("→ "+consent.Visible(transcript.FirstLines(b.Name, 1, 4*l.Cols), l.ASCII), l.Cols)
	diff := transcript.ChangeIn(b.Arguments)
	lay := func(text string) []string { return th.Diff(consent.VisibleLines(text, l.ASCII), "    ", l.Cols) }
	if l.open(thing) {
		l.put(thing, th.Paint(theme.Warn, name))
		for key, text := range b.Args() {
			if diff != "" && transcript.OfChange(key) {
				continue
			}
			l.folded(thing, key+": "+text, outputFold, func(text string) []string {
				return th.Wrap(theme.Faint, consent.VisibleLines(text, l.ASCII), "    ", l.Cols)
			})
		}
		if diff != "" {
			l.folded(thing, diff, diffFold, lay)
		}
		return
	}
	count := ""
	if diff != "" {
		count = "  " + transcript.Counted(diff)
	}
	rest := ""
	if room := l.Cols - term.Width(name) - 2 - len(count); room > 8 {
		matter := strings.TrimSpace(b.Matter())
		cut := transcript.FirstLines(matter, 8, 4*l.Cols)
		words := strings.Join(strings.Fields(consent.Visible(strings.ReplaceAll(cut, "\t", " "), l.ASCII)), " ")
		if len(cut) < len(matter) {
			words += theme.Ellipsis
		}
		if words != "" {
			rest = "  " + term.Cut(words, room)
		}
	}
	l.put(thing, th.Paint(theme.Warn, name)+rest+th.Paint(theme.Faint, count))
	if diff != "" {
		l.folded(thing, diff, diffFold, lay)
	}
}

// result lays out what a tool answered, below a line with how it ended.
func (l *layer) result(m transcript.Message, note string, at int) {
	th, role, sign := l.Theme, theme.Faint, "  ⎿ "
	if m.Failed {
		role, sign = theme.Bad, "  ✗ "
	}
	size, lines := 0, 0
	for _, b := range m.Blocks {
		if text := strings.TrimRight(b.Text, "\n \t"); b.Kind == transcript.Result && text != "" {
			size, lines = size+len(text), lines+strings.Count(text, "\n")+1
		}
	}
	words := []string{l.p.Of}
	if l.p.Of == "" {
		words[0] = m.Name
	}
	if m.Outcome.Exit != 0 {
		words = append(words, fmt.Sprintf("exit %d", m.Outcome.Exit))
	}
	if m.Outcome.Took > 0 {
		words = append(words, spell(m.Outcome.Took))
	}
	switch {
	case m.Diff != "":
		words = append(words, transcript.Counted(m.Diff))
	case lines > 0:
		words = append(words, term.Plural(lines, "line"), term.Bytes(int64(size)))
	default:
		words = append(words, "(nothing)")
	}
	if m.Pruned {
		words = append(words, "pruned")
	}
	words = append(words, note)
	if l.p.Label != "" {
		words = append(words, "["+l.p.Label+"]")
	}
	var said []string
	for _, w := range words {
		if w = term.Line(w); w != "" {
			said = append(said, w)
		}
	}
	side := l.side(24)
	head := term.Cut(sign+strings.Join(said, " · "), max(l.Cols-term.Width(side)-2, 8))
	thing := at
	if m.Diff != "" {
		thing = at + len(m.Blocks)
	}
	l.put(thing, th.Paint(role, head)+th.Paint(theme.Faint, strings.TrimPrefix(beside(head, side, l.Cols), head)))
	for i, b := range m.Blocks {
		switch {
		case m.Diff != "" && !l.open(thing):
		case b.Kind != transcript.Result:
			l.put(at+i, th.Wrap(theme.Faint, b.Said(), "    ", l.Cols)...)
		case strings.TrimSpace(b.Text) != "":
			l.folded(at+i, b.Text, outputFold, l.plain(role, "    "))
		}
	}
	if m.Diff != "" && l.open(thing) {
		l.folded(thing, m.Diff, diffFold, func(text string) []string { return th.Diff(text, "    ", l.Cols) })
	}
}

// spell is a duration in milliseconds as people read it.
func spell(ms int64) string {
	switch {
	case ms < 1000:
		return fmt.Sprintf("%d ms", ms)
	case ms < 100_000:
		return fmt.Sprintf("%.1f s", float64(ms)/1000)
	}
	return fmt.Sprintf("%d min %d s", ms/60_000, ms/1000%60)
}
