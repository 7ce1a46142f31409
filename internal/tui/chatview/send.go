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
