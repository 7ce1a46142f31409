package coder

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
)

// compactIfDue compacts the session when it has grown too long for the model. A
// compaction that fails is told of; the model is asked all the same.
func (c *Coder) compactIfDue(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	_, due, err := c.agent.Due(ctx)
	if err != nil {
		c.tell(Notice{Text: err.Error()})
	}
	if err != nil || !due {
		return
	}
	c.compacts(agent.Threshold)
	done, err := c.agent.Compact(ctx, agent.CompactOptions{Reason: agent.Threshold})
	if errors.Is(err, compact.ErrNothing) || errors.Is(err, compact.ErrCompacted) {
		c.compacts("")
		return
	}
	c.compactionStarts()
	c.tell(compacted(agent.Threshold, done, err))
}

// compactionStarts tells that the session is compacted, once: when the model is
// asked for it, and at the latest when it is done. Until then there may be nothing
// to do.
func (c *Coder) compactionStarts() {
	if reason := c.compacts(""); reason != "" {
		c.tell(CompactionStart{Reason: string(reason)})
	}
}

// compacts notes why the session is being compacted, and returns what was noted.
func (c *Coder) compacts(reason agent.CompactReason) (was agent.CompactReason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was, c.compacting = c.compacting, reason
	return was
}

// compacted is the event of the end of a compaction.
func compacted(reason agent.CompactReason, done agent.Compacted, err error) CompactionEnd {
	e := CompactionEnd{
		Reason: string(reason), EntryID: done.Entry, TokensBefore: done.TokensBefore, TokensAfter: done.TokensAfter,
		Pruned: len(done.Pruned), Cancelled: done.Cancelled,
	}
	if err != nil {
		e.Err = err.Error()
	}
	return e
}

// recoverFrom compacts the session when the model has said that it is too long,
// and reports whether the model is to be asked again. The error says why not.
func (c *Coder) recoverFrom(ctx context.Context) (again bool, err error) {
	if c.opt.Settings.Compaction.Disabled {
		return false, nil
	}
	c.compacts(agent.Overflow)
	done, err := c.agent.Recover(ctx)
	c.compactionStarts()
	c.tell(compacted(agent.Overflow, done, err))
	return done.Entry != "", err
}

// writer is the model in use as the one that writes summaries.
type writer struct{ c *Coder }

var _ agent.Compactor = writer{}

// Limits returns those of the model in use.
func (w writer) Limits() (window, answer int) {
	m, _ := w.c.Model()
	return m.Window, m.MaxOutput
}

// Complete asks the model in use, as often as for an answer, without tools.
func (w writer) Complete(ctx context.Context, r compact.Request) (agent.Completion, error) {
	c := w.c
	c.compactionStarts()
	if r.Parts > 1 {
		c.tell(CompactionProgress{Part: r.Part, Parts: r.Parts})
	}
	p, who, err := c.whom()
	if err != nil {
		return agent.Completion{}, err
	}
	ask := provider.Request{
		Model: who.model, Key: who.key, System: r.System, MaxTokens: r.MaxTokens,
		Messages: []entry.JSON{c.user(r.Prompt, nil)},
	}
	for try := 1; ; try++ {
		m, err := p.Stream(ctx, ask, func(provider.Event) {})
		if err == nil && m.StopReason == message.Length {
			return agent.Completion{}, fmt.Errorf("ask %s/%s: its answer was cut off at the limit of tokens", who.model.Provider, who.model.ID)
		}
		if err == nil {
			return agent.Completion{Text: message.Text(m), Usage: usageOf(m)}, nil
		}
		if !c.again(ctx, try, err) {
			return agent.Completion{}, err
		}
	}
}

// usageOf is the usage of an answer as JSON, nil for none.
func usageOf(m *message.Assistant) entry.JSON {
	if m.Usage == nil {
		return nil
	}
	usage, _ := jsonedit.Get(message.Encode(&message.Assistant{Usage: m.Usage}), "usage")
	return usage
}
