package openai

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
)

// A responsesStream reads the events of Responses.
type responsesStream struct {
	*answer
	// items are the open items, by output_index.
	items map[int64]item
	// reasoning are the blocks of ended items of reasoning, by id.
	reasoning map[string]*message.Thinking
	// spoken says that an item has begun, complete that the last event came.
	spoken, complete bool
}

// An item is a block that is open.
type item struct {
	what provider.Kind // the kind of its beginning
	at   int
	call *call // of a call
}

// event takes one event; done says that it was the last.
func (s *responsesStream) event(v message.JSON) (done bool, err error) {
	kind, _ := jsonedit.Text(v, "type")
	switch kind {
	case "response.output_text.delta", "response.refusal.delta":
		s.grow(v, provider.TextStart)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		s.grow(v, provider.ThinkingStart)
	case "response.reasoning_summary_part.added":
		s.part(v)
	case "response.function_call_arguments.delta":
		s.grow(v, provider.CallStart)
	case "response.function_call_arguments.done":
		if it, ok := s.items[number(v, "output_index")]; ok && it.call != nil {
			text, _ := jsonedit.Text(v, "arguments")
			s.settle(it.at, text)
		}
	case "response.output_item.added":
		added, _ := jsonedit.Get(v, "item")
		if kind, _ := jsonedit.Text(added, "type"); kind == "function_call" {
			s.item(number(v, "output_index"), provider.CallStart, added)
		}
	case "response.output_item.done":
		ended, _ := jsonedit.Get(v, "item")
		return false, s.done(number(v, "output_index"), ended)
	case "response.created", "response.in_progress", "response.queued":
		response, _ := jsonedit.Get(v, "response")
		s.note(response)
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		response, _ := jsonedit.Get(v, "response")
		return true, s.last(kind, response)
	case "error":
		return true, s.told(v)
	}
	return false, nil
}

// grow adds the event's delta to its item. Texts and reasoning begin when they
// say something.
func (s *responsesStream) grow(v message.JSON, what provider.Kind) {
	delta, _ := jsonedit.Text(v, "delta")
	at := number(v, "output_index")
	it, ok := s.items[at]
	if delta == "" || !ok && what == provider.CallStart || ok && it.what != what {
		return
	}
	if !ok {
		it = s.item(at, what, nil)
	}
	s.Add(it.at, delta)
}

// part puts an empty line between the parts of a summary.
func (s *responsesStream) part(v message.JSON) {
	it, ok := s.items[number(v, "output_index")]
	if !ok || it.what != provider.ThinkingStart {
		return
	}
	if _, said := s.Block(it.at); said != "" {
		s.Add(it.at, "\n\n")
	}
}

// item returns the item at an output_index, begun if it has not begun; v is the
// item itself, needed for a call.
func (s *responsesStream) item(at int64, what provider.Kind, v message.JSON) item {
	if it, ok := s.items[at]; ok && it.what == what {
		return it
	}
	it := item{what: what}
	switch what {
	case provider.TextStart:
		it.at = s.Open(&message.TextBlock{})
	case provider.ThinkingStart:
		it.at = s.Open(&message.Thinking{})
	default:
		id, _ := jsonedit.Text(v, "id")
		callID, _ := jsonedit.Text(v, "call_id")
		name, _ := jsonedit.Text(v, "name")
		if callID == "" {
			callID, id = id, "" // the id is all that there is
		}
		it.call = s.openCall(joinID(callID, id), name)
		it.at = it.call.at
		args, _ := jsonedit.Text(v, "arguments")
		s.Add(it.at, args)
	}
	s.items[at], s.spoken = it, true
	return it
}

// done ends an item, which says all again.
func (s *responsesStream) done(at int64, v message.JSON) error {
	kind, _ := jsonedit.Text(v, "type")
	id, _ := jsonedit.Text(v, "id")
	defer delete(s.items, at)
	switch kind {
	case "message":
		it := s.item(at, provider.TextStart, nil)
		s.settle(it.at, joined(v, "content", ""))
		phase, _ := jsonedit.Text(v, "phase")
		b, _ := s.Block(it.at)
		b.(*message.TextBlock).TextSignature = signText(id, phase)
		s.Close(it.at)
	case "reasoning":
		it := s.item(at, provider.ThinkingStart, nil)
		text := joined(v, "summary", "\n\n")
		if text == "" {
			text = joined(v, "content", "\n\n")
		}
		s.settle(it.at, text)
		b, _ := s.Block(it.at)
		thinking := b.(*message.Thinking)
		thinking.ThinkingSignature = string(jsonedit.Compact(v))
		s.reasoning[id] = thinking
		s.Close(it.at)
	case "function_call":
		it := s.item(at, provider.CallStart, v)
		args, _ := jsonedit.Text(v, "arguments")
		s.settle(it.at, args)
		it.call.Namespace, _ = jsonedit.Text(v, "namespace")
		return s.closeCall(it.call)
	}
	return nil
}

// joined returns the texts of an item's parts.
func joined(v message.JSON, member, by string) string {
	parts, _ := jsonedit.Get(v, member)
	var texts []string
	for part := range jsonedit.Elements(parts) {
		text, ok := jsonedit.Text(part, "text")
		if !ok {
			text, _ = jsonedit.Text(part, "refusal")
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, by)
}

func (s *responsesStream) note(response message.JSON) {
	id, _ := jsonedit.Text(response, "id")
	name, _ := jsonedit.Text(response, "model")
	s.seen(id, name)
}

// last takes the last event, with the whole response.
func (s *responsesStream) last(kind string, response message.JSON) error {
	s.complete = true
	s.note(response)
	if err := s.output(response); err != nil {
		return err
	}
	if usage, ok := object(response, "usage"); ok {
		s.count(usage)
	}
	status, _ := jsonedit.Text(response, "status")
	if status == "" {
		status = strings.TrimPrefix(kind, "response.")
	}
	details, _ := jsonedit.Get(response, "incomplete_details")
	reason, _ := jsonedit.Text(details, "reason")
	s.Message.RawStopReason = status
	if reason != "" {
		s.Message.RawStopReason += "." + reason
	}
	switch {
	case kind == "response.failed" || status == "failed":
		problem, _ := jsonedit.Get(response, "error")
		s.failed = s.told(problem)
	case status == "cancelled":
		s.failed = s.refused("the answer was cancelled")
	case reason == "content_filter":
		s.failed = s.refused("the answer was ended: content_filter")
	case status == "incomplete":
		s.stop = message.Length
	default:
		s.stop = message.Stop
	}
	return nil
}

// output takes from the whole response what the events left out: the encrypted
// reasoning (Azure), or all items.
func (s *responsesStream) output(response message.JSON) error {
	items, _ := jsonedit.Get(response, "output")
	none := !s.spoken
	at := int64(-1)
	for v := range jsonedit.Elements(items) {
		at++
		if err := s.Endless(s.place); err != nil { // an answer may have many
			return err
		}
		if none {
			if err := s.done(at, v); err != nil {
				return err
			}
			continue
		}
		id, _ := jsonedit.Text(v, "id")
		b := s.reasoning[id]
		sealed, _ := jsonedit.Text(v, "encrypted_content")
		if b == nil || sealed == "" {
			continue
		}
		signature := message.JSON(b.ThinkingSignature)
		if had, _ := jsonedit.Text(signature, "encrypted_content"); had == "" {
			b.ThinkingSignature = string(jsonedit.Set(signature, "encrypted_content", jsonedit.Quoted(sealed)))
		}
	}
	return nil
}

// over says whether an answer that just stops is whole.
func (s *responsesStream) over(bool) bool { return s.complete }

// count notes what the answer took. What was read from the cache or went there
// is part of input_tokens.
func (s *responsesStream) count(v message.JSON) {
	u := &s.Usage
	u.CacheRead = count(v, "input_tokens_details", "cached_tokens")
	u.CacheWrite = count(v, "input_tokens_details", "cache_write_tokens")
	u.Input = max(0, count(v, "input_tokens")-u.CacheRead-u.CacheWrite)
	u.Output = count(v, "output_tokens")
	u.Reasoning = count(v, "output_tokens_details", "reasoning_tokens")
	u.TotalTokens = count(v, "total_tokens")
	if u.TotalTokens == 0 {
		u.TotalTokens = u.Input + u.Output + u.CacheRead + u.CacheWrite
	}
}
