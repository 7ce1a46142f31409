package picker

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/dialect"
)

// key takes a key.
func (m Model) key(k tea.KeyPressMsg) (Model, tea.Cmd) {
	if key.Matches(k, m.keys.Exit) {
		return m, wish(Exit{})
	}
	switch m.dialog.mode {
	case helping:
		return m.helpKey(k)
	case deleting:
		return m.answer(k)
	case renaming, labelling, moving:
		return m.edit(k)
	}
	if m.tooSmall() && !key.Matches(k, m.keys.Cancel) {
		return m, nil
	}
	return m.browse(k)
}

// browse takes a key while nothing else is asked.
func (m Model) browse(k tea.KeyPressMsg) (Model, tea.Cmd) {
	is := func(b key.Binding) bool { return key.Matches(k, b) }
	blank := m.field.Value() == ""
	page := max(1, m.layout().height-1)
	switch {
	case is(m.keys.Cancel):
		return m, wish(Cancelled{})
	case is(m.keys.Accept):
		if r := m.current(); r != nil {
			return m, wish(Chosen{Path: r.Info.Path})
		}
		return m, nil
	case is(m.keys.Up):
		return m.to(m.cursor.at - 1)
	case is(m.keys.Down):
		return m.to(m.cursor.at + 1)
	case is(m.keys.PageUp):
		return m.to(m.cursor.at - page)
	case is(m.keys.PageDown):
		return m.to(m.cursor.at + page)
	case is(m.keys.First):
		return m.to(0)
	case is(m.keys.Last):
		return m.to(len(m.list.shown) - 1)
	case is(m.keys.HelpAnywhere), blank && is(m.keys.Help):
		m.dialog.explain()
		return m, nil
	case is(m.keys.Peek):
		if m.cols >= sideCols {
			m.preview.wide = !m.preview.wide
		} else {
			m.preview.narrow = !m.preview.narrow
		}
		return m.sized().look()
	case is(m.keys.PeekUp):
		return m.peek(-3), nil
	case is(m.keys.PeekDown):
		return m.peek(3), nil
	case is(m.keys.Scope), is(m.keys.Sort), is(m.keys.Agent), is(m.keys.Named), is(m.keys.Path):
		return m.view(k)
	}
	return m.act(k)
}

// view takes a key that changes what is listed.
func (m Model) view(k tea.KeyPressMsg) (Model, tea.Cmd) {
	l := &m.list
	switch {
	case key.Matches(k, m.keys.Scope):
		l.all = !l.all
		m.scoped = true
		m.cursor.free()
	case key.Matches(k, m.keys.Sort):
		l.next()
		m.cursor.free()
	case key.Matches(k, m.keys.Agent):
		l.agent = m.nextAgent()
	case key.Matches(k, m.keys.Named):
		l.named = !l.named
	case key.Matches(k, m.keys.Path):
		m.paths = !m.paths
		return m, nil
	}
	return m.changed()
}

// nextAgent returns the agent after the one that is listed, of those that there
// are sessions of in the scope; "" for all.
func (m *Model) nextAgent() dialect.Name {
	var all []dialect.Name
	for _, r := range m.list.rows {
		if (m.list.all || r.Here) && !slices.Contains(all, r.Info.Agent) {
			all = append(all, r.Info.Agent)
		}
	}
	slices.Sort(all)
	at := slices.Index(all, m.list.agent)
	if m.list.agent == "" {
		at = -1
	}
	if at+1 < len(all) {
		return all[at+1]
	}
	return ""
}

// act takes a key that is about sessions, or a letter.
func (m Model) act(k tea.KeyPressMsg) (Model, tea.Cmd) {
	is := func(b key.Binding) bool { return key.Matches(k, b) }
	blank := m.field.Value() == ""
	switch {
	case is(m.keys.Undo), m.told.Undo && is(m.keys.UndoOffer):
		m.told = Told{}
		return m, wish(Undo{})
	case is(m.keys.Costs):
		m.told = Told{}
		return m, wish(Costs{})
	case is(m.keys.Mark), blank && is(m.keys.MarkBlank):
		if r := m.current(); r != nil {
			m.mark(r.Info.Path)
			return m.to(m.cursor.at + 1)
		}
		return m, nil
	case is(m.keys.Rename), is(m.keys.Label), is(m.keys.Move), is(m.keys.Delete), blank && is(m.keys.DeleteBlank),
		is(m.keys.Fork), is(m.keys.Tree), is(m.keys.Read), is(m.keys.Pin), is(m.keys.Copy):
		m.told = Told{}
		if m.current() == nil {
			return m, nil
		}
		return m.about(k)
	}
	return m.typed(k)
}

// mark marks a session, or takes the mark away. The map is replaced: a model
// that was copied keeps its own.
func (m *Model) mark(path string) {
	marked := make(map[string]bool, len(m.marked)+1)
	for p := range m.marked {
		marked[p] = true
	}
	if marked[path] {
		delete(marked, path)
	} else {
		marked[path] = true
	}
	m.marked = marked
}

// about does something with the session at the cursor, or with those marked.
func (m Model) about(k tea.KeyPressMsg) (Model, tea.Cmd) {
	is := func(b key.Binding) bool { return key.Matches(k, b) }
	r := m.current()
	switch {
	case is(m.keys.Rename):
		title := ""
		if r.Info.Named {
			title = r.name
		}
		m.dialog.edit(renaming, r.Info.Path, title)
	case is(m.keys.Label):
		m.dialog.edit(labelling, r.Info.Path, "")
	case is(m.keys.Move):
		m.dialog.edit(moving, r.Info.Path, m.tilde(r.Info.CWD))
	case is(m.keys.Fork):
		return m, wish(Fork{Path: r.Info.Path})
	case is(m.keys.Tree):
		return m, wish(Tree{Path: r.Info.Path})
	case is(m.keys.Read):
		return m, wish(m.list.reads(r))
	case is(m.keys.Pin):
		paths, on := m.chosen(), false
		for _, p := range paths {
			on = on || !m.list.byPath[p].Info.Pinned
		}
		m.marked = map[string]bool{}
		return m, wish(Pin{Paths: paths, On: on})
	case is(m.keys.Copy):
		paths := m.chosen()
		m.marked = map[string]bool{}
		return m, wish(Copy{Paths: paths})
	default:
		m.dialog.ask(m.chosen())
	}
	return m, nil
}

// edit takes a key while the editor is open.
func (m Model) edit(k tea.KeyPressMsg) (Model, tea.Cmd) {
	switch {
	case key.Matches(k, m.keys.Cancel):
		m.dialog.end()
		return m, nil
	case !key.Matches(k, m.keys.Accept):
		return m.typed(k)
	}
	was, path, text := m.dialog.answer()
	switch was {
	case renaming:
		return m, wish(Rename{Path: path, Name: text})
	case labelling:
		return m, wish(Label{Path: path, Text: text})
	}
	if text == "" {
		return m, nil
	}
	return m, wish(Move{Path: path, Dir: text})
}

// answer takes a key while it is asked whether to delete.
func (m Model) answer(k tea.KeyPressMsg) (Model, tea.Cmd) {
	switch {
	case key.Matches(k, m.keys.Yes):
		m.dialog.end()
		m.marked = map[string]bool{}
		return m, wish(Delete{Paths: m.dialog.target})
	case key.Matches(k, m.keys.No):
		m.dialog.end()
	}
	return m, nil
}

// helpKey takes a key while the help is shown.
func (m Model) helpKey(k tea.KeyPressMsg) (Model, tea.Cmd) {
	lines := 0
	switch {
	case key.Matches(k, m.keys.Up):
		lines = -1
	case key.Matches(k, m.keys.Down):
		lines = 1
	case key.Matches(k, m.keys.PageUp):
		lines = -m.rows
	case key.Matches(k, m.keys.PageDown):
		lines = m.rows
	default:
		m.dialog.end()
	}
	m.dialog.scroll(lines, len(m.helpLines())-(m.rows-2))
	return m, nil
}
