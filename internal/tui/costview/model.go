package costview

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// The smallest terminal that the screen can do with.
const (
	minCols = 30
	minRows = 12
)

// Options say what a model shows and whom it asks.
type Options struct {
	// Theme is how it looks.
	Theme theme.Theme
	// By are the groups that there are, the one that is shown first in front.
	By []string
	// Sum returns a command that answers with Sums.
	Sum func(Ask) tea.Cmd
}

// A level is what is shown of one opened group.
type level struct {
	ask  Ask
	sums Sums
	came bool // sums did
	at   int  // the row of the cursor
	top  int  // the first one on the screen
}

// A Model is the screen. Its zero value is not ready; see New.
type Model struct {
	opt    Options
	keys   KeyMap
	cols   int
	rows   int
	levels []level // the last is shown
	told   string
	help   int // first line of the help on the screen, -1 where there is none
}

// New returns a model that waits for what Init asks, and a window size.
func New(o Options) Model {
	return Model{opt: o, keys: NewKeyMap(), help: -1, levels: []level{{ask: Ask{By: o.By[0]}}}}
}

// Init asks for the first sums.
func (m Model) Init() tea.Cmd { return m.opt.Sum(m.now().ask) }

// now is the level that is shown.
func (m *Model) now() *level { return &m.levels[len(m.levels)-1] }

// Update takes a message in and returns what is to be done about it.
func (m Model) Update(msg tea.Msg) (Model, tea.Cmd) {
	m.levels = slices.Clone(m.levels)
	var wish tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.cols, m.rows = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.opt.Theme = theme.New(m.opt.Theme.Depth(), msg.IsDark())
	case Sums:
		if l := m.now(); msg.Ask.same(&l.ask) {
			l.sums, l.came = msg, true
			l.at = min(l.at, max(len(msg.Rows)-1, 0))
		}
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			m.move(-3)
		case tea.MouseWheelDown:
			m.move(3)
		}
	case tea.KeyPressMsg:
		wish = m.press(msg)
	}
	m.settle()
	return m, wish
}

// same reports whether both ask for the same.
func (a *Ask) same(b *Ask) bool {
	return a.Span == b.Span && a.By == b.By && slices.Equal(a.Within, b.Within)
}

// say returns the command that sends a message.
func say(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// press takes a key.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	if key.Matches(k, m.keys.Exit) {
		return say(Exit{})
	}
	if m.help >= 0 {
		m.turnHelp(k)
		return nil
	}
	m.told = ""
	switch {
	case key.Matches(k, m.keys.Out), key.Matches(k, m.keys.Cancel):
		if len(m.levels) > 1 {
			m.levels = m.levels[:len(m.levels)-1]
			return m.asked()
		}
		return say(Back{})
	case m.rows < minRows || m.cols < minCols:
		return nil
	case key.Matches(k, m.keys.Help):
		m.help = 0
	case key.Matches(k, m.keys.Up):
		m.move(-1)
	case key.Matches(k, m.keys.Down):
		m.move(1)
	case key.Matches(k, m.keys.PageUp):
		m.move(-m.high())
	case key.Matches(k, m.keys.PageDown):
		m.move(m.high())
	case key.Matches(k, m.keys.First):
		m.move(-len(m.now().sums.Rows))
	case key.Matches(k, m.keys.Last):
		m.move(len(m.now().sums.Rows))
	case key.Matches(k, m.keys.By):
		return m.turn(1)
	case key.Matches(k, m.keys.ByBack):
		return m.turn(-1)
	case key.Matches(k, m.keys.Span):
		return m.span()
	case key.Matches(k, m.keys.Open):
		return m.open()
	case key.Matches(k, m.keys.Read):
		return m.read()
	}
	return nil
}

// turnHelp takes a key while the help is shown.
func (m *Model) turnHelp(k tea.KeyPressMsg) {
	most := max(len(m.opt.Theme.HelpPage(m.keys.page(), m.cols))-(m.rows-chrome), 0)
	switch {
	case key.Matches(k, m.keys.Up) && m.help > 0:
		m.help--
	case key.Matches(k, m.keys.Down) && m.help < most:
		m.help++
	default:
		m.help = -1
	}
}

// move moves the cursor.
func (m *Model) move(by int) {
	l := m.now()
	l.at = max(min(l.at+by, len(l.sums.Rows)-1), 0)
}

// settle scrolls to where the cursor is.
func (m *Model) settle() {
	l, high := m.now(), m.high()
	l.top = max(min(l.top, l.at), l.at-high+1, 0)
}

// asked asks for what the level that is shown has not got.
func (m *Model) asked() tea.Cmd {
	l := m.now()
	if l.came && l.sums.Ask.same(&l.ask) {
		return nil
	}
	l.came = false
	return m.opt.Sum(l.ask)
}

// choices are what a level can be grouped by: not what was opened already. "" is for single
// charges.
func (m *Model) choices() []string {
	within := m.now().ask.Within
	all := slices.DeleteFunc(slices.Clone(m.opt.By), func(by string) bool {
		return slices.ContainsFunc(within, func(s Step) bool { return s.By == by })
	})
	return append(all, "")
}

// turn groups by the next of the choices.
func (m *Model) turn(by int) tea.Cmd {
	l, all := m.now(), m.choices()
	at := slices.Index(all, l.ask.By)
	l.ask.By, l.at, l.top = all[(at+by+len(all))%len(all)], 0, 0
	return m.asked()
}

// span shows another time, on all levels.
func (m *Model) span() tea.Cmd {
	to := (m.now().ask.Span + 1) % spans
	for i := range m.levels {
		m.levels[i].ask.Span = to
	}
	m.now().at, m.now().top = 0, 0
	return m.asked()
}

// row returns the row of the cursor, nil for none.
func (m *Model) row() *Row {
	l := m.now()
	if !l.came || l.at >= len(l.sums.Rows) {
		return nil
	}
	return &l.sums.Rows[l.at]
}

// open opens a group: into its sessions, a session into its charges; a charge is read.
func (m *Model) open() tea.Cmd {
	r := m.row()
	if r == nil {
		return nil
	}
	ask := m.now().ask
	if ask.By == "" {
		return m.read()
	}
	ask.Within = append(slices.Clone(ask.Within), Step{By: ask.By, Key: r.Key, Name: r.Name})
	ask.By = "session"
	if slices.ContainsFunc(ask.Within, func(s Step) bool { return s.By == "session" }) {
		ask.By = ""
	}
	m.levels = append(m.levels, level{ask: ask})
	return m.asked()
}

// read has the session of the row be read.
func (m *Model) read() tea.Cmd {
	r := m.row()
	if r == nil || r.Path == "" {
		m.told = "a session, or a charge, can be read: enter opens this one"
		return nil
	}
	return say(Read{Path: r.Path, Line: r.Line})
}
