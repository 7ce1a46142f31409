package anthropic_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/provider/anthropic"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// canned answers every request with a stream.
type canned []byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body.Close()
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(bytes.NewReader(c)), Request: r,
	}, nil
}

// FuzzStream checks what holds for any stream: a message that can be stored and
// sent again, or one and an error.
func FuzzStream(f *testing.F) {
	for _, name := range wiretest.Files(wiretest.Anthropic) {
		stream, err := wiretest.File(wiretest.Anthropic, name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(stream)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		p := anthropic.New(anthropic.Options{Transport: canned(stream)})
		r := ask("http://fuzz.example")
		opened, closed := 0, 0
		m, err := p.Stream(t.Context(), r, func(e provider.Event) {
			switch e.Kind {
			case provider.TextStart, provider.ThinkingStart, provider.CallStart:
				opened++
			case provider.TextEnd, provider.ThinkingEnd, provider.CallEnd:
				closed++
			}
		})
		var e *provider.Error
		if m == nil || m.Usage == nil || err != nil && !errors.As(err, &e) || (err != nil) != (m.StopReason == message.Error) {
			t.Fatalf("message %v, error %v", m, err)
		}
		if closed > opened || err == nil && closed != opened {
			t.Errorf("%d blocks opened, %d closed", opened, closed)
		}
		text := message.Encode(m)
		if !jsontext.Value(text).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) || bytes.ContainsAny(text, "\r\n") {
			t.Fatalf("not a line of JSON: %q", text)
		}
		for _, c := range message.ToolCalls(m) {
			if jsonedit.Kind(message.JSON(c.Arguments)) != '{' {
				t.Errorf("arguments %s", c.Arguments)
			}
		}
		r.Messages = append(r.Messages, text)
		if _, err := provider.Turns(r, provider.Shape{}); err != nil {
			t.Error(err)
		}
	})
}
