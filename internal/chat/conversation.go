package chat

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A Conversation is one on the terminal. It routes messages between its machines,
// each of which has one thing to do and the states of that. They belong to the
// screen's goroutine, but for what says otherwise. That goroutine reads and writes
// nothing and asks a session nothing, which may be busy writing: whatever does is a
// command.
type Conversation struct {
	*desk
	notebook *notebook

	face      *face
	over      *overlay
	looks     *looker
	scales    *scales
	way       *journey
	turn      *turn
	queue     *queue
	questions *questions
	listener  listener
	recalls   *recaller
	todos     *todoList
	choices   *choices
	names     *naming
	pages     *pages
	editor    *editor
}

func newConversation(ctx context.Context, o Options, t Terminal) *Conversation {
	d := &desk{ctx: ctx, lib: o.Library, opt: o, term: t, pump: newPump(), standing: &standing{}}
	d.source = &source{ctx: ctx, pump: d.pump, foreign: map[entry.ID]bool{}, known: map[string]bool{}}
	f := &face{theme: t.theme(true)}
	f.view = chatview.New(chatview.Options{Theme: f.theme, Commands: Commands(), ASCII: t.ASCII, Load: d.source.load})
	c := &Conversation{
		desk: d, face: f, notebook: &notebook{},
		queue: &queue{desk: d}, scales: &scales{desk: d, face: f}, todos: &todoList{desk: d, face: f},
		questions: &questions{desk: d, face: f, open: map[string]*question{}}, recalls: &recaller{desk: d, face: f},
		choices: &choices{d, f}, names: &naming{d, f}, pages: &pages{d, f}, editor: &editor{d, f},
	}
	c.listener = listener{d, &notices{}, &saidMark{}}
	c.looks = &looker{desk: d, face: f, scales: c.scales}
	c.way = &journey{desk: d, face: f, notices: c.listener.notices, looks: c.looks, scales: c.scales, queue: c.queue, todos: c.todos}
	c.turn = &turn{desk: d, face: f, questions: c.questions, queue: c.queue, looks: c.looks, way: c.way, said: c.listener.said}
	c.looks.way, c.way.turn = c.way, c.turn
	c.over = &overlay{desk: d, face: f, way: c.way, looks: c.looks}
	f.want = c.want
	return c
}

// Init shows the session, and says what was to be said first.
func (c *Conversation) Init() tea.Cmd {
	c.scales.owe()
	cmds := []tea.Cmd{c.pump.next(c.ctx), c.looks.lookAnew(), c.recalls.remember}
	if c.face.theme.Depth() >= theme.Indexed {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	c.todos.read()
	if c.opt.Prompt != "" {
		cmds = append(cmds, func() tea.Msg { return chatview.Send{Text: chatview.Untyped(c.opt.Prompt)} })
	}
	return tea.Batch(cmds...)
}

// Update takes a message: what the agent tells and what a person wants is carried
// out, the rest is for the screen that it concerns.
func (c *Conversation) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case batch:
		cmds := []tea.Cmd{c.pump.next(c.ctx)}
		for _, one := range msg {
			_, cmd := c.Update(one)
			cmds = append(cmds, cmd)
		}
		return c, tea.Batch(cmds...)
	case panicked:
		panic("chat: " + fmt.Sprint(msg.value))
	case tea.WindowSizeMsg:
		return c, tea.Batch(c.face.resize(msg), c.over.update(msg))
	case tea.BackgroundColorMsg:
		c.face.paint(c.term.theme(msg.IsDark()))
		return c, nil
	}
	if cmd, ok := c.want(msg); ok {
		return c, cmd
	}
	if cmd, ok := c.happen(msg); ok {
		return c, cmd
	}
	if c.over.state != overNothing {
		if cmd, ok := c.over.take(msg); ok {
			return c, cmd
		}
		if !ofChat(msg) {
			return c, c.over.update(msg)
		}
	}
	return c, c.face.show(msg)
}

// ofChat reports whether a message is for the conversation whatever is shown over
// it.
func ofChat(msg tea.Msg) bool {
	switch msg.(type) {
	case chatview.Rows, chatview.Bodies, chatview.Began, chatview.Ended, chatview.AnswerBegan, chatview.Delta, chatview.AnswerEnded,
		chatview.ToolBegan, chatview.ToolWrote, chatview.ToolEnded, chatview.Said, chatview.Ask, chatview.Withdrawn, chatview.Told,
		chatview.Page, chatview.Switched, chatview.Todos, chatview.Typed, chatview.TakenBack, chatview.History, chatview.Choices, chatview.State,
		chatview.Opening, chatview.Recalled, chatview.Seen, chatview.Lapsed, tea.PasteStartMsg, tea.PasteEndMsg:
		return true
	}
	return false
}

// View draws the screen.
func (c *Conversation) View() tea.View { return c.over.View() }
