package openai_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/provider/openai"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/golden"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// key is what no text may show.
const key = "sk-very-secret-0123456789"

var clock = time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)

func options() openai.Options { return openai.Options{Now: func() time.Time { return clock }} }

// api is one of the two protocols.
type api struct {
	name     model.API
	protocol wiretest.Protocol
	new      func(openai.Options) provider.Provider
}

func apis() []api {
	return []api{
		{model.OpenAIChat, wiretest.Chat, func(o openai.Options) provider.Provider { return openai.NewChat(o) }},
		{model.OpenAIResponses, wiretest.Responses, func(o openai.Options) provider.Provider { return openai.NewResponses(o) }},
	}
}

// request asks a model of the protocol at the server.
func (a api) request(s *wiretest.Server) provider.Request {
	m := model.Model{
		Provider: "local", ID: "gpt-test", API: a.name, Images: true,
		Levels: []string{"off", "low", "high"}, Effort: true,
		Price: model.Price{Input: 2, Output: 8, CacheRead: 0.5, CacheWrite: 1},
	}
	if s != nil {
		m.BaseURL = s.URL + "/v1"
	}
	return provider.Request{Model: m, Key: key, Messages: []message.JSON{user("Hello")}}
}

func user(text string) message.JSON {
	return message.Encode(&message.User{Content: message.TextContent(text), Timestamp: 1})
}

// heard is what a provider told and returned.
type heard struct {
	m      *message.Assistant
	events []provider.Event
	err    error
}

func ask(t testing.TB, p provider.Provider, r provider.Request) heard {
	t.Helper()
	var h heard
	h.m, h.err = p.Stream(t.Context(), r, func(e provider.Event) { h.events = append(h.events, e) })
	check(t, h)
	return h
}

// check holds what is true of every answer: blocks begin, grow and end in that
// order, and what was told is what is returned.
func check(t testing.TB, h heard) {
	t.Helper()
	if h.m == nil || h.m.Usage == nil || h.m.Usage.Cost == nil || h.m.StopReason == "" || h.m.Timestamp == 0 {
		t.Fatalf("message is not whole: %+v", h.m)
	}
	failed := h.m.StopReason == message.Error || h.m.StopReason == message.Aborted
	if (h.err != nil) != failed {
		t.Errorf("stop reason %q with error %v", h.m.StopReason, h.err)
	}
	if h.err != nil && strings.Contains(h.err.Error()+h.m.ErrorMessage, key) {
		t.Errorf("the key is shown: %v", h.err)
	}
	texts := map[int]string{}
	state := map[int]provider.Kind{}
	var ended []message.Block
	for i, e := range h.events {
		switch e.Kind {
		case provider.Start:
			if i != 0 {
				t.Errorf("start is event %d", i)
			}
		case provider.TextStart, provider.ThinkingStart, provider.CallStart:
			if state[e.Index] != "" || e.Index != len(state) {
				t.Errorf("block %d begins out of order", e.Index)
			}
			state[e.Index] = e.Kind
		case provider.TextDelta, provider.ThinkingDelta, provider.CallDelta:
			if e.Delta == "" || !strings.HasSuffix(string(state[e.Index]), "_start") {
				t.Errorf("delta %q of block %d in state %q", e.Delta, e.Index, state[e.Index])
			}
			texts[e.Index] += e.Delta
		default:
			state[e.Index] = e.Kind
			ended = append(ended, e.Block)
			switch b := e.Block.(type) {
			case *message.TextBlock:
				if b.Text != texts[e.Index] {
					t.Errorf("text %q was told as %q", b.Text, texts[e.Index])
				}
			case *message.ToolCall:
				if b.ID == "" || b.Name == "" || jsonedit.Kind(b.Arguments) != '{' {
					t.Errorf("call is not whole: %+v", b)
				}
			}
		}
	}
	for _, b := range h.m.Content {
		if !failed && !slices.Contains(ended, b) {
			t.Errorf("block %s was not told", message.EncodeBlock(b))
		}
	}
}

// text is an answer for people.
func (h heard) text() string {
	var b strings.Builder
	for _, e := range h.events {
		fmt.Fprintf(&b, "%s", e.Kind)
		if e.Kind != provider.Start {
			fmt.Fprintf(&b, " %d", e.Index)
		}
		if e.Delta != "" {
			fmt.Fprintf(&b, " %q", e.Delta)
		}
		b.WriteString("\n")
	}
	v := jsontext.Value(message.Encode(h.m))
	_ = v.Indent() // what was encoded is JSON
	fmt.Fprintf(&b, "%s\nerror: %v\n", v, h.err)
	return b.String()
}

// reply answers every request without a network and keeps what was sent.
type reply struct {
	status int
	header http.Header
	body   string
	sent   []*http.Request
	bodies []string
}

func (r *reply) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	r.sent, r.bodies = append(r.sent, req), append(r.bodies, string(body))
	status, header := r.status, r.header
	if status == 0 {
		status = http.StatusOK
	}
	if header == nil {
		header = http.Header{"Content-Type": {"text/event-stream"}}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(r.body)), Request: req}, nil
}

// stream puts chunks into a stream that ends as it should.
func stream(chunks ...string) []byte {
	var b bytes.Buffer
	for _, c := range chunks {
		fmt.Fprintf(&b, "data: %s\n\n", c)
	}
	b.WriteString("data: [DONE]\n\n")
	return b.Bytes()
}

// delta is a chunk with a delta.
func delta(d string) string {
	return `{"id":"c1","model":"gpt-test","choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}`
}

func finish(reason string) string {
	return `{"id":"c1","model":"gpt-test","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

// What the vendors publish, told and returned.
func TestPublishedStreams(t *testing.T) {
	for _, a := range apis() {
		for _, name := range wiretest.Files(a.protocol) {
			t.Run(string(a.protocol)+"/"+name, func(t *testing.T) {
				s := wiretest.New(t, wiretest.FromFile(name))
				h := ask(t, a.new(options()), a.request(s))
				text := strings.ReplaceAll(h.text(), strings.TrimPrefix(s.URL, "http://"), "HOST")
				golden.Compare(t, string(a.protocol)+"/"+name, text)
			})
		}
	}
}

// What both protocols make of the same answer.
func TestAnswers(t *testing.T) {
	say := wiretest.Say{
		Thinking: "First think.", Text: "Then speak.", ID: "id-1", Model: "gpt-test-2026",
		Calls: []wiretest.Call{
			{ID: "call_a", Name: "read", Arguments: `{"path":"a.go","n":1.0,"m":9007199254740993}`},
			{ID: "call_b", Name: "ls"},
		},
		Usage: wiretest.Usage{Input: 1_000_000, CacheRead: 2_000_000, Output: 500_000, Reasoning: 7},
	}
	for _, a := range apis() {
		t.Run(string(a.name), func(t *testing.T) {
			s := wiretest.New(t, wiretest.Answer(say))
			h := ask(t, a.new(options()), a.request(s))
			if h.err != nil {
				t.Fatal(h.err)
			}
			var calls []string
			for _, b := range h.m.Content[2:] {
				c := b.(*message.ToolCall)
				calls = append(calls, strings.Split(c.ID, "|")[0]+" "+c.Name+" "+string(c.Arguments))
			}
			want := []string{`call_a read {"path":"a.go","n":1.0,"m":9007199254740993}`, "call_b ls {}"}
			if diff := cmp.Diff(want, calls); diff != "" {
				t.Error(diff)
			}
			if b := h.m.Content[0].(*message.Thinking); b.Thinking != say.Thinking || b.ThinkingSignature == "" {
				t.Errorf("thinking %+v", b)
			}
			if b := h.m.Content[1].(*message.TextBlock); b.Text != say.Text {
				t.Errorf("text %+v", b)
			}
			u := *h.m.Usage
			wantUsage := message.Usage{
				Input: 1e6, CacheRead: 2e6, Output: 5e5, Reasoning: 7, TotalTokens: 3.5e6,
				Cost: &message.Cost{Input: 2, CacheRead: 1, Output: 4, Total: 7},
			}
			if got, want := string(splitUsage(u)), string(splitUsage(wantUsage)); got != want {
				t.Errorf("usage\n got %s\nwant %s", got, want)
			}
			m := h.m
			got := []string{m.API, m.Provider, m.Model, m.ResponseID, m.ResponseModel, string(m.StopReason), fmt.Sprint(m.Timestamp)}
			wantMeta := []string{string(a.name), "local", "gpt-test", "id-1", "gpt-test-2026", "toolUse", fmt.Sprint(clock.UnixMilli())}
			if diff := cmp.Diff(wantMeta, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// splitUsage is the text of a usage, as a message holds it.
func splitUsage(u message.Usage) message.JSON {
	return message.Encode(&message.Assistant{Usage: &u})
}

func TestStopReasons(t *testing.T) {
	tests := []struct {
		stop      string
		want      message.StopReason
		cause     provider.Cause
		chat, res string
	}{
		{"stop", message.Stop, "", "stop", "completed"},
		{"length", message.Length, "", "length", "incomplete.max_output_tokens"},
		{"refusal", message.Error, provider.Refused, "content_filter", "incomplete.content_filter"},
	}
	for _, a := range apis() {
		for _, test := range tests {
			s := wiretest.New(t, wiretest.Answer(wiretest.Say{Text: "So far", Stop: test.stop}))
			h := ask(t, a.new(options()), a.request(s))
			raw := test.chat
			if a.protocol == wiretest.Responses {
				raw = test.res
			}
			if h.m.StopReason != test.want || h.m.RawStopReason != raw || cause(h.err) != test.cause || len(h.m.Content) != 1 {
				t.Errorf("%s, %s: got %q (%q), %v, content %d", a.name, test.stop, h.m.StopReason, h.m.RawStopReason, h.err, len(h.m.Content))
			}
		}
	}
}

func cause(err error) provider.Cause {
	if e, ok := err.(*provider.Error); ok {
		return e.Cause
	}
	if err != nil {
		return provider.Cause(err.Error())
	}
	return ""
}

// Many ask the same provider at once.
func TestConcurrent(t *testing.T) {
	for _, a := range apis() {
		s := wiretest.NewFunc(t, func(r wiretest.Request) wiretest.Reply { return wiretest.Answer(wiretest.Many(50)) })
		p := a.new(options())
		r := a.request(s)
		errs := make(chan error)
		for range 8 {
			go func() {
				m, err := p.Stream(context.Background(), r, nil)
				if err == nil && len(m.Content) != 1 {
					err = fmt.Errorf("content of %d blocks", len(m.Content))
				}
				errs <- err
			}()
		}
		for range 8 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	}
}
