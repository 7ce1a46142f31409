package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
)

// talkative is a model that answers with so many pieces of text, all of them made
// before it is asked.
type talkative struct{ events []provider.Event }

func newTalkative(pieces int) *talkative {
	t := &talkative{}
	var all strings.Builder
	for i := range pieces {
		piece := fmt.Sprintf("word %d \"of\" them, ", i)
		all.WriteString(piece)
		t.events = append(t.events, provider.Event{Kind: provider.TextDelta, Delta: piece})
	}
	t.events = append(t.events, provider.Event{Kind: provider.TextEnd, Block: &message.TextBlock{Text: all.String()}})
	return t
}

// Stream tells all of it.
func (t *talkative) Stream(ctx context.Context, r provider.Request, tell func(provider.Event)) (*message.Assistant, error) {
	for _, e := range t.events {
		tell(e)
	}
	return &message.Assistant{
		Content: []message.Block{t.events[len(t.events)-1].Block},
		API:     string(r.Model.API), Provider: r.Model.Provider, Model: r.Model.ID,
		Usage: &message.Usage{Cost: &message.Cost{}}, StopReason: message.Stop,
	}, ctx.Err()
}

// known is a registry of one model.
type known struct{ model.Model }

func (k known) Find(string, string) (model.Model, bool) { return k.Model, true }
func (known) Available(replay.Model) bool               { return true }
func (known) Levels(replay.Model) []string              { return nil }
func (known) Key(model.Model) (string, error)           { return "", nil }

// streaming says a prompt in the session and takes an answer of COUNT events, each
// told as a line of JSON, as --json does: all of a turn but the wire. What it
// appends is taken away with the copy.
func (b *bench) streaming() error {
	s, _, err := b.copied(b.options().Sync)
	if err != nil {
		return err
	}
	m := model.Model{Provider: "p", ID: "m", API: model.OpenAIChat}
	lines, bytes := 0, 0
	c := coder.New(coder.Options{
		Session: b.options(), Registry: known{m}, Providers: map[model.API]provider.Provider{m.API: newTalkative(b.count)},
		Settings: agent.Settings{Model: &replay.Model{Provider: m.Provider, ModelID: m.ID}},
		Tell: func(e coder.Event) {
			lines++
			bytes += len(e.JSON())
		},
	})
	if err := c.Agent().Start(b.ctx, agent.Start{Session: s}); err != nil {
		return errors.Join(err, s.Close())
	}
	from := time.Now()
	out, err := c.Prompt(b.ctx, "go on")
	b.took(time.Since(from))
	if err == nil && (out.Stop != message.Stop || lines < b.count) {
		err = fmt.Errorf("stream: ended with %q after %d events", out.Stop, lines)
	}
	b.out.Bytes = int64(bytes)
	return errors.Join(err, c.Agent().Close(b.ctx))
}
