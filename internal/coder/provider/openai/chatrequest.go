package openai

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
)

// chatBody returns the body of a request for Chat Completions.
func chatBody(r provider.Request, turns []message.Message) message.JSON {
	own := official(r.Model)
	var o jsonedit.Object
	o.String("model", r.Model.ID)
	o.Add("messages", chatMessages(r, turns, own))
	o.Bool("stream", true)
	o.Add("stream_options", new(jsonedit.Object).Bool("include_usage", true).Value())
	if own {
		o.Bool("store", false)
		if r.SessionID != "" {
			o.String("prompt_cache_key", cacheKey(r.SessionID))
		}
	}
	if r.MaxTokens > 0 {
		name := "max_tokens"
		if own {
			name = "max_completion_tokens"
		}
		o.Int(name, int64(r.MaxTokens))
	}
	if tools := chatTools(r.Tools); tools != nil {
		o.Add("tools", tools)
	}
	chatThinking(&o, r, own)
	return o.Value()
}

// chatThinking asks for thinking: by the word reasoning_effort, or of a model
// without such words on another server by the switch that the templates of
// llama.cpp and vLLM have.
func chatThinking(o *jsonedit.Object, r provider.Request, own bool) {
	if !thinks(r.Model) {
		return
	}
	word := effort(r)
	if r.Model.Effort || own {
		if word != "" {
			o.String("reasoning_effort", word)
		}
		return
	}
	on := new(jsonedit.Object).Bool("enable_thinking", word != "" && word != "none")
	o.Add("chat_template_kwargs", on.Value())
}

func chatTools(tools []provider.Tool) message.JSON {
	if len(tools) == 0 {
		return nil
	}
	var a jsonedit.Array
	for _, t := range tools {
		f := new(jsonedit.Object).String("name", t.Name).String("description", t.Description)
		f.Add("parameters", t.Parameters)
		a.Add(new(jsonedit.Object).String("type", "function").Add("function", f.Value()).Value())
	}
	return a.Value()
}

func chatMessages(r provider.Request, turns []message.Message, own bool) message.JSON {
	var a jsonedit.Array
	if r.System != "" {
		role := "system"
		if own && thinks(r.Model) {
			role = "developer"
		}
		a.Add(chatMessage(role, jsonedit.Quoted(r.System)))
	}
	var pictures [][]byte // of the tool results just before
	flush := func() {
		if len(pictures) == 0 {
			return
		}
		parts := new(jsonedit.Array).Add(chatText(picturesFollow)).Add(pictures...)
		a.Add(chatMessage(message.RoleUser, parts.Value()))
		pictures = nil
	}
	for _, m := range turns {
		if result, ok := m.(*message.ToolResult); ok {
			text, images := resultContent(r.Model, result)
			o := new(jsonedit.Object).String("role", "tool").String("tool_call_id", callID(result.ToolCallID, own))
			a.Add(o.String("content", text).Value())
			for _, image := range images {
				pictures = append(pictures, chatImage(image))
			}
			continue
		}
		flush()
		switch m := m.(type) {
		case *message.User:
			if content := chatUser(r, m); content != nil {
				a.Add(chatMessage(message.RoleUser, content))
			}
		case *message.Assistant:
			if v := chatAssistant(r, m, own); v != nil {
				a.Add(v)
			}
		}
	}
	flush()
	return a.Value()
}

func chatMessage(role string, content message.JSON) message.JSON {
	return new(jsonedit.Object).String("role", role).Add("content", content).Value()
}

func chatText(text string) message.JSON {
	return new(jsonedit.Object).String("type", "text").String("text", text).Value()
}

func chatImage(m *message.Image) message.JSON {
	url := new(jsonedit.Object).String("url", imageURL(m))
	if m.Detail != "" {
		url.String("detail", m.Detail)
	}
	return new(jsonedit.Object).String("type", "image_url").Add("image_url", url.Value()).Value()
}

// chatUser returns what a person said: a string where it is text alone, which
// every server understands; nil for nothing.
func chatUser(r provider.Request, m *message.User) message.JSON {
	blocks := shown(r.Model, m.Content)
	if len(blocks) == 1 {
		if t, ok := blocks[0].(*message.TextBlock); ok {
			return jsonedit.Quoted(t.Text)
		}
	}
	var a jsonedit.Array
	for _, b := range blocks {
		switch b := b.(type) {
		case *message.TextBlock:
			a.Add(chatText(b.Text))
		case *message.Image:
			a.Add(chatImage(b))
		}
	}
	if a.Empty() {
		return nil
	}
	return a.Value()
}

// chatAssistant returns what a model said: its text as one string, for some
// models imitate a list of parts. It is nil where nothing is to be said.
func chatAssistant(r provider.Request, m *message.Assistant, own bool) message.JSON {
	var texts []string
	var calls jsonedit.Array
	reasoning := map[string][]string{}
	for _, b := range m.Content {
		switch b := b.(type) {
		case *message.TextBlock:
			texts = append(texts, b.Text)
		case *message.Thinking:
			if field := b.ThinkingSignature; !own && isReasoningField(field) && b.Thinking != "" {
				reasoning[field] = append(reasoning[field], b.Thinking)
			}
		case *message.ToolCall:
			f := new(jsonedit.Object).String("name", b.Name).String("arguments", string(b.Arguments))
			c := new(jsonedit.Object).String("id", callID(b.ID, own)).String("type", "function")
			calls.Add(c.Add("function", f.Value()).Value())
		}
	}
	if len(texts) == 0 && calls.Empty() {
		return nil
	}
	o := new(jsonedit.Object).String("role", message.RoleAssistant)
	between := "" // parts of one text, which reasoning divided
	if !same(r, m) {
		between = "\n\n"
	}
	if len(texts) == 0 {
		o.Null("content")
	} else {
		o.String("content", strings.Join(texts, between))
	}
	for _, field := range reasoningFields() {
		if said := reasoning[field]; said != nil {
			o.String(field, strings.Join(said, "\n"))
		}
	}
	if !calls.Empty() {
		o.Add("tool_calls", calls.Value())
	}
	return o.Value()
}
