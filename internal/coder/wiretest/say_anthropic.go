package wiretest

import (
	"fmt"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// anthropic returns the answer as Anthropic Messages streams it
// (docs.claude.com/en/docs/build-with-claude/streaming).
func (s Say) anthropic() []event {
	list := &messageEvents{}
	list.add("message_start", object("message_start").Add("message", s.message()))
	list.add("ping", object("ping"))
	if s.Thinking != "" {
		list.block(object("thinking").String("thinking", "").String("signature", ""), func() {
			for _, p := range pieces(s.Thinking, 0) {
				list.delta(object("thinking_delta").String("thinking", p))
			}
			list.delta(object("signature_delta").String("signature", s.Signature))
		})
	}
	if s.Redacted != "" {
		list.block(object("redacted_thinking").String("data", s.Redacted), func() {})
	}
	if s.Text != "" {
		list.block(object("text").String("text", ""), func() {
			for _, p := range pieces(s.Text, s.Pieces) {
				list.delta(object("text_delta").String("text", p))
			}
		})
	}
	for i, c := range s.Calls {
		id := or(c.ID, fmt.Sprintf("toolu_%02d", i+1))
		list.block(object("tool_use").String("id", id).String("name", c.Name).Add("input", jsontext.Value("{}")), func() {
			list.delta(object("input_json_delta").String("partial_json", ""))
			for _, p := range fragments(string(c.Arguments)) {
				list.delta(object("input_json_delta").String("partial_json", p))
			}
		})
	}
	end := new(jsonedit.Object).String("stop_reason", s.anthropicStop()).Null("stop_sequence")
	list.add("message_delta", object("message_delta").Add("delta", end.Value()).Add("usage", s.anthropicUsage(s.Usage.Output)))
	list.add("message_stop", object("message_stop"))
	return list.events
}

func (s Say) message() jsontext.Value {
	return new(jsonedit.Object).String("id", or(s.ID, "msg_01wiretest")).String("type", "message").String("role", "assistant").
		String("model", s.Model).Add("content", jsontext.Value("[]")).Null("stop_reason").Null("stop_sequence").
		Add("usage", s.anthropicUsage(1)).Value()
}

func (s Say) anthropicUsage(output int64) jsontext.Value {
	u := s.Usage
	kept := new(jsonedit.Object).Int("ephemeral_5m_input_tokens", u.CacheWrite-u.CacheWrite1h).
		Int("ephemeral_1h_input_tokens", u.CacheWrite1h)
	o := new(jsonedit.Object).Int("input_tokens", u.Input).Int("cache_creation_input_tokens", u.CacheWrite).
		Int("cache_read_input_tokens", u.CacheRead).Add("cache_creation", kept.Value()).Int("output_tokens", output)
	if u.Reasoning > 0 {
		o.Add("output_tokens_details", new(jsonedit.Object).Int("thinking_tokens", u.Reasoning).Value())
	}
	return o.Value()
}

func (s Say) anthropicStop() string {
	switch s.Stop {
	case "stop":
		return "end_turn"
	case "length":
		return "max_tokens"
	case "toolUse":
		return "tool_use"
	}
	return s.Stop
}

// messageEvents gathers the events of a message, block by block.
type messageEvents struct {
	events []event
	index  int64
}

func (l *messageEvents) add(name string, o *jsonedit.Object) {
	l.events = append(l.events, event{name: name, data: o.Value()})
}

func (l *messageEvents) block(start *jsonedit.Object, deltas func()) {
	l.add("content_block_start", object("content_block_start").Int("index", l.index).Add("content_block", start.Value()))
	deltas()
	l.add("content_block_stop", object("content_block_stop").Int("index", l.index))
	l.index++
}

func (l *messageEvents) delta(o *jsonedit.Object) {
	l.add("content_block_delta", object("content_block_delta").Int("index", l.index).Add("delta", o.Value()))
}
