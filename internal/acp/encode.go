package acp

import (
	"encoding/json" // the type of the SDK's raw values; nothing is read with it
	"strconv"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
)

// encoded is the message that tells an update, as the SDK encodes it but for the
// order of members and what need not be escaped. It reports false for updates that
// it does not know: all but pieces of text, and calls of tools.
//
// The SDK encodes each text, takes it apart, and looks through it again, several
// times over. That counts where a history of 100 MB
// is told.
func encoded(id acp.SessionId, u acp.SessionUpdate) ([]byte, bool) {
	b := append(make([]byte, 0, 256+size(u)), `{"jsonrpc":"2.0","method":"`+acp.ClientMethodSessionUpdate+`","params":{"sessionId":`...)
	b = jsonedit.Quote(b, string(id))
	b = append(b, `,"update":{"sessionUpdate":"`...)
	ok := false
	switch {
	case u.UserMessageChunk != nil:
		c := u.UserMessageChunk
		b, ok = appendChunk(append(b, "user_message_chunk"...), c.Content, c.MessageId, c.Meta == nil)
	case u.AgentMessageChunk != nil:
		c := u.AgentMessageChunk
		b, ok = appendChunk(append(b, "agent_message_chunk"...), c.Content, c.MessageId, c.Meta == nil)
	case u.AgentThoughtChunk != nil:
		c := u.AgentThoughtChunk
		b, ok = appendChunk(append(b, "agent_thought_chunk"...), c.Content, c.MessageId, c.Meta == nil)
	case u.ToolCall != nil:
		b, ok = appendCall(append(b, "tool_call"...), u.ToolCall)
	case u.ToolCallUpdate != nil:
		b, ok = appendCallUpdate(append(b, "tool_call_update"...), u.ToolCallUpdate)
	}
	return append(b, "}}}\n"...), ok
}

// size is about how long the texts of an update are.
func size(u acp.SessionUpdate) (n int) {
	add := func(c acp.ContentBlock) {
		if c.Text != nil {
			n += len(c.Text.Text) + len(c.Text.Text)/16
		}
	}
	switch {
	case u.UserMessageChunk != nil:
		add(u.UserMessageChunk.Content)
	case u.AgentMessageChunk != nil:
		add(u.AgentMessageChunk.Content)
	case u.AgentThoughtChunk != nil:
		add(u.AgentThoughtChunk.Content)
	case u.ToolCallUpdate != nil:
		for _, c := range u.ToolCallUpdate.Content {
			if c.Content != nil {
				add(c.Content.Content)
			}
		}
	}
	return n
}

func appendChunk(b []byte, c acp.ContentBlock, message *string, plain bool) ([]byte, bool) {
	b, ok := appendText(append(b, `","content":`...), c)
	if message != nil {
		b = jsonedit.Quote(append(b, `,"messageId":`...), *message)
	}
	return b, ok && plain
}

// appendText appends a block of text; it reports false for others.
func appendText(b []byte, c acp.ContentBlock) ([]byte, bool) {
	if c.Text == nil {
		return b, false
	}
	b = jsonedit.Quote(append(b, `{"type":"text","text":`...), c.Text.Text)
	return append(b, '}'), c.Text.Meta == nil && c.Text.Annotations == nil
}

func appendCall(b []byte, c *acp.SessionUpdateToolCall) ([]byte, bool) {
	b = jsonedit.Quote(append(b, `","toolCallId":`...), string(c.ToolCallId))
	b = jsonedit.Quote(append(b, `,"title":`...), c.Title)
	for _, m := range []struct{ key, value string }{{`,"kind":`, string(c.Kind)}, {`,"status":`, string(c.Status)}} {
		if m.value != "" {
			b = jsonedit.Quote(append(b, m.key...), m.value)
		}
	}
	return appendRest(b, rest{c.Content, c.Locations, c.RawInput, c.RawOutput}, c.Meta == nil)
}

func appendCallUpdate(b []byte, c *acp.SessionToolCallUpdate) ([]byte, bool) {
	b = jsonedit.Quote(append(b, `","toolCallId":`...), string(c.ToolCallId))
	if c.Title != nil {
		b = jsonedit.Quote(append(b, `,"title":`...), *c.Title)
	}
	if c.Kind != nil {
		b = jsonedit.Quote(append(b, `,"kind":`...), string(*c.Kind))
	}
	if c.Status != nil {
		b = jsonedit.Quote(append(b, `,"status":`...), string(*c.Status))
	}
	return appendRest(b, rest{c.Content, c.Locations, c.RawInput, c.RawOutput}, c.Meta == nil)
}

// rest is what a call and what is told of it later have in common.
type rest struct {
	content       []acp.ToolCallContent
	places        []acp.ToolCallLocation
	input, output any
}

func appendRest(b []byte, r rest, plain bool) (_ []byte, ok bool) {
	if !plain {
		return b, false
	}
	for i, c := range r.content {
		b = append(b, begin(i, `,"content":[`)...)
		if b, ok = appendContent(b, c); !ok {
			return b, false
		}
	}
	b = append(b, end(len(r.content))...)
	for i, p := range r.places {
		b = append(b, begin(i, `,"locations":[`)...)
		b = jsonedit.Quote(append(b, `{"path":`...), p.Path)
		if p.Line != nil {
			b = strconv.AppendInt(append(b, `,"line":`...), int64(*p.Line), 10)
		}
		if b = append(b, '}'); p.Meta != nil {
			return b, false
		}
	}
	b = append(b, end(len(r.places))...)
	if b, ok = appendRaw(b, `,"rawInput":`, r.input); !ok {
		return b, false
	}
	return appendRaw(b, `,"rawOutput":`, r.output)
}

// begin is what stands before member i of a list, end what stands behind its last.
func begin(i int, first string) string {
	if i == 0 {
		return first
	}
	return ","
}

func end(n int) string {
	if n == 0 {
		return ""
	}
	return "]"
}

// appendContent appends a text, or a change of a file; it reports false for others.
func appendContent(b []byte, c acp.ToolCallContent) (_ []byte, ok bool) {
	switch {
	case c.Content != nil:
		b, ok = appendText(append(b, `{"type":"content","content":`...), c.Content.Content)
		ok = ok && c.Content.Meta == nil
	case c.Diff != nil:
		b = jsonedit.Quote(append(b, `{"type":"diff","path":`...), c.Diff.Path)
		if c.Diff.OldText != nil {
			b = jsonedit.Quote(append(b, `,"oldText":`...), *c.Diff.OldText)
		}
		b = jsonedit.Quote(append(b, `,"newText":`...), c.Diff.NewText)
		ok = c.Diff.Meta == nil
	}
	return append(b, '}'), ok
}

// appendRaw appends a member that is JSON already; it reports false for what is
// not, or not in one meaning alone.
func appendRaw(b []byte, key string, value any) ([]byte, bool) {
	if value == nil {
		return b, true
	}
	raw, ok := value.(json.RawMessage)
	v := jsontext.Value(raw).Clone()
	if !ok || v.Compact() != nil || !v.IsValid() { // strictly: UTF-8, no name twice
		return b, false
	}
	return append(append(b, key...), v...), true
}
