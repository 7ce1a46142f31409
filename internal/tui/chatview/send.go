package chatview

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

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
		return m.wish(Edit{text})
	case key.Matches(msg, k.Recall):
		return m.beginRecall()
	case key.Matches(msg, k.TakeBack):
		if len(m.waiting) == 0 {
			return nil
		}
		return m.wish(TakeBack{})
	case key.Matches(msg, k.Leave) && m.editor.text() == "":
		return m.wish(Quit{})
	}
	return tea.Batch(m.editor.update(msg), m.complete())
}

// send says what is typed, in a queue while the agent works.
func (m *Model) send(queue Queue) tea.Cmd {
	if len(m.choices.all) > 0 && m.half() {
		m.take()
		return m.complete()
	}
	line := m.editor.line(m.rows - 2)
	text := line.String()
	if text == "" {
		m.told = nil
		return nil
	}
	if name, arguments, ok := line.slash(); ok {
		return m.carryOut(line, name, arguments)
	}
	_, _, own := line.Command()
	why := m.doubtful(line)
	switch {
	case own && m.doing != "":
		why = "a command of your own has to wait until the agent has ended"
	case m.doubted == text:
		why = "" // it was read
	case why != "":
		m.doubted = text
	}
	if why != "" {
		m.told = []Told{{Text: why, Bad: true}}
		return nil
	}
	said := Send{Text: line}
	if m.doing != "" {
		said.Queue = queue
		m.waiting = append(slices.Clone(m.waiting), said)
	}
	m.sentNow(text)
	m.transcript.last()
	return m.wish(said)
}

// carryOut wants a command to be carried out, if there is one of that name.
func (m *Model) carryOut(line Line, name, arguments string) tea.Cmd {
	why := ""
	switch {
	case m.command(name).Name == "":
		why = "there is no command /" + name + "; /help lists them"
	case arguments != "" && m.command(name).Arguments == "":
		why = "/" + name + " takes nothing behind it; this is not known: " + arguments
	case line.folded():
		why = "/" + name + " takes no text that stands there by its name; put less behind it"
	}
	if why != "" {
		m.told = []Told{{Text: why, Bad: true}}
		return nil
	}
	m.sentNow(line.String())
	return m.wish(Command{name, arguments})
}

// doubtful says what a line that begins as a command would have done, had a person
// typed its first sign; "" for any other line.
func (m *Model) doubtful(line Line) string {
	meant := line.meant()
	if meant.raw == line.raw {
		return ""
	}
	if _, _, own := meant.Command(); own {
		return "nothing runs: this ! was not typed here; type it anew to run the line, or press enter again to say it to the model"
	}
	if name, _, ok := meant.slash(); ok && m.command(name).Name != "" {
		return "/" + name + " is not carried out: its / was not typed here; type it anew, or press enter again to say it to the model"
	}
	return ""
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
	m.told, m.doubted = nil, ""
}
