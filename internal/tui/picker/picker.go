package picker

import (
	"slices"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// Options say how a picker begins and what it may ask for.
type Options struct {
	// Theme paints it; the zero value paints nothing.
	Theme theme.Theme
	// Title names the screen; "" means "Sessions".
	Title string
	// Accept says in the help what choosing does; "" means "choose".
	Accept string
	// Project names this project in few words, as a directory. Without one the
	// sessions of all projects are listed.
	Project string
	// All begins with the sessions of all projects.
	All bool
	// Home is the person's home directory, shown as "~".
	Home string
	// Now is the clock; nil means the machine's.
	Now func() time.Time
	// Preview asks for the preview of the session at a path; nil means that
	// there is none. Only one is asked for at a time.
	Preview func(path string) tea.Cmd
	// Texts asks for a search through texts; nil means that only what is held of
	// a session is searched.
	Texts func(Search) tea.Cmd
	// Asks reports whether what was typed is more than words: a query with filters,
	// which is answered whole by a search through texts. The error says that it
	// cannot be read. Nil means that filters are like any words.
	Asks func(text string) (bool, error)
	// Tree says that whoever runs the picker can show the entries of a session, and read
	// it.
	Tree bool
}

// A Model is the picker.
type Model struct {
	opt  Options
	keys KeyMap
	list list

	field  textinput.Model // what is searched for
	cursor cursor
	dialog dialog

	cols, rows int
	marked     map[string]bool
	paths      bool // paths instead of projects
	scoped     bool // the person chose this project or all

	preview preview
	supply  supply
	told    Told
	settle  int // counts what was typed
	later   func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
	last    struct {
		row  int
		time time.Time
	} // the last click
}

// New returns a picker without sessions. It shows nothing until it is told the
// size of the window (tea.WindowSizeMsg).
func New(o Options) Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Title == "" {
		o.Title = "Sessions"
	}
	m := Model{
		opt: o, keys: NewKeyMap(), field: newField(), dialog: dialog{editor: newField()}, marked: map[string]bool{},
		list: list{
			asks:   o.Asks,
			byPath: map[string]*row{}, match: newMatcher(), texts: map[string]*textSet{},
			all: o.All || o.Project == "",
		},
		later:   tea.Tick,
		preview: preview{wide: o.Preview != nil, kept: map[string]Preview{}, stale: map[string]bool{}},
	}
	if o.Accept != "" {
		m.keys.Accept.SetHelp("enter", o.Accept)
	}
	m.keys.Tree.SetEnabled(o.Tree)
	m.keys.Read.SetEnabled(o.Tree)
	m.keys.Costs.SetEnabled(o.Tree)
	m.keys.Scope.SetEnabled(o.Project != "")
	m.keys.Peek.SetEnabled(o.Preview != nil)
	m.field.Focus()
	return m
}

// newField returns a field to type in. It is drawn by the view; what is pasted
// comes from the terminal, never from a program.
func newField() textinput.Model {
	f := textinput.New()
	f.Prompt = ""
	f.CharLimit = 1000
	f.SetVirtualCursor(false)
	f.KeyMap.Paste.SetEnabled(false)
	return f
}

// SetTheme changes how the picker looks.
func (m Model) SetTheme(t theme.Theme) Model {
	m.opt.Theme = t
	return m.sized().drawn()
}

// Project returns whether the sessions of this project only are listed.
func (m Model) Project() bool { return !m.list.all }

// Init asks for nothing: whoever runs the picker brings the sessions.
func (m Model) Init() tea.Cmd { return nil }

// Update takes a message and returns the picker as it is then, and what it
// wants.
func (m Model) Update(msg tea.Msg) (Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.cols, m.rows = msg.Width, msg.Height
		return m.sized().look()
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.typed(msg)
	case tea.MouseClickMsg:
		return m.click(msg.Mouse())
	case tea.MouseWheelMsg:
		return m.wheel(msg.Mouse())
	case Found:
		m.list.put(msg.Items, m.opt.Texts != nil)
		for _, item := range msg.Items {
			if p := item.Info.Path; p == m.cursor.path || p == m.preview.waiting {
				m.preview.stale[p] = true // it stays until it is read anew
			} else {
				delete(m.preview.kept, p)
			}
		}
		return m.changed()
	case Gone:
		m.list.take(msg.Paths)
		for _, p := range msg.Paths {
			delete(m.marked, p)
			delete(m.preview.kept, p)
		}
		return m.changed()
	case Pinned:
		for _, p := range msg.Paths {
			if r := m.list.byPath[p]; r != nil {
				r.Info.Pinned = msg.On
			}
		}
		return m.changed()
	case Progress:
		m.supply.progress(msg)
		return m, nil
	case Done:
		m.supply.end(msg)
		if !m.scoped && !slices.ContainsFunc(m.list.rows, func(r *row) bool { return r.Here }) {
			m.list.all = len(m.list.rows) > 0 || m.list.all // there is nothing to see here
		}
		return m.changed()
	case Away:
		m.supply.reach(msg)
		return m.changed()
	case Told:
		m.told = msg
		return m, nil
	case Matches:
		return m.matched(msg)
	case settled:
		return m.search(msg)
	case Preview:
		return m.previewed(msg)
	}
	return m, nil
}

// changed settles what is shown after the list changed: the cursor stays with
// its session once it was moved, else at the top.
func (m Model) changed() (Model, tea.Cmd) {
	m.list.refresh()
	m.cursor.follow(m.list.shown)
	return m.sized().look()
}

// sized keeps the cursor in the list and on the screen.
func (m Model) sized() Model {
	m.cursor.fit(m.list.shown, m.layout().height)
	return m
}

// current returns the session at the cursor, nil for none.
func (m *Model) current() *row {
	if m.cursor.at < len(m.list.shown) {
		return m.list.shown[m.cursor.at]
	}
	return nil
}

// chosen are the paths of the marked sessions, else that at the cursor.
func (m *Model) chosen() (paths []string) {
	for _, r := range m.list.rows {
		if m.marked[r.Info.Path] {
			paths = append(paths, r.Info.Path)
		}
	}
	if r := m.current(); len(paths) == 0 && r != nil {
		paths = []string{r.Info.Path}
	}
	return paths
}

// to puts the cursor on a row.
func (m Model) to(at int) (Model, tea.Cmd) {
	m.cursor.put(at)
	return m.sized().look()
}

// wish returns the command that sends a message.
func wish(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }
