package dialect

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/splice"
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
	refs := rules.Images != NoImages && bytes.Contains(line, []byte(refPrefix))
	history := rules.Forget != "" && bytes.Contains(line, []byte(nativeHistory))
	if !refs && !history {
		return line, nil, nil
	}
	if splice.Kind(line) != jsontext.KindBeginObject {
		return line, nil, fmt.Errorf("resolve entry: not an object")
	}
	if isHeader(line) {
		return line, nil, nil
	}
	out := jsontext.Value(line)
	if refs {
		r := &resolution{Persist: rules, kind: entry.KindOf(typeOf(line)), get: get}
		out = splice.Walk(out, splice.Visitor{Enter: r.enter})
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

func (r *resolution) enter(at *splice.Step, v jsontext.Value) (jsontext.Value, splice.Action) {
	switch splice.Kind(v) {
	case jsontext.KindString:
		if at.Key != "image_url" || at.Index >= 0 {
			return nil, splice.Keep
		}
		if url, ok := r.blob(v); ok && utf8.Valid(url) {
			return splice.Quoted(string(url)), splice.Keep
		}
	case jsontext.KindBeginObject:
		name := r.imagePlace(at, v)
		if name == "" || !r.restores(at) {
			return nil, splice.Into
		}
		raw, _ := splice.Get(v, name)
		if data, ok := r.blob(raw); ok {
			text := base64.StdEncoding.EncodeToString(data)
			return splice.Set(v, name, splice.Quoted(text)), splice.Into
		}
	}
	return nil, splice.Into
}

// restores reports whether an image at this place comes back when the line is
// read: all but frames in omp; in the others those in the content of a message
// or of a custom_message.
func (r *resolution) restores(at *splice.Step) bool {
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
func (r *resolution) blob(raw jsontext.Value) ([]byte, bool) {
	ref, _ := splice.String(raw)
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

// forget leaves out of an assistant message what only the connection it came
// from can read.
func forget(line jsontext.Value, provider string) jsontext.Value {
	message, _ := splice.Get(line, "message")
	role, _ := splice.Text(message, "role")
	kind, _ := splice.Path(message, "providerPayload", "type")
	if name, _ := splice.String(kind); role != entry.RoleAssistant.String() || name != nativeHistory {
		return line
	}
	if from, _ := splice.Text(message, "provider"); provider != Everyone && from != provider {
		return line
	}
	content, _ := splice.Get(message, "content")
	plain := splice.Walk(content, splice.Visitor{Enter: func(at *splice.Step, v jsontext.Value) (jsontext.Value, splice.Action) {
		switch {
		case at.Depth == 0:
			return nil, splice.Into
		case typeOf(v) == "thinking":
			return splice.Delete(v, "thinkingSignature"), splice.Keep
		}
		return nil, splice.Keep
	}})
	if content != nil {
		message = splice.Set(message, "content", plain)
	}
	return splice.Set(line, "message", splice.Delete(message, "providerPayload"))
}
