package anthropic

import (
	"slices"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
)

const (
	// leastBudget is the smallest budget that the API takes.
	leastBudget = 1024
	// leastAnswer is kept of the answer's limit beside the reasoning, and of the
	// window for an answer.
	leastAnswer = 1024
	// unknownOutput is asked of a model whose limit is not known.
	unknownOutput = 8192
)

// thinks says whether reasoning is asked for.
func thinks(r provider.Request) bool { return r.Thinking != "" && r.Thinking != "off" }

// effort returns the word for the level, "" for a model that wants a budget or
// for no reasoning. The API's words are low, medium, high, xhigh and max.
func effort(r provider.Request) string {
	switch {
	case !r.Model.Effort || !thinks(r):
		return ""
	case r.Thinking == "minimal":
		return "low"
	}
	return r.Thinking
}

// limits returns how much may be answered in all, reasoning included, and how
// much of it may be reasoning; 0 when none is asked for by budget, or when there
// is no room for it. The answer fits the window beside used tokens.
func limits(r provider.Request, used int) (answer, reasoning int) {
	most := r.Model.MaxOutput
	if most == 0 {
		most = max(unknownOutput, r.MaxTokens)
	}
	if r.Model.Window > 0 {
		most = min(most, max(r.Model.Window-used, leastAnswer))
	}
	if !r.Model.Effort {
		reasoning = r.Budgets.Tokens(r.Thinking)
	}
	answer = most
	if r.MaxTokens > 0 {
		answer = min(most, r.MaxTokens+reasoning)
	}
	reasoning = min(reasoning, answer-leastAnswer)
	if reasoning < leastBudget {
		reasoning = 0
	}
	return answer, reasoning
}

// used estimates the tokens that a request takes, a quarter more than the
// estimate of its messages to be on the safe side.
func used(r provider.Request, turns []message.Message) int {
	n := len(r.System) / 4
	for _, t := range r.Tools {
		n += (len(t.Name) + len(t.Description) + len(t.Parameters)) / 4
	}
	for _, m := range turns {
		n += message.Estimate(m)
	}
	return n + n/4
}

// addThinking asks for reasoning, with the budget if it is by budget. A model
// that can do without is told so where that is not its default.
func addThinking(o *jsonedit.Object, r provider.Request, budget int) {
	kind := func(s string) *jsonedit.Object { return new(jsonedit.Object).String("type", s) }
	switch {
	case effort(r) != "":
		o.Add("thinking", kind("adaptive").String("display", "summarized").Value())
		o.Add("output_config", new(jsonedit.Object).String("effort", effort(r)).Value())
	case budget > 0:
		o.Add("thinking", kind("enabled").Int("budget_tokens", int64(budget)).Value())
	case r.Model.Effort && slices.Contains(r.Model.Levels, "off"):
		o.Add("thinking", kind("disabled").Value())
	}
}

// ephemeral marks what is before it for the cache.
func ephemeral() message.JSON { return message.JSON(`{"type":"ephemeral"}`) }
