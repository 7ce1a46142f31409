package wiretest

import (
	"fmt"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// chat returns the answer as OpenAI Chat Completions streams it
// (platform.openai.com/docs/api-reference/chat-streaming). Reasoning comes as
// reasoning_content, as llama.cpp, vLLM and DeepSeek send it.
func (s Say) chat(r Request) []event {
	list := &chunks{say: s, usage: flag(r.Body, "stream_options", "include_usage")}
	list.delta(new(jsonedit.Object).String("role", "assistant").String("content", "").Null("refusal"))
	for _, p := range pieces(s.Thinking, 0) {
		list.delta(new(jsonedit.Object).String("reasoning_content", p))
	}
	for _, p := range pieces(s.Text, s.Pieces) {
		list.delta(new(jsonedit.Object).String("content", p))
	}
	for i, c := range s.Calls {
		index := int64(i)
		function := new(jsonedit.Object).String("name", c.Name).String("arguments", "")
		list.call(new(jsonedit.Object).Int("index", index).String("id", or(c.ID, fmt.Sprintf("call_%02d", i+1))).
			String("type", "function").Add("function", function.Value()))
		for _, p := range fragments(string(c.Arguments)) {
			list.call(new(jsonedit.Object).Int("index", index).Add("function", new(jsonedit.Object).String("arguments", p).Value()))
		}
	}
	list.choice(jsontext.Value("{}"), quoted(s.chatStop()))
	if list.usage {
		list.add(jsontext.Value("[]"), s.chatUsage())
	}
	return append(list.events, event{name: "", data: []byte("[DONE]")})
}

func (s Say) chatStop() string {
	switch s.Stop {
	case "toolUse":
		return "tool_calls"
	case "refusal":
		return "content_filter"
	}
	return s.Stop
}

func (s Say) chatUsage() jsontext.Value {
	u := s.Usage
	prompt := u.Input + u.CacheRead + u.CacheWrite
	return new(jsonedit.Object).Int("prompt_tokens", prompt).Int("completion_tokens", u.Output).Int("total_tokens", prompt+u.Output).
		Add("prompt_tokens_details", new(jsonedit.Object).Int("cached_tokens", u.CacheRead).Int("audio_tokens", 0).Value()).
		Add("completion_tokens_details", new(jsonedit.Object).Int("reasoning_tokens", u.Reasoning).Int("audio_tokens", 0).Value()).
		Value()
}

// chunks gathers the events of a completion.
type chunks struct {
	say    Say
	usage  bool
	events []event
}

func (l *chunks) delta(o *jsonedit.Object) { l.choice(o.Value(), jsontext.Value("null")) }

func (l *chunks) call(o *jsonedit.Object) {
	l.delta(new(jsonedit.Object).Add("tool_calls", new(jsonedit.Array).Add(o.Value()).Value()))
}

func (l *chunks) choice(delta, finish jsontext.Value) {
	c := new(jsonedit.Object).Int("index", 0).Add("delta", delta).Null("logprobs").Add("finish_reason", finish)
	l.add(new(jsonedit.Array).Add(c.Value()).Value(), jsontext.Value("null"))
}

func (l *chunks) add(choices, usage jsontext.Value) {
	o := new(jsonedit.Object).String("id", or(l.say.ID, "chatcmpl-wiretest")).String("object", "chat.completion.chunk").
		Int("created", 1694268190).String("model", l.say.Model).String("system_fingerprint", "fp_wiretest").Add("choices", choices)
	if l.usage {
		o.Add("usage", usage)
	}
	l.events = append(l.events, event{name: "", data: o.Value()})
}
