package consent

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// A Kind is what a row is, for colours.
type Kind uint8

// The kinds.
const (
	// Head says which tool is to be run and where; About is a note of the question.
	Head Kind = iota
	About
	// Given is of the arguments; Removed and Added are lines of which an edit has
	// only one.
	Given
	Removed
	Added
)

// A Row is one of a question.
type Row struct {
	Kind Kind
	Text string
}

// Show returns what a question about a call shows, from which [Read] makes that
// call; nothing else may be shown in its place, and none of it left out. The error
// is for a call that cannot be read back, which is not to be run then.
func (c Call) Show(s Screen) ([]Row, error) {
	rows, err := c.rows(s)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(rows))
	for i, r := range rows {
		texts[i] = r.Text
	}
	back, err := parseLines(Unwrap(texts))
	if err != nil {
		return nil, fmt.Errorf("show the call of %s: %w", Visible(c.Tool, s.ASCII), err)
	}
	if !back.equal(c) {
		return nil, fmt.Errorf("show the call of %s: it would be read as another one", Visible(c.Tool, s.ASCII))
	}
	return rows, nil
}

func (c Call) equal(o Call) bool {
	return c.Tool == o.Tool && c.Dir == o.Dir && c.Leads == o.Leads && c.Acts == o.Acts && c.Shell == o.Shell && c.Once == o.Once && bytes.Equal(c.Arguments, o.Arguments)
}

// The lines of a question that are its own.
const (
	runs      = "Run "
	leads     = "It leads to "
	acts      = "Mind: "
	shell     = "Its shell is "
	isBare    = "It is given nothing."
	always    = "Always allows every call of "
	alwaysIn  = " in this session and directory"
	notSuch   = ", but not of a file like this one."
	isReverse = "Some of it is written from right to left, and may be drawn in another order."
)

// rows lays a call out.
func (c Call) rows(s Screen) ([]Row, error) {
	top, err := parse(c.Arguments)
	if err != nil {
		return nil, err
	}
	l := layout{screen: s}
	l.put(Head, runs+word(c.Tool, s.ASCII)+" in "+Visible(c.Dir, s.ASCII)+"?")
	if c.Leads != "" {
		l.put(About, leads+Visible(c.Leads, s.ASCII))
	}
	if c.Acts != "" {
		l.put(About, acts+Visible(c.Acts, s.ASCII))
	}
	if c.Shell != "" {
		l.put(About, shell+Visible(c.Shell, s.ASCII))
	}
	if len(top.children) == 0 {
		l.put(About, isBare)
	}
	l.children(&top, 0)
	if l.reverse {
		l.put(About, isReverse)
	}
	switch {
	case c.Once:
	case c.Acts != "":
		l.put(About, always+word(c.Tool, s.ASCII)+alwaysIn+notSuch)
	default:
		l.put(About, always+word(c.Tool, s.ASCII)+alwaysIn+".")
	}
	return l.all, nil
}

// A layout is the rows of a question that are there already.
type layout struct {
	screen  Screen
	all     []Row
	reverse bool // some of it is written from right to left
}

func (l *layout) put(k Kind, line string) {
	l.reverse = l.reverse || backward(line)
	for _, row := range l.screen.Wrap(line) {
		l.all = append(l.all, Row{k, row})
	}
}

// mostIndent is how far what lies deep is indented.
const mostIndent = 16

func indent(depth int) string { return strings.Repeat(" ", min(2+2*depth, mostIndent)) }

// The names of two texts that are shown as what differs in them.
const (
	oldText = "oldText"
	newText = "newText"
	both    = oldText + " to " + newText
)

// children puts members or elements, one below the other.
func (l *layout) children(n *node, depth int) {
	for i := 0; i < len(n.children); i++ {
		child := &n.children[i]
		if n.kind == '[' {
			l.value(strconv.Itoa(i+1), child, depth)
			continue
		}
		if i+1 < len(n.children) && pair(child, &n.children[i+1]) {
			i++
			l.put(Given, indent(depth)+both+":")
			l.differ(child.text, n.children[i].text, depth)
			continue
		}
		l.value(word(child.name, l.screen.ASCII), child, depth)
	}
}

// pair reports whether two members are a text and what comes in its place.
func pair(a, b *node) bool {
	return a.kind == '"' && b.kind == '"' && a.name == oldText && b.name == newText
}

// value puts a value behind its label.
func (l *layout) value(label string, n *node, depth int) {
	label = indent(depth) + label
	switch {
	case n.kind == '"' && n.text == "":
		l.put(Given, label+` = ""`)
	case n.kind == '"' && strings.Contains(n.text, "\n"):
		l.put(Given, label+":")
		for line := range strings.SplitSeq(n.text, "\n") {
			l.line(Given, "|", line, depth)
		}
	case n.kind == '"':
		l.put(Given, label+": "+Visible(n.text, l.screen.ASCII))
	case n.kind == 0:
		l.put(Given, label+" = "+n.text)
	case len(n.children) == 0:
		l.put(Given, label+" = "+string([]byte{n.kind, n.kind + 2}))
	default:
		l.put(Given, label+" = "+string(n.kind))
		l.children(n, depth+1)
		l.put(Given, indent(depth)+string(n.kind+2))
	}
}

// line puts a line of a text behind its sign.
func (l *layout) line(k Kind, sign, line string, depth int) {
	if line != "" {
		sign += " " + Visible(line, l.screen.ASCII)
	}
	l.put(k, indent(depth)+sign)
}

// differ puts two texts as what differs in them: what both begin and end with is
// there once.
func (l *layout) differ(from, to string, depth int) {
	a, b := strings.Split(from, "\n"), strings.Split(to, "\n")
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	end := 0
	for end < len(a)-head && end < len(b)-head && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	put := func(k Kind, sign string, lines []string) {
		for _, line := range lines {
			l.line(k, sign, line, depth)
		}
	}
	put(Given, "|", a[:head])
	put(Removed, "-", a[head:len(a)-end])
	put(Added, "+", b[head:len(b)-end])
	put(Given, "|", a[len(a)-end:])
}

// Quoted returns [Visible] of a text in double quotes, those in it escaped.
func Quoted(text string, ascii bool) string {
	return string(append(appendVisible([]byte{'"'}, text, ascii, true), '"'))
}

// word is a name: itself, if it is a word of ASCII, else in quotes.
func word(name string, ascii bool) string {
	plain := name != "" && (name[0] < '0' || name[0] > '9') && name[0] != '-'
	for i := 0; i < len(name) && plain; i++ {
		c := name[i]
		plain = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
	}
	if plain {
		return name
	}
	return Quoted(name, ascii)
}
