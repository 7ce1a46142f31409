package coder

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// beginning is said for the user where a conversation begins with an answer.
const beginning = "(What was said before is not known.)"

// mend makes of the messages of a session what every provider takes; those that
// need no change are passed on as they are.
//
// Each call has one result, right after the answer that made it, and each result
// a call: one that is missing is made up, one without a call is left out; calls
// of one id get their results in order. Of an
// answer that failed or was stopped the text stays, without reasoning and calls.
// What developers say (omp, xcsh) is said by the user; system messages, which are
// another agent's (pi), and messages without content are left out; the
// conversation begins with the user. What one protocol or model does not take,
// such as pictures, is the provider's matter. unread is how many messages were
// left out that cannot be understood.
func mend(all []entry.JSON) (out []entry.JSON, unread int) {
	for i, raw := range all {
		role, _ := jsonedit.Text(raw, "role")
		switch role {
		case message.RoleAssistant:
			m, ok := answerOf(raw)
			if !ok {
				unread++
				continue
			}
			out = append(out, answered(raw, m, all[i+1:])...)
		case message.RoleDeveloper, message.RoleUser:
			m := jsonedit.Set(raw, "role", jsonedit.Quoted(message.RoleUser))
			switch says, ok := hasContent(m); {
			case says:
				out = append(out, m)
			case !ok:
				unread++
			}
		}
	}
	if len(out) > 0 {
		if role, _ := jsonedit.Text(out[0], "role"); role != message.RoleUser {
			first := message.Encode(&message.User{Content: message.TextContent(beginning)})
			out = slices.Insert(out, 0, first)
		}
	}
	return out, unread
}

// answerOf decodes an answer; false for one that cannot be understood.
func answerOf(raw entry.JSON) (*message.Assistant, bool) {
	decoded, err := message.Decode(raw)
	m, ok := decoded.(*message.Assistant)
	content, there := jsonedit.Get(raw, "content")
	return m, ok && err == nil && (!there || jsonedit.Kind(content) == jsontext.KindBeginArray)
}

// answered returns an answer, stored as raw, and the results of its calls, which
// are looked for in what follows up to the next answer.
func answered(raw entry.JSON, m *message.Assistant, rest []entry.JSON) []entry.JSON {
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
	out := []entry.JSON{raw}
	before := map[string]int{} // calls of an id
	for _, c := range message.ToolCalls(m) {
		out = append(out, resultOf(c, before[c.ID], rest))
		before[c.ID]++
	}
	return out
}

// resultOf returns the result of a call, after so many others of its id, made up
// if there is none.
func resultOf(c *message.ToolCall, others int, rest []entry.JSON) entry.JSON {
	for _, raw := range rest {
		role, _ := jsonedit.Text(raw, "role")
		if role == message.RoleAssistant {
			break
		}
		if id, _ := jsonedit.Text(raw, "toolCallId"); role == message.RoleToolResult && id == c.ID {
			if others == 0 {
				return raw
			}
			others--
		}
	}
	return message.Encode(&message.ToolResult{
		ToolCallID: c.ID, ToolName: c.Name, IsError: true,
		Content: message.BlockContent(&message.TextBlock{Text: provider.Unanswered}),
	})
}

// hasContent reports whether a message says anything; ok is false where that
// cannot be understood.
func hasContent(raw entry.JSON) (says, ok bool) {
	content, there := jsonedit.Get(raw, "content")
	if text, ok := jsonedit.String(content); ok {
		return strings.TrimSpace(text) != "", true
	}
	for b := range jsonedit.Elements(content) {
		kind, _ := jsonedit.Text(b, "type")
		if text, _ := jsonedit.Text(b, "text"); kind != message.TypeText || strings.TrimSpace(text) != "" {
			return true, true
		}
	}
	return false, !there || jsonedit.Kind(content) == jsontext.KindBeginArray
}
