package model

import "strings"

// PriceDate is the month of which the prices of the built-in table are.
const PriceDate = "2026-11"

// The providers of the built-in table, and the variables that hold their keys.
const (
	AnthropicName = "anthropic"
	AnthropicKey  = "ANTHROPIC_API_KEY"
	OpenAIName    = "openai"
	OpenAIKey     = "OPENAI_API_KEY"
)

// Builtin returns the models of the built-in table: those of each provider
// together, newest first. The caller may change it.
func Builtin() []Model { return append(anthropic(), openai()...) }

func anthropic() []Model {
	const (
		always   = "low medium high xhigh max"
		effort   = "off low medium high xhigh max"
		noXHigh  = "off low medium high max"
		budgeted = "off minimal low medium high"
		m        = 1_000_000
		k128     = 128_000
	)
	haiku := claude("claude-haiku-5-5", "Claude Haiku 5.5", m, k128, effort, Price{0.10, 0.50, 0.01, 0.125})
	haiku.Long = LongPrice{100_000, Price{0.50, 2.50, 0.05, 0.625}}
	opus, sonnet := Price{5, 25, 0.50, 6.25}, Price{3, 15, 0.30, 3.75}
	small := Price{1, 5, 0.10, 1.25}
	return []Model{
		haiku,
		// It can do without thinking only in a way that is not "disabled".
		claude("claude-sonnet-5-5", "Claude Sonnet 5.5", m, k128, always, Price{2, 10, 0.10, 2.50}),
		claude("claude-opus-5-5", "Claude Opus 5.5", m, k128, always, Price{4, 20, 0.20, 5}),
		claude("claude-fable-5-1", "Claude Fable 5.1", m, k128, always, Price{10, 50, 0.25, 12.50}),
		claude("claude-opus-5", "Claude Opus 5", m, k128, effort, opus),
		claude("claude-sonnet-5", "Claude Sonnet 5", m, k128, effort, Price{2, 10, 0.20, 2.50}),
		claude("claude-fable-5", "Claude Fable 5", m, k128, always, Price{10, 50, 1, 12.50}),
		claude("claude-opus-4-8", "Claude Opus 4.8", m, k128, effort, opus),
		claude("claude-opus-4-7", "Claude Opus 4.7", m, k128, effort, opus),
		claude("claude-opus-4-6", "Claude Opus 4.6", m, k128, noXHigh, opus),
		claude("claude-sonnet-4-6", "Claude Sonnet 4.6", m, k128, noXHigh, sonnet),
		claude("claude-haiku-4-5", "Claude Haiku 4.5", 200_000, 64_000, budgeted, small),
		claude("claude-haiku-4-5-20251001", "Claude Haiku 4.5", 200_000, 64_000, budgeted, small),
		claude("claude-opus-4-5", "Claude Opus 4.5", 200_000, 64_000, budgeted, opus),
		claude("claude-opus-4-5-20251101", "Claude Opus 4.5", 200_000, 64_000, budgeted, opus),
		// A longer window than this is not given to everyone.
		claude("claude-sonnet-4-5", "Claude Sonnet 4.5", 200_000, 64_000, budgeted, sonnet),
		claude("claude-sonnet-4-5-20250929", "Claude Sonnet 4.5", 200_000, 64_000, budgeted, sonnet),
	}
}

// claude returns a model of Anthropic. One whose levels end with max is asked for
// effort by a word, the others for thinking by a budget.
func claude(id, name string, window, most int, levels string, p Price) Model {
	return Model{
		Provider: AnthropicName, ID: id, Name: name, API: Anthropic, KeyEnv: AnthropicKey,
		Window: window, MaxOutput: most, Levels: strings.Fields(levels),
		Effort: strings.HasSuffix(levels, "max"), Images: true, Price: p,
	}
}

func openai() []Model {
	const (
		six   = "off low medium high xhigh max"
		never = "low medium high xhigh max"
		four  = "off low medium high xhigh"
		one   = "off low medium high"
		zero  = "minimal low medium high"
		old   = "low medium high"
		room  = 272_000
	)
	return []Model{
		long(gpt("gpt-6.1-sol", "GPT-6.1 Sol", room, never, Price{2, 10, 0.10, 2.50})),
		long(gpt("gpt-6.1-terra", "GPT-6.1 Terra", room, six, Price{1, 5, 0.05, 1.25})),
		long(gpt("gpt-6-astra", "GPT-6 Astra", room, never, Price{10, 50, 1, 12.50})),
		long(gpt("gpt-6-sol", "GPT-6 Sol", room, six, Price{2, 10, 0.20, 2.50})),
		long(gpt("gpt-6-luna", "GPT-6 Luna", room, six, Price{0.10, 0.50, 0.01, 0.125})),
		long(gpt("gpt-5.6-sol", "GPT-5.6 Sol", room, six, Price{4, 20, 0.40, 5})),
		long(gpt("gpt-5.6-terra", "GPT-5.6 Terra", room, six, Price{2, 12, 0.20, 2.50})),
		long(gpt("gpt-5.6-luna", "GPT-5.6 Luna", room, six, Price{0.20, 1.20, 0.02, 0.25})),
		long(gpt("gpt-5.5", "GPT-5.5", room, four, Price{5, 30, 0.50, 0})),
		long(gpt("gpt-5.4", "GPT-5.4", room, four, Price{2.50, 15, 0.25, 0})),
		gpt("gpt-5.4-mini", "GPT-5.4 mini", room, four, Price{0.75, 4.50, 0.075, 0}),
		gpt("gpt-5.4-nano", "GPT-5.4 nano", room, four, Price{0.20, 1.25, 0.02, 0}),
		gpt("gpt-5.2", "GPT-5.2", room, four, Price{1.75, 14, 0.175, 0}),
		gpt("gpt-5.1", "GPT-5.1", room, one, Price{1.25, 10, 0.125, 0}),
		gpt("gpt-5", "GPT-5", room, zero, Price{1.25, 10, 0.125, 0}),
		gpt("gpt-5-mini", "GPT-5 mini", room, zero, Price{0.25, 2, 0.025, 0}),
		gpt("gpt-5-nano", "GPT-5 nano", room, zero, Price{0.05, 0.40, 0.005, 0}),
		most(gpt("o4-mini", "o4-mini", 200_000, old, Price{1.10, 4.40, 0.275, 0}), 100_000),
		most(gpt("o3", "o3", 200_000, old, Price{2, 8, 0.50, 0}), 100_000),
		most(gpt("gpt-4.1", "GPT-4.1", 1_047_576, "", Price{2, 8, 0.50, 0}), 32_768),
		most(gpt("gpt-4.1-mini", "GPT-4.1 mini", 1_047_576, "", Price{0.40, 1.60, 0.10, 0}), 32_768),
		most(gpt("gpt-4.1-nano", "GPT-4.1 nano", 1_047_576, "", Price{0.10, 0.40, 0.025, 0}), 32_768),
		most(gpt("gpt-4o", "GPT-4o", 128_000, "", Price{2.50, 10, 1.25, 0}), 16_384),
		most(gpt("gpt-4o-mini", "GPT-4o mini", 128_000, "", Price{0.15, 0.60, 0.075, 0}), 16_384),
	}
}

// gpt returns a model of OpenAI, which answers at most 128,000 tokens.
func gpt(id, name string, window int, levels string, p Price) Model {
	return Model{
		Provider: OpenAIName, ID: id, Name: name, API: OpenAIResponses, KeyEnv: OpenAIKey,
		Window: window, MaxOutput: 128_000, Levels: strings.Fields(levels),
		Effort: levels != "", Images: true, Price: p,
	}
}

// long is a model that costs more above 272,000 tokens: twice as much for what is
// asked, half as much again for the answer.
func long(m Model) Model {
	p := m.Price
	m.Long = LongPrice{272_000, Price{2 * p.Input, 1.5 * p.Output, 2 * p.CacheRead, 2 * p.CacheWrite}}
	return m
}

// most is a model that answers at most n tokens.
func most(m Model, n int) Model {
	m.MaxOutput = n
	return m
}
