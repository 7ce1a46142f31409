package openai

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
)

// leastOutput is the least that max_output_tokens may be.
const leastOutput = 16

// maxID is the longest id that Responses take.
const maxID = 64

// responsesBody returns the body of a request for Responses.
func responsesBody(r provider.Request, turns []message.Message) message.JSON {
	var o jsonedit.Object
	o.String("model", r.Model.ID)
	if r.System != "" {
		o.String("instructions", r.System)
	}
	o.Add("input", responsesInput(r, turns))
	if tools := responsesTools(r.Tools); tools != nil {
		o.Add("tools", tools)
	}
	if r.MaxTokens > 0 {
		o.Int("max_output_tokens", int64(max(r.MaxTokens, leastOutput)))
	}
	if word := effort(r); word == "none" {
		o.Add("reasoning", new(jsonedit.Object).String("effort", word).Value())
	} else if word != "" {
		o.Add("reasoning", new(jsonedit.Object).String("effort", word).String("summary", "auto").Value())
	}
	if thinks(r.Model) {
		o.Add("include", jsonedit.Strings("reasoning.encrypted_content"))
	}
	if r.SessionID != "" {
		o.String("prompt_cache_key", cacheKey(r.SessionID))
	}
	return o.Bool("store", false).Bool("stream", true).Value()
}

// responsesTools lists the tools. Without a word, this protocol would take their
// schemas as strict.
func responsesTools(tools []provider.Tool) message.JSON {
	if len(tools) == 0 {
		return nil
	}
	var a jsonedit.Array
	for _, t := range tools {
		o := new(jsonedit.Object).String("type", "function").String("name", t.Name).String("description", t.Description)
		a.Add(o.Add("parameters", t.Parameters).Bool("strict", false).Value())
	}
	return a.Value()
}

func responsesInput(r provider.Request, turns []message.Message) message.JSON {
	var a jsonedit.Array
	ids := callIDs{}
	for _, m := range turns {
		switch m := m.(type) {
		case *message.User:
			if parts := inputParts(shown(r.Model, m.Content)); parts != nil {
				a.Add(new(jsonedit.Object).String("role", message.RoleUser).Add("content", parts).Value())
			}
		case *message.Assistant:
			a.Add(ids.assistant(r, m)...)
		case *message.ToolResult:
			a.Add(ids.result(r, m))
		}
	}
	return a.Value()
}

// callIDs has the call_id of each id of a call that was sent, and the reverse.
type callIDs map[string]string

// of returns the call_id of id: its first part, unless another call has that.
func (ids callIDs) of(id string) string {
	call, _ := splitID(id)
	call = provider.CallID(call, maxID)
	if first, taken := ids[call]; taken && first != id {
		return provider.CallID(id, maxID)
	}
	ids[call] = id
	return call
}

// inputParts returns what a person or a tool shows, nil for nothing.
func inputParts(blocks []message.Block) message.JSON {
	var a jsonedit.Array
	for _, b := range blocks {
		switch b := b.(type) {
		case *message.TextBlock:
			a.Add(inputText(b.Text))
		case *message.Image:
			a.Add(inputImage(b))
		}
	}
	if a.Empty() {
		return nil
	}
	return a.Value()
}

func inputText(text string) message.JSON {
	return new(jsonedit.Object).String("type", "input_text").String("text", text).Value()
}

func inputImage(m *message.Image) message.JSON {
	detail := m.Detail
	if detail == "" {
		detail = "auto"
	}
	return new(jsonedit.Object).String("type", "input_image").String("detail", detail).String("image_url", imageURL(m)).Value()
}

// result returns the result of a tool: a string, or parts where there
// are pictures.
func (ids callIDs) result(r provider.Request, m *message.ToolResult) message.JSON {
	o := new(jsonedit.Object).String("type", "function_call_output").String("call_id", ids.of(m.ToolCallID))
	text, images := resultContent(r.Model, m)
	if len(images) == 0 {
		return o.String("output", text).Value()
	}
	var parts jsonedit.Array
	if text != seePicture {
		parts.Add(inputText(text))
	}
	for _, image := range images {
		parts.Add(inputImage(image))
	}
	return o.Add("output", parts.Value()).Value()
}

// assistant returns the items of what a model said. Its own reasoning goes back
// as it was. The provider knows which items followed which reasoning, so that
// their ids are given only where all of it goes back.
func (ids callIDs) assistant(r provider.Request, m *message.Assistant) [][]byte {
	named := same(r, m) && replayed(m, official(r.Model))
	var items [][]byte
	for _, b := range m.Content {
		switch b := b.(type) {
		case *message.Thinking:
			if named {
				items = append(items, reasoningItem(b))
			}
		case *message.TextBlock:
			id, phase := textSignature(b.TextSignature)
			if !named {
				id = ""
			}
			items = append(items, outputMessage(b.Text, id, phase))
		case *message.ToolCall:
			items = append(items, ids.call(b, named))
		}
	}
	return withoutTail(items)
}

// replayed reports whether all reasoning of m can go back to the model. OpenAI
// itself, which stores nothing for us, knows an item only by its encrypted
// content.
func replayed(m *message.Assistant, own bool) bool {
	for _, b := range m.Content {
		t, ok := b.(*message.Thinking)
		if !ok {
			continue
		}
		item := reasoningItem(t)
		if item == nil {
			return false
		}
		if sealed, _ := jsonedit.Text(item, "encrypted_content"); own && sealed == "" {
			return false
		}
	}
	return true
}

// reasoningItem returns the item that b was, nil where its signature is of
// another kind.
func reasoningItem(b *message.Thinking) message.JSON {
	v := message.JSON(b.ThinkingSignature)
	if !valid(v) {
		return nil
	}
	if kind, _ := jsonedit.Text(v, "type"); kind != "reasoning" {
		return nil
	}
	return v
}

// withoutTail leaves out reasoning that nothing follows, as an answer ends with
// that was aborted: OpenAI refuses it.
func withoutTail(items [][]byte) [][]byte {
	for len(items) > 0 {
		if kind, _ := jsonedit.Text(items[len(items)-1], "type"); kind != "reasoning" {
			break
		}
		items = items[:len(items)-1]
	}
	return items
}

func outputMessage(text, id, phase string) message.JSON {
	o := new(jsonedit.Object).String("type", "message").String("role", message.RoleAssistant)
	part := new(jsonedit.Object).String("type", "output_text").String("text", text).Add("annotations", message.JSON("[]"))
	o.Add("content", new(jsonedit.Array).Add(part.Value()).Value()).String("status", "completed")
	if id != "" {
		o.String("id", id)
	}
	if phase != "" {
		o.String("phase", phase)
	}
	return o.Value()
}

func (ids callIDs) call(b *message.ToolCall, named bool) message.JSON {
	o := new(jsonedit.Object).String("type", "function_call")
	if _, item := splitID(b.ID); named && strings.HasPrefix(item, "fc") && len(item) <= maxID {
		o.String("id", item)
	}
	o.String("call_id", ids.of(b.ID)).String("name", b.Name)
	return o.String("arguments", string(b.Arguments)).Value()
}

// splitID divides the id of a call into that of the call and that of the item.
func splitID(id string) (call, item string) {
	call, item, _ = strings.Cut(id, "|")
	return call, item
}

// joinID is the reverse of splitID.
func joinID(call, item string) string {
	if item == "" {
		return call
	}
	return call + "|" + item
}

// textSignature reads what signText wrote; older signatures are the id alone.
func textSignature(signature string) (id, phase string) {
	v := message.JSON(signature)
	if !valid(v) {
		v = nil
		id = signature
	} else {
		id, _ = jsonedit.Text(v, "id")
		phase, _ = jsonedit.Text(v, "phase")
	}
	if !strings.HasPrefix(id, "msg_") || len(id) > maxID {
		id = "" // not of this protocol, or more than it takes
	}
	return id, phase
}

func signText(id, phase string) string {
	if id == "" {
		return ""
	}
	o := new(jsonedit.Object).Int("v", 1).String("id", id)
	if phase != "" {
		o.String("phase", phase)
	}
	return string(o.Value())
}
