package rpc

import (
	"context"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/prompts"
)

func historyMethods() []method {
	return []method{
		{
			name: "history.add",
			says: "Keeps a prompt that was typed just now.", gives: isNull,
			writes: true, inOrder: true, find: addPrompt, params: []param{need("prompt", text), may("cwd", place), may("sessionId", text)}},
		{
			name: "history.recent",
			says: "The newest prompts of all histories.", gives: listOf(named("Prompt")),
			find: recentPrompts, params: []param{may("limit", number)}},
		{
			name: "history.search",
			says: "The prompts that match, newest first.", gives: listOf(named("Prompt")),
			find: searchPrompts, params: []param{need("query", text), may("limit", number)}},
	}
}

// usualPrompts is how many prompts there are when nobody says.
const usualPrompts = 100

// addPrompt keeps a prompt. It does not wait until that is written.
func addPrompt(_ context.Context, c *call) (entry.JSON, error) {
	h, err := c.history()
	if err != nil {
		return nil, err
	}
	h.Add(c.args.text("prompt"), c.s.absolute(c.args.text("cwd")), c.args.text("sessionId"))
	return nil, nil
}

func recentPrompts(ctx context.Context, c *call) (entry.JSON, error) {
	h, err := c.history()
	if err != nil {
		return nil, err
	}
	return promptObjects(h.Recent(ctx, c.promptLimit()))
}

func searchPrompts(ctx context.Context, c *call) (entry.JSON, error) {
	h, err := c.history()
	if err != nil {
		return nil, err
	}
	return promptObjects(h.Search(ctx, c.args.text("query"), c.promptLimit()))
}

// history returns what keeps the prompts.
func (c *call) history() (*prompts.History, error) {
	if c.s.o.History == nil {
		return nil, &fault{code: codeInternal, message: "this server keeps no history of prompts"}
	}
	return c.s.o.History, nil
}

func (c *call) promptLimit() int {
	if !c.args.has("limit") {
		return usualPrompts
	}
	n, _ := jsonedit.Number(c.args["limit"])
	return prompts.Limit(n)
}

// promptObjects returns prompts as objects, with the keys that the command prints.
func promptObjects(all []prompts.Prompt, err error) (entry.JSON, error) {
	if err != nil {
		return nil, err
	}
	var list jsonedit.Array
	for _, p := range all {
		var o jsonedit.Object
		o.String("prompt", p.Text).Add("createdAt", date(p.Created)).String("cwd", p.CWD).String("agent", p.Agent)
		if p.SessionID != "" {
			o.String("sessionId", p.SessionID)
		}
		list.Add(o.Value())
	}
	return list.Value(), nil
}
