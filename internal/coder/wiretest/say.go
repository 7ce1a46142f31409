package wiretest

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Say is an answer, whatever the protocol: reasoning first, then text, then
// calls; what is empty is left out.
type Say struct {
	// Thinking is reasoning, Signature its proof ("" is one of the server's own)
	// and Redacted encrypted reasoning, for protocols that have such.
	Thinking  string `json:"thinking,omitzero"`
	Signature string `json:"signature,omitzero"`
	Redacted  string `json:"redacted,omitzero"`
	Text      string `json:"text,omitzero"`
	Calls     []Call `json:"calls,omitzero"`
	// Usage is what the answer took; the zero Usage is 10 tokens in, 5 out.
	Usage Usage `json:"usage,omitzero"`
	// Stop is why it ended: "stop", "length", "toolUse" or "refusal"; "" is
	// toolUse with calls and stop without. Anything else is sent as it is.
	Stop string `json:"stop,omitzero"`
	// ID is the answer's id, Model its model ("" is that of the request).
	ID    string `json:"id,omitzero"`
	Model string `json:"model,omitzero"`
	// Pieces is in how many deltas the text comes; 0 is one for every word.
	Pieces int `json:"pieces,omitzero"`
}

// A Call is a request to run a tool.
type Call struct {
	// ID is the call's id; "" is one of the server's own.
	ID   string `json:"id,omitzero"`
	Name string `json:"name"`
	// Arguments is the text of the arguments, which need not be JSON. A script
	// may spell it as an object, too.
	Arguments Arguments `json:"arguments,omitzero"`
}

// Arguments is the text of a call's arguments; "" is "{}".
type Arguments string

// UnmarshalJSON takes a string as its text and anything else as it is written.
func (a *Arguments) UnmarshalJSON(raw []byte) error {
	if text, ok := jsonedit.String(raw); ok {
		*a = Arguments(text)
		return nil
	}
	*a = Arguments(jsontext.Value(raw).Clone())
	return nil
}

// Usage is what an answer took, in tokens. Input does not count what came from
// the cache or went there; CacheWrite includes CacheWrite1h and Output includes
// Reasoning.
type Usage struct {
	Input        int64 `json:"input,omitzero"`
	Output       int64 `json:"output,omitzero"`
	CacheRead    int64 `json:"cacheRead,omitzero"`
	CacheWrite   int64 `json:"cacheWrite,omitzero"`
	CacheWrite1h int64 `json:"cacheWrite1h,omitzero"`
	Reasoning    int64 `json:"reasoning,omitzero"`
}

// Many returns a Say whose text comes in n deltas.
func Many(n int) Say { return Say{Text: strings.Repeat("word ", n), Pieces: n} }

// events returns the answer in the protocol of the request.
func (s Say) events(r Request) []event {
	if s.Usage == (Usage{}) {
		s.Usage = Usage{Input: 10, Output: 5}
	}
	if s.Stop == "" && len(s.Calls) > 0 {
		s.Stop = "toolUse"
	} else if s.Stop == "" {
		s.Stop = "stop"
	}
	if s.Model == "" {
		s.Model, _ = jsonedit.Text(r.Body, "model")
	}
	if s.Signature == "" {
		s.Signature = "EqQBCgIYAhIMc2lnbmVk"
	}
	for i := range s.Calls {
		if s.Calls[i].Arguments == "" {
			s.Calls[i].Arguments = "{}"
		}
	}
	switch r.Protocol {
	case Chat:
		return s.chat(r)
	case Responses:
		return s.responses()
	}
	return s.anthropic()
}

// or returns text, or what stands for it when it is empty.
func or(text, instead string) string {
	if text == "" {
		return instead
	}
	return text
}

// pieces divides text into deltas: n of about the same length, or words.
func pieces(text string, n int) []string {
	if text == "" {
		return nil
	}
	if n <= 0 {
		return strings.SplitAfter(text, " ")
	}
	runes := []rune(text)
	n = min(n, len(runes))
	parts := make([]string, n)
	for i := range parts {
		parts[i] = string(runes[len(runes)*i/n : len(runes)*(i+1)/n])
	}
	return parts
}

// fragments divides arguments where JSON has no boundaries.
func fragments(text string) []string {
	const size = 7
	var parts []string
	runes := []rune(text)
	for len(runes) > size {
		parts, runes = append(parts, string(runes[:size])), runes[size:]
	}
	return append(parts, string(runes))
}

// quoted returns text as JSON.
func quoted(text string) jsontext.Value { return jsonedit.Quoted(text) }

// object begins an object of a type.
func object(kind string) *jsonedit.Object { return new(jsonedit.Object).String("type", kind) }

// flag reads a boolean at a path of a request.
func flag(body []byte, path ...string) bool {
	v, ok := jsonedit.Path(body, path...)
	if !ok {
		return false
	}
	on, _ := jsonedit.Bool(v)
	return on
}

var _ json.Unmarshaler = (*Arguments)(nil)
