package compaction

import (
	"iter"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
)

// maxResult is how many units of a tool's result a summary is made from; what a
// result was about is mostly told by its beginning and its call (pi 0.87.1,
// omp 18.2.3).
const maxResult = 2000

// Text returns a conversation as plain text to be summed up: what the model was
// sent by the dialect's rules, one paragraph after the other, each begun by who
// spoke. Results of tools are cut to their first 2,000 UTF-16 units, and those
// that their tool marked useless are left out with their calls; pictures become a
// word. As text, and not as messages, no model takes it for a conversation to go
// on with; the tags that a request puts around it are disarmed within.
func (r Rules) Text(msgs []replay.Message) string {
	return strings.Join(r.texts(msgs), "\n\n")
}

// texts returns the text of each message that has any.
func (r Rules) texts(msgs []replay.Message) []string {
	var texts []string
	useless := uselessCalls(msgs)
	for k := range msgs {
		if text := r.text(msgs[k:k+1], useless); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// uselessCalls returns the calls whose results say nothing.
func uselessCalls(msgs []replay.Message) map[string]bool {
	useless := map[string]bool{}
	for _, m := range msgs {
		if m.Role == entry.RoleToolResult && isUseless(m.JSON) {
			id, _ := jsonedit.Text(m.JSON, "toolCallId")
			useless[id] = true
		}
	}
	return useless
}

// text returns the paragraphs of messages.
func (r Rules) text(msgs []replay.Message, useless map[string]bool) string {
	w := writer{useless: useless}
	for msg, err := range replay.Convert(jsons(msgs), r.llm, nil) {
		if err != nil { // jsons yields none
			continue
		}
		if m, err := message.Decode(msg); err == nil {
			w.message(m)
		}
	}
	return disarm(strings.Join(w.parts, "\n\n"))
}

func jsons(msgs []replay.Message) iter.Seq2[entry.JSON, error] {
	return func(yield func(entry.JSON, error) bool) {
		for _, m := range msgs {
			if !yield(m.JSON, nil) {
				return
			}
		}
	}
}

// writer writes messages as paragraphs.
type writer struct {
	parts   []string
	useless map[string]bool // calls
}

func (w *writer) say(who, text string) {
	if strings.TrimSpace(text) != "" {
		w.parts = append(w.parts, "["+who+"] "+text)
	}
}

func (w *writer) message(m message.Message) {
	switch m := m.(type) {
	case *message.User:
		w.say("user", plain(m.Content))
	case *message.Developer:
		w.say("note", plain(m.Content))
	case *message.Assistant:
		w.answer(m)
	case *message.ToolResult:
		if w.useless[m.ToolCallID] {
			return
		}
		who := "result"
		if m.IsError {
			who = "error"
		}
		w.say(who, shorten(plain(m.Content)))
	}
}

func (w *writer) answer(m *message.Assistant) {
	var thoughts, texts, calls []string
	for _, b := range m.Content {
		switch b := b.(type) {
		case *message.Thinking:
			thoughts = append(thoughts, b.Thinking)
		case *message.TextBlock:
			texts = append(texts, b.Text)
		case *message.ToolCall:
			if !w.useless[b.ID] {
				calls = append(calls, b.Name+string(jsonedit.Compact(b.Arguments)))
			}
		}
	}
	w.say("assistant, thinking", strings.Join(thoughts, "\n"))
	w.say("assistant", strings.Join(texts, "\n"))
	w.say("calls", strings.Join(calls, "\n"))
}

// plain returns the text of content, a word for each picture.
func plain(c message.Content) string {
	if c.IsText {
		return c.Text
	}
	var parts []string
	for _, b := range c.Blocks {
		switch b := b.(type) {
		case *message.TextBlock:
			parts = append(parts, b.Text)
		case *message.Image:
			parts = append(parts, "(picture)")
		}
	}
	return strings.Join(parts, "\n")
}

func shorten(text string) string { return cutTo(text, maxResult) }

// disarm writes the tags of requests so that what is quoted cannot end or begin
// a part of them.
func disarm(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	var b strings.Builder
	for {
		at := strings.IndexByte(text, '<')
		if at < 0 {
			break
		}
		b.WriteString(text[:at])
		text = text[at+1:]
		if isTag(text) {
			b.WriteString("&lt;")
		} else {
			b.WriteByte('<')
		}
	}
	return b.String() + text
}

// isTag reports whether text, behind a "<", goes on as a tag of a request.
func isTag(text string) bool {
	end := strings.IndexByte(text[:min(len(text), 64)], '>')
	if end < 0 {
		return false
	}
	name := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text[:end]), "/"))
	for _, tag := range []string{conversationTag, previousTag, contextTag} {
		if strings.EqualFold(name, tag) {
			return true
		}
	}
	return false
}
