package anthropic

import (
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
)

// body returns the body of a request.
func body(r provider.Request) (message.JSON, error) {
	turns, err := provider.Turns(r, provider.Shape{})
	if err != nil {
		return nil, err
	}
	answer, budget := limits(r, used(r, turns))
	o := new(jsonedit.Object).String("model", r.Model.ID).Int("max_tokens", int64(answer)).Bool("stream", true)
	if r.System != "" {
		o.Add("system", new(jsonedit.Array).Add(text(r.System).Add("cache_control", ephemeral()).Value()).Value())
	}
	o.Add("messages", messages(turns, r.Model))
	if len(r.Tools) > 0 {
		o.Add("tools", tools(r.Tools))
	}
	addThinking(o, r, budget)
	return o.Value(), nil
}

func tools(list []provider.Tool) message.JSON {
	var a jsonedit.Array
	for i, t := range list {
		schema := t.Parameters
		if schema == nil {
			schema = message.JSON(`{"type":"object","properties":{}}`)
		}
		o := new(jsonedit.Object).String("name", t.Name).String("description", t.Description).Add("input_schema", schema)
		if i == len(list)-1 {
			o.Add("cache_control", ephemeral())
		}
		a.Add(o.Value())
	}
	return a.Value()
}

// A said is a message of the wire: a role and its blocks.
type said struct {
	role    string
	content []*jsonedit.Object
}

// messages returns the conversation: the results of a turn are one message of the
// user's side, before what the user says. The last block of that side is marked
// for the cache.
func messages(turns []message.Message, m model.Model) message.JSON {
	var all []said
	results := false
	for _, turn := range turns {
		switch turn := turn.(type) {
		case *message.User:
			all = append(all, said{message.RoleUser, shown(turn.Content.Blocks, m)})
		case *message.Assistant:
			if content := answered(turn.Content); len(content) > 0 {
				all = append(all, said{message.RoleAssistant, content})
			}
		case *message.ToolResult:
			if !results {
				all = append(all, said{role: message.RoleUser})
			}
			last := &all[len(all)-1]
			last.content = append(last.content, result(turn, m))
		}
		_, results = turn.(*message.ToolResult)
	}
	if len(all) > 0 && all[0].role != message.RoleUser {
		// The API wants a user first; a branch may begin elsewhere.
		all = append([]said{{message.RoleUser, []*jsonedit.Object{text("(The conversation goes on here.)")}}}, all...)
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].role == message.RoleUser {
			all[i].content[len(all[i].content)-1].Add("cache_control", ephemeral())
			break
		}
	}
	var a jsonedit.Array
	for _, s := range all {
		a.Add(new(jsonedit.Object).String("role", s.role).Add("content", list(s.content)).Value())
	}
	return a.Value()
}

func list(blocks []*jsonedit.Object) message.JSON {
	var a jsonedit.Array
	for _, b := range blocks {
		a.Add(b.Value())
	}
	return a.Value()
}

func text(s string) *jsonedit.Object {
	return new(jsonedit.Object).String("type", "text").String("text", s)
}

// shown returns the blocks of the user's side.
func shown(blocks []message.Block, m model.Model) []*jsonedit.Object {
	var content []*jsonedit.Object
	for _, b := range blocks {
		switch b := b.(type) {
		case *message.TextBlock:
			content = append(content, text(b.Text))
		case *message.Image:
			image, instead := provider.Picture(b, m)
			if image == nil {
				content = append(content, text(instead))
				continue
			}
			source := new(jsonedit.Object).String("type", "base64").String("media_type", image.MimeType).String("data", image.Data)
			content = append(content, new(jsonedit.Object).String("type", "image").Add("source", source.Value()))
		}
	}
	return content
}

// result returns the block of a tool's result; one without content has none.
func result(r *message.ToolResult, m model.Model) *jsonedit.Object {
	o := new(jsonedit.Object).String("type", "tool_result").String("tool_use_id", r.ToolCallID)
	if content := shown(r.Content.Blocks, m); len(content) > 0 {
		o.Add("content", list(content))
	}
	if r.IsError {
		o.Bool("is_error", true)
	}
	return o
}

// answered returns the blocks of an assistant. The API refuses messages that end
// with reasoning: it is left off.
func answered(blocks []message.Block) []*jsonedit.Object {
	var content []*jsonedit.Object
	whole := 0
	for _, b := range blocks {
		switch b := b.(type) {
		case *message.TextBlock:
			content = append(content, text(b.Text))
			whole = len(content)
		case *message.Thinking:
			content = append(content, new(jsonedit.Object).String("type", "thinking").String("thinking", b.Thinking).
				String("signature", b.ThinkingSignature))
		case *message.RedactedThinking:
			content = append(content, new(jsonedit.Object).String("type", "redacted_thinking").String("data", b.Data))
		case *message.ToolCall:
			content = append(content, new(jsonedit.Object).String("type", "tool_use").String("id", b.ID).String("name", b.Name).
				Add("input", b.Arguments))
			whole = len(content)
		}
	}
	return content[:whole]
}
