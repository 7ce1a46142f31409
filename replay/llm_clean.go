package replay

import (
	"bytes"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxToolResult is how many UTF-16 units of text a model is sent of one tool
// result.
const MaxToolResult = 10 << 20

// Cleaned counts what [Convert] changed so that no provider refuses the result.
// What is stored keeps its bytes.
type Cleaned struct {
	// Surrogates counts lone surrogates, and ill-formed stretches of UTF-8,
	// that became U+FFFD.
	Surrogates int
	// Names counts names of tools that lost control characters.
	Names int
	// Blobs counts references to blobs that nobody resolved and that became a
	// line of text.
	Blobs int
	// Clipped counts tool results that were cut to MaxToolResult.
	Clipped int
}

const (
	// blobPrefix starts a reference to a blob (dialects 1.4).
	blobPrefix = "blob:sha256:"
	// blobText stands for a blob that is not there.
	blobText = "[Image not available: its data is not in the blob store.]"
	// clipText ends a tool result that was cut.
	clipText = "\n\n[Tool result clipped: it was longer than can be sent.]"
)

// clean returns msg as it can be sent, and counts what it changed.
func clean(msg entry.JSON, cleaned *Cleaned) entry.JSON {
	msg, n := jsonedit.Scrub(msg)
	cleaned.Surrogates += n
	if bytes.Contains(msg, []byte(blobPrefix)) {
		msg = withoutBlobs(msg, cleaned)
	}
	role, _ := jsonedit.Text(msg, "role")
	switch role {
	case message.RoleToolResult:
		msg = cleanName(msg, "toolName", cleaned)
		if len(msg) > MaxToolResult {
			msg = clip(msg, cleaned)
		}
	case message.RoleAssistant:
		msg = cleanCalls(msg, cleaned)
	}
	return msg
}

// cleanName takes control characters out of the member's text.
func cleanName(obj entry.JSON, key string, cleaned *Cleaned) entry.JSON {
	name, ok := jsonedit.Text(obj, key)
	if !ok || strings.IndexFunc(name, control) < 0 {
		return obj
	}
	cleaned.Names++
	name = strings.Map(func(r rune) rune {
		if control(r) {
			return -1
		}
		return r
	}, name)
	return jsonedit.Set(obj, key, jsonedit.Quoted(name))
}

// control reports whether r is a C0 or C1 control character or DEL.
func control(r rune) bool { return r < 0x20 || r >= 0x7F && r < 0xA0 }

// cleanCalls cleans the names of the tools that an assistant message calls.
func cleanCalls(msg entry.JSON, cleaned *Cleaned) entry.JSON {
	content := member(msg, "content")
	before := cleaned.Names
	out := new(jsonedit.Array)
	for b := range jsonedit.Elements(content) {
		if isBlock(b, message.TypeToolCall) {
			b = cleanName(b, "name", cleaned)
		}
		out.Add(b)
	}
	if cleaned.Names == before {
		return msg
	}
	return jsonedit.Set(msg, "content", out.Value())
}

// withoutBlobs puts text in the place of references to blobs.
func withoutBlobs(msg entry.JSON, cleaned *Cleaned) entry.JSON {
	return jsonedit.Walk(msg, jsonedit.Visitor{
		Enter: func(at *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
			if at.Depth == 1 && at.Key == "details" {
				return nil, jsonedit.Keep // not for the model
			}
			if jsonedit.Kind(v) == jsontext.KindString && at.Key == "image_url" && isBlob(v) {
				cleaned.Blobs++
				return jsonedit.Quoted(blobText), jsonedit.Keep
			}
			if jsonedit.Kind(v) != jsontext.KindBeginObject {
				return nil, jsonedit.Into
			}
			if stand := blobStand(at); stand != nil {
				cleaned.Blobs++
				return stand, jsonedit.Keep
			}
			return nil, jsonedit.Into
		},
	})
}

// blobStand returns what stands for the visited object when it is a picture whose
// data is a reference, nil otherwise: a text block, or for a picture in a provider's
// own history (OpenAI's Responses) the item for text there.
func blobStand(at *jsonedit.Step) entry.JSON {
	refers := func(key string) bool {
		v, _ := at.Get(key)
		return isBlob(entry.JSON(v))
	}
	kind, _ := at.Text("type")
	mime, _ := at.Text("mimeType")
	switch picture := kind == message.TypeImage || strings.HasPrefix(mime, "image/"); {
	case picture && refers("data"):
		return textBlock(blobText)
	case kind == "input_image" && refers("image_url"):
		return new(jsonedit.Object).String("type", "input_text").String("text", blobText).Value()
	case kind == "image_generation_call" && refers("result"):
		text := new(jsonedit.Object).String("type", "output_text").String("text", blobText)
		return new(jsonedit.Object).String("type", "message").String("role", message.RoleAssistant).
			Add("content", new(jsonedit.Array).Add(text.Value()).Value()).Value()
	}
	return nil
}

// isBlob reports whether v is a string that starts as a reference does. No
// base64 and no URL of a picture does.
func isBlob(v entry.JSON) bool {
	body, ok := bytes.CutPrefix(bytes.TrimSpace(v), []byte(`"`))
	return ok && bytes.HasPrefix(body, []byte(blobPrefix))
}

// clip cuts the text of a tool result to MaxToolResult units, a note included,
// when it is longer. Blocks that are not text stay.
func clip(msg entry.JSON, cleaned *Cleaned) entry.JSON {
	content := member(msg, "content")
	total := jsonedit.UnitsRaw(content)
	for b := range jsonedit.Elements(content) {
		if isBlock(b, message.TypeText) {
			total += jsonedit.UnitsRaw(member(b, "text"))
		}
	}
	if total <= MaxToolResult {
		return msg
	}
	cleaned.Clipped++
	left := MaxToolResult - jsonedit.Units(clipText)
	note := jsonedit.Quoted(clipText)
	if jsonedit.Kind(content) == jsontext.KindString {
		return jsonedit.Set(msg, "content", jsonedit.Concat(jsonedit.CutUnits(content, left), note))
	}
	out, done := new(jsonedit.Array), false
	for b := range jsonedit.Elements(content) {
		if !isBlock(b, message.TypeText) {
			out.Add(b)
			continue
		}
		text := member(b, "text")
		n := jsonedit.UnitsRaw(text)
		switch {
		case done:
		case n <= left:
			left -= n
			out.Add(b)
		default:
			done = true
			out.Add(jsonedit.Set(b, "text", jsonedit.Concat(jsonedit.CutUnits(text, left), note)))
		}
	}
	return jsonedit.Set(msg, "content", out.Value())
}
