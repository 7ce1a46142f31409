package treeview

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// The smallest terminal that the screen can do with.
const (
	minCols = 30
	minRows = 8
)

// Options say what a model shows and whom it asks. The commands may be nil, then
// nothing is known of bodies.
type Options struct {
	// Theme is how it looks.
	Theme theme.Theme
	// Now is the time that ages are counted from, in the person's time zone.
	Now time.Time
	// Name is what the session is called until it is read.
	Name string
	// At is the id of the entry to begin at; "" for the leaf.
	At string
	// Gists returns a command that reads entries, by position, and answers with
	// Gists.
	Gists func(entries []int) tea.Cmd
	// Body returns a command that answers with the Body of an entry.
	Body func(entry int) tea.Cmd
	// Search returns a command that answers with Matches.
	Search func(Search) tea.Cmd
}

// A pane is where the whole text of the entry is shown.
type pane uint8

const (
	closed pane = iota
	beside
	alone
)

// A Model is the screen. Its zero value is not ready; see New.
type Model struct {
	opt     Options
	keys    KeyMap
	cols    int
	rows    int
	outline *Outline // nil until it is read
	err     error    // why there is none

	choice choice
	shape  *shape
	cursor int // row; -1 for none
	wished int // the entry that the person went to; -1 for none
	top    int // first row on the screen

	gists  gists
	dialog dialog
	search lookup
	pane   reading
	times  bool
	told   Told
}

// New returns a model that waits for Opened and a window size.
func New(o Options) Model {
	return Model{
		opt: o, keys: NewKeyMap(), cursor: -1, wished: -1,
		choice: choice{folded: map[int32]bool{}}, gists: newGists(), pane: reading{entry: -1},
	}
}

// Init asks for nothing: whoever runs the model opens the session.
func (m Model) Init() tea.Cmd { return nil }

// Selected returns the position and the id of the entry that is selected; -1 and
// "" for none.
func (m Model) Selected() (at int, id string) {
	if m.cursor < 0 {
		return -1, ""
	}
	at = int(m.shape.rows[m.cursor])
	return at, m.outline.ID(at)
}

// Rows returns the positions of the entries that are shown, in their order.
func (m Model) Rows() []int {
	if m.shape == nil {
		return nil
	}
	all := make([]int, len(m.shape.rows))
	for n, at := range m.shape.rows {
		all[n] = int(at)
	}
	return all
}

// opened takes in an outline.
func (m *Model) opened(o *Outline) {
	id := m.opt.At
	if notes := o.facts.Notes; m.outline == nil && len(notes) > 0 {
		m.told = Told{Text: theme.DamageBadge + " " + strings.Join(notes, "; "), Bad: true}
	}
	if m.outline != nil {
		id = ""
		if m.wished >= 0 {
			id = m.outline.ID(m.wished)
		}
		folded := map[int32]bool{}
		for at := range m.choice.folded {
			if to := o.Find(m.outline.ID(int(at))); to >= 0 {
				folded[int32(to)] = true
			}
		}
		m.choice.folded = folded
	}
	m.outline, m.err = o, nil
	m.gists = newGists()
	m.pane.forget()
	if m.wished = o.Find(id); m.wished < 0 || id == "" {
		m.wished = o.leaf
	}
	m.search.renew(o.Len())
	m.arrange()
}

// arrange makes the rows anew and puts the cursor on what the person went to, or
// near it.
func (m *Model) arrange() {
	m.choice.found = m.search.hits
	m.shape = arrange(m.outline, m.choice)
	m.cursor = m.shape.nearest(m.outline, m.wished)
	m.scroll()
}

// goTo moves the cursor to a row, as near as there is one.
func (m *Model) goTo(row int) {
	if len(m.shape.rows) == 0 {
		return
	}
	m.cursor = min(max(row, 0), len(m.shape.rows)-1)
	m.wished = int(m.shape.rows[m.cursor])
	m.scroll()
}

// scroll keeps the cursor on the screen, with a row of what follows.
func (m *Model) scroll() {
	n := m.listRows()
	margin := min(2, (n-1)/2)
	m.top = min(m.top, m.cursor-margin)
	m.top = max(m.top, m.cursor+margin-n+1)
	m.top = max(min(m.top, len(m.shape.rows)-n), 0)
}

// listRows returns how many rows of the tree there is room for.
func (m *Model) listRows() int {
	n := m.rows - 4 // head, search, status, help
	if m.pane.where == beside && !m.wide() {
		n -= n/2 + 1
	}
	return max(n, 1)
}

// wide reports whether the pane has room beside the tree.
func (m *Model) wide() bool { return m.cols >= 96 }

// resized takes in the size of the window. A first one that is wide opens the
// pane.
func (m *Model) resized(cols, rows int) {
	if m.cols == 0 && cols >= 110 {
		m.pane.where = beside
	}
	m.cols, m.rows = cols, rows
	if m.outline != nil {
		m.scroll()
	}
}

// words takes a search apart.
func words(s string) []string { return strings.Fields(strings.ToLower(s)) }
