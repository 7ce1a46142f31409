package acp

import (
	"bytes"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// What is looked for in a message and in a block of its content.
var (
	messageParts = jsonl.Query{Inside: -1, Keys: []string{"content", "display", "errorMessage", "stopReason", "toolCallId", "details", "isError"}}
	blockParts   = jsonl.Query{Inside: -1, Keys: []string{"type", message.TypeText, message.TypeThinking}}
)

// Parts are the members of a message that are told, as they are stored; nil for those
// that it has not. A message that is not well formed has none.
type parts struct {
	content, display, errorMessage, stopReason, toolCallID, details, isError entry.JSON
}

// partsOf finds the parts of a message in one look at its bytes.
func partsOf(m entry.JSON) (p parts) {
	var found [7]jsonl.Span
	if messageParts.Scan(m, found[:]) != nil {
		return parts{}
	}
	for i, v := range []*entry.JSON{&p.content, &p.display, &p.errorMessage, &p.stopReason, &p.toolCallID, &p.details, &p.isError} {
		*v = found[i].In(m)
	}
	return p
}

// folded reports whether the message says that it is not to be displayed.
func (p *parts) folded() bool {
	shown, ok := jsonedit.Bool(p.display)
	return ok && !shown
}

// A block is one of a message's content: its kind, and the texts that it may have.
type block struct {
	raw            entry.JSON
	kind           string
	text, thinking entry.JSON
}

// blocksIn calls each with the blocks of content, until it reports false. It reports
// false for content that has something other than objects, or ends too soon.
func blocksIn(content entry.JSON, each func(block) bool) bool {
	var found [3]jsonl.Span
	end := 0
	for {
		next, more := blockParts.Element(content, end, found[:])
		if !more {
			return next >= len(content) && closed(content[end:], end == 0)
		}
		raw := content[end:next:next]
		raw = raw[bytes.IndexAny(raw, "[,")+1:] // what stands before an element
		if jsonedit.Kind(raw) != jsontext.KindBeginObject {
			return false
		}
		b := block{raw: raw, text: found[1].In(content), thinking: found[2].In(content)}
		b.kind, _ = jsonedit.String(found[0].In(content))
		if !each(b) {
			return false
		}
		end = next
	}
}

// closed reports whether what stands behind the last element ends a list.
func closed(rest entry.JSON, empty bool) bool {
	want := "]"
	if empty {
		want = "[]"
	}
	n := 0
	for _, c := range rest {
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case n < len(want) && c == want[n]:
			n++
		default:
			return false
		}
	}
	return n == len(want)
}

// plain reports whether a text of a well formed message stands for the same text to
// every reader, so that it may be passed on as it is: it is UTF-8, and no escapes of it
// have numbers. What is longer than it need be may be called not plain.
func plain(text entry.JSON) bool {
	return len(text) > 1 && text[0] == '"' && !jsonedit.Mentions(text, `\u`) && utf8.Valid(text)
}
