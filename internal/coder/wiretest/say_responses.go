package wiretest

import (
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// responses returns the answer as OpenAI Responses streams it
// (platform.openai.com/docs/api-reference/responses-streaming).
func (s Say) responses() []event {
	list := &items{say: s}
	list.add("response.created", new(jsonedit.Object).Add("response", s.response("in_progress", nil)))
	list.add("response.in_progress", new(jsonedit.Object).Add("response", s.response("in_progress", nil)))
	if s.Thinking != "" || s.Redacted != "" {
		list.reasoning()
	}
	if s.Text != "" {
		list.text()
	}
	for i, c := range s.Calls {
		list.call(c, i+1)
	}
	end, status := "response.completed", "completed"
	if s.Stop == "length" || s.Stop == "refusal" {
		end, status = "response.incomplete", "incomplete"
	}
	list.add(end, new(jsonedit.Object).Add("response", s.response(status, list.done)))
	return list.events
}

// response is the object that the first and last events hold.
func (s Say) response(status string, output [][]byte) []byte {
	o := new(jsonedit.Object).String("id", or(s.ID, "resp_wiretest")).String("object", "response").Int("created_at", 1741487325).
		String("status", status).Null("error")
	switch {
	case status != "incomplete":
		o.Null("incomplete_details")
	case s.Stop == "refusal":
		o.Add("incomplete_details", new(jsonedit.Object).String("reason", "content_filter").Value())
	default:
		o.Add("incomplete_details", new(jsonedit.Object).String("reason", "max_output_tokens").Value())
	}
	o.Null("instructions").Null("max_output_tokens").String("model", s.Model).
		Add("output", new(jsonedit.Array).Add(output...).Value()).Bool("parallel_tool_calls", true).Null("previous_response_id")
	if status == "in_progress" {
		return o.Null("usage").Value()
	}
	u := s.Usage
	input := u.Input + u.CacheRead + u.CacheWrite
	return o.Add("usage", new(jsonedit.Object).Int("input_tokens", input).
		Add("input_tokens_details", new(jsonedit.Object).Int("cached_tokens", u.CacheRead).Value()).Int("output_tokens", u.Output).
		Add("output_tokens_details", new(jsonedit.Object).Int("reasoning_tokens", u.Reasoning).Value()).
		Int("total_tokens", input+u.Output).Value()).Value()
}

// items gathers the events of a response, item by item.
type items struct {
	say    Say
	events []event
	seq    int64
	done   [][]byte
}

// add appends an event; its type and number come first.
func (l *items) add(kind string, rest *jsonedit.Object) {
	o := object(kind).Int("sequence_number", l.seq)
	for key, value := range jsonedit.Members(rest.Value()) {
		o.Add(key, value)
	}
	l.events = append(l.events, event{name: kind, data: o.Value()})
	l.seq++
}

// at begins an event about the item that is being written.
func (l *items) at(id string) *jsonedit.Object {
	return new(jsonedit.Object).String("item_id", id).Int("output_index", int64(len(l.done)))
}

func (l *items) begin(item []byte) {
	l.add("response.output_item.added", new(jsonedit.Object).Int("output_index", int64(len(l.done))).Add("item", item))
}

func (l *items) end(item []byte) {
	l.add("response.output_item.done", new(jsonedit.Object).Int("output_index", int64(len(l.done))).Add("item", item))
	l.done = append(l.done, item)
}

func (l *items) reasoning() {
	id := "rs_wiretest"
	item := func(summary []byte, encrypted string) []byte {
		o := new(jsonedit.Object).String("id", id).String("type", "reasoning").Add("summary", summary)
		return o.String("encrypted_content", encrypted).Value()
	}
	l.begin(item([]byte("[]"), ""))
	var summary jsonedit.Array
	if l.say.Thinking != "" {
		part := func(text string) []byte { return object("summary_text").String("text", text).Value() }
		l.add("response.reasoning_summary_part.added", l.at(id).Int("summary_index", 0).Add("part", part("")))
		for _, p := range pieces(l.say.Thinking, 0) {
			l.add("response.reasoning_summary_text.delta", l.at(id).Int("summary_index", 0).String("delta", p))
		}
		l.add("response.reasoning_summary_text.done", l.at(id).Int("summary_index", 0).String("text", l.say.Thinking))
		l.add("response.reasoning_summary_part.done", l.at(id).Int("summary_index", 0).Add("part", part(l.say.Thinking)))
		summary.Add(part(l.say.Thinking))
	}
	l.end(item(summary.Value(), or(l.say.Redacted, l.say.Signature)))
}

func (l *items) text() {
	id := "msg_wiretest"
	item := func(status string, content ...[]byte) []byte {
		return new(jsonedit.Object).String("id", id).String("type", "message").String("status", status).String("role", "assistant").
			Add("content", new(jsonedit.Array).Add(content...).Value()).Value()
	}
	part := func(text string) []byte {
		return object("output_text").String("text", text).Add("annotations", []byte("[]")).Value()
	}
	l.begin(item("in_progress"))
	l.add("response.content_part.added", l.at(id).Int("content_index", 0).Add("part", part("")))
	for _, p := range pieces(l.say.Text, l.say.Pieces) {
		l.add("response.output_text.delta", l.at(id).Int("content_index", 0).String("delta", p))
	}
	l.add("response.output_text.done", l.at(id).Int("content_index", 0).String("text", l.say.Text))
	l.add("response.content_part.done", l.at(id).Int("content_index", 0).Add("part", part(l.say.Text)))
	l.end(item("completed", part(l.say.Text)))
}

func (l *items) call(c Call, n int) {
	id := fmt.Sprintf("fc_%02d", n)
	callID := or(c.ID, fmt.Sprintf("call_%02d", n))
	// A client that stores both ids in one, "call|item", gets its own back.
	if before, after, both := strings.Cut(callID, "|"); both {
		callID, id = before, after
	}
	item := func(status, arguments string) []byte {
		return new(jsonedit.Object).String("id", id).String("type", "function_call").String("status", status).
			String("arguments", arguments).String("call_id", callID).String("name", c.Name).Value()
	}
	l.begin(item("in_progress", ""))
	for _, p := range fragments(string(c.Arguments)) {
		l.add("response.function_call_arguments.delta", l.at(id).String("delta", p))
	}
	l.add("response.function_call_arguments.done", l.at(id).String("arguments", string(c.Arguments)))
	l.end(item("completed", string(c.Arguments)))
}
