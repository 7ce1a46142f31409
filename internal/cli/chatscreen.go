package cli

import (
	"context"
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
	"github.com/cambium-dev/cambium/recall"
)

// A chat is a conversation on the terminal: it routes between the screens and has
// the agent do what a person wants. Its fields belong to the screen's goroutine,
// but for those that say otherwise.
type chat struct {
	a       *app
	ctx     context.Context
	r       *runner
	o       runOptions
	program *tea.Program
	hooks   *agent.Hooks
	pump    *pump
	source  *chatSource
	history *recall.History // nil until it is opened

	view  chatview.Model
	theme theme.Theme
	size  tea.WindowSizeMsg

	over      overlay
	browser   *browser   // with overPicker
	unfeed    func()     // ends what brings it sessions
	tree      treeScreen // with overTree
	branching bool       // the tree is there to branch

	running  bool      // a prompt or a command of the person's
	moving   bool      // the session is on its way
	reading  bool      // the session is looked at
	again    bool      // and has to be looked at again
	reset    bool      // and then it is another transcript
	then     []tea.Msg // what is shown when the transcript of another session is
	stopped  bool      // what runs was stopped by the person
	unsum    func()    // stops the summing up that the person wanted; nil for none yet
	queued   int       // how many texts were queued since nothing ran
	answers  map[string]chan coder.Answer
	asked    int
	quitting bool

	todos []chatview.Todo

	mu   sync.Mutex
	mode string  // guarded by mu; the agent's goroutines look at it
	cost float64 // guarded by mu; what the session cost
	// held are notices of the agent, held back while holding; guarded by mu.
	held    []string
	holding bool
}

// An overlay is a screen in the place of the conversation.
type overlay uint8

const (
	overNothing overlay = iota
	overPicker
	overTree
)

func newChatScreen(ctx context.Context, a *app, o runOptions) *chat {
	c := &chat{a: a, ctx: ctx, o: o, pump: newPump(), answers: map[string]chan coder.Answer{}, theme: a.chatTheme(true)}
	c.source = &chatSource{ctx: ctx, pump: c.pump, foreign: map[entry.ID]bool{}, known: map[string]bool{}}
	c.view = chatview.New(chatview.Options{Theme: c.theme, Commands: chatHelp(), Load: c.source.load})
	return c
}

// Init shows the session, and says what was to be said first.
func (c *chat) Init() tea.Cmd {
	c.reset = true
	cmds := []tea.Cmd{c.pump.next(c.ctx), c.look(), c.remember, c.count}
	if c.theme.Depth() >= theme.Indexed {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	c.showTodos()
	if c.o.prompt != "" {
		cmds = append(cmds, func() tea.Msg { return chatview.Send{Text: c.o.prompt} })
	}
	return tea.Batch(cmds...)
}

// Update takes a message: what the agent tells and what a person wants is carried
// out, the rest is for the screen that it concerns.
func (c *chat) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case batch:
		cmds := []tea.Cmd{c.pump.next(c.ctx)}
		for _, one := range msg {
			_, cmd := c.Update(one)
			cmds = append(cmds, cmd)
		}
		return c, tea.Batch(cmds...)
	case chatPanic:
		panic("cli: " + fmt.Sprint(msg.value))
	case tea.WindowSizeMsg:
		c.size = msg
		return c, tea.Batch(c.show(msg), c.beyond(msg))
	case tea.BackgroundColorMsg:
		c.theme = c.a.chatTheme(msg.IsDark())
		c.view = c.view.SetTheme(c.theme)
		return c, nil
	}
	if cmd, ok := c.want(msg); ok {
		return c, cmd
	}
	if cmd, ok := c.happen(msg); ok {
		return c, cmd
	}
	if c.over != overNothing {
		if cmd, ok := c.leaveOverlay(msg); ok {
			return c, cmd
		}
		if !ofChat(msg) {
			return c, c.beyond(msg)
		}
	}
	return c, c.show(msg)
}

// ofChat reports whether a message is for the conversation whatever is shown over
// it.
func ofChat(msg tea.Msg) bool {
	switch msg.(type) {
	case chatview.Rows, chatview.Bodies, chatview.Began, chatview.Ended, chatview.AnswerBegan, chatview.Delta, chatview.AnswerEnded,
		chatview.ToolBegan, chatview.ToolWrote, chatview.ToolEnded, chatview.Said, chatview.Ask, chatview.Withdrawn, chatview.Told,
		chatview.Page, chatview.Switched, chatview.Todos, chatview.Typed, chatview.History, chatview.Choices, chatview.State:
		return true
	}
	return false
}

// show gives a message to the conversation.
func (c *chat) show(msg tea.Msg) (cmd tea.Cmd) {
	c.view, cmd = c.view.Update(msg)
	return cmd
}

// beyond gives a message to the screen over the conversation.
func (c *chat) beyond(msg tea.Msg) (cmd tea.Cmd) {
	switch c.over {
	case overPicker:
		_, cmd = c.browser.Update(msg)
	case overTree:
		c.tree, cmd = c.tree.update(msg)
	}
	return cmd
}

// View draws the screen.
func (c *chat) View() tea.View {
	switch c.over {
	case overPicker:
		return c.browser.View()
	case overTree:
		v := tea.NewView(c.tree.model.View())
		v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
		return v
	}
	return c.view.View()
}

// pickSession shows the sessions in the place of the conversation (published P3,
// in-session picker).
func (c *chat) pickSession() tea.Cmd {
	c.closeOverlay()
	dir := c.a.Dir
	if s := c.agent().Session(); s != nil {
		dir = s.CWD()
	}
	how := picker.Options{Title: "Resume", Accept: "resume", Project: dir}
	ctx, stop := context.WithCancel(c.ctx)
	c.browser = c.a.newBrowserIn(ctx, how, func(msg tea.Msg) { c.pump.put(ofPicker{msg}) })
	c.browser.theme = c.theme
	c.browser.picker = c.browser.picker.SetTheme(c.theme)
	c.over, c.unfeed = overPicker, stop
	fed := c.browser
	go func() {
		defer guardPanic(c.pump)
		fed.feed.run(ctx)
	}()
	return c.beyond(c.size)
}

// ofPicker is a message that is the picker's alone.
type ofPicker struct{ msg tea.Msg }

// openTree shows the tree of the session in the place of the conversation.
func (c *chat) openTree(branching bool) tea.Cmd {
	s := c.agent().Session()
	if s == nil || !s.OnDisk() {
		return c.tell1("there is no tree yet: the session is written with the first answer", false)
	}
	c.closeOverlay()
	at := ""
	if id, ok := s.Leaf(); ok {
		at = string(id)
	}
	tree, open := c.a.newTreeScreen(c.ctx, s.Path(), at, c.theme)
	c.tree, c.over, c.branching = tree, overTree, branching
	return tea.Batch(open, c.beyond(c.size))
}

// closeOverlay goes back to the conversation: the editor is as it was.
func (c *chat) closeOverlay() {
	switch c.over {
	case overPicker:
		c.unfeed()
		c.browser.find.stop()
		c.browser.closeTree()
		c.browser = nil
	case overTree:
		_ = c.tree.close() // nothing was written through it
		c.tree = treeScreen{}
	}
	c.over = overNothing
}

// leaveOverlay takes what ends the screen over the conversation.
func (c *chat) leaveOverlay(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case ofPicker:
		if c.over == overPicker {
			return c.beyond(msg.msg), true
		}
		return nil, true
	case picker.Exit, treeview.Exit:
		c.closeOverlay()
		return c.quit(), true
	case picker.Cancelled:
		c.closeOverlay()
		return nil, true
	case picker.Chosen:
		c.closeOverlay()
		return c.switchTo(msg.Path), true
	case treeview.Back:
		if c.over == overPicker {
			return nil, false // the picker's own tree
		}
		c.closeOverlay()
		return nil, true
	case treeview.Resume:
		if c.over == overPicker {
			path := c.browser.path
			c.closeOverlay()
			return c.switchAt(path, msg.ID), true
		}
		branching := c.branching
		c.closeOverlay()
		if branching {
			return c.branch(msg.ID), true
		}
		return c.navigate(msg.ID), true
	}
	return nil, false
}

// tell1 shows a line.
func (c *chat) tell1(text string, bad bool) tea.Cmd {
	return c.show(chatview.Told{Text: text, Bad: bad})
}

// agent is the one that has the session.
func (c *chat) agent() *agent.Agent { return c.r.coder.Agent() }

// quit ends the screen.
func (c *chat) quit() tea.Cmd {
	c.quitting = true
	return tea.Quit
}

// wrong says in one line what went wrong and what to do about it.
func wrong(what string, err error) chatview.Told {
	p := classify(err)
	text := p.text
	if what != "" {
		text = fmt.Sprintf("%s: %s", what, text)
	}
	if p.todo != "" {
		text += "; " + p.todo
	}
	return chatview.Told{Text: text, Bad: true}
}
