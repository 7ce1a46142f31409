package coder

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// beginning is said for the user where a conversation begins with an answer.
const beginning = "(What was said before is not known.)"

// mend makes of the messages of a session what every provider takes; those that
// need no change are passed on as they are.
//
// Each call has one result, right after the answer that made it, and each result
// a call: one that is missing is made up, one without a call is left out. Of an
// answer that failed or was stopped the text stays, without reasoning and calls.
// What developers say (omp, xcsh) is said by the user; system messages, which are
// another agent's (pi), and messages without content are left out; the
// conversation begins with the user. What one protocol or model does not take,
// such as pictures, is the provider's matter.
func mend(all []jsontext.Value) []jsontext.Value {
	var out []jsontext.Value
	for i, raw := range all {
		role, _ := splice.Text(raw, "role")
		switch role {
		case message.RoleAssistant:
			out = append(out, answered(raw, all[i+1:])...)
		case message.RoleDeveloper, message.RoleUser:
			m := splice.Set(raw, "role", splice.Quoted(message.RoleUser))
			if hasContent(m) {
				out = append(out, m)
			}
		}
	}
	if len(out) > 0 {
		if role, _ := splice.Text(out[0], "role"); role != message.RoleUser {
			first := message.Encode(&message.User{Content: message.TextContent(beginning)})
			out = slices.Insert(out, 0, first)
		}
	}
	return out
}

// answered returns an answer and the results of its calls, which are looked for
// in what follows up to the next answer.
func answered(raw jsontext.Value, rest []jsontext.Value) []jsontext.Value {
	decoded, err := message.Decode(raw)
	m, ok := decoded.(*message.Assistant)
	if err != nil || !ok {
		return nil
	}
	if m.StopReason == message.Error || m.StopReason == message.Aborted {
		m.Content = slices.DeleteFunc(slices.Clone(m.Content), func(b message.Block) bool {
			text, ok := b.(*message.TextBlock)
			return !ok || strings.TrimSpace(text.Text) == ""
		})
		m.StopReason, m.ErrorMessage = message.Stop, ""
		raw = message.Encode(m)
	}
	if len(m.Content) == 0 {
		return nil
	}
	out := []jsontext.Value{raw}
	for _, c := range message.ToolCalls(m) {
		out = append(out, resultOf(c, rest))
	}
	return out
}

// resultOf returns the result of a call, made up if there is none.
func resultOf(c *message.ToolCall, rest []jsontext.Value) jsontext.Value {
	for _, raw := range rest {
		role, _ := splice.Text(raw, "role")
		if role == message.RoleAssistant {
			break
		}
		if id, _ := splice.Text(raw, "toolCallId"); role == message.RoleToolResult && id == c.ID {
			return raw
		}
	}
	return message.Encode(&message.ToolResult{
		ToolCallID: c.ID, ToolName: c.Name, IsError: true,
		Content: message.BlockContent(&message.TextBlock{Text: provider.Unanswered}),
	})
}

// hasContent reports whether a message says anything.
func hasContent(raw jsontext.Value) bool {
	content, _ := splice.Get(raw, "content")
	if text, ok := splice.String(content); ok {
		return strings.TrimSpace(text) != ""
	}
	for b := range splice.Elements(content) {
		kind, _ := splice.Text(b, "type")
		if text, _ := splice.Text(b, "text"); kind != message.TypeText || strings.TrimSpace(text) != "" {
			return true
		}
	}
	return false
}
