package spelling

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// Resolve returns an entry's line with the images that [Prepare] took out of it
// put back, as far as get has them. missing are the references that get had not,
// each once; they stay in the line. A reference that is not one ([IsRef]) is
// text. Headers are not touched, neither are frames, which are read when they are
// needed, nor what was cut for its length ([Cuts]).
//
// Where the rules forget a provider's native history, an assistant message also
// loses its providerPayload and the signatures of its thinking. Both is for
// memory only and never to be written back (omp 18.2.3, xcsh 17.4.4).
//
// line is returned itself when nothing changes. The error is for a line that is
// not an object.
func Resolve(line []byte, rules Persist, get func(ref string) ([]byte, error)) (resolved []byte, missing []string, err error) {
	refs := rules.Images != NoImages && jsonedit.Mentions(line, refPrefix)
	history := rules.MayForget(line)
	if !refs && !history {
		return line, nil, nil
	}
	if jsonedit.Kind(line) != jsontext.KindBeginObject {
		return line, nil, fmt.Errorf("resolve entry: not an object")
	}
	if isHeader(line) {
		return line, nil, nil
	}
	out := entry.JSON(line)
	if refs {
		r := &resolution{Persist: rules, kind: entry.KindOf(typeOf(line)), get: get}
		out = jsonedit.Walk(out, jsonedit.Visitor{Enter: r.enter})
		missing = r.missing
	}
	if history {
		out = forget(out, rules.Forget)
	}
	return out, missing, nil
}

// resolution is one walk over a line.
type resolution struct {
	Persist
	kind    entry.Kind
	get     func(ref string) ([]byte, error)
	missing []string
}

func (r *resolution) enter(at *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
	switch jsonedit.Kind(v) {
	case jsontext.KindString:
		if at.Key != "image_url" || at.Index >= 0 {
			return nil, jsonedit.Keep
		}
		if url, ok := r.blob(v); ok && utf8.Valid(url) {
			return jsonedit.Quoted(string(url)), jsonedit.Keep
		}
	case jsontext.KindBeginObject:
		name := r.imagePlace(at, v)
		if name == "" || !r.restores(at) {
			return nil, jsonedit.Into
		}
		raw, _ := jsonedit.Get(v, name)
		if data, ok := r.blob(raw); ok {
			text := base64.StdEncoding.EncodeToString(data)
			return jsonedit.Set(v, name, jsonedit.Quoted(text)), jsonedit.Into
		}
	}
	return nil, jsonedit.Into
}

// restores reports whether an image at this place comes back when the line is
// read: all but frames in omp; in the others those in the content of a message
// or of a custom_message.
func (r *resolution) restores(at *jsonedit.Step) bool {
	if r.Images == ImagesWide {
		return key(at) != "frames"
	}
	switch content := at.Parent; r.kind {
	case entry.Message:
		return content.Depth == 2 && content.Parent.Key == "message"
	case entry.CustomMessage:
		return content.Depth == 1
	}
	return false
}

// blob returns the bytes that a reference stands for.
func (r *resolution) blob(raw entry.JSON) ([]byte, bool) {
	ref, _ := jsonedit.String(raw)
	if !IsRef(ref) {
		return nil, false
	}
	if r.get != nil {
		if data, err := r.get(ref); err == nil {
			return data, true
		}
	}
	if !slices.Contains(r.missing, ref) {
		r.missing = append(r.missing, ref)
	}
	return nil, false
}

// MayForget reports whether an entry's line may hold something that is forgotten in
// memory.
func (p Persist) MayForget(line []byte) bool {
	return p.Forget != "" && jsonedit.Mentions(line, nativeHistory)
}

// Remember returns an edited line with what was forgotten of whole, the entry as it
// is stored, put back where the edit left its place as it is: the signatures of
// thinking whose text is the same, and the provider's native history if all of the
// content is.
func Remember(line, whole entry.JSON, rules Persist) entry.JSON {
	if !rules.MayForget(whole) {
		return line
	}
	shown := forget(whole, rules.Forget)
	was, _ := jsonedit.Get(whole, "message")
	seen, _ := jsonedit.Get(shown, "message")
	now, ok := jsonedit.Get(line, "message")
	if _, there := jsonedit.Get(now, "providerPayload"); !ok || there || bytes.Equal(shown, whole) {
		return line
	}
	old, _ := jsonedit.Get(was, "content")
	before, _ := jsonedit.Get(seen, "content")
	content, _ := jsonedit.Get(now, "content")
	blocks := slices.Collect(jsonedit.Elements(old))
	signed := jsonedit.Walk(content, jsonedit.Visitor{Enter: func(at *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
		if at.Depth == 0 {
			return nil, jsonedit.Into
		}
		if at.Index >= 0 && at.Index < len(blocks) && typeOf(v) == "thinking" && same(jsonedit.Delete(blocks[at.Index], "thinkingSignature"), v) {
			return blocks[at.Index], jsonedit.Keep
		}
		return nil, jsonedit.Keep
	}})
	if content != nil {
		now = jsonedit.Set(now, "content", signed)
	}
	if payload, ok := jsonedit.Get(was, "providerPayload"); ok && same(content, before) {
		now = jsonedit.Set(now, "providerPayload", payload)
	}
	return jsonedit.Set(line, "message", now)
}

// same reports whether two values say the same, however they are spelled.
func same(a, b entry.JSON) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, y := jsontext.Value(a).Clone(), jsontext.Value(b).Clone()
	return x.Canonicalize() == nil && y.Canonicalize() == nil && bytes.Equal(x, y)
}

// forget leaves out of an assistant message what only the connection it came
// from can read.
func forget(line entry.JSON, provider string) entry.JSON {
	message, _ := jsonedit.Get(line, "message")
	role, _ := jsonedit.Text(message, "role")
	kind, _ := jsonedit.Path(message, "providerPayload", "type")
	if name, _ := jsonedit.String(kind); role != entry.RoleAssistant.String() || name != nativeHistory {
		return line
	}
	if from, _ := jsonedit.Text(message, "provider"); provider != Everyone && from != provider {
		return line
	}
	content, _ := jsonedit.Get(message, "content")
	plain := jsonedit.Walk(content, jsonedit.Visitor{Enter: func(at *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
		switch {
		case at.Depth == 0:
			return nil, jsonedit.Into
		case typeOf(v) == "thinking":
			return jsonedit.Delete(v, "thinkingSignature"), jsonedit.Keep
		}
		return nil, jsonedit.Keep
	}})
	if content != nil {
		message = jsonedit.Set(message, "content", plain)
	}
	return jsonedit.Set(line, "message", jsonedit.Delete(message, "providerPayload"))
}
