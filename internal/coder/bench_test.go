package coder_test

import (
	"context"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// talker says so many words at once.
type talker int

func (n talker) Stream(_ context.Context, r provider.Request, tell func(provider.Event)) (*message.Assistant, error) {
	text := make([]byte, 0, 5*n)
	for range n {
		tell(provider.Event{Kind: provider.TextDelta, Delta: "word "})
		text = append(text, "word "...)
	}
	return &message.Assistant{
		Content: []message.Block{&message.TextBlock{Text: string(text)}}, API: string(r.Model.API), Provider: r.Model.Provider,
		Model: r.Model.ID, Usage: &message.Usage{Cost: &message.Cost{}}, StopReason: message.Stop,
	}, nil
}

// BenchmarkTurn is a turn of 10,000 streamed events, from the provider's first
// event to the answer on the disk, without the provider's own work and without a
// screen. The session is begun anew for each, so that what came before costs
// nothing.
func BenchmarkTurn(b *testing.B) {
	const events = 10_000
	dir := b.TempDir()
	heard := 0
	for b.Loop() {
		b.StopTimer()
		c := coder.New(coder.Options{
			Session:  session.Options{Env: layout.Env{Home: dir, Cwd: dir}, NoDrafts: true},
			Registry: registry{}, Providers: map[model.API]provider.Provider{model.OpenAIChat: talker(events)},
			Settings: agent.Settings{Model: &replay.Model{Provider: "p", ModelID: "m"}},
			Tell:     func(coder.Event) { heard++ },
		})
		if err := c.Agent().Start(context.Background(), agent.Start{}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := c.Prompt(context.Background(), "go"); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := c.Agent().Close(context.Background()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
	if heard < b.N*events {
		b.Errorf("%d events for %d turns", heard, b.N)
	}
}
