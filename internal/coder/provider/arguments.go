package provider

import (
	"bytes"
	"strings"

	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// malformed is the only member of arguments that could not be read.
const malformed = "$malformed"

// Arguments returns the arguments of a call from the text that the model sent:
// the text itself if it is a JSON object, byte for byte, and {} if it is blank.
// An object over several lines loses the blanks outside its strings, because
// sessions and events are lines.
// Anything else is kept as {"$malformed": text}, which every program that reads
// sessions takes, so that the loop can answer with what was wrong and the model
// sees what it sent; see [MalformedArguments].
func Arguments(text string) jsontext.Value {
	v := jsontext.Value(strings.TrimSpace(text))
	if len(v) == 0 {
		return jsontext.Value("{}")
	}
	if splice.Kind(v) == jsontext.KindBeginObject && v.IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
		if bytes.ContainsAny(v, "\n\r") {
			return splice.Compact(v)
		}
		return v
	}
	return new(splice.Object).String(malformed, text).Value()
}

// MalformedArguments returns the text of arguments that were no JSON object, as
// [Arguments] kept it; false for arguments that were one.
func MalformedArguments(c *message.ToolCall) (string, bool) {
	members := 0
	for range splice.Members(c.Arguments) {
		members++
	}
	if members != 1 {
		return "", false
	}
	return splice.Text(c.Arguments, malformed)
}
