package coder

import (
	"time"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/provider/anthropic"
	"github.com/cambium-dev/cambium/internal/coder/provider/openai"
	"github.com/cambium-dev/cambium/internal/model"
)

// Providers returns who asks models over the protocols that there are. now is the
// clock, nil for the machine's.
func Providers(now func() time.Time) map[model.API]provider.Provider {
	o := openai.Options{Now: now}
	return map[model.API]provider.Provider{
		model.Anthropic:       anthropic.New(anthropic.Options{Now: now}),
		model.OpenAIChat:      openai.NewChat(o),
		model.OpenAIResponses: openai.NewResponses(o),
	}
}
