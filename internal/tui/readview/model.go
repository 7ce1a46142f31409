package readview

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/syntax"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// The smallest terminal that the screen can do with.
const (
	minCols = 30
	minRows = 8
)

// chrome is how many rows are not for text: head, status, help.
const chrome = 3

// gutter is how many columns stand before the text.
const gutter = 2

// Options say what a model shows and whom it asks. The commands may be nil, then nothing
// is known of bodies.
type Options struct {
	// Theme is how it looks.
	Theme theme.Theme
	// Name is what the session is called until it is read.
	Name string
	// ASCII has what calls were given in ASCII.
	ASCII bool
	// Full has everything open at first.
	Full bool
	// Now is the clock that says when colouring code takes too long.
	Now func() time.Time
	// Words are what is looked for at first, as a person spells it, and Marks what
	// matches it; none for nothing.
	Words string
	Marks []Pattern
	// Read returns a command that reads rows of the branch that begins with first, and
	// answers with Bodies.
	Read func(first *Row, rows []int) tea.Cmd
	// Search returns a command that answers with Hits, Seek one that answers with Sought.
	Search func(Search) tea.Cmd
	Seek   func(Seek) tea.Cmd
	// Turn returns a command that answers with Opened or Told.
	Turn func(Turn) tea.Cmd
}

// A Model is the screen. Its zero value is not ready; see New.
type Model struct {
	opt   Options
	keys  KeyMap
	cols  int
	rows  int
	text  *column
	find  finder
	facts Facts
	notes int   // that were said of what is wrong
	read  bool  // rows came
	err   error // why there are none
	help  int   // first line of the help on the screen, -1 where there is none
	seek  int   // counts the seeks
	told  Told
}

// New returns a model that waits for Opened and a window size.
func New(o Options) Model {
	form := &Form{Theme: o.Theme, ASCII: o.ASCII, Painter: &syntax.Painter{Now: o.Now}}
	return Model{opt: o, keys: NewKeyMap(), text: newColumn(form, o.Full), find: newFinder(newMarker(o.Words, o.Marks...)), help: -1}
}

// Init asks for nothing: whoever runs the model opens the session.
func (m Model) Init() tea.Cmd { return nil }

// Row returns the row of the cursor, false for none.
func (m Model) Row() (Row, bool) {
	if len(m.text.rows) == 0 {
		return Row{}, false
	}
	return m.text.rows[m.text.cur.row], true
}

// opened takes in a branch.
func (m *Model) opened(o Opened) tea.Cmd {
	m.facts, m.err, m.read = o.Facts, nil, true
	m.text.show(o.Rows, o.At, o.Bodies)
	if !m.find.none() && o.At >= 0 {
		m.text.aim = atFirstMark
	}
	return tea.Batch(o.Next, m.find.begin(m.find.marker, max(o.At, 0), m.opt.Search))
}

// noted takes in what is wrong with the session.
func (m *Model) noted(notes []string) {
	if m.notes = len(notes); m.notes > 0 {
		m.told = Told{Text: theme.DamageBadge + " " + strings.Join(notes, "; "), Bad: true}
	}
}

// resized takes in the size of the window.
func (m *Model) resized(cols, rows int) {
	c := m.text
	bottom := c.at == c.high-1
	m.cols, m.rows = cols, rows
	c.high = max(rows-chrome, 1)
	switch {
	case c.aimed && c.aim == atEnd, !c.aimed && bottom:
		c.at = c.high - 1
	case c.aimed:
		c.at = c.high / placeable
	}
	if width := max(cols-gutter, 1); width != m.text.form.Cols {
		m.text.reform(func(f *Form) { f.Cols = width })
	}
}

// small reports whether the terminal is too small for the screen.
func (m *Model) small() bool { return m.cols < minCols || m.rows < minRows }

// jump goes to a row, or tells that there is none.
func (m *Model) jump(row, by int, what string) {
	if row >= 0 {
		m.text.land(row, atHead)
		return
	}
	where := "below"
	if by < 0 {
		where = "above"
	}
	m.told = Told{Text: "no " + what + " " + where, Bad: true}
}

// hop goes to the next match, down by 1 and up by -1.
func (m *Model) hop(by int) {
	c, f := m.text, &m.find
	f.want = 0
	if f.none() {
		m.told = Told{Text: "nothing is searched for: / begins a search", Bad: true}
		return
	}
	if !c.aimed && c.read(c.cur.row) {
		if line := f.line(c.lines(c.cur.row), c.cur.line, by); line >= 0 {
			c.move(line - c.cur.line)
			return
		}
	}
	if row := f.next(c.cur.row, by); row >= 0 {
		a := atFirstMark
		if by < 0 {
			a = atLastMark
		}
		c.land(row, a)
		return
	}
	if !f.done {
		f.want = by
		m.told = Told{Text: "searching " + theme.Ellipsis}
		return
	}
	m.told = Told{Text: m.noMore(by), Bad: true}
}

// noMore says that there are no more matches.
func (m *Model) noMore(by int) string {
	switch {
	case len(m.find.hits) == 0:
		return fmt.Sprintf("“%s” is not found on this branch", m.find.words)
	case by > 0:
		return "no more matches below: " + m.keys.Previous.Help().Key + " goes up"
	}
	return "no more matches above: " + m.keys.Next.Help().Key + " goes down"
}

// found takes an answer of the search.
func (m *Model) found(h Hits) tea.Cmd {
	if !m.find.take(h) {
		return nil
	}
	if by := m.find.want; by != 0 {
		near := m.find.next(m.text.cur.row, by)
		// Those below come in order; those above are known when all are.
		if near >= 0 && (by > 0 || m.find.done) || m.find.done {
			m.told = Told{}
			m.hop(by)
		}
	}
	return h.Next
}
