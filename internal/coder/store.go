package coder

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
)

// add appends a message to the session and to what the model sees. It does so
// also when ctx has ended: what was said is kept. An error with an id means that
// the session has it in memory (see session.Session.Append).
func (c *Coder) add(ctx context.Context, raw entry.JSON) (entry.ID, error) {
	if _, err := c.conversation(); err != nil { // before it grows
		return "", err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	s := c.agent.Session()
	if !c.attached || s == nil {
		return "", ErrDetached
	}
	id, err := s.Append(context.WithoutCancel(ctx), &entry.MessageBody{Message: raw})
	if id != "" {
		c.put(func(m *mind) { m.messages = append(m.messages, raw) })
	}
	return id, err
}

// say appends messages that are there already, and tells of them.
func (c *Coder) say(ctx context.Context, all []entry.JSON) error {
	for _, raw := range all {
		c.tell(MessageStart{raw})
		id, err := c.add(ctx, raw)
		if err != nil {
			return err
		}
		c.tell(MessageEnd{raw, id})
	}
	return nil
}

// conversation returns what the model sees, as stored.
func (c *Coder) conversation() ([]entry.JSON, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x := c.now.context; x != nil {
		all := []entry.JSON{}
		for m, err := range x.Messages() {
			if err != nil {
				return nil, fmt.Errorf("read conversation: %w", err)
			}
			all = append(all, m.JSON)
		}
		c.now.context, c.now.messages = nil, all
	}
	return c.now.messages, nil
}

// outgoing returns what a model is sent: the conversation in the dialect's way,
// cleaned and mended. How it differs from what is stored is told.
func (c *Coder) outgoing(ctx context.Context) ([]entry.JSON, error) {
	all, err := c.conversation()
	if err != nil {
		return nil, err
	}
	stored := func(yield func(entry.JSON, error) bool) {
		for _, m := range all {
			if !yield(m, ctx.Err()) {
				return
			}
		}
	}
	var converted []entry.JSON
	var cleaned replay.Cleaned
	for m, err := range replay.Convert(stored, spelling.For(c.agent.Session().Dialect()).LLM, &cleaned) {
		if err != nil {
			return nil, err
		}
		converted = append(converted, m)
	}
	sent, unread := mend(converted)
	c.tellCleaned(Cleaned{cleaned, unread})
	return sent, nil
}

// tellCleaned tells what was cleaned, unless it is what was told last.
func (c *Coder) tellCleaned(now Cleaned) {
	c.mu.Lock()
	was := c.now.cleaned
	c.now.cleaned = now
	c.mu.Unlock()
	if now != was && now != (Cleaned{}) {
		c.tell(now)
	}
}

// stamped is message.Encode with the time, if the message has none, and in the
// spelling of the session's program: pi has hidden reasoning as marked thinking,
// the others have a kind of block for it.
func (c *Coder) stamped(m *message.Assistant) entry.JSON {
	if m.Timestamp == 0 {
		m.Timestamp = c.opt.Now().UnixMilli()
	}
	if s := c.agent.Session(); s != nil && s.Dialect() == dialect.Pi {
		for i, b := range m.Content {
			if hidden, ok := b.(*message.RedactedThinking); ok {
				m.Content[i] = &message.Thinking{ThinkingSignature: hidden.Data, Redacted: true}
			}
		}
	}
	return message.Encode(m)
}
