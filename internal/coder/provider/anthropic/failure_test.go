package anthropic_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/provider/anthropic"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// fails asks and checks what every failure has in common.
func fails(t *testing.T, ctx context.Context, r provider.Request, tell func(provider.Event)) (*message.Assistant, *provider.Error) {
	t.Helper()
	m, err := rig(t).Stream(ctx, r, tell)
	var e *provider.Error
	if m == nil || !errors.As(err, &e) {
		t.Fatalf("message %v, error %v", m, err)
	}
	want := message.Error
	if e.Cause == provider.Stopped {
		want = message.Aborted
	}
	if m.StopReason != want || m.ErrorMessage != e.Error() || m.Usage == nil || m.Usage.Cost == nil || m.Content == nil {
		t.Errorf("the message of a failure: %s", message.Encode(m))
	}
	for text := err; text != nil; text = errors.Unwrap(text) {
		if strings.Contains(text.Error(), secret) {
			t.Errorf("%q tells the key", text)
		}
	}
	return m, e
}

func TestFailures(t *testing.T) {
	tests := []struct {
		failure wiretest.Failure
		status  int
		want    provider.Cause
		detail  string
	}{
		{wiretest.Overloaded, 529, provider.Busy, "Overloaded"},
		{wiretest.RateLimited, 429, provider.Busy, "rate limit"},
		{wiretest.Quota, 400, provider.Refused, "credit balance"},
		{wiretest.Unauthorized, 401, provider.Unauthorized, "invalid x-api-key: [key]"},
		{wiretest.Forbidden, 403, provider.Unauthorized, "permission"},
		{wiretest.NotFound, 404, provider.Refused, "model: no-such-model"},
		{wiretest.Timeout, 408, provider.Busy, "timed out"},
		{wiretest.TooLarge, 413, provider.Refused, "maximum allowed number of bytes"},
		{wiretest.Invalid, 400, provider.Refused, "at least one message"},
		{wiretest.Internal, 500, provider.Busy, "Internal server error"},
		{wiretest.Overflow, 400, provider.Overflow, "prompt is too long"},
		{wiretest.OverflowMax, 400, provider.Overflow, "exceed context limit"},
	}
	for _, tt := range tests {
		t.Run(string(tt.failure), func(t *testing.T) {
			s := wiretest.New(t, wiretest.Failing(tt.failure))
			m, e := fails(t, t.Context(), ask(s.URL), nil)
			if e.Cause != tt.want || e.Status != tt.status || !strings.Contains(e.Detail, tt.detail) || len(m.Content) != 0 {
				t.Errorf("%s %d %q", e.Cause, e.Status, e.Detail)
			}
			if n := len(s.Requests()); n != 1 {
				t.Errorf("asked %d times", n)
			}
			if want := tt.failure == wiretest.RateLimited; (e.RetryAfter == 7*time.Second) != want {
				t.Errorf("retry after %v", e.RetryAfter)
			}
		})
		t.Run(string(tt.failure)+" in the stream", func(t *testing.T) {
			reply := wiretest.Text("one two")
			reply.FailAfter, reply.Events = tt.failure, 4
			m, e := fails(t, t.Context(), ask(wiretest.New(t, reply).URL), nil)
			if e.Cause != tt.want || e.Status != 0 || message.Text(m) != "one " || m.Usage.Input != 10 {
				t.Errorf("%s %d, %s", e.Cause, e.Status, message.Encode(m))
			}
		})
	}
}

func TestOddAnswers(t *testing.T) {
	tests := []struct {
		name  string
		reply wiretest.Reply
		want  provider.Cause
	}{
		{"a page", wiretest.Reply{Header: wiretest.Header{"Content-Type": "text/html"}, Text: "<html>"}, provider.Malformed},
		{"json", wiretest.Reply{Body: jsontext.Value(`{"type":"message"}`)}, provider.Malformed},
		{"a redirect", wiretest.Reply{Status: 304}, provider.Refused},
		{"an error page", wiretest.Reply{Status: 502, Header: wiretest.Header{"Content-Type": "text/html"}, Text: "<h1>Bad gateway</h1>"}, provider.Busy},
		{"an error of 3 MB", wiretest.Reply{Status: 500, Text: strings.Repeat("x", 3<<20)}, provider.Busy},
		{"an empty error", wiretest.Reply{Status: 503}, provider.Busy},
		{"an empty stream", wiretest.Reply{Stream: []byte("\n\n")}, provider.Broken},
		{"no JSON", wiretest.Reply{Stream: []byte("event: message_start\ndata: {\"type\":\n\n")}, provider.Malformed},
		{"a bare error", wiretest.Reply{Stream: []byte("event: error\ndata: {\"type\":\"error\"}\n\n")}, provider.Busy},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, e := fails(t, t.Context(), ask(wiretest.New(t, tt.reply).URL), nil); e.Cause != tt.want || len(e.Error()) > 2000 {
				t.Errorf("%s: %v", e.Cause, e)
			}
		})
	}
}

// An answer that never ends is given up.
func TestEndlessAnswer(t *testing.T) {
	stream := "data: {\"type\":\"message_start\",\"message\":{}}\n\n" +
		"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n" +
		strings.Repeat("data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\""+
			strings.Repeat("again and ", provider.MaxAnswer/40)+"\"}}\n\n", 6)
	s := wiretest.New(t, wiretest.Reply{Raw: []byte(stream)})
	if m, e := fails(t, t.Context(), ask(s.URL), nil); e.Cause != provider.Malformed || !strings.Contains(e.Detail, "does not end") {
		t.Errorf("%v, %d bytes", e, len(message.Text(m)))
	}
}

func TestTheKeyDoesNotFollowARedirect(t *testing.T) {
	other := wiretest.New(t, wiretest.Reply{Say: &wiretest.Say{Text: "caught"}, Always: true})
	s := wiretest.New(t, wiretest.Reply{Status: 307, Header: wiretest.Header{"Location": other.URL + "/v1/messages"}})
	m, err := anthropic.New(anthropic.Options{}).Stream(t.Context(), ask(s.URL), nil)
	if m == nil || err == nil || len(other.Requests()) != 0 {
		t.Errorf("%v, %v, %d requests", m, err, len(other.Requests()))
	}
}

func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	if _, e := fails(t, t.Context(), ask(url), nil); e.Cause != provider.Unreachable || !strings.Contains(e.Error(), l.Addr().String()) {
		t.Errorf("%s: %v", e.Cause, e)
	}
	if _, e := fails(t, t.Context(), ask("http://["), nil); e.Cause == provider.Stopped {
		t.Errorf("%s: %v", e.Cause, e)
	}
}

// TestCutAnywhere cuts every file after every event, in every way.
func TestCutAnywhere(t *testing.T) {
	for _, name := range []string{"tool_use", "thinking", "web_search", "max_tokens"} {
		stream, err := wiretest.File(wiretest.Anthropic, name)
		if err != nil {
			t.Fatal(err)
		}
		events := strings.Count(string(stream), "event: ")
		for n := range events {
			cut := []wiretest.Cut{wiretest.Clean, wiretest.Drop, wiretest.Reset}[n%3]
			s := wiretest.New(t, wiretest.Reply{File: name, Cut: cut, Events: n})
			var calls int
			m, e := fails(t, t.Context(), ask(s.URL), func(e provider.Event) {
				if e.Kind == provider.CallEnd {
					calls++
				}
			})
			if e.Cause != provider.Broken || !e.Retry() {
				t.Errorf("%s %s after %d: %s", name, cut, n, e)
			}
			if got := len(message.ToolCalls(m)); got != calls {
				t.Errorf("%s %s after %d: %d calls of %d whole ones", name, cut, n, got, calls)
			}
			for _, c := range message.ToolCalls(m) {
				if _, bad := provider.MalformedArguments(c); bad && name != "max_tokens" {
					t.Errorf("%s after %d: a call that is not whole: %s", name, n, message.EncodeBlock(c))
				}
			}
		}
		for n := 1; n < len(stream); n += 97 {
			s := wiretest.New(t, wiretest.Reply{File: name, Cut: wiretest.Drop, Bytes: n})
			if _, e := fails(t, t.Context(), ask(s.URL), nil); e.Cause != provider.Broken {
				t.Errorf("%s after %d bytes: %s", name, n, e)
			}
		}
	}
}

func TestStopped(t *testing.T) {
	say := wiretest.Say{Thinking: "so", Text: "one two", Calls: []wiretest.Call{{Name: "ls", Arguments: `{"path":"somewhere"}`}}}
	for events := range 18 {
		s := wiretest.New(t, wiretest.Reply{Say: &say, Stall: true, Events: events})
		ctx, stop := context.WithCancelCause(t.Context())
		why := errors.New("enough")
		if events < 4 {
			arrived := s.Arrived(1)
			go func() { <-arrived; stop(why) }()
		}
		var last provider.Kind
		m, e := fails(t, ctx, ask(s.URL), func(e provider.Event) {
			last = e.Kind
			if events >= 4 && ctx.Err() != nil {
				t.Errorf("told %s after the end", e.Kind)
			}
			if e.Kind == provider.ThinkingDelta {
				stop(why)
			}
		})
		if e.Cause != provider.Stopped || e.Retry() || !errors.Is(e, why) {
			t.Errorf("after %d events: %v", events, e)
		}
		if len(message.ToolCalls(m)) > 0 && last != provider.CallEnd {
			t.Errorf("after %d events: a call that is not whole", events)
		}
		stop(nil)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, e := fails(t, ctx, ask("http://127.0.0.1:1"), nil); e.Cause != provider.Stopped {
		t.Errorf("before it began: %v", e)
	}
}

func TestStoppedKeepsWhatCame(t *testing.T) {
	say := wiretest.Say{Text: "one two", Calls: []wiretest.Call{{Name: "ls", Arguments: `{"path":"somewhere"}`}}}
	// Stopped in the middle of the arguments.
	s := wiretest.New(t, wiretest.Reply{Say: &say, Stall: true, Events: 9})
	ctx, stop := context.WithCancel(t.Context())
	m, _ := fails(t, ctx, ask(s.URL), func(e provider.Event) {
		if e.Kind == provider.CallDelta {
			stop()
		}
	})
	if message.Text(m) != "one two" || len(m.Content) != 1 {
		t.Errorf("%s", message.Encode(m))
	}
}

func TestSayIsUnderstood(t *testing.T) {
	s := wiretest.New(t, wiretest.Answer(wiretest.Say{
		Thinking: "hm hm", Signature: "s", Redacted: "r", Text: "t",
		Calls: []wiretest.Call{
			{ID: "a", Name: "n", Arguments: `{"z":12345678901234567890,"a":"\ud83d é","b":1.0}`},
			{ID: "b", Name: "n", Arguments: `{"path": "x`}, {ID: "c", Name: "n"},
		},
		Usage: wiretest.Usage{Input: 1e6, Output: 1e6, CacheRead: 1e6, CacheWrite: 1e6, CacheWrite1h: 4e5, Reasoning: 7},
	}))
	m, err := rig(t).Stream(t.Context(), ask(s.URL), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"role":"assistant","content":[{"type":"thinking","thinking":"hm hm","thinkingSignature":"s"},{"type":"redactedThinking","data":"r"},` +
		`{"type":"text","text":"t"},{"type":"toolCall","id":"a","name":"n","arguments":{"z":12345678901234567890,"a":"\ud83d é","b":1.0}},` +
		`{"type":"toolCall","id":"b","name":"n","arguments":{"$malformed":"{\"path\": \"x"}},{"type":"toolCall","id":"c","name":"n","arguments":{}}],` +
		`"api":"anthropic-messages","provider":"anthropic","model":"claude-test","responseId":"msg_01wiretest",` +
		`"usage":{"input":1000000,"output":1000000,"cacheRead":1000000,"cacheWrite":1000000,"cacheWrite1h":400000,"reasoning":7,"totalTokens":4000000,` +
		`"cost":{"input":3,"output":15,"cacheRead":0.3,"cacheWrite":4.65,"total":22.950000000000003}},"stopReason":"toolUse","rawStopReason":"tool_use","timestamp":1767323045000}`
	if got := string(message.Encode(m)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestEventsOverSeveralLines(t *testing.T) {
	stream := ": a comment\r\n" + `event: content_block_start
data: {"type":"content_block_start",
data: "index":0,"content_block":{"type":"server_tool_use",
data:   "id":"s"}}

data: {"type":"content_block_stop","index":0}

event: message_stop
data: {"type":"message_stop"}

`
	m, err := rig(t).Stream(t.Context(), ask(wiretest.New(t, wiretest.Reply{Raw: []byte(stream)}).URL), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(message.Encode(m)); !strings.Contains(got, `"block":{"type":"server_tool_use","id":"s"}`) || m.StopReason != message.Stop {
		t.Errorf("%s", got)
	}
}

func TestArgumentsThatComeWholeAreKept(t *testing.T) {
	stream := `event: message_start
data: {"type":"message_start","message":{"id":"m","model":"other"}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"ls","input":{"path":"a","n":1.0}}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":null}

event: message_stop
data: {"type":"message_stop"}

`
	m, err := rig(t).Stream(t.Context(), ask(wiretest.New(t, wiretest.Reply{Stream: []byte(stream)}).URL), nil)
	if err != nil {
		t.Fatal(err)
	}
	calls := message.ToolCalls(m)
	if len(calls) != 1 || string(calls[0].Arguments) != `{"path":"a","n":1.0}` || m.StopReason != message.ToolUse || m.ResponseModel != "other" {
		t.Errorf("%s", message.Encode(m))
	}
}

func BenchmarkTurnOf10000Events(b *testing.B) {
	const events = 10_000
	s := wiretest.New(b, wiretest.Reply{Say: ptr(wiretest.Many(events)), Always: true})
	p := rig(b)
	r := ask(s.URL)
	for b.Loop() {
		told := 0
		m, err := p.Stream(b.Context(), r, func(provider.Event) { told++ })
		if err != nil || told < events || len(message.Text(m)) != 5*events {
			b.Fatalf("%d events, %v", told, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
}

func ptr[T any](v T) *T { return &v }
