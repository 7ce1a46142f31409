package chatview

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/markdown"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/message"
)

// Options say what a chat is shown with.
type Options struct {
	// Theme is how it looks.
	Theme theme.Theme
	// Commands are what may stand behind a slash, in the order of the help.
	Commands []CommandHelp
	// ASCII says that the terminal draws nothing else: calls of tools are shown so
	// that none of their characters becomes another.
	ASCII bool
	// Load returns a command that reads rows and answers with Bodies.
	Load func(rows []Row) tea.Cmd
}

// A Model is the screen. Its zero value is not ready; see New. A copy shares the
// transcript with the model it was copied from: use the one that Update returns.
type Model struct {
	opt        Options
	th         theme.Theme
	keys       KeyMap
	cols, rows int

	transcript *transcript
	fresh      bool // it is another one, and not drawn yet
	editor     editor
	choices    completion
	state      State
	todos      []Todo
	told       []Told // newest last; a key dismisses them
	page       *Page
	asks       []*question
	recall     *recall // while prompts are searched
	recalls    int     // counts what was searched for; a later search has a higher number
	opening    string  // what is being made ready, "" for nothing

	doing   string // what the agent does; "" when it does nothing
	spin    int    // how often something came since then
	waiting []Send // what is to be said

	answer answer
	past   []*cell // what was said and done, and whose rows are not there yet
	tools  []*running

	before  keyBefore
	again   int       // counts when the key before was Esc, or Ctrl+C
	edited  *string   // what was given to the person's own editor
	doubted string    // what was not run, since nobody had typed its sign
	pasting bool      // a paste has begun and not ended
	wishes  []tea.Msg // what is wanted since the last Update
}

// A keyBefore is the key that was pressed before, as far as that matters.
type keyBefore uint8

const (
	keyOther keyBefore = iota
	keyEscape
	keyExit
)

// An answer is what is being said.
type answer struct {
	open           bool
	text, thinking *strings.Builder
	cell           *cell
	stream         *markdown.Stream
}

// A running tool is one that has not ended.
type running struct {
	id, text string
	name     string
	args     message.JSON
	cell     *cell
}

// New returns a model that waits for Rows and a window size.
func New(o Options) Model {
	m := Model{opt: o, th: o.Theme, keys: NewKeyMap(), transcript: newTranscript(o.Theme), editor: newEditor()}
	m.transcript.reform(func(f *Form) { f.open.ascii = o.ASCII })
	return m
}

// SetTheme returns the model with another look.
func (m Model) SetTheme(th theme.Theme) Model {
	m.th = th
	m.transcript.reform(func(f *Form) { f.th = th })
	return m
}

// Busy reports whether the agent works.
func (m Model) Busy() bool { return m.doing != "" }

// Text returns what is typed.
func (m Model) Text() string { return m.editor.text() }

// Wishes returns what the last Update wanted to be done, in order. Who carries it out does
// so before the next Update: what the screen takes for going on is then what goes on.
func (m Model) Wishes() []tea.Msg { return m.wishes }

// wish wants something to be done.
func (m *Model) wish(msg tea.Msg) tea.Cmd {
	m.wishes = append(m.wishes, msg)
	return nil
}

// begin makes place for what is being said.
func (m *Model) begin() {
	m.answer = answer{open: true, text: &strings.Builder{}, thinking: &strings.Builder{}, cell: &cell{}, stream: &markdown.Stream{}}
	m.arrange()
}

// add takes a piece of the answer.
func (m *Model) add(d Delta) {
	if !m.answer.open {
		m.begin()
	}
	if d.Thinking {
		m.answer.thinking.WriteString(d.Text)
	} else {
		m.answer.text.WriteString(d.Text)
	}
	var parts []Part
	if text := m.answer.thinking.String(); strings.TrimSpace(text) != "" {
		parts = append(parts, Part{Style: Thinking, Text: text})
	}
	if text := m.answer.text.String(); strings.TrimSpace(text) != "" {
		parts = append(parts, Part{Style: Markdown, Text: text, stream: m.answer.stream})
	}
	m.answer.cell.set(parts)
}

// tool returns the running tool of an id.
func (m *Model) tool(id string) *running {
	for _, t := range m.tools {
		if t.id == id {
			return t
		}
	}
	return nil
}

// wrote takes what a tool put out: its last lines are shown.
func (t *running) wrote(text string) {
	const most, lines = 8 << 10, 5
	t.text += text
	if len(t.text) > most {
		t.text = strings.ToValidUTF8(t.text[len(t.text)-most:], "")
	}
	parts := []Part{CallPart(t.name, t.args)}
	if strings.TrimSpace(t.text) != "" {
		parts = append(parts, Part{Style: Note, Text: tail(t.text, lines)})
	}
	t.cell.set(parts)
}

// arrange puts what is not in the session yet behind the rows.
func (m *Model) arrange() {
	t := m.transcript
	live := slices.Clone(m.past)
	if m.answer.open {
		live = append(live, m.answer.cell)
	}
	for _, r := range m.tools {
		live = append(live, r.cell)
	}
	t.setLive(live)
	if !t.follow && t.row >= t.count() {
		t.follow = true
	}
}

// clear stops the loader and takes away all that belongs to what was going on:
// the state, what waits, tools and what is being said (published P3).
func (m *Model) clear() {
	m.doing, m.spin = "", 0
	m.told = nil
	m.state = State{}
	m.waiting = nil
	m.tools = nil
	m.answer, m.past = answer{}, nil
	m.asks = nil
	m.page = nil
	m.recall = nil
	m.opening = ""
	m.arrange()
}
