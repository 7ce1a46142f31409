package openai_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// What a provider refuses, before the stream and in it.
func TestFailures(t *testing.T) {
	tests := []struct {
		fail   wiretest.Failure
		cause  provider.Cause
		status int
		wait   time.Duration
		word   string
	}{
		{wiretest.Overloaded, provider.Busy, 503, 0, "overloaded"},
		{wiretest.RateLimited, provider.Busy, 429, 7 * time.Second, "Rate limit reached"},
		{wiretest.Quota, provider.Refused, 429, 0, "quota"},
		{wiretest.Unauthorized, provider.Unauthorized, 401, 0, "Incorrect API key provided: [key]"},
		{wiretest.Forbidden, provider.Unauthorized, 403, 0, "not supported"},
		{wiretest.NotFound, provider.Refused, 404, 0, "no-such-model"},
		{wiretest.Timeout, provider.Busy, 408, 0, "timed out"},
		{wiretest.TooLarge, provider.Refused, 413, 0, "too large"},
		{wiretest.Invalid, provider.Refused, 400, 0, "messages"},
		{wiretest.Internal, provider.Busy, 500, 0, "had an error"},
		{wiretest.Overflow, provider.Overflow, 400, 0, "context"},
		{wiretest.OverflowMax, provider.Overflow, 400, 0, "context"},
	}
	if len(tests) != len(wiretest.Failures()) {
		t.Errorf("%d of %d failures are tested", len(tests), len(wiretest.Failures()))
	}
	for _, a := range apis() {
		for _, test := range tests {
			s := wiretest.New(t, wiretest.Failing(test.fail),
				wiretest.Reply{Say: &wiretest.Say{Text: "Half of it"}, FailAfter: test.fail, Events: 6})
			p := a.new(options())
			h := ask(t, p, a.request(s))
			e := fault(t, h)
			if e.Cause != test.cause || e.Status != test.status || e.RetryAfter != test.wait || !strings.Contains(e.Detail, test.word) {
				t.Errorf("%s, %s: %+v", a.name, test.fail, e)
			}
			if e.Provider != "local" || e.Model != "gpt-test" || "http://"+e.Host != s.URL {
				t.Errorf("%s, %s: %q %q %q", a.name, test.fail, e.Provider, e.Model, e.Host)
			}
			if len(h.events) != 0 || len(h.m.Content) != 0 || h.m.ErrorMessage != e.Error() {
				t.Errorf("%s, %s: %s", a.name, test.fail, h.text())
			}
			if n := len(s.Requests()); n != 1 {
				t.Errorf("%s, %s: asked %d times", a.name, test.fail, n)
			}
			h = ask(t, p, a.request(s))
			e = fault(t, h)
			// Responses tell a code alone in the stream, and not always one.
			vague := a.protocol == wiretest.Responses && (test.fail == wiretest.TooLarge || test.fail == wiretest.Invalid)
			if e.Status != 0 || e.Cause != test.cause && !vague && (test.fail != wiretest.Forbidden || a.protocol == wiretest.Chat) {
				t.Errorf("%s, %s in the stream: %+v", a.name, test.fail, e)
			}
			if len(h.m.Content) != 1 {
				t.Errorf("%s, %s in the stream: %s", a.name, test.fail, h.text())
			}
		}
	}
}

func fault(t testing.TB, h heard) *provider.Error {
	t.Helper()
	var e *provider.Error
	if !errors.As(h.err, &e) {
		t.Fatalf("error %v", h.err)
	}
	return e
}

// What servers of one's own answer, in bodies of every shape.
func TestOtherServers(t *testing.T) {
	tests := []struct {
		name   string
		status int
		header http.Header
		body   string
		cause  provider.Cause
		detail string
	}{
		{"llama.cpp", 400, nil, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`,
			provider.Overflow, "the request exceeds the available context size, try increasing it"},
		{"llama.cpp loads", 503, nil, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, provider.Busy, "Loading model"},
		{"vLLM before 0.10", 400, nil, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.","type":"BadRequestError","param":null,"code":400}`,
			provider.Overflow, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens."},
		{"vLLM", 404, nil, "{\"error\":{\"message\":\"The model `m` does not exist.\",\"type\":\"NotFoundError\",\"param\":\"model\",\"code\":404}}",
			provider.Refused, "The model `m` does not exist."},
		{"Ollama", 404, nil, `{"error":{"message":"model \"m\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`,
			provider.Refused, `model "m" not found, try pulling it first`},
		{"Ollama overflow", 400, nil, `{"error":{"message":"the input length exceeds the context length","type":"invalid_request_error"}}`,
			provider.Overflow, "the input length exceeds the context length"},
		{"a text for an error", 400, nil, `{"error":"invalid model name"}`, provider.Refused, "invalid model name"},
		{"FastAPI", 404, nil, `{"detail":"Not Found"}`, provider.Refused, "Not Found"},
		{"a page", 502, nil, "<html>\r\n<h1>502 Bad Gateway</h1>\n</html>", provider.Busy, "<html> <h1>502 Bad Gateway</h1> </html>"},
		{"nothing", 500, nil, "", provider.Busy, "Internal Server Error"},
		{"null", 500, nil, `{"error":null}`, provider.Busy, "Internal Server Error"},
		{"conflict", 409, nil, `{"error":{"message":"Try again."}}`, provider.Busy, "Try again."},
		{"wait", 429, http.Header{"Retry-After-Ms": {"1500"}}, `{"error":{"message":"Slow down."}}`, provider.Busy, "Slow down."},
		{"a redirect", 307, http.Header{"Location": {"https://user:pass@other.example/v1/x?token=t"}}, "", provider.Refused, `it is to be asked at "https://other.example/v1/x"`},
		{"a page in place of an answer", 200, http.Header{"Content-Type": {"text/html; charset=utf-8"}}, "<html>Please log in.</html>", provider.Malformed, "the answer is a page (text/html)"},
		{"the key in a text", 401, nil, `Key ` + key + ` is unknown, token-0123456789 too`, provider.Unauthorized, "Key [key] is unknown, [key] too"},
	}
	for _, a := range apis() {
		for _, test := range tests {
			p := &reply{status: test.status, header: test.header, body: test.body}
			if p.header == nil {
				p.header = http.Header{}
			}
			o := options()
			o.Transport = p
			r := a.request(nil)
			r.Model.Headers = map[string]string{"X-Token": "token-0123456789"}
			e := fault(t, ask(t, a.new(o), r))
			if e.Cause != test.cause || e.Status != test.status || e.Detail != test.detail {
				t.Errorf("%s, %s: %+v", a.name, test.name, e)
			}
			if want := map[bool]time.Duration{true: 1500 * time.Millisecond}[test.header.Get("Retry-After-Ms") != ""]; e.RetryAfter != want {
				t.Errorf("%s, %s: wait %v", a.name, test.name, e.RetryAfter)
			}
			if len(p.bodies) != 1 {
				t.Errorf("%s, %s: asked %d times", a.name, test.name, len(p.bodies))
			}
		}
	}
}

// An answer that never ends is given up.
func TestEndlessAnswers(t *testing.T) {
	piece := strings.Repeat("again and ", provider.MaxAnswer/40)
	chunks := map[wiretest.Protocol]string{
		wiretest.Chat:      delta(`{"content":"` + piece + `"}`),
		wiretest.Responses: `{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"` + piece + `"}`,
	}
	for _, a := range apis() {
		body := strings.Repeat("data: "+chunks[a.protocol]+"\n\n", 6)
		o := options()
		o.Transport = &reply{body: body}
		h := heard{}
		h.m, h.err = a.new(o).Stream(t.Context(), a.request(nil), nil)
		if e := fault(t, h); e.Cause != provider.Malformed || !strings.Contains(e.Detail, "does not end") {
			t.Errorf("%s: %v", a.name, e)
		}
		if n := len(message.Text(h.m)); n == 0 || n > 20<<10 {
			t.Errorf("%s: %d bytes are kept", a.name, n)
		}
	}
}

// A stream that is cut anywhere is broken, and what had come is kept.
func TestCutStreams(t *testing.T) {
	say := &wiretest.Say{
		Thinking: "One two.", Text: "Three four.",
		Calls: []wiretest.Call{{ID: "a", Name: "read", Arguments: `{"path":"a.go"}`}, {ID: "b", Name: "read", Arguments: `{"path":"b.go"}`}},
	}
	for _, a := range apis() {
		whole := wiretest.New(t, wiretest.Reply{Say: say})
		if h := ask(t, a.new(options()), a.request(whole)); h.err != nil || len(h.m.Content) != 4 {
			t.Fatal(h.text())
		}
		for _, cut := range []wiretest.Cut{wiretest.Clean, wiretest.Drop, wiretest.Reset} {
			most := 0
			for n := 0; n < 60; n++ {
				s := wiretest.New(t, wiretest.Reply{Say: say, Cut: cut, Events: n})
				h := ask(t, a.new(options()), a.request(s))
				if h.err == nil {
					break // the last event has come
				}
				e := fault(t, h)
				if e.Cause != provider.Broken || !e.Retry() || h.m.StopReason != message.Error {
					t.Fatalf("%s, %s after %d: %+v", a.name, cut, n, e)
				}
				for _, b := range h.m.Content {
					if c, ok := b.(*message.ToolCall); ok && !strings.HasSuffix(string(c.Arguments), `.go"}`) {
						t.Errorf("%s, %s after %d: call with %s", a.name, cut, n, c.Arguments)
					}
				}
				most = max(most, len(h.m.Content))
			}
			if most < 4 {
				t.Errorf("%s, %s: at most %d blocks were kept", a.name, cut, most)
			}
		}
		for _, n := range []int{1, 50, 300} {
			s := wiretest.New(t, wiretest.Reply{Say: say, Cut: wiretest.Drop, Bytes: n})
			if e := fault(t, ask(t, a.new(options()), a.request(s))); e.Cause != provider.Broken {
				t.Errorf("%s, after %d bytes: %+v", a.name, n, e)
			}
		}
	}
}

// The caller stops before the answer, and in the middle of it.
func TestStopped(t *testing.T) {
	say := &wiretest.Say{Text: "One two three", Calls: []wiretest.Call{{Name: "read", Arguments: `{"path":"a.go"}`}}}
	for _, a := range apis() {
		for n := 0; n < 8; n++ {
			s := wiretest.New(t, wiretest.Reply{Say: say, Stall: true, Events: n})
			reason := errors.New("enough")
			ctx, because := context.WithCancelCause(t.Context())
			go func() {
				<-s.Arrived(1)
				if n == 0 {
					because(reason)
				}
			}()
			var h heard
			h.m, h.err = a.new(options()).Stream(ctx, a.request(s), func(e provider.Event) {
				h.events = append(h.events, e)
				if n > 0 && (e.Kind == provider.TextDelta || n < 6) {
					because(reason)
				}
			})
			because(nil)
			check(t, h)
			if e := fault(t, h); e.Cause != provider.Stopped || e.Retry() || h.m.StopReason != message.Aborted || !errors.Is(h.err, reason) {
				t.Errorf("%s after %d: %+v", a.name, n, e)
			}
			for _, b := range h.m.Content {
				if _, call := b.(*message.ToolCall); call {
					t.Errorf("%s after %d: a call was kept", a.name, n)
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		m, err := a.new(options()).Stream(ctx, a.request(nil), nil)
		if cause(err) != provider.Stopped || m == nil || m.StopReason != message.Aborted {
			t.Errorf("%s: %v", a.name, err)
		}
	}
}

// Of what has come already, nothing is told once the caller has stopped.
func TestNothingIsToldAfterTheStop(t *testing.T) {
	for _, a := range apis() {
		s := wiretest.New(t, wiretest.Answer(wiretest.Many(1000)))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var h heard
		h.m, h.err = a.new(options()).Stream(ctx, a.request(s), func(e provider.Event) {
			h.events = append(h.events, e)
			if e.Kind == provider.TextDelta {
				cancel()
			}
		})
		check(t, h)
		if len(h.events) != 3 || h.m.StopReason != message.Aborted || len(h.m.Content) != 1 {
			t.Errorf("%s: %d events, %s", a.name, len(h.events), h.m.StopReason)
		}
	}
}

// Addresses where nobody is, or that are none.
func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := "http://" + l.Addr().String()
	_ = l.Close()
	for _, a := range apis() {
		for at, want := range map[string]provider.Cause{
			gone + "/v1?key=" + key:       provider.Unreachable,
			"https://" + gone[7:] + "/v1": provider.Unreachable,
			"ftp://127.0.0.1/v1":          provider.Refused,
			"127.0.0.1:8080":              provider.Refused,
			"http://":                     provider.Refused,
			"http://[::1":                 provider.Refused,
		} {
			r := a.request(nil)
			r.Model.BaseURL = at
			h := ask(t, a.new(options()), r)
			if e := fault(t, h); e.Cause != want || h.m.StopReason != message.Error || len(h.events) > 0 {
				t.Errorf("%s, %s: %v", a.name, at, h.err)
			}
		}
		r := a.request(nil)
		r.Messages = []message.JSON{message.JSON(`[]`)}
		if e := fault(t, ask(t, a.new(options()), r)); e.Cause != provider.Refused || !errors.Is(e, message.ErrNotObject) {
			t.Errorf("%s: %v", a.name, e)
		}
	}
}

// Events that make no sense.
func TestMalformedStreams(t *testing.T) {
	for _, a := range apis() {
		for _, body := range []string{
			"data: {\"choices\":[\n\n", "data: nonsense\n\n", "data: []\n\n", "data: \"text\"\n\n",
			"data: " + strings.Repeat("[", 20_000) + "\n\n",
		} {
			s := wiretest.New(t, wiretest.Reply{Stream: []byte(body)})
			if e := fault(t, ask(t, a.new(options()), a.request(s))); e.Cause != provider.Malformed {
				t.Errorf("%s, %.20q: %+v", a.name, body, e)
			}
		}
		for _, body := range []string{"", "\n\n\n", ": nothing\n\n", "<html></html>"} {
			p := &reply{body: body}
			o := options()
			o.Transport = p
			if e := fault(t, ask(t, a.new(o), a.request(nil))); e.Cause != provider.Broken {
				t.Errorf("%s, %q: %+v", a.name, body, e)
			}
		}
	}
}

// bodies counts the bodies that are open.
type bodies struct {
	http.RoundTripper
	open *atomic.Int64
}

type body struct {
	io.ReadCloser
	open   *atomic.Int64
	closed atomic.Bool
}

func (b bodies) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		b.open.Add(1)
		res.Body = &body{ReadCloser: res.Body, open: b.open}
	}
	return res, err
}

func (b *body) Close() error {
	if !b.closed.Swap(true) {
		b.open.Add(-1)
	}
	return b.ReadCloser.Close()
}

// Nothing is left of a request, however it ended.
func TestNothingIsLeft(t *testing.T) {
	replies := []wiretest.Reply{
		wiretest.Text("Fine."),
		wiretest.Failing(wiretest.Overloaded),
		{Say: &wiretest.Say{Text: "Half"}, Cut: wiretest.Drop, Events: 2},
		{Say: &wiretest.Say{Text: "Half"}, FailAfter: wiretest.Internal, Events: 2},
		{Stream: []byte("data: nonsense\n\n")},
		{Body: jsontext.Value(`{"object":"response"}`)},
	}
	for _, a := range apis() {
		var open atomic.Int64
		o := options()
		wire := &http.Transport{}
		o.Transport = bodies{wire, &open}
		p := a.new(o)
		for i, reply := range replies {
			s := wiretest.New(t, reply)
			ask(t, p, a.request(s))
			if n := open.Load(); n != 0 {
				t.Errorf("%s: %d bodies are open after reply %d", a.name, n, i)
			}
		}
		wire.CloseIdleConnections()
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		for _, stack := range strings.Split(string(stacks), "\n\n")[1:] {
			if strings.Contains(stack, "provider/openai.") {
				t.Errorf("%s: a goroutine is left:\n%s", a.name, stack)
			}
		}
	}
}

// A connection serves one request after the other.
func TestConnectionsAreUsedAgain(t *testing.T) {
	for _, a := range apis() {
		s := wiretest.NewFunc(t, func(wiretest.Request) wiretest.Reply { return wiretest.Text("Fine.") })
		var dialled atomic.Int64
		o := options()
		var d net.Dialer
		o.Transport = &http.Transport{DialContext: func(ctx context.Context, network, at string) (net.Conn, error) {
			dialled.Add(1)
			return d.DialContext(ctx, network, at)
		}}
		p := a.new(o)
		for range 5 {
			if h := ask(t, p, a.request(s)); h.err != nil {
				t.Fatal(h.err)
			}
		}
		if n := dialled.Load(); n != 1 {
			t.Errorf("%s: %d connections for 5 requests", a.name, n)
		}
	}
}

// A turn of 10,000 events, over loopback: ns an event.
func BenchmarkStream(b *testing.B) {
	const events = 10_000
	for _, a := range apis() {
		b.Run(string(a.name), func(b *testing.B) {
			s := wiretest.NewFunc(b, func(wiretest.Request) wiretest.Reply { return wiretest.Answer(wiretest.Many(events)) })
			p := a.new(options())
			r := a.request(s)
			told := 0
			for b.Loop() {
				if _, err := p.Stream(b.Context(), r, func(provider.Event) { told++ }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(told), "ns/event")
		})
	}
}

// The same without the server and its connection: what reading takes alone.
func BenchmarkRead(b *testing.B) {
	const events = 10_000
	streams := []string{
		string(stream(strings.Split(strings.Repeat(delta(`{"content":"word "}`)+"\n", events)+finish("stop"), "\n")...)),
		strings.Repeat("event: response.output_text.delta\ndata: "+
			`{"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"word "}`+"\n\n", events) +
			`data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}` + "\n\n",
	}
	for i, a := range apis() {
		b.Run(string(a.name), func(b *testing.B) {
			o := options()
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(streams[i])), Request: r}, nil
			})
			p := a.new(o)
			told := 0
			for b.Loop() {
				if _, err := p.Stream(b.Context(), a.request(nil), func(provider.Event) { told++ }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(told), "ns/event")
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
