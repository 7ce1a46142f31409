package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/workplace"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// tell brings what the agent tells to the screen. It is called by the agent's
// goroutines.
func (c *chat) tell(e coder.Event) {
	p := c.pump
	switch e := e.(type) {
	case coder.AgentStart:
		p.put(chatview.Began{Doing: "working"}, chatChanged{})
	case coder.MessageStart:
		if roleOf(e.Message) == message.RoleAssistant {
			p.put(chatview.Began{Doing: "working"}, chatview.AnswerBegan{})
		}
	case coder.MessageUpdate:
		switch e.Kind {
		case "text_delta":
			p.put(chatview.Delta{Text: e.Delta})
		case "thinking_delta":
			p.put(chatview.Delta{Text: e.Delta, Thinking: true})
		}
	case coder.MessageEnd:
		c.appended(e)
	case coder.Retrying:
		p.put(chatview.AnswerBegan{}, chatview.Began{Doing: fmt.Sprintf("try %d of %d in %s: %s", e.Try+1, e.Tries, e.After.Round(100e6), e.Err)})
	case coder.ToolStart:
		p.put(chatview.ToolBegan{ID: e.CallID, Name: e.Tool, Arguments: e.Arguments})
	case coder.ToolUpdate:
		p.put(chatview.ToolWrote{ID: e.CallID, Text: e.Text})
	case coder.CompactionStart:
		p.put(chatview.Began{Doing: "summing up the conversation"})
	case coder.CompactionProgress:
		p.put(chatview.Began{Doing: fmt.Sprintf("compacting %d/%d", e.Part, e.Parts)})
	case coder.CompactionEnd:
		p.put(chatview.Began{Doing: "working"}, chatReset{})
		switch {
		case e.Err != "":
			p.put(chatview.Told{Text: "sum up the conversation: " + e.Err, Bad: true})
		case e.EntryID != "" || e.Pruned > 0:
			p.put(chatview.Told{Text: fmt.Sprintf("the conversation was summed up: %d tokens became %d", e.TokensBefore, e.TokensAfter)})
		}
	case coder.UnseenTold:
		for _, text := range e.LeftOut() {
			p.put(chatview.Told{Text: text})
		}
		p.put(chatUnseen{c.agent().Session(), coder.CountUnseen(e.All)})
	case coder.Notice:
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.holding {
			c.held = append(c.held, e.Text)
			return
		}
		p.put(chatview.Told{Text: e.Text})
	}
}

// appended takes a message that is in the session now.
func (c *chat) appended(e coder.MessageEnd) {
	switch roleOf(e.Message) {
	case message.RoleAssistant:
		if m, err := message.Decode(e.Message); err == nil {
			if a, ok := m.(*message.Assistant); ok && a.Usage != nil && a.Usage.Cost != nil {
				c.mu.Lock()
				c.cost += a.Usage.Cost.Total
				c.mu.Unlock()
			}
		}
		c.pump.put(chatview.AnswerEnded{Key: string(e.EntryID)})
	case message.RoleToolResult:
		id, _ := jsonedit.Text(e.Message, "toolCallId")
		c.pump.put(chatview.ToolEnded{ID: id, Key: string(e.EntryID), Parts: chatview.PartsOf(e.Message)})
	case message.RoleUser:
		c.setSaid(true)
		if m, err := message.Decode(e.Message); err == nil {
			c.pump.put(chatview.Said{Text: message.Text(m), Key: string(e.EntryID), Parts: chatview.PartsOf(e.Message)})
		}
	}
	c.pump.put(chatChanged{})
}

// roleOf is who said a message.
func roleOf(raw jsontext.Value) string {
	role, _ := jsonedit.Text(raw, "role")
	return role
}

// chatAsk is a question that waits for an answer.
type chatAsk struct {
	ask   coder.Ask
	reply chan coder.Answer
	id    chan string // which the screen gives it
}

// approve asks the person whether a call may be run. It is called by the agent's
// goroutine, which waits.
func (c *chat) approve(ctx context.Context, ask coder.Ask) (coder.Answer, error) {
	q := chatAsk{ask: ask, reply: make(chan coder.Answer, 1), id: make(chan string, 1)}
	c.pump.put(q)
	select {
	case a := <-q.reply:
		return a, nil
	case <-ctx.Done():
	case <-c.ctx.Done():
	}
	c.pump.put(chatTakenBack{q})
	return coder.No, context.Canceled
}

// askTime is how long a question is in sight before keys answer it: who types goes
// on typing meanwhile.
const askTime = 400 * time.Millisecond

// chatAsked tells that a question was in sight for a moment.
type chatAsked struct{ id string }

// asked waits for that moment.
func asked(id string) tea.Cmd {
	return tea.Tick(askTime, func(time.Time) tea.Msg { return chatAsked{id} })
}

// chatTakenBack is a question that nobody has to answer any more.
type chatTakenBack struct{ q chatAsk }

// planned is what a model is told of calls in the mode plan.
const planned = "Not run: the session is in plan mode, in which nothing is changed. Say what you would do."

// refuse says why a call is not run in the mode that the session is in.
func (c *chat) refuse(coder.Ask) (why string, anew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mode == "plan" {
		return planned, false
	}
	return "", false
}

// enterMode is told the mode of a session that was gone to.
func (c *chat) enterMode(_ context.Context, m agent.Mode) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mode = m.Name
	if !c.holding { // else it is seen when the agent has arrived
		c.pump.put(chatChanged{})
	}
	return nil
}

// directory asks whether to work where a session was recorded that the agent is on
// its way to. A place where nothing is run is not asked about.
func (c *chat) directory(ctx context.Context, recorded, current string) (string, error) {
	p := workplace.Look(c.a.lib.Homely(recorded), c.a.machine())
	switch {
	case p.Gone:
		return "", problem{exit: exitRefused, text: fmt.Sprintf("its directory %q is gone", recorded), todo: "`cambium move` moves the session"}
	case p.Unfit != "":
		return "", problem{exit: exitRefused, text: fmt.Sprintf("it was recorded in %q, where nothing is run: %s", recorded, p.Unfit),
			todo: "`cambium chat --fork` goes on with a fork of it here"}
	}
	var where jsonedit.Object
	where.String("directory", p.Dir)
	if p.Named != p.Dir {
		where.String("recorded", p.Named)
	}
	yes, err := c.once(ctx, "/resume", current, where.Value())
	if shown, _ := jsonedit.Text(where.Value(), "directory"); err == nil && (!yes || shown != p.Dir) {
		err = problem{exit: exitRefused, text: "you did not agree to work there"}
	}
	return p.Dir, err
}

// dir is the directory in which the agent works.
func (c *chat) dir() string { return first(c.agent().Dir(), c.a.lib.Dir) }

// chatEnded tells how a prompt or a command ended.
type chatEnded struct {
	out    coder.Outcome
	err    error
	unsaid string // the prompt, where it was refused before it was said
}

// prompt says a line, or runs the command of the person's own that it is.
func (c *chat) prompt(line chatview.Line) tea.Cmd {
	command, secret, own := line.Command()
	if !own {
		return c.begin("working", func() chatEnded { return c.say(saying{text: line.String(), lines: []chatview.Line{line}}) })
	}
	ctx, stop := context.WithCancel(c.ctx)
	c.unask = stop
	return c.begin("running", func() (e chatEnded) {
		defer stop()
		if line.Hidden() && !c.agreed(ctx, command) {
			return chatEnded{unsaid: line.String()}
		}
		_, e.err = c.r.coder.Shell(c.ctx, command, secret)
		return e
	})
}

// begin does something that takes its time. Its end comes by the pump, behind what
// was told before it.
func (c *chat) begin(doing string, f func() chatEnded) tea.Cmd {
	c.running, c.stopped = true, false
	return tea.Batch(c.show(chatview.Began{Doing: doing}), func() tea.Msg {
		c.pump.put(f())
		return nil
	})
}

// agreed asks the person whether a command of their own may be run of which not all
// was in sight, as if the model had called it.
func (c *chat) agreed(ctx context.Context, command string) bool {
	arguments := new(jsonedit.Object).String("command", command).Value()
	if shown, _ := jsonedit.Text(arguments, "command"); shown != command {
		return false // it is no text
	}
	yes, err := c.once(ctx, "bash", c.dir(), arguments)
	return err == nil && yes
}

// once asks the person about something that is not the model's, this time alone.
func (c *chat) once(ctx context.Context, what, dir string, arguments jsontext.Value) (bool, error) {
	call, err := consent.Of(what, dir, arguments)
	if err != nil {
		return false, err
	}
	call.Once = true
	answer, err := c.approve(ctx, coder.Ask{Call: call})
	return answer != coder.No, err
}

// say says something to the model, and returns how that ended.
func (c *chat) say(s saying) (e chatEnded) {
	var found []pictureFile
	for _, l := range s.lines {
		found = append(found, c.mentioned(l)...)
	}
	pictures, err := readPictures(found)
	if err != nil {
		return chatEnded{err: err, unsaid: s.text}
	}
	c.setSaid(false)
	e.out, e.err = c.r.coder.Prompt(c.ctx, s.text, append(s.pictures, pictures...)...)
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.err != nil && !c.said {
		e.unsaid = s.text
	}
	return e
}

// setSaid notes whether what a person said last is in the session.
func (c *chat) setSaid(yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said = yes
}

// ended takes the end of a prompt. What was queued too late for it is said now.
func (c *chat) ended(e chatEnded) tea.Cmd {
	c.running = false
	cmds := []tea.Cmd{c.show(chatview.Ended{}), c.look(), c.countUnseen}
	switch {
	case e.err != nil && !errors.Is(e.err, context.Canceled):
		told := wrong("", e.err)
		if errors.Is(e.err, coder.ErrNoModel) {
			told = wrong("", c.r.noModel())
			told.Text = strings.TrimPrefix(told.Text, "run: ")
		} else if advice := c.r.coder.Advice(e.err); advice != "" {
			told.Text = strings.TrimSuffix(told.Text, ".") + "; " + advice
		}
		cmds = append(cmds, c.show(told))
	case e.out.Stop == message.Length:
		cmds = append(cmds, c.tell1("the answer was cut off at its limit of tokens", false))
	}
	switch {
	case c.moving: // what waits is not for the session that is gone to; moved sees to it
	case e.err == nil && e.unsaid == "" && !c.stopped:
		cmds = append(cmds, c.sayQueued())
	default:
		if e.unsaid != "" { // it is not to be seen as said
			c.reset = true
			cmds = append(cmds, c.look())
		}
		cmds = append(cmds, c.show(chatview.TakenBack{Text: joined(e.unsaid, c.takeQueued())}))
	}
	return tea.Batch(cmds...)
}

// abort stops what runs. What was queued is in the editor again.
func (c *chat) abort() tea.Cmd {
	c.stopped = true
	_ = c.takeQueued() // it is in the editor again
	for _, stop := range []func(){c.unsum, c.unask} {
		if stop != nil {
			stop()
		}
	}
	return func() tea.Msg {
		_ = c.r.coder.Stop(c.ctx) // it says itself how it ends
		return nil
	}
}
