package coder_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
)

// A hider answers with reasoning that its provider hid.
type hider struct{}

func (hider) Stream(_ context.Context, r provider.Request, _ func(provider.Event)) (*message.Assistant, error) {
	return &message.Assistant{
		API: string(r.Model.API), Provider: r.Model.Provider, Model: r.Model.ID, StopReason: message.Stop,
		Content: []message.Block{&message.RedactedThinking{Data: "c2VhbGVk"}, &message.TextBlock{Text: "done"}},
		Usage:   &message.Usage{Cost: &message.Cost{}},
	}, nil
}

// TestHiddenReasoningIsSpelledAsTheProgramSpellsIt keeps what a provider hid in
// the words of the session's program.
func TestHiddenReasoningIsSpelledAsTheProgramSpellsIt(t *testing.T) {
	for name, want := range map[dialect.Name]string{
		dialect.Cambium: `{"type":"redactedThinking","data":"c2VhbGVk"}`,
		dialect.Pi:      `{"type":"thinking","thinking":"","thinkingSignature":"c2VhbGVk","redacted":true}`,
		dialect.Omp:     `{"type":"redactedThinking","data":"c2VhbGVk"}`,
		dialect.Xcsh:    `{"type":"redactedThinking","data":"c2VhbGVk"}`,
	} {
		r := newRig(t)
		r.opt.Session.Dialect = name
		r.opt.Providers = map[model.API]provider.Provider{model.OpenAIChat: hider{}}
		if _, err := r.start("").prompt("think"); err != nil {
			t.Fatal(err)
		}
		stored := ""
		for e, err := range r.coder.Agent().Session().Entries(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			stored = string(e.Raw())
		}
		if !strings.Contains(stored, want) {
			t.Errorf("%s stored %s, want %s", name, stored, want)
		}
	}
}
