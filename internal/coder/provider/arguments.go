package provider

import (
	"bytes"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// malformed is the only member of arguments that could not be read.
const malformed = "$malformed"

// maxDepth is how deep arguments may be nested. What is much deeper is read by no
// program, and a session with it would not be read either.
const maxDepth = 128

// Arguments returns the arguments of a call from the text that the model sent:
// the text itself if it is a JSON object, byte for byte, and {} if it is blank. No
// name is in an object of it twice: some would take the first, others the last,
// and what is shown would not be what is done.
// An object over several lines loses the blanks outside its strings, because
// sessions and events are lines.
// Anything else is kept as {"$malformed": text}, which every program that reads
// sessions takes, so that the loop can answer with what was wrong and the model
// sees what it sent; see [MalformedArguments].
func Arguments(text string) message.JSON {
	v := message.JSON(strings.TrimSpace(text))
	if len(v) == 0 {
		return message.JSON("{}")
	}
	if jsonedit.Kind(v) == jsontext.KindBeginObject && Whole(v) {
		if bytes.ContainsAny(v, "\n\r") {
			return jsonedit.Compact(v)
		}
		return v
	}
	return new(jsonedit.Object).String(malformed, text).Value()
}

// Whole reports whether v is a JSON value that can be kept and acted on: no name
// in an object of it twice, and nested no deeper than anybody needs. Surrogates
// without their other half are taken.
func Whole(v message.JSON) bool {
	return jsontext.Value(v).IsValid(jsontext.AllowInvalidUTF8(true)) && depth(v) <= maxDepth
}

// depth is how deep a value is nested.
func depth(v message.JSON) (deepest int) {
	now, text := 0, false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// MalformedArguments returns the text of arguments that were no JSON object, as
// [Arguments] kept it; false for arguments that were one.
func MalformedArguments(c *message.ToolCall) (string, bool) {
	members := 0
	for range jsonedit.Members(c.Arguments) {
		members++
	}
	if members != 1 {
		return "", false
	}
	return jsonedit.Text(c.Arguments, malformed)
}
