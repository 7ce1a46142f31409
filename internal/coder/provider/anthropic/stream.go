package anthropic

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// stream is the state of an answer that is being read.
type stream struct {
	answer  *provider.Answer
	request provider.Request
	// blocks are those of the wire that the answer has, by their number there.
	blocks map[int64]*block
	// begun says that the message has started, ended that it is whole.
	begun, ended bool
	stop         string
	details      message.JSON
}

// block is a block of the wire: its number in the answer, and the input that
// came whole at its beginning.
type block struct {
	index int
	input message.JSON
}

// read reads the events of a response until the message ends.
func (p *anthropic) read(ctx context.Context, place provider.Place, s *stream, res *http.Response) (*message.Assistant, error) {
	var broke error
	for event, err := range provider.Events(res) {
		if broke = err; err != nil || ctx.Err() != nil {
			break
		}
		data := message.JSON(event)
		if !jsontext.Value(data).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
			return s.answer.Broke(place.Fault(provider.Malformed, fmt.Sprintf("an event is not JSON: %.80q", data), nil))
		}
		if bytes.ContainsAny(data, "\n\r") {
			data = jsonedit.Compact(data) // what is kept of it must fit on a line
		}
		kind, _ := jsonedit.Text(data, "type")
		if kind == "error" {
			said := refusal(data)
			said.Header = res.Header
			return s.answer.Broke(place.Refused(said, p.now()))
		}
		s.take(kind, data)
		if err := s.answer.Endless(place); err != nil {
			return s.answer.Broke(err)
		}
		if s.ended {
			return s.end(place)
		}
	}
	return s.answer.Broke(place.Lost(ctx, cmp.Or(broke, provider.ErrCut), true))
}

// take takes an event. Those of unknown kinds are passed over, as are deltas of
// blocks that are.
func (s *stream) take(kind string, data message.JSON) {
	switch kind {
	case "content_block_delta":
		if b := s.block(data); b != nil {
			s.delta(b, data)
		}
	case "content_block_start":
		s.open(data)
	case "content_block_stop":
		if b := s.block(data); b != nil {
			s.close(b)
		}
	case "message_start":
		s.start(data)
	case "message_delta":
		if usage, ok := jsonedit.Get(data, "usage"); ok {
			s.usage(usage)
		}
		if delta, ok := jsonedit.Get(data, "delta"); ok {
			if stop, ok := jsonedit.Text(delta, "stop_reason"); ok {
				s.stop = stop
			}
			if details, ok := jsonedit.Get(delta, "stop_details"); ok && !jsonedit.IsNull(details) {
				s.details = told(details)
			}
		}
	case "message_stop":
		s.ended = true
	}
}

func (s *stream) start(data message.JSON) {
	m, _ := jsonedit.Get(data, "message")
	s.answer.Message.ResponseID, _ = jsonedit.Text(m, "id")
	if name, _ := jsonedit.Text(m, "model"); name != s.request.Model.ID {
		s.answer.Message.ResponseModel = name
	}
	if usage, ok := jsonedit.Get(m, "usage"); ok {
		s.usage(usage)
	}
	s.begin()
}

// begin tells the beginning, once.
func (s *stream) begin() {
	if !s.begun {
		s.begun = true
		s.answer.Start()
	}
}

// maxTold is how much is kept of each text of a stop's details.
const maxTold = 2000

// told returns what of a stop's details is to be stored: not the tokens of credit
// that may be among them.
func told(details message.JSON) message.JSON {
	var o jsonedit.Object
	for _, key := range []string{"type", "category", "explanation"} {
		v, ok := jsonedit.Get(details, key)
		if text, says := jsonedit.String(v); says {
			o.String(key, jsonedit.CutText(text, maxTold))
		} else if ok && jsonedit.IsNull(v) {
			o.Null(key)
		}
	}
	return o.Value()
}

// usage takes what an event tells of the usage; the counts add up to there.
func (s *stream) usage(u message.JSON) {
	take := func(to *float64, path ...string) {
		if v, ok := jsonedit.Path(u, path...); ok {
			if n, ok := jsonedit.Number(v); ok {
				*to = n
			}
		}
	}
	total := &s.answer.Usage
	take(&total.Input, "input_tokens")
	take(&total.Output, "output_tokens")
	take(&total.CacheRead, "cache_read_input_tokens")
	take(&total.CacheWrite, "cache_creation_input_tokens")
	take(&total.CacheWrite1h, "cache_creation", "ephemeral_1h_input_tokens")
	take(&total.Reasoning, "output_tokens_details", "thinking_tokens")
}

func (s *stream) block(data message.JSON) *block { return s.blocks[number(data)] }

func number(data message.JSON) int64 {
	v, ok := jsonedit.Get(data, "index")
	if !ok {
		return -1
	}
	n, ok := jsonedit.Int(v)
	if !ok {
		return -1
	}
	return n
}

func (s *stream) open(data message.JSON) {
	s.begin()
	raw, _ := jsonedit.Get(data, "content_block")
	kind, _ := jsonedit.Text(raw, "type")
	var made message.Block
	var first string
	b := &block{}
	switch kind {
	case "text":
		made = &message.TextBlock{}
		first, _ = jsonedit.Text(raw, "text")
	case "thinking":
		signature, _ := jsonedit.Text(raw, "signature")
		made = &message.Thinking{ThinkingSignature: signature}
		first, _ = jsonedit.Text(raw, "thinking")
	case "redacted_thinking":
		hidden, _ := jsonedit.Text(raw, "data")
		made = &message.RedactedThinking{Data: hidden}
	case "tool_use":
		call := &message.ToolCall{}
		call.ID, _ = jsonedit.Text(raw, "id")
		call.Name, _ = jsonedit.Text(raw, "name")
		b.input, _ = jsonedit.Get(raw, "input")
		made = call
	case "server_tool_use", "web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result":
		if !provider.Whole(raw) {
			return
		}
		made = &message.ServerTool{Block: raw}
	default:
		return
	}
	b.index = s.answer.Open(made)
	s.blocks[number(data)] = b
	s.answer.Add(b.index, first)
}

func (s *stream) delta(b *block, data message.JSON) {
	d, _ := jsonedit.Get(data, "delta")
	kind, _ := jsonedit.Text(d, "type")
	switch kind {
	case "text_delta":
		s.add(b, d, "text")
	case "thinking_delta":
		s.add(b, d, "thinking")
	case "input_json_delta":
		s.add(b, d, "partial_json")
	case "signature_delta":
		more, _ := jsonedit.Text(d, "signature")
		s.answer.Sign(b.index, more)
	}
}

func (s *stream) add(b *block, delta message.JSON, key string) {
	more, _ := jsonedit.Text(delta, key)
	s.answer.Add(b.index, more)
}

// close ends a block. Servers that do not stream arguments send them whole at the
// block's beginning.
func (s *stream) close(b *block) {
	made, added := s.answer.Block(b.index)
	switch made := made.(type) {
	case *message.ToolCall:
		if added == "" && b.input != nil {
			s.answer.Add(b.index, string(b.input))
		}
	case *message.ServerTool:
		if added != "" {
			made.Block = jsonedit.Set(made.Block, "input", provider.Arguments(added))
		}
	}
	s.answer.Close(b.index)
}

// end returns the whole answer, or what the model said instead of one.
func (s *stream) end(place provider.Place) (*message.Assistant, error) {
	m := &s.answer.Message
	m.RawStopReason = s.stop
	m.StopDetails = s.details
	if s.stop == "refusal" {
		detail := "the model refused to answer"
		if why, _ := jsonedit.Text(s.details, "explanation"); why != "" {
			detail += ": " + why
		}
		return s.answer.Broke(place.Fault(provider.Refused, detail, nil))
	}
	if s.answer.Calling() {
		return s.answer.Broke(place.Fault(provider.Malformed, "the answer ended before a call of it did", nil))
	}
	stop := reason(s.stop)
	done := s.answer.Done(stop)
	if stop == message.Stop && len(message.ToolCalls(done)) > 0 {
		done.StopReason = message.ToolUse // servers of others that do not say so
	}
	return done, nil
}

// reason maps the vendor's stop reasons; those that are not known end a turn.
func reason(stop string) message.StopReason {
	switch stop {
	case "max_tokens", "model_context_window_exceeded":
		return message.Length
	case "tool_use":
		return message.ToolUse
	}
	return message.Stop // end_turn, stop_sequence, pause_turn
}
