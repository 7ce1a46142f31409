package coder

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
)

// An Outcome is how a prompt ended.
type Outcome struct {
	// Stop is why: stop, length, error or aborted; toolUse when a call was to be
	// approved and nobody could be asked.
	Stop message.StopReason
	// Text is that of the last answer.
	Text string
	// Unapproved is the first tool that nobody could be asked about, "" for none.
	Unapproved string
	// Turns is how often the model answered, Usage what that took, a summary for a
	// compaction not counted.
	Turns int
	Usage session.Usage
}

// Prompt says something to the model and returns when all turns have ended. What
// was queued for the next turn is said with it.
//
// The error is ErrBusy, ErrNoModel, agent.ErrNoSession, or that of the
// registry about a key, wrapped, when nothing was said; a *provider.Error, when the model did not answer, after all
// retries; ErrEndless, when the model went on calling tools; else it is of the
// session. A prompt that was stopped, by ctx or by the
// agent, has no error: its outcome says so, and so does that of a prompt that
// ended because a call needs approval. In every case the session can be prompted
// again.
func (c *Coder) Prompt(ctx context.Context, text string, images ...*message.Image) (Outcome, error) {
	return c.running(ctx, func(ctx context.Context) (Outcome, error) {
		if err := c.ready(); err != nil {
			return Outcome{Stop: message.Error}, err
		}
		c.begun()
		if m, _ := c.Model(); len(images) > 0 && !m.Images {
			c.tell(Notice{Text: fmt.Sprintf("%s/%s takes no pictures: it is only told that there is one", m.Provider, m.ID)})
		}
		said := c.user(text, images)
		if err := c.say(ctx, append([]entry.JSON{said}, c.agent.Queues().Take(agent.NextTurn)...)); err != nil {
			return Outcome{Stop: message.Error}, err
		}
		return c.turns(ctx)
	})
}

// running runs f as the prompt, and tells how it ended.
func (c *Coder) running(ctx context.Context, f func(context.Context) (Outcome, error)) (Outcome, error) {
	ctx, stop := context.WithCancel(context.WithValue(ctx, within{}, c))
	defer stop()
	r := &run{stop: stop, done: make(chan struct{})}
	c.mu.Lock()
	if c.run != nil {
		c.mu.Unlock()
		return Outcome{Stop: message.Error}, ErrBusy
	}
	c.run = r
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.run = nil
		c.mu.Unlock()
		close(r.done)
	}()
	if c.agent.Session() == nil {
		return Outcome{Stop: message.Error}, agent.ErrNoSession
	}
	out, err := f(ctx)
	if errors.Is(err, ErrDetached) { // who takes the session away stops the prompt
		out.Stop, err = message.Aborted, nil
	}
	if err != nil {
		c.tell(failure(err))
	}
	c.tell(AgentEnd{out})
	return out, err
}

// failure is the event of an error.
func failure(err error) Failure {
	f := Failure{Err: err.Error()}
	var asked *provider.Error
	if errors.As(err, &asked) {
		f.Cause, f.Status = asked.Cause, asked.Status
	}
	return f
}

// ready reports what is missing to ask the model.
func (c *Coder) ready() error {
	_, _, err := c.whom()
	return err
}

// whom returns who is asked, and the model with its key.
func (c *Coder) whom() (provider.Provider, asked, error) {
	m := c.mind().model
	if m == nil {
		return nil, asked{}, ErrNoModel
	}
	key, err := c.opt.Registry.Key(*m)
	if err != nil {
		return nil, asked{}, fmt.Errorf("ask %s/%s: %w", m.Provider, m.ID, err)
	}
	p := c.opt.Providers[m.API]
	if p == nil {
		return nil, asked{}, fmt.Errorf("ask %s/%s: nobody speaks its protocol %q", m.Provider, m.ID, m.API)
	}
	return p, asked{*m, key}, nil
}

// asked is a model with its key.
type asked struct {
	model model.Model
	key   string
}

// begun tells which session is prompted.
func (c *Coder) begun() {
	s, m := c.agent.Session(), c.mind()
	e := Begun{ID: s.ID(), Path: s.Path(), CWD: c.agent.Dir(), Agent: string(s.Dialect()), Thinking: m.level}
	if m.model != nil {
		e.Provider, e.Model = m.model.Provider, m.model.ID
	}
	if all, err := c.conversation(); err == nil {
		e.Messages = len(all)
	}
	c.tell(e)
	c.tell(AgentStart{})
}

// user returns a message of the user.
func (c *Coder) user(text string, images []*message.Image) entry.JSON {
	blocks := []message.Block{&message.TextBlock{Text: text}}
	for _, i := range images {
		blocks = append(blocks, i)
	}
	return message.Encode(&message.User{Content: message.BlockContent(blocks...), Timestamp: c.opt.Now().UnixMilli()})
}

// Steer says something while a prompt runs: after the results of the tools that
// run now.
func (c *Coder) Steer(text string, images ...*message.Image) {
	c.agent.Queues().Add(agent.Steering, c.user(text, images))
}

// FollowUp says something when the prompt that runs would end.
func (c *Coder) FollowUp(text string, images ...*message.Image) {
	c.agent.Queues().Add(agent.FollowUp, c.user(text, images))
}

// NextTurn says something with the next prompt.
func (c *Coder) NextTurn(text string, images ...*message.Image) {
	c.agent.Queues().Add(agent.NextTurn, c.user(text, images))
}

// turns takes turns until the model calls no more and nothing is queued.
func (c *Coder) turns(ctx context.Context) (out Outcome, err error) {
	c.equipMore(ctx)
	c.tellUnseen(ctx)
	system := c.systemPrompt()
	for {
		if out.Turns++; out.Turns > 1 {
			c.equipMore(ctx)
		}
		c.tell(TurnStart{out.Turns})
		c.compactIfDue(ctx)
		answer, err := c.answer(ctx, system)
		if answer == nil {
			out.Stop = stopped(ctx)
			return out, err
		}
		out.count(answer)
		if err != nil {
			out.Stop = message.Error
			return out, err
		}
		calls := message.ToolCalls(answer)
		unapproved, err := c.runCalls(ctx, answer.StopReason == message.Length, calls)
		c.tell(TurnEnd{out.Turns, answer.StopReason, len(calls)})
		out.Unapproved = unapproved
		switch {
		case err != nil:
			out.Stop = message.Error
			return out, err
		case ctx.Err() != nil:
			if len(calls) > 0 {
				out.Stop = message.Aborted
			}
			return out, nil
		case unapproved != "" || answer.StopReason == message.Error || answer.StopReason == message.Aborted:
			return out, nil
		}
		more, err := c.queued(ctx, len(calls) > 0)
		if err != nil {
			out.Stop = message.Error
			return out, err
		}
		if !more {
			return out, nil
		}
		if out.Turns == c.opt.Turns {
			out.Stop = message.Error
			return out, fmt.Errorf("ask the model %d times for one prompt: %w", out.Turns, ErrEndless)
		}
	}
}

// stopped says why a turn ended without an answer.
func stopped(ctx context.Context) message.StopReason {
	if ctx.Err() != nil {
		return message.Aborted
	}
	return message.Error
}

// queued says what waits, and reports whether the turns go on.
func (c *Coder) queued(ctx context.Context, called bool) (more bool, err error) {
	waiting := c.agent.Queues().Take(agent.Steering)
	if len(waiting) == 0 && !called {
		waiting = c.agent.Queues().Take(agent.FollowUp)
	}
	return called || len(waiting) > 0, c.say(ctx, waiting)
}

// count adds an answer.
func (o *Outcome) count(m *message.Assistant) {
	o.Stop, o.Text = m.StopReason, strings.TrimSpace(message.Text(m))
	if u := m.Usage; u != nil {
		o.Usage.Input += u.Input
		o.Usage.Output += u.Output
		o.Usage.CacheRead += u.CacheRead
		o.Usage.CacheWrite += u.CacheWrite
		if u.Cost != nil {
			o.Usage.Cost += u.Cost.Total
		}
		o.Usage.Messages++
	}
}
