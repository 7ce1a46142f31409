package treeview

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// Update takes a message in and returns what is to be done about it.
func (m Model) Update(msg tea.Msg) (Model, tea.Cmd) {
	var wish tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resized(msg.Width, msg.Height)
	case tea.BackgroundColorMsg:
		m.opt.Theme = theme.New(m.opt.Theme.Depth(), msg.IsDark())
	case Opened:
		m.told = Told{}
		if m.err = msg.Err; msg.Err == nil {
			m.opened(msg.Outline)
		}
	case Gists:
		m.gists.learn(msg.All)
	case Body:
		m.pane.take(msg)
	case Matches:
		if m.outline != nil && m.search.take(msg) {
			wish = msg.Next
			m.arrange()
		}
	case Told:
		m.told = msg
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.MouseClickMsg:
		m.click(msg)
	case tea.KeyPressMsg:
		wish = m.press(msg)
	}
	cmd := tea.Batch(wish, m.wants())
	m.layPane()
	return m, cmd
}

// wants returns the commands for what is on the screen and not known yet.
func (m *Model) wants() tea.Cmd {
	if m.outline == nil || m.cols == 0 {
		return nil
	}
	at, _ := m.Selected()
	return tea.Batch(m.search.ask(m.opt.Search), m.pane.ask(at, m.opt.Body), m.wantGists())
}

// wantGists asks for the rows on the screen and, when one of them is missing, a
// screen before and behind.
func (m *Model) wantGists() tea.Cmd {
	if m.opt.Gists == nil {
		return nil
	}
	n := m.listRows()
	missing := func(from, end int) (all []int) {
		for row := max(from, 0); row < min(end, len(m.shape.rows)); row++ {
			at := int(m.shape.rows[row])
			if m.gists.missing(at) {
				all = append(all, at)
			}
		}
		return all
	}
	if len(missing(m.top, m.top+n)) == 0 {
		return nil
	}
	all := missing(m.top-n, m.top+2*n)
	m.gists.ask(all)
	return m.opt.Gists(all)
}

// say returns the command that sends a message.
func say(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// press takes a key.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(k, m.keys.Exit):
		return say(Exit{})
	case m.dialog.mode == helping:
		m.turn(k)
		return nil
	case m.dialog.mode == labelling:
		return m.pressLabel(k)
	}
	m.told = Told{}
	switch {
	case key.Matches(k, m.keys.Cancel):
		return m.cancel()
	case key.Matches(k, m.keys.HelpAnywhere), len(m.search.field.text) == 0 && key.Matches(k, m.keys.Help):
		m.dialog.explain()
		return nil
	case m.outline == nil:
		return nil
	case m.move(k), m.show(k):
		return nil
	}
	if wish, mine := m.act(k); mine {
		return wish
	}
	if m.search.field.typed(k) {
		m.searched()
	}
	return nil
}

// turn turns the pages of the help; any other key closes it.
func (m *Model) turn(k tea.KeyPressMsg) {
	n := m.rows - 4
	last := max(len(m.opt.Theme.HelpPage(m.keys.page(), m.cols))-n, 0)
	switch {
	case last == 0:
		m.dialog.end()
	case key.Matches(k, m.keys.Up):
		m.dialog.scroll(-1, last)
	case key.Matches(k, m.keys.Down):
		m.dialog.scroll(1, last)
	case key.Matches(k, m.keys.PageUp):
		m.dialog.scroll(-n, last)
	case key.Matches(k, m.keys.PageDown):
		m.dialog.scroll(n, last)
	default:
		m.dialog.end()
	}
}

// cancel leaves what was done last: the pane alone, the search, the tree.
func (m *Model) cancel() tea.Cmd {
	switch {
	case m.pane.where == alone:
		m.pane.where = closed
	case len(m.search.field.text) > 0:
		m.search.field.set("")
		if m.outline != nil {
			m.searched()
		}
	default:
		return say(Back{})
	}
	return nil
}

// searched begins the search for what was typed.
func (m *Model) searched() {
	if m.search.change(m.outline.Len()) {
		m.arrange()
	}
}

func (m *Model) paste(text string) {
	switch {
	case m.dialog.mode == labelling:
		m.dialog.label.insert(text)
	case m.dialog.mode == browsing && m.outline != nil && m.search.field.insert(text):
		m.searched()
	}
}
