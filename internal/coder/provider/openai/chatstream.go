package openai

import (
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// A chatStream reads the chunks of Chat Completions.
type chatStream struct {
	*answer
	// open is the number of the text or thinking that grows, of the kind what;
	// "" for none.
	open int
	what provider.Kind
	// finished says that a reason to finish was given.
	finished bool
}

// event takes one chunk. The stream ends with [DONE], which is no chunk.
func (s *chatStream) event(v message.JSON) (done bool, err error) {
	if s.Message.ResponseID == "" { // each chunk says the same
		id, _ := jsonedit.Text(v, "id")
		name, _ := jsonedit.Text(v, "model")
		s.seen(id, name)
	}
	usage, given := object(v, "usage")
	choices, _ := jsonedit.Get(v, "choices")
	for choice := range jsonedit.Elements(choices) {
		if number(choice, "index") != 0 {
			continue // one answer was asked for
		}
		if !given {
			usage, given = object(choice, "usage") // Moonshot
		}
		if err := s.choice(choice); err != nil {
			return false, err
		}
	}
	if given {
		s.count(usage)
	}
	return false, nil
}

func (s *chatStream) choice(v message.JSON) error {
	if err := s.Endless(s.place); err != nil { // an event may have many
		return err
	}
	delta, ok := object(v, "delta")
	if !ok {
		delta, ok = object(v, "message") // an answer that was not streamed
	}
	if ok {
		if err := s.delta(delta); err != nil {
			return err
		}
	}
	if reason, _ := jsonedit.Text(v, "finish_reason"); reason != "" {
		s.end(reason)
	}
	return nil
}

func (s *chatStream) delta(v message.JSON) error {
	for _, field := range reasoningFields() {
		if text, _ := jsonedit.Text(v, field); text != "" {
			s.grow(provider.ThinkingStart, field, text)
			break // some servers send the same in two members
		}
	}
	for _, field := range []string{"content", "refusal"} {
		if text, _ := jsonedit.Text(v, field); text != "" {
			s.grow(provider.TextStart, "", text)
		}
	}
	calls, _ := jsonedit.Get(v, "tool_calls")
	for c := range jsonedit.Elements(calls) {
		if err := s.call(c); err != nil {
			return err
		}
	}
	if f, ok := object(v, "function_call"); ok { // before there were tools
		return s.call(new(jsonedit.Object).Add("function", f).Value())
	}
	return nil
}

// grow adds to the text or thinking that is open, and opens it where another
// kind was.
func (s *chatStream) grow(what provider.Kind, field, text string) {
	if s.what != what {
		s.shut()
		s.what = what
		if what == provider.ThinkingStart {
			s.open = s.Open(&message.Thinking{ThinkingSignature: field})
		} else {
			s.open = s.Open(&message.TextBlock{})
		}
	}
	s.Add(s.open, text)
}

// shut ends the text or thinking that is open.
func (s *chatStream) shut() {
	if s.what != "" {
		s.Close(s.open)
	}
	s.what = ""
}

// call takes a piece of a call, or a whole one.
func (s *chatStream) call(v message.JSON) error {
	if err := s.Endless(s.place); err != nil { // an event may have many
		return err
	}
	s.shut()
	id, _ := jsonedit.Text(v, "id")
	at, _ := jsonedit.Get(v, "index")
	index, indexed := jsonedit.Int(at)
	f, _ := jsonedit.Get(v, "function")
	name, _ := jsonedit.Text(f, "name")
	args, _ := jsonedit.Get(f, "arguments")
	text, ok := jsonedit.String(args)
	if !ok && jsonedit.Kind(args) == jsontext.KindBeginObject {
		text = string(args) // an object in place of its text
	}
	c := s.find(id, name, index, indexed)
	if c == nil {
		if err := s.closeWhole(); err != nil {
			return err
		}
		c = s.openCall(s.free(id), name)
		c.index, c.indexed = index, indexed
	}
	if c.ID == "" {
		c.ID = s.free(id)
	}
	if c.Name == "" {
		c.Name = name
	}
	s.Add(c.at, text)
	return nil
}

// closeWhole ends the calls to which nothing can be added any more.
func (s *chatStream) closeWhole() error {
	for _, c := range s.calls {
		if !c.closed && s.whole(c) {
			if err := s.closeCall(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// find returns the call that a piece belongs to, nil for a new one. Pieces come
// with the call's index, its id, both or neither; there are servers that give
// every call the index 0, and such that repeat id and name in each piece.
func (s *chatStream) find(id, name string, index int64, indexed bool) *call {
	var last *call
	for i := len(s.calls) - 1; i >= 0; i-- {
		c := s.calls[i]
		if indexed && c.indexed && c.index != index {
			continue
		}
		if id != "" && c.ID == id {
			return c
		}
		if last == nil {
			last = c
		}
	}
	if last == nil || name != "" && (id != "" && last.ID != "" || s.whole(last)) {
		return nil // another one, whatever its index
	}
	return last
}

// free returns id, and "" where a call has it already: it gets one of its own
// then.
func (s *chatStream) free(id string) string {
	for _, c := range s.calls {
		if c.ID == id {
			return ""
		}
	}
	return id
}

// end notes why the answer ended.
func (s *chatStream) end(reason string) {
	s.finished = true
	s.Message.RawStopReason = reason
	switch reason {
	case "stop", "end", "eos":
		s.stop = message.Stop
	case "length":
		s.stop = message.Length
	case "tool_calls", "function_call":
		s.stop = message.ToolUse
	default: // content_filter and what servers make up
		s.failed = s.refused("the answer was ended: " + reason)
	}
}

// over says whether an answer that just stops is whole: some servers send no
// [DONE], and some no reason to finish.
func (s *chatStream) over(done bool) bool {
	if done && s.stop == "" {
		s.stop = message.Stop
	}
	return done || s.finished
}

// count notes what the answer took. What was read from the cache is part of
// prompt_tokens at OpenAI, and told in other members by DeepSeek and Moonshot.
func (s *chatStream) count(v message.JSON) {
	u := &s.Usage
	u.CacheRead = count(v, "prompt_tokens_details", "cached_tokens")
	if u.CacheRead == 0 {
		u.CacheRead = max(count(v, "prompt_cache_hit_tokens"), count(v, "cached_tokens"))
	}
	u.CacheWrite = count(v, "prompt_tokens_details", "cache_write_tokens")
	u.Input = max(0, count(v, "prompt_tokens")-u.CacheRead-u.CacheWrite)
	u.Output = count(v, "completion_tokens")
	u.Reasoning = count(v, "completion_tokens_details", "reasoning_tokens")
	u.TotalTokens = u.Input + u.Output + u.CacheRead + u.CacheWrite
}
