package cli

import (
	"context"
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/prompts"
	"github.com/cambium-dev/cambium/session"
)

// A chat is a conversation on the terminal: it routes between the screens and has
// the agent do what a person wants. Its fields belong to the screen's goroutine,
// but for those that say otherwise. That goroutine reads and writes nothing and
// asks a session nothing, which may be busy writing: whatever does is a command.
type chat struct {
	a       *app
	ctx     context.Context
	r       *runner
	o       runOptions
	program *tea.Program
	hooks   *agent.Hooks
	pump    *pump
	source  *chatSource
	notes   chatNotebook
	history *prompts.History // nil until it is opened

	view  chatview.Model
	theme theme.Theme
	size  tea.WindowSizeMsg

	over      overlay
	browser   *browser   // with overPicker
	unfeed    func()     // ends what brings it sessions
	tree      treeScreen // with overTree
	branching bool       // the tree is there to branch
	opening   int        // counts what was opened: another one is not wanted any more

	now   chatNow        // the session as it was looked at last: it may be busy writing
	state chatview.State // the same, but for what is in weighed

	running   bool             // a prompt or a command of the person's
	moving    bool             // the session is on its way, or summed up
	away      bool             // it is on its way: it is looked at when it has arrived
	reading   bool             // the session is looked at
	again     bool             // and has to be looked at again
	reset     bool             // and then it is another transcript
	then      []tea.Msg        // what is shown when the transcript of another session is
	weighing  *session.Session // whose state is found out, nil for none
	weighed   chatWeight       // what was found out last
	unweighed bool             // it has to be found out again
	unshown   chatUnseen       // what goes to the model and is not shown, as counted last
	minding   bool             // whether others still have it open is looked at
	uncounted bool             // what the session cost has to be summed
	stopped   bool             // what runs was stopped by the person
	stay      func()           // has the session stay that is on its way; nil where none is
	unsum     func()           // stops the summing up that the person wanted; nil for none yet
	unask     func()           // takes back the question about a command of the person's; nil for none yet
	queuing   <-chan struct{}  // closed when the text that was queued last waits; nil for none
	answers   map[string]chan coder.Answer
	asked     int
	quitting  bool

	todos []chatview.Todo

	remembered bool             // the prompts that were typed before are there, or cannot be
	recalling  bool             // prompts are searched
	recallFor  *chatview.Recall // what is searched for then, nil for nothing

	mu   sync.Mutex
	mode string // guarded by mu; the agent's goroutines look at it
	said bool   // guarded by mu; the prompt that runs is in the session
	lane int    // guarded by mu; counts when what was queued was taken back
	// unqueued are lines that are to be queued, in order; guarded by mu.
	unqueued []chatview.Line
	cost     float64 // guarded by mu; what the session cost
	// held are notices of the agent, held back while holding; guarded by mu.
	held    []string
	holding bool
	goal    chatFrame // which is where the agent goes to read for; guarded by mu
}

func newChatScreen(ctx context.Context, a *app, o runOptions) *chat {
	c := &chat{a: a, ctx: ctx, o: o, pump: newPump(), answers: map[string]chan coder.Answer{}, theme: a.chatTheme(true)}
	c.source = &chatSource{ctx: ctx, pump: c.pump, foreign: map[entry.ID]bool{}, known: map[string]bool{}}
	c.view = chatview.New(chatview.Options{Theme: c.theme, Commands: chatHelp(), ASCII: !term.UTF8(a.lib.Env.Getenv), Load: c.source.load})
	return c
}

// Init shows the session, and says what was to be said first.
func (c *chat) Init() tea.Cmd {
	c.reset, c.uncounted = true, true
	cmds := []tea.Cmd{c.pump.next(c.ctx), c.look(), c.remember}
	if c.theme.Depth() >= theme.Indexed {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	c.showTodos()
	if c.o.prompt != "" {
		cmds = append(cmds, func() tea.Msg { return chatview.Send{Text: chatview.Untyped(c.o.prompt)} })
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
		chatview.Page, chatview.Switched, chatview.Todos, chatview.Typed, chatview.TakenBack, chatview.History, chatview.Choices, chatview.State,
		chatview.Opening, chatview.Recalled, chatview.Seen, chatview.Lapsed, tea.PasteStartMsg, tea.PasteEndMsg:
		return true
	}
	return false
}

// show gives messages to the conversation.
func (c *chat) show(msgs ...tea.Msg) (cmd tea.Cmd) {
	c.view, cmd = c.view.Update(msgs...)
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
		return c.a.onScreen(v)
	}
	return c.a.onScreen(c.view.View())
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
