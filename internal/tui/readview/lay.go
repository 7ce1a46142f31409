package readview

import (
	"fmt"
	"iter"
	"strings"

	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/syntax"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A Form says how passages are laid out. It is for one goroutine.
type Form struct {
	Theme theme.Theme
	// Cols is how wide lines may be.
	Cols int
	// ASCII has what calls were given in ASCII.
	ASCII bool
	// Painter tells code apart to colour it; nil leaves code in one colour.
	Painter *syntax.Painter
}

// A Passage is one entry of a session, or the branches that leave behind one.
type Passage struct {
	// Parts are what it says, in order.
	Parts []transcript.Part
	// Side is what stands at the right of its head, the most wanted last.
	Side []string
	// Label is its label, "" for none.
	Label string
	// Of names the call that a result came of, where the answer above it has several.
	Of string
	// Hidden says that it asks to be hidden: it is one line until it is opened.
	Hidden bool
	// Branches are those that leave here.
	Branches []Branch
	// More is how many branches leave here beside those.
	More int
}

// A Branch is one that leaves behind an entry.
type Branch struct {
	// Entry is the position of its first entry.
	Entry int
	// ID is that of its first entry, "" for none.
	ID string
	// Text is its first entry in short.
	Text string
	// Entries is how many it has, with those that leave it again.
	Entries int
}

// The things that are no block.
const (
	// None is the thing of a line that belongs to the passage as a whole.
	None = -1
	// Cover is what hides a hidden passage.
	Cover = -2
)

// A Line is one line of a passage.
type Line struct {
	// Text is painted.
	Text string
	// Thing is what the line belongs to: a block by its number, else None or Cover.
	// Behind an entry it is the number of a branch.
	Thing int
}

// A layer lays out one passage.
type layer struct {
	Form
	p    *Passage
	open func(thing int) bool
	all  []Line
}

// Lay returns the lines of a passage. open reports whether a thing is open.
func (f Form) Lay(p *Passage, open func(thing int) bool) []Line {
	f.Cols = max(f.Cols, 8)
	l := &layer{Form: f, p: p, open: open}
	if p.Hidden && !open(Cover) {
		l.cover()
		return l.all
	}
	at := 0
	for _, part := range p.Parts {
		switch part.Sort {
		case transcript.Rule:
			l.rule(part.Text)
		case transcript.Aside:
			l.aside(None, part.Text)
		default:
			at = l.message(part, at)
		}
	}
	if len(p.Branches) > 0 {
		l.branches()
	}
	return l.all
}

// put adds lines of a thing.
func (l *layer) put(thing int, lines ...string) {
	for _, line := range lines {
		l.all = append(l.all, Line{line, thing})
	}
}

// cover is a hidden passage on one line.
func (l *layer) cover() {
	words := ""
	for text := range l.p.Words() {
		if words = theme.FirstLine(transcript.FirstLines(text, 8, 4*l.Cols)); words != "" {
			break
		}
	}
	l.aside(Cover, "hidden: "+words)
}

// aside is one line about what is not said aloud.
func (l *layer) aside(thing int, text string) {
	side := l.side(8)
	text = term.Cut("· "+term.Line(text), max(l.Cols-term.Width(side)-2, 8))
	l.put(thing, l.Theme.Paint(theme.Faint, beside(text, side, l.Cols)))
}

// rule is a line across with words in it.
func (l *layer) rule(words string) {
	words = term.Cut(term.Line(words), max(l.Cols-6, 4))
	l.put(None, "", l.Theme.Paint(theme.Border, "── ")+l.Theme.Paint(theme.Warn, words)+
		l.Theme.Paint(theme.Border, " "+strings.Repeat("─", max(l.Cols-4-term.Width(words), 1))))
}

// branches name those that leave here.
func (l *layer) branches() {
	n := len(l.p.Branches) + l.p.More
	words := term.Plural(n, "other branch") + " from here"
	l.rule(words)
	for i, b := range l.p.Branches {
		side := term.Plural(b.Entries, "entry")
		if id := term.Cut(term.Line(b.ID), 12); id != "" && l.Cols >= 60 {
			side += "  " + id
		}
		text := term.Cut("  "+theme.ForkBadge+" "+term.Line(b.Text), max(l.Cols-term.Width(side)-2, 8))
		gap := strings.Repeat(" ", max(l.Cols-term.Width(text)-term.Width(side), 1))
		l.put(i, l.Theme.Paint(theme.Text, text)+l.Theme.Paint(theme.Faint, gap+side))
	}
	if l.p.More > 0 {
		l.put(None, l.Theme.Paint(theme.Faint, fmt.Sprintf("    %s %d more", theme.Ellipsis, l.p.More)))
	}
}

// side is what stands at the right of a head, as much of it as leaves so many cells.
func (l *layer) side(leave int) string {
	all := make([]string, 0, len(l.p.Side))
	for _, s := range l.p.Side {
		if s = term.Cut(term.Line(s), 16); s != "" {
			all = append(all, s)
		}
	}
	for ; len(all) > 0; all = all[1:] {
		if s := strings.Join(all, "  "); term.Width(s)+2+leave <= l.Cols {
			return s
		}
	}
	return ""
}

// beside puts two texts at the ends of a line.
func beside(left, right string, cols int) string {
	if right == "" {
		return left
	}
	return left + strings.Repeat(" ", max(cols-term.Width(left)-term.Width(right), 1)) + right
}

// head is the line above a message.
func (l *layer) head(m transcript.Message, note string) {
	th, side := l.Theme, l.side(term.Width(m.Title())+4)
	room := max(l.Cols-term.Width(side)-2, 8)
	who := term.Cut(term.Line(m.Title()), room)
	line, width := th.Paint(speaker(m), who), term.Width(who)
	add := func(role theme.Role, text string) {
		if text = term.Line(text); text != "" && width+6 <= room {
			text = "  " + term.Cut(text, room-width-2)
			line += th.Paint(role, text)
			width += term.Width(text)
		}
	}
	if l.p.Label != "" {
		add(theme.Pin, "["+l.p.Label+"]")
	}
	add(theme.Faint, note)
	if side != "" {
		line += strings.Repeat(" ", max(l.Cols-width-term.Width(side), 1)) + th.Paint(theme.Faint, side)
	}
	l.put(None, "", line)
}

// speaker is how the name of who speaks looks.
func speaker(m transcript.Message) theme.Role {
	switch m.Who {
	case transcript.User:
		return theme.Title
	case transcript.Damaged:
		return theme.Bad
	}
	return theme.Strong
}

// message lays out what somebody said. Its first block has the number at; the number
// behind its last one is returned.
func (l *layer) message(p transcript.Part, at int) int {
	m := p.Message
	if m.Who == transcript.Tool {
		l.result(m, p.Note, at)
		return at + things(m)
	}
	note := transcript.Join(p.Note, m.Note())
	if m.Who == transcript.Assistant {
		note = transcript.Join(p.Note, m.Name)
	}
	if l.p.Hidden {
		note = transcript.Join("hidden", note)
	}
	l.head(m, note)
	before := transcript.Text
	for i, b := range m.Blocks {
		if i > 0 && b.Kind == transcript.Text && before != transcript.Text && strings.TrimSpace(b.Text) != "" {
			l.put(None, "")
		}
		l.block(at+i, b, m)
		before = b.Kind
	}
	if len(m.Blocks) == 0 {
		l.put(None, l.Theme.Paint(theme.Faint, "(nothing said)"))
	}
	return at + things(m)
}

// things is how many things a message has.
func things(m transcript.Message) int { return len(m.Blocks) + 1 } // the last is its diff

// All yields the blocks of the messages, by number.
func (p *Passage) All() iter.Seq2[int, transcript.Block] {
	return func(yield func(int, transcript.Block) bool) {
		at := 0
		for _, part := range p.Parts {
			if part.Sort != transcript.Said {
				continue
			}
			for i, b := range part.Message.Blocks {
				if !yield(at+i, b) {
					return
				}
			}
			if d := part.Message.Diff; d != "" && !yield(at+len(part.Message.Blocks), transcript.Block{Kind: transcript.Result, Text: d}) {
				return
			}
			at += things(part.Message)
		}
	}
}

// Words yields all texts that a passage can show.
func (p *Passage) Words() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, part := range p.Parts {
			if part.Text != "" && !yield(part.Text) {
				return
			}
		}
		for _, b := range p.All() {
			for text := range wordsOf(b) {
				if !yield(text) {
					return
				}
			}
		}
		for _, b := range p.Branches {
			if !yield(b.Text) {
				return
			}
		}
	}
}

// With yields the blocks in which a text stands that is wanted.
func (p *Passage) With(wanted func(text string) bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, b := range p.All() {
			for text := range wordsOf(b) {
				if wanted(text) {
					if !yield(i) {
						return
					}
					break
				}
			}
		}
	}
}

// wordsOf yields the texts of a block, those of a call as they are seen.
func wordsOf(b transcript.Block) iter.Seq[string] {
	return func(yield func(string) bool) {
		if b.Kind == transcript.Call {
			if !yield("→ " + consent.Visible(b.Name, false)) {
				return
			}
			for key, text := range b.Args() {
				if !yield(consent.VisibleLines(key+": "+text, false)) {
					return
				}
			}
			return
		}
		if !yield(b.Said()) {
			return
		}
		for text := range b.Rest() {
			if !yield(text) {
				return
			}
		}
	}
}
