package readview

import (
	"strings"

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
		m.text.reform(func(f *Form) { f.Theme = m.opt.Theme })
	case Opened:
		m.told = Told{}
		if m.err = msg.Err; msg.Err == nil {
			wish = m.opened(msg)
		}
	case Bodies:
		if len(m.text.rows) > 0 && msg.Of == &m.text.rows[0] {
			m.text.put(msg.All)
		}
	case Noted:
		m.noted(msg.Notes)
	case Hits:
		wish = m.found(msg)
	case Sought:
		if msg.Seq == m.seek {
			m.told = Told{}
			m.jump(msg.Row, msg.By, "error")
		}
	case Told:
		m.told = msg
	case tea.PasteMsg:
		if m.find.typing {
			m.find.field, _ = m.find.field.Update(msg)
		}
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.MouseClickMsg:
		m.click(msg)
	case tea.KeyPressMsg:
		wish = m.press(msg)
	}
	m.text.settle(&m.find.marker)
	return m, tea.Batch(wish, m.wants())
}

// wants returns the command that reads what is on the screen and not known yet.
func (m *Model) wants() tea.Cmd {
	if m.cols == 0 || m.opt.Read == nil || m.small() {
		return nil
	}
	rows := m.text.needed()
	if len(rows) == 0 {
		return nil
	}
	return m.opt.Read(&m.text.rows[0], rows)
}

// say returns the command that sends a message.
func say(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// press takes a key.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(k, m.keys.Exit):
		return say(Exit{})
	case m.help >= 0:
		m.turnHelp(k)
		return nil
	case m.find.typing:
		return m.typeKey(k)
	}
	m.told = Told{}
	switch {
	case key.Matches(k, m.keys.Cancel):
		return say(Back{})
	case m.small():
		return nil
	case key.Matches(k, m.keys.Help):
		m.help = 0
		return nil
	case len(m.text.rows) == 0, m.move(k), m.goKey(k):
		return nil
	}
	return m.act(k)
}

// move takes a key that moves the cursor by lines.
func (m *Model) move(k tea.KeyPressMsg) bool {
	c, page := m.text, max(m.text.high-1, 1)
	switch {
	case key.Matches(k, m.keys.Up):
		c.move(-1)
	case key.Matches(k, m.keys.Down):
		c.move(1)
	case key.Matches(k, m.keys.PageUp):
		c.scroll(-page)
	case key.Matches(k, m.keys.PageDown):
		c.scroll(page)
	case key.Matches(k, m.keys.HalfUp):
		c.scroll(-max(page/2, 1))
	case key.Matches(k, m.keys.HalfDown):
		c.scroll(max(page/2, 1))
	case key.Matches(k, m.keys.First):
		c.land(0, atHead)
	case key.Matches(k, m.keys.Last):
		c.toEnd()
	default:
		return false
	}
	return true
}

// goKey takes a key that goes to the next of something.
func (m *Model) goKey(k tea.KeyPressMsg) bool {
	for _, way := range []struct {
		down, up key.Binding
		sort     Sort
		what     string
	}{
		{m.keys.Prompt, m.keys.PromptBack, Prompt, "prompt"},
		{m.keys.Tool, m.keys.ToolBack, Tool, "output of a tool"},
		{m.keys.Compaction, m.keys.CompactionBack, Compaction, "compaction"},
		{m.keys.Fork, m.keys.ForkBack, Fork, "branch point"},
	} {
		by := 1
		switch {
		case key.Matches(k, way.down):
		case key.Matches(k, way.up):
			by = -1
		default:
			continue
		}
		m.jump(m.text.next(way.sort, by), by, way.what)
		return true
	}
	switch {
	case key.Matches(k, m.keys.Next):
		m.hop(1)
	case key.Matches(k, m.keys.Previous):
		m.hop(-1)
	default:
		return false
	}
	return true
}

// act takes a key that does something.
func (m *Model) act(k tea.KeyPressMsg) tea.Cmd {
	row := m.text.rows[m.text.cur.row]
	switch {
	case key.Matches(k, m.keys.Search):
		m.find.typing = true
		m.find.field.SetValue("")
		return m.find.field.Focus()
	case key.Matches(k, m.keys.Error):
		return m.seekError(1)
	case key.Matches(k, m.keys.ErrorBack):
		return m.seekError(-1)
	case key.Matches(k, m.keys.Fold):
		if row.Sort == Fork && m.text.thing() != None {
			return m.turn()
		}
		m.text.toggle()
	case key.Matches(k, m.keys.All):
		m.text.toggleAll()
	case key.Matches(k, m.keys.Turn):
		return m.turn()
	case key.Matches(k, m.keys.Copy):
		if p := m.text.passage(); p != nil {
			return say(Copy{Text: p.Markdown(), What: "the message"})
		}
	case key.Matches(k, m.keys.Code):
		if p := m.text.passage(); p != nil {
			if code := p.Code(m.text.thing(), m.text.plainLine()); code != "" {
				return say(Copy{Text: code, What: "the code"})
			}
			m.told = Told{Text: "there is no code at the cursor", Bad: true}
		}
	case key.Matches(k, m.keys.Edit):
		if p := m.text.passage(); p != nil {
			return say(Edit{Text: p.Markdown()})
		}
	case key.Matches(k, m.keys.Resume):
		if row.Entry >= 0 {
			return say(Resume{Entry: row.Entry})
		}
	}
	return nil
}

// seekError asks for the next error.
func (m *Model) seekError(by int) tea.Cmd {
	if m.opt.Seek == nil {
		return nil
	}
	m.seek++
	m.told = Told{Text: "looking for an error " + theme.Ellipsis}
	return m.opt.Seek(Seek{Seq: m.seek, From: m.text.cur.row, By: by})
}

// turn asks for another branch: that at the cursor, else the next one of the branch point
// at the cursor or above it.
func (m *Model) turn() tea.Cmd {
	c := m.text
	at := c.cur.row
	if c.rows[at].Sort != Fork {
		at = c.next(Fork, -1)
	}
	if at < 0 {
		m.told = Told{Text: "no branch point is above: " + m.keys.Fork.Help().Key + " goes to the next", Bad: true}
		return nil
	}
	if m.opt.Turn == nil {
		return nil
	}
	to := -1
	if p := c.passage(); at == c.cur.row && p != nil {
		if thing := c.thing(); thing >= 0 && thing < len(p.Branches) {
			to = p.Branches[thing].Entry
		}
	}
	return m.opt.Turn(Turn{Behind: c.rows[at].Entry, To: to})
}

// typeKey takes a key while a search is typed.
func (m *Model) typeKey(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case k.String() == "esc":
		m.find.typing = false
		m.find.field.Blur()
	case key.Matches(k, m.keys.Clear):
		m.find.field.SetValue("")
	case key.Matches(k, m.keys.Accept):
		m.find.typing = false
		m.find.field.Blur()
		return m.search(m.find.field.Value())
	default:
		m.find.field, _ = m.find.field.Update(k)
	}
	return nil
}

// search begins a search for what was typed, and goes to the first match. An empty one
// ends the search.
func (m *Model) search(text string) tea.Cmd {
	m.told = Told{}
	if strings.TrimSpace(text) == "" {
		return m.find.begin(marker{}, 0, nil)
	}
	mark, err := Mark(text)
	if err != nil {
		m.told = Told{Text: "this search cannot be read: " + err.Error(), Bad: true}
		return nil
	}
	cmd := m.find.begin(newMarker(text, mark), m.text.cur.row, m.opt.Search)
	m.hop(1)
	return cmd
}

// turnHelp turns the pages of the help; any other key closes it.
func (m *Model) turnHelp(k tea.KeyPressMsg) {
	n := max(m.rows-chrome, 1)
	last := max(len(m.opt.Theme.HelpPage(m.keys.page(), m.cols))-n, 0)
	by := 0
	switch {
	case last == 0:
	case key.Matches(k, m.keys.Up):
		by = -1
	case key.Matches(k, m.keys.Down):
		by = 1
	case key.Matches(k, m.keys.PageUp):
		by = -n
	case key.Matches(k, m.keys.PageDown):
		by = n
	}
	if by == 0 {
		m.help = -1
		return
	}
	m.help = min(max(m.help+by, 0), last)
}

// wheel scrolls the text.
func (m *Model) wheel(w tea.MouseWheelMsg) {
	if m.help >= 0 || m.small() {
		return
	}
	switch w.Button {
	case tea.MouseWheelUp:
		m.text.scroll(-3)
	case tea.MouseWheelDown:
		m.text.scroll(3)
	}
}

// click puts the cursor on the line under the pointer; on the line where it is already,
// it opens or folds the thing.
func (m *Model) click(c tea.MouseClickMsg) {
	at := c.Y - 1
	if c.Button != tea.MouseLeft || m.help >= 0 || m.small() || at < 0 {
		return
	}
	all := m.text.sights()
	switch {
	case at >= len(all):
	case all[at].place == m.text.cur:
		m.text.toggle()
	default:
		m.text.cur, m.text.at, m.text.aimed = all[at].place, at, false
	}
}
