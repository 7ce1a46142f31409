package coder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/message"
)

// answer asks the model until it has answered, and appends the answer. What is
// worth another try is tried again, and nothing is appended before. The answer is
// nil when none was appended; its error is that of the model or of the session. One
// that could not be saved is returned with that error: somebody may want to read it.
func (c *Coder) answer(ctx context.Context, system string) (*message.Assistant, error) {
	recovered := false
	for try := 1; ; try++ {
		m, err := c.ask(ctx, system)
		switch {
		case m == nil:
			return nil, err
		case err == nil || ctx.Err() != nil:
		case overflowed(err) && !recovered:
			again, why := c.recoverFrom(ctx)
			if again {
				recovered, try = true, 0
				continue
			}
			if why != nil {
				err = fmt.Errorf("%w (%w)", err, why)
			}
		case c.again(ctx, try, err):
			continue
		case ctx.Err() != nil:
			m.Content = nil // of a try that broke
		}
		return c.keep(ctx, m, err)
	}
}

// overflowed reports whether the model said that the conversation is too long.
func overflowed(err error) bool {
	var fault *provider.Error
	return errors.As(err, &fault) && fault.Cause == provider.Overflow
}

// again reports whether the model is to be asked again after so many tries, and
// waits before it does. What cannot be understood may be said in another way. A
// provider that wants to be left alone for longer than is usual is not waited for.
func (c *Coder) again(ctx context.Context, try int, err error) bool {
	var fault *provider.Error
	if !errors.As(err, &fault) || !fault.Retry() && fault.Cause != provider.Malformed || try >= c.opt.Retry.Tries {
		return false
	}
	if fault.RetryAfter > c.opt.Retry.patience() {
		return false
	}
	d := c.delay(try, fault.RetryAfter)
	c.tell(Retrying{Try: try, Tries: c.opt.Retry.Tries, After: d, Cause: fault.Cause, Err: fault.Error()})
	return c.opt.Wait(ctx, d) == nil
}

// delay is how long to wait after a try: twice as long each time, up to a bound,
// spread over the upper half so that many do not come back at once, and never
// less than the provider asks for.
func (c *Coder) delay(try int, least time.Duration) time.Duration {
	most := max(c.opt.Retry.Most, 0)
	d := c.opt.Retry.Base << min(try-1, 20)
	if d <= 0 || d > most {
		d = most
	}
	d = d/2 + time.Duration(c.opt.Jitter()*float64(d/2))
	return max(d, least)
}

// ask asks the model once. The message is nil when it could not be asked at all.
func (c *Coder) ask(ctx context.Context, system string) (*message.Assistant, error) {
	p, who, err := c.whom()
	if err != nil {
		return nil, err
	}
	sent, err := c.outgoing(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	mind := c.mind()
	c.tell(MessageStart{entry.JSON(`{"role":"assistant"}`)})
	m, err := p.Stream(ctx, provider.Request{
		Model: who.model, Key: who.key, System: system, Messages: sent, Tools: c.equipment().specs,
		Thinking: mind.level, Budgets: c.opt.Budgets, SessionID: mind.id,
	}, func(e provider.Event) { c.tell(MessageUpdate{e}) })
	if m == nil {
		m = &message.Assistant{}
	}
	if m.API == "" {
		m.API = string(who.model.API)
	}
	if m.Provider == "" {
		m.Provider, m.Model = who.model.Provider, who.model.ID
	}
	if m.Usage == nil {
		m.Usage = &message.Usage{Cost: &message.Cost{}}
	}
	return m, err
}

// keep appends an answer that has ended, whatever way. One that did not end well
// loses its calls, since nobody will run them.
func (c *Coder) keep(ctx context.Context, m *message.Assistant, err error) (*message.Assistant, error) {
	switch {
	case ctx.Err() != nil && err != nil:
		m.StopReason, m.ErrorMessage, err = message.Aborted, "Stopped by the user.", nil
	case err != nil:
		m.StopReason, m.ErrorMessage = message.Error, err.Error()
	case m.StopReason == "":
		m.StopReason = message.Stop
	}
	if m.StopReason == message.Error || m.StopReason == message.Aborted {
		m.Content = slices.DeleteFunc(m.Content, func(b message.Block) bool {
			_, call := b.(*message.ToolCall)
			return call
		})
	}
	for _, call := range message.ToolCalls(m) {
		wellFormed(call)
	}
	raw := c.stamped(m)
	id, unsaved := c.add(ctx, raw)
	switch {
	case unsaved != nil && id == "":
		return nil, errors.Join(unsaved, err)
	case unsaved != nil:
		return m, errors.Join(unsaved, err)
	}
	c.tell(MessageEnd{raw, id})
	if err == nil && m.StopReason == message.Error {
		err = fmt.Errorf("ask %s/%s: %s", m.Provider, m.Model, m.ErrorMessage)
	}
	return m, err
}
