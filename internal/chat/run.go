package chat

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/work"
)

// spare is how many bytes more than else are left lying before they are collected.
// A chat lives on about 4 MB and leaves one or two with each thing that a person
// does; Go would collect at 8, in the middle of every other one.
const spare = 16 << 20

// A Farewell is what is left to say of a chat that was left.
type Farewell struct {
	// Unseen is what was to be told and nobody saw.
	Unseen []string
	// Waiting is what waited and was not said, "" for nothing.
	Waiting string
	// Again is what [Host.Again] says of the session that was left.
	Again string
}

// A ScreenError is why the screen ended. What was said until then is saved.
type ScreenError struct {
	// Path is that of the session with which the chat began.
	Path string
	Err  error
}

// Error says that the screen ended.
func (e *ScreenError) Error() string { return fmt.Sprintf("show chat: %v", e.Err) }

// Unwrap returns why.
func (e *ScreenError) Unwrap() error { return e.Err }

// A CloseError is why a session could not be closed well.
type CloseError struct {
	// Path is that of the session with which the chat began.
	Path string
	Err  error
}

// Error says why.
func (e *CloseError) Error() string { return e.Err.Error() }

// Unwrap returns why.
func (e *CloseError) Unwrap() error { return e.Err }

// Run makes the agent, opens the session and shows the conversation until it is
// left. Whatever happens, the agent is closed then and the terminal is as it was. An
// end of ctx is context.Canceled. The farewell is there with an error, too.
func Run(ctx context.Context, o Options, t Terminal) (Farewell, error) {
	c, err := Begin(ctx, o, t)
	defer c.notebook.close()
	if err != nil {
		return Farewell{Unseen: c.pump.left(leftAll)}, err
	}
	path := ""
	if s := c.agent().Session(); s != nil {
		path = s.Path()
	}
	shown := c.run(ctx)
	f, closed := c.Leave(ctx)
	switch {
	case errors.Is(shown, context.Canceled):
		return f, shown
	case shown != nil:
		return f, &ScreenError{path, shown}
	case closed != nil:
		return f, &CloseError{path, closed}
	}
	return f, nil
}

// Begin makes the agent and opens the session of a conversation, which is to be run
// as a screen, and left then. There is one with an error, too, which is not run.
func Begin(ctx context.Context, o Options, t Terminal) (*Conversation, error) {
	c := newConversation(ctx, o, t)
	ready, err := o.Host.Make(Ears{Furnish: c.furnish, Heard: c.source.heard, Note: c.note})
	if err != nil {
		return c, err
	}
	c.made = &made{coder: ready.Coder, models: ready.Models, environ: ready.Environ, noModel: ready.NoModel}
	return c, ready.Start(ctx)
}

// furnish makes the coder one that is seen on the screen.
func (c *Conversation) furnish(o *coder.Options) {
	o.Session.Dialect = c.lib.Agent // what is switched to may be anybody's
	o.Session.OnEvent = c.source.heard
	if c.notebook.to = o.Session.OnVisit; c.notebook.to != nil {
		o.Session.OnVisit = c.notebook.note
	}
	o.Tell, o.Approve, o.Refuse = c.listener.tell, c.questions.approve, c.questions.refuse
	o.EnterMode, o.OnTodos, o.OnDirectory = c.listener.enterMode, c.listener.arriving, c.questions.directory
	o.OnContext = c.listener.sees
}

// run shows the screen until it is left.
func (c *Conversation) run(ctx context.Context) error {
	ballast := make([]byte, spare/2) // never touched, so it takes no memory
	defer runtime.KeepAlive(ballast)
	var model tea.Model = c
	if c.term.Wrap != nil {
		model = c.term.Wrap(c)
	}
	program := tea.NewProgram(model, tea.WithContext(ctx), tea.WithInput(c.term.In), tea.WithOutput(c.term.Out),
		tea.WithEnvironment(c.term.Env), tea.WithoutSignalHandler(), tea.WithFPS(frames))
	_, err := program.Run()
	if ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic) {
		return context.Canceled
	}
	return err
}

// Leave closes the agent and returns what is left to say.
func (c *Conversation) Leave(ctx context.Context) (Farewell, error) {
	c.source.stop()
	f := Farewell{Waiting: c.queue.take()}
	if s := c.agent().Session(); s != nil && s.Persisted() && s.OnDisk() {
		f.Again = c.opt.Host.Again(s)
	}
	err := c.agent().Close(context.WithoutCancel(ctx))
	f.Unseen = c.pump.left(leftBad)
	return f, errors.Join(err, c.recalls.close())
}

// note shows a note. Its path is left out: it is that of the session on the screen.
func (c *Conversation) note(n work.Note) { c.pump.tellLine(n.Text) }
