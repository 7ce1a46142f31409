package chatview

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Update takes a message in and returns what is to be done about it.
func (m Model) Update(msg tea.Msg) (Model, tea.Cmd) {
	cmd := m.take1(msg)
	m.lay()
	return m, tea.Batch(cmd, m.load())
}

// load asks for the rows near the screen that are not there; for those on it alone
// until a new transcript was drawn.
func (m *Model) load() tea.Cmd {
	if m.opt.Load == nil {
		return nil
	}
	near := ahead
	if m.fresh {
		near = 0
	}
	if rows := m.transcript.needed(near); len(rows) > 0 {
		return m.opt.Load(rows)
	}
	return nil
}

func (m *Model) take1(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.cols, m.rows = msg.Width, msg.Height
		m.editor.resize(m.cols)
	case tea.KeyPressMsg:
		m.fresh = false
		return m.press(msg)
	case tea.PasteMsg:
		m.lapse()
		switch {
		case len(m.asks) > 0 && m.asks[0].ready:
		case m.recall != nil:
			return m.recall.typed(msg)
		default:
			if len(m.asks) > 0 {
				m.asks[0].touched = true
			}
			m.editor.insert(msg.Content)
			return m.complete()
		}
	case tea.MouseWheelMsg:
		m.fresh = false
		m.wheel(msg)
	case Rows:
		m.fresh = m.fresh || msg.Reset
		m.transcript.setRows(msg)
		m.past = slices.DeleteFunc(slices.Clone(m.past), func(c *cell) bool {
			if _, there := m.transcript.find(c.key); there {
				return false // settlePast knows where it stands
			}
			if msg.Had == nil {
				return msg.Reset
			}
			return msg.Had(c.key) // it is on a branch that was left
		})
		m.settlePast()
	case Drawn:
		m.fresh = false
	case Bodies:
		m.transcript.put(msg.All)
	case Ask:
		return m.asked(msg)
	case Seen:
		return m.seen(msg.ID)
	case Withdrawn:
		return m.dismiss(msg.ID)
	default:
		m.hear(msg)
	}
	return nil
}

// hear takes what the agent and the session tell.
func (m *Model) hear(msg tea.Msg) {
	switch msg := msg.(type) {
	case Began:
		m.doing, m.spin = msg.Doing, 0
	case Ended:
		m.doing = ""
		m.answer, m.tools, m.asks = answer{}, nil, nil
		m.arrange()
	case AnswerBegan:
		m.begin()
	case Delta:
		m.spin++
		m.add(msg)
	case AnswerEnded:
		if m.answer.open {
			m.answer.cell.key = msg.Key
			m.past = append(slices.Clone(m.past), m.answer.cell)
		}
		m.answer = answer{}
		m.settlePast()
	case ToolBegan:
		t := &running{id: msg.ID, name: msg.Name, args: msg.Arguments, cell: &cell{cols: -1}}
		t.wrote("")
		m.tools = append(m.tools, t)
		m.arrange()
	case ToolWrote:
		if t := m.tool(msg.ID); t != nil {
			m.spin++
			t.wrote(msg.Text)
		}
	case ToolEnded:
		m.tools = slices.DeleteFunc(m.tools, func(t *running) bool { return t.id == msg.ID })
		m.passed(msg.Key, msg.Parts)
	case Said:
		if i := slices.IndexFunc(m.waiting, func(s Send) bool { return s.Text == msg.Text }); i >= 0 {
			m.waiting = slices.Delete(slices.Clone(m.waiting), i, i+1)
		}
		m.passed(msg.Key, msg.Parts)
	case Told:
		m.tell(msg)
	case Page:
		m.page = &msg
	case Switched:
		m.clear()
		m.tell(Told{Text: msg.Text})
	case Todos:
		m.todos = msg.All
	case Typed:
		m.editor.keep(m.edited != nil && *m.edited == m.editor.text())
		m.edited = nil
		m.editor.set(msg.Text)
		m.choices.close()
	case TakenBack:
		m.waiting = nil
		m.typeAgain(msg.Text)
	case Lapsed:
		if msg.Seq == m.again {
			m.lapse()
		}
	case Opening:
		m.opening = msg.What
	case Recalled:
		if m.recall != nil {
			m.recall.found(msg)
		}
	case History:
		m.editor.history = msg.All
	case Choices:
		m.chooseFrom(msg)
	case State:
		m.state = msg
	}
}

// passed shows what was said or done until its row is there.
func (m *Model) passed(key string, parts []Part) {
	if key != "" && len(parts) > 0 {
		m.past = append(slices.Clone(m.past), &cell{key: key, parts: parts, cols: -1})
	}
	m.settlePast()
}

// settlePast takes away that of which the rows are there.
func (m *Model) settlePast() {
	m.past = slices.DeleteFunc(slices.Clone(m.past), func(c *cell) bool {
		_, there := m.transcript.find(c.key)
		return there
	})
	m.arrange()
}

// press takes a key.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	k := m.keys
	escaped, exited := m.escaped, m.exited
	m.lapse()
	switch {
	case m.page != nil:
		m.readPage(msg)
		return nil
	case key.Matches(msg, k.PageUp):
		m.turn(-1)
		return nil
	case key.Matches(msg, k.PageDown):
		m.turn(1)
		return nil
	case key.Matches(msg, k.First):
		m.transcript.first()
		return nil
	case key.Matches(msg, k.Last):
		m.transcript.last()
		return nil
	case key.Matches(msg, k.Tools) && m.toldCut():
		m.page = m.toldPage()
		return nil
	case key.Matches(msg, k.Tools):
		m.transcript.open.tools = !m.transcript.open.tools
		return nil
	case key.Matches(msg, k.Thinking):
		m.transcript.open.thinking = !m.transcript.open.thinking
		return nil
	case key.Matches(msg, k.Exit) && m.recall == nil:
		return m.exit(exited)
	}
	if len(m.asks) > 0 {
		if cmd, taken := m.reply(msg); taken {
			return cmd
		}
	}
	switch {
	case m.recall != nil:
		return m.recalling(msg)
	case key.Matches(msg, k.Abort):
		return m.escape(escaped)
	}
	return m.edit(msg)
}

// turn scrolls by a page: the question, if there is one, else the transcript.
func (m *Model) turn(way int) {
	if len(m.asks) > 0 {
		m.asks[0].top = max(0, m.asks[0].top+way*max(m.rows/3, 1))
		return
	}
	m.transcript.scroll(way * max(m.transcript.high-2, 1))
}

// wheel scrolls by some lines.
func (m *Model) wheel(msg tea.MouseWheelMsg) {
	const lines = 3
	by := map[tea.MouseButton]int{tea.MouseWheelUp: -lines, tea.MouseWheelDown: lines}[msg.Button]
	switch {
	case by == 0:
	case m.page != nil:
		m.scrollPage(by)
	default:
		m.transcript.scroll(by)
	}
}

// exit empties the editor, and leaves when it was pressed before.
func (m *Model) exit(again bool) tea.Cmd {
	if again {
		return wish(Quit{})
	}
	m.editor.set("")
	m.choices.close()
	m.exited = true
	return m.once(leavesAgain)
}

// escape closes what is open, else stops what runs, else, pressed twice, shows
// the tree. What was to be said is typed again.
func (m *Model) escape(again bool) tea.Cmd {
	switch {
	case len(m.choices.all) > 0:
		m.choices.close()
		return nil
	case m.opening != "":
		m.opening = ""
		return wish(Withdraw{})
	case m.doing != "":
		m.told = nil
		var texts []string
		for _, s := range m.waiting {
			texts = append(texts, s.Text)
		}
		m.typeAgain(strings.Join(texts, "\n\n"))
		m.waiting = nil
		return wish(Abort{})
	case again:
		m.told = nil
		return wish(Tree{})
	case len(m.told) > 0:
		m.told = nil
		return nil
	}
	m.escaped = true
	return m.once(treeAgain)
}

// What a key does that is pressed again.
const (
	leavesAgain = "ctrl+c again leaves"
	treeAgain   = "esc again shows the tree"
)

// once tells that a key was pressed once, for a while.
func (m *Model) once(text string) tea.Cmd {
	m.again++
	m.told = []Told{{Text: text}}
	return wish(Lapsing{m.again})
}

// lapse forgets that a key was pressed once, and takes away what told it.
func (m *Model) lapse() {
	if m.escaped || m.exited {
		m.told = slices.DeleteFunc(slices.Clone(m.told), func(t Told) bool { return t.Text == leavesAgain || t.Text == treeAgain })
	}
	m.escaped, m.exited = false, false
}

// typeAgain puts a text before what is in the editor.
func (m *Model) typeAgain(text string) {
	switch typed := m.editor.text(); {
	case text == "":
	case typed == "":
		m.editor.set(text)
	default:
		m.editor.set(text + "\n\n" + typed)
	}
}

// edit takes a key in the editor.
func (m *Model) edit(msg tea.KeyPressMsg) tea.Cmd {
	k := m.keys
	choosing := len(m.choices.all) > 0
	switch {
	case key.Matches(msg, k.Take):
		m.take()
		return m.complete()
	case choosing && key.Matches(msg, k.Older):
		m.choices.chosen = (m.choices.chosen + len(m.choices.all) - 1) % len(m.choices.all)
		return nil
	case choosing && key.Matches(msg, k.Newer):
		m.choices.chosen = (m.choices.chosen + 1) % len(m.choices.all)
		return nil
	case key.Matches(msg, k.Older) && m.editor.atTop():
		m.editor.older()
		return nil
	case key.Matches(msg, k.Newer) && m.editor.atBottom():
		m.editor.newer()
		return nil
	case key.Matches(msg, k.Send):
		return m.send(Steer)
	case key.Matches(msg, k.Later) && m.doing != "":
		return m.send(FollowUp)
	case key.Matches(msg, k.Editor):
		text := m.editor.text()
		m.edited = &text
		return wish(Edit{text})
	case key.Matches(msg, k.Recall):
		return m.beginRecall()
	case key.Matches(msg, k.TakeBack):
		if len(m.waiting) == 0 {
			return nil
		}
		return wish(TakeBack{})
	case key.Matches(msg, k.Leave) && m.editor.text() == "":
		return wish(Quit{})
	}
	return tea.Batch(m.editor.update(msg), m.complete())
}

// send says what is typed, in a queue while the agent works.
func (m *Model) send(queue Queue) tea.Cmd {
	if len(m.choices.all) > 0 && m.half() {
		m.take()
		return m.complete()
	}
	text := strings.TrimSpace(m.editor.text())
	if text == "" {
		m.told = nil
		return nil
	}
	if name, arguments, ok := commandOf(text); ok {
		if m.command(name).Name == "" {
			m.told = []Told{{Text: "there is no command /" + name + "; /help lists them", Bad: true}}
			return nil
		}
		if arguments != "" && m.command(name).Arguments == "" {
			m.told = []Told{{Text: "/" + name + " takes nothing behind it; this is not known: " + arguments, Bad: true}}
			return nil
		}
		m.sentNow(text)
		return wish(Command{name, arguments})
	}
	said := Send{Text: text}
	if m.doing != "" {
		if strings.HasPrefix(text, "!") {
			m.told = []Told{{Text: "a command of your own has to wait until the agent has ended", Bad: true}}
			return nil
		}
		said.Queue = queue
		m.waiting = append(slices.Clone(m.waiting), said)
	}
	m.sentNow(text)
	m.transcript.last()
	return wish(said)
}

// half reports whether what is typed is the beginning of a command.
func (m *Model) half() bool {
	_, line := m.editor.word()
	if !strings.HasPrefix(line, "/") || strings.Contains(line, " ") {
		return false
	}
	return m.command(line[1:]).Name == ""
}

// sentNow empties the editor.
func (m *Model) sentNow(text string) {
	m.editor.sent(text)
	m.choices.close()
	m.told = nil
}

// commandOf takes apart a command: /NAME ARGUMENTS. A path is none.
func commandOf(text string) (name, arguments string, ok bool) {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return "", "", false
	}
	name, arguments, _ = strings.Cut(rest, " ")
	if name == "" || strings.ContainsAny(name, "/\n.") {
		return "", "", false
	}
	return name, strings.TrimSpace(arguments), true
}
