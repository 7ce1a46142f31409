package wiretest

import (
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// A Piece is one event of an answer in the words of each protocol, for streams
// that no server of a vendor would send.
type Piece struct {
	// Index is the number of the block.
	Index int64
	// One of these is what the piece says: that the answer begins or ends; text,
	// reasoning or arguments, which begin their block where Open is set; or that
	// the block ends.
	Begin, End, Close     bool
	Text, Thinking, Input string
	// Open begins a block of what the piece says; with a Name that is a call.
	Open     bool
	ID, Name string
}

// In returns the piece as it is sent; nothing where the protocol has no event for
// it.
func (p Piece) In(protocol Protocol) []byte {
	switch protocol {
	case Anthropic:
		return p.anthropic()
	case Chat:
		return p.chat()
	}
	return p.response()
}

func sent(o *jsonedit.Object) []byte { return event{data: o.Value()}.text() }

func (p Piece) anthropic() []byte {
	of := func(kind, member string, o *jsonedit.Object) []byte {
		return sent(object(kind).Int("index", p.Index).Add(member, o.Value()))
	}
	switch {
	case p.Begin:
		return sent(object("message_start").Add("message", jsontext.Value("{}")))
	case p.End:
		return sent(object("message_stop"))
	case p.Close:
		return sent(object("content_block_stop").Int("index", p.Index))
	case p.Open && p.Name != "":
		return of("content_block_start", "content_block", object("tool_use").String("id", p.ID).String("name", p.Name).Add("input", jsontext.Value("{}")))
	case p.Open && p.Thinking != "":
		return of("content_block_start", "content_block", object("thinking").String("thinking", p.Thinking))
	case p.Open:
		return of("content_block_start", "content_block", object("text").String("text", p.Text))
	case p.Thinking != "":
		return of("content_block_delta", "delta", object("thinking_delta").String("thinking", p.Thinking))
	case p.Input != "":
		return of("content_block_delta", "delta", object("input_json_delta").String("partial_json", p.Input))
	}
	return of("content_block_delta", "delta", object("text_delta").String("text", p.Text))
}

func (p Piece) chat() []byte {
	delta := new(jsonedit.Object)
	switch {
	case p.End:
		return []byte("data: [DONE]\n\n")
	case p.Begin || p.Close:
		return nil
	case p.Open && p.Name != "" || p.Input != "":
		call := new(jsonedit.Object).Int("index", p.Index)
		function := new(jsonedit.Object)
		if p.Open {
			call.String("id", p.ID)
			function.String("name", p.Name)
		}
		call.Add("function", function.String("arguments", p.Input).Value())
		delta.Add("tool_calls", new(jsonedit.Array).Add(call.Value()).Value())
	case p.Thinking != "":
		delta.String("reasoning_content", p.Thinking)
	default:
		delta.String("content", p.Text)
	}
	choice := new(jsonedit.Object).Int("index", 0).Add("delta", delta.Value())
	return sent(new(jsonedit.Object).Add("choices", new(jsonedit.Array).Add(choice.Value()).Value()))
}

func (p Piece) response() []byte {
	of := func(kind string) *jsonedit.Object { return object(kind).Int("output_index", p.Index) }
	switch {
	case p.Begin:
		return sent(object("response.created"))
	case p.End:
		return sent(object("response.completed").Add("response", jsontext.Value("{}")))
	case p.Close:
		return nil // items are ended by what ends the answer
	case p.Open && p.Name != "":
		item := object("function_call").String("call_id", p.ID).String("name", p.Name).String("arguments", p.Input)
		return sent(of("response.output_item.added").Add("item", item.Value()))
	case p.Thinking != "":
		return sent(of("response.reasoning_text.delta").String("delta", p.Thinking))
	case p.Input != "":
		return sent(of("response.function_call_arguments.delta").String("delta", p.Input))
	}
	return sent(of("response.output_text.delta").String("delta", p.Text))
}
