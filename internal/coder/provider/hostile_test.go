package provider_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/provider/anthropic"
	"github.com/cambium-dev/cambium/internal/coder/provider/openai"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// speaker is a protocol with the provider that speaks it.
type speaker struct {
	wire wiretest.Protocol
	api  model.API
	new  func(http.RoundTripper, provider.Limits) provider.Provider
}

func speakers() []speaker {
	return []speaker{
		{wiretest.Anthropic, model.Anthropic, func(t http.RoundTripper, l provider.Limits) provider.Provider {
			return anthropic.New(anthropic.Options{Transport: t, Limits: l})
		}},
		{wiretest.Chat, model.OpenAIChat, func(t http.RoundTripper, l provider.Limits) provider.Provider {
			return openai.NewChat(openai.Options{Transport: t, Limits: l})
		}},
		{wiretest.Responses, model.OpenAIResponses, func(t http.RoundTripper, l provider.Limits) provider.Provider {
			return openai.NewResponses(openai.Options{Transport: t, Limits: l})
		}},
	}
}

func (s speaker) request(url string) provider.Request {
	if s.wire != wiretest.Anthropic {
		url += "/v1"
	}
	m := model.Model{Provider: "local", ID: "m", API: s.api, BaseURL: url, Price: model.Price{Input: 3, Output: 15, CacheRead: 1, CacheWrite: 4}}
	return provider.Request{Model: m, Key: "sk-the-secret", Messages: []message.JSON{message.JSON(`{"role":"user","content":"hi"}`)}}
}

// hear asks once over a reply, and checks what holds of every answer: an error
// has a name, and the message is one line of JSON of a bounded length that can be
// sent again.
func (s speaker) hear(t *testing.T, reply wiretest.Reply, l provider.Limits) (*message.Assistant, *provider.Error) {
	t.Helper()
	r := s.request(wiretest.New(t, reply).URL)
	m, err := s.new(nil, l).Stream(t.Context(), r, nil)
	return m, sound(t, r, m, err)
}

func sound(t *testing.T, r provider.Request, m *message.Assistant, err error) *provider.Error {
	t.Helper()
	var e *provider.Error
	if m == nil || err != nil && (!errors.As(err, &e) || e.Cause == "") {
		t.Fatalf("message %v, error %v", m, err)
	}
	line := message.Encode(m)
	if !jsontext.Value(line).IsValid(jsontext.AllowInvalidUTF8(true)) || bytes.ContainsAny(line, "\r\n") {
		t.Errorf("not a line of JSON: %.200q", line)
	}
	if most := 2 << 20; err != nil && len(line) > most || len(line) > 2*provider.MaxAnswer {
		t.Errorf("%d bytes are kept of an answer that failed: %v", len(line), err)
	}
	r.Messages = append(r.Messages, line)
	if _, err := provider.Turns(r, provider.Shape{}); err != nil {
		t.Error(err)
	}
	for _, v := range []float64{m.Usage.Input, m.Usage.Output, m.Usage.TotalTokens, m.Usage.Cost.Total} {
		if !(v >= 0 && v < 1e13) {
			t.Errorf("usage %+v, cost %+v", m.Usage, m.Usage.Cost)
		}
	}
	return e
}

// endless is a stream of one beginning and more for ever.
func endless(p wiretest.Protocol, begin []wiretest.Piece, again func(n int64) []wiretest.Piece) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, piece := range begin {
			if !yield(piece.In(p)) {
				return
			}
		}
		var before []wiretest.Piece
		var sent [][]byte // what before looks like
		for n := int64(0); ; n++ {
			if pieces := again(n); !slices.Equal(pieces, before) {
				before, sent = pieces, nil
				for _, piece := range pieces {
					sent = append(sent, piece.In(p))
				}
			}
			for _, piece := range sent {
				if !yield(piece) {
					return
				}
			}
		}
	}
}

func always(p ...wiretest.Piece) func(int64) []wiretest.Piece {
	return func(int64) []wiretest.Piece { return p }
}

// What never ends is given up, with an error that says so.
func TestEndless(t *testing.T) {
	long := strings.Repeat("again and ", 100_000)
	start := wiretest.Piece{Begin: true}
	tests := []struct {
		name  string
		begin []wiretest.Piece
		again func(int64) []wiretest.Piece
	}{
		{"text", []wiretest.Piece{start, {Open: true}}, always(wiretest.Piece{Text: long})},
		{"reasoning", []wiretest.Piece{start, {Open: true, Thinking: "a"}}, always(wiretest.Piece{Thinking: long})},
		{"arguments", []wiretest.Piece{start, {Open: true, ID: "a", Name: "bash", Input: `{"command":"`}}, always(wiretest.Piece{Input: long})},
		{"calls", []wiretest.Piece{start}, func(n int64) []wiretest.Piece {
			id := "call" + strconv.FormatInt(n, 10)
			return []wiretest.Piece{{Index: n, Open: true, ID: id, Name: "bash"}, {Index: n, Input: "{}"}, {Index: n, Close: true}}
		}},
		{"calls of one id", []wiretest.Piece{start}, func(n int64) []wiretest.Piece {
			return []wiretest.Piece{{Index: n, Open: true, ID: "a", Name: "bash"}, {Index: n, Input: "{"}}
		}},
		{"calls of long names", []wiretest.Piece{start}, func(n int64) []wiretest.Piece {
			return []wiretest.Piece{{Index: n, Open: true, ID: long + strconv.FormatInt(n, 10), Name: long, Input: "{"}}
		}},
		{"blocks far apart", []wiretest.Piece{start}, func(n int64) []wiretest.Piece {
			return []wiretest.Piece{{Index: n << 31, Open: true, Text: "a"}, {Index: n << 31, Open: true, Thinking: "b"}}
		}},
	}
	for _, s := range speakers() {
		for _, test := range tests {
			t.Run(string(s.wire)+" "+test.name, func(t *testing.T) {
				m, e := s.hear(t, wiretest.Reply{Flow: endless(s.wire, test.begin, test.again)}, provider.Limits{Total: 96 << 20})
				if e == nil || e.Cause != provider.Malformed || !strings.Contains(e.Error(), "the answer does not end") {
					t.Fatalf("%v, %.200s", e, message.Encode(m))
				}
				if text := message.Text(m); test.name == "text" && !strings.HasPrefix(text, "again and again") {
					t.Errorf("what came is not kept: %.200q", text)
				}
			})
		}
	}
}

// What is no answer is bounded where it comes in.
func TestFlood(t *testing.T) {
	forever := func(piece string) iter.Seq[[]byte] {
		whole := []byte(strings.Repeat(piece, max(1, 64<<10/len(piece))))
		return func(yield func([]byte) bool) {
			for yield(whole) {
			}
		}
	}
	small := provider.Limits{Total: 8 << 20, Event: 1 << 20}
	tests := []struct {
		name, piece, want string
		reply             wiretest.Reply
	}{
		{name: "a line without end", piece: "data: aaaa", want: "longer than can be read"},
		{name: "data without end", piece: "data: aaaa\n", want: "longer than can be read"},
		{name: "fields nobody knows", piece: "what: aaaa\r\n", want: "longer than can be read"},
		{name: "comments", piece: ": nothing\n\n", want: "does not end"},
		{name: "empty lines", piece: "\r\n", want: "does not end"},
		{name: "kinds nobody knows", piece: "data: {\"type\":\"what\"}\n\n", want: "does not end"},
		{name: "blocks never begun", piece: "data: {\"type\":\"content_block_delta\",\"index\":2147483648,\"output_index\":2147483648,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n", want: "does not end"},
		{name: "a page", piece: "<p>", want: "malformed", reply: wiretest.Reply{Header: wiretest.Header{"Content-Type": "text/html"}}},
		{name: "an error", piece: "\x1b]0;a\x07", want: "busy (503)", reply: wiretest.Reply{Status: 503}},
		{name: "a redirect", piece: "aaaa", want: "refused (302)", reply: wiretest.Reply{Status: 302}},
	}
	for _, s := range speakers() {
		for _, test := range tests {
			t.Run(string(s.wire)+" "+test.name, func(t *testing.T) {
				test.reply.Flow = forever(test.piece)
				_, e := s.hear(t, test.reply, small)
				if e == nil || !strings.Contains(e.Error(), test.want) || strings.ContainsAny(e.Error(), "\x1b\x07") || len(e.Error()) > 2000 {
					t.Errorf("%.300v", e)
				}
			})
		}
	}
}

// One event may hold many blocks.
func TestManyInOneEvent(t *testing.T) {
	call := `{"id":"%","function":{"name":"bash","arguments":"{"}}`
	item := `{"type":"function_call","call_id":"%","name":"bash","arguments":"{}"}`
	list := func(one string) string {
		var b strings.Builder
		for i := range 20_000 {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strings.ReplaceAll(one, "%", strconv.Itoa(i)))
		}
		return b.String()
	}
	streams := map[wiretest.Protocol]string{
		wiretest.Chat:      `{"choices":[{"index":0,"delta":{"tool_calls":[` + list(call) + `]}}]}`,
		wiretest.Responses: `{"type":"response.completed","response":{"output":[` + list(item) + `]}}`,
	}
	for _, s := range speakers()[1:] {
		for _, reply := range []wiretest.Reply{
			{Raw: []byte("data: " + streams[s.wire] + "\n\n")},
			{Body: jsontext.Value(streams[s.wire])}, // not streamed
		} {
			if _, e := s.hear(t, reply, provider.Limits{}); e == nil || e.Cause != provider.Malformed {
				t.Errorf("%s: %v", s.wire, e)
			}
		}
	}
}

// A call is run as it was sent, or not at all.
func TestHostileArguments(t *testing.T) {
	tests := []struct {
		name, input string
		whole       bool
	}{
		{"an object", `{"a":{"b":[1,"{["]},"c":"\ud800"}`, true},
		{"a number of a million digits", `{"a":` + strings.Repeat("9", 1_000_000) + `}`, true},
		{"deep enough", strings.Repeat(`{"a":`, 128) + "1" + strings.Repeat("}", 128), true},
		{"a name twice", `{"command":"ls","command":"rm -rf ."}`, false},
		{"a name twice, spelt otherwise", `{"command":"ls","\u0063ommand":"rm -rf ."}`, false},
		{"a name twice, below", `{"a":[{"b":{"c":1,"c":2}}]}`, false},
		{"too deep", strings.Repeat(`{"a":`, 129) + "1" + strings.Repeat("}", 129), false},
		{"far too deep", strings.Repeat(`{"a":`, 100_000), false},
		{"a million lists", strings.Repeat(`[`, 1_000_000), false},
		{"not whole", `{"command":"rm -rf /tmp/x`, false},
		{"more behind", `{"command":"ls"} {"command":"rm"}`, false},
		{"a list", `["ls"]`, false},
		{"NUL", "{\"command\":\"a\x00b\"}", false},
	}
	for _, s := range speakers() {
		for _, test := range tests {
			t.Run(string(s.wire)+" "+test.name, func(t *testing.T) {
				var b bytes.Buffer
				for _, p := range []wiretest.Piece{
					{Begin: true}, {Open: true, ID: "a", Name: "bash"}, {Input: test.input}, {Close: true}, {End: true},
				} {
					b.Write(p.In(s.wire))
				}
				m, e := s.hear(t, wiretest.Reply{Raw: b.Bytes()}, provider.Limits{})
				if e != nil || len(message.ToolCalls(m)) != 1 {
					t.Fatalf("%v, %.200s", e, message.Encode(m))
				}
				call := message.ToolCalls(m)[0]
				if _, bad := provider.MalformedArguments(call); bad == test.whole {
					t.Errorf("%.200s", call.Arguments)
				}
				if test.whole && string(call.Arguments) != test.input {
					t.Errorf("sent %.200s, kept %.200s", test.input, call.Arguments)
				}
			})
		}
	}
}

// A call that the answer ends in the middle of is not made of what came.
func TestCallThatNeverEnds(t *testing.T) {
	s := speakers()[0]
	for _, pieces := range [][]wiretest.Piece{
		{{Begin: true}, {Open: true, ID: "a", Name: "ls"}, {End: true}},
		{{Begin: true}, {Open: true, ID: "a", Name: "ls"}, {Open: true, ID: "b", Name: "ls"}, {Close: true}, {End: true}},
	} {
		var b bytes.Buffer
		for _, p := range pieces {
			b.Write(p.In(s.wire))
		}
		m, e := s.hear(t, wiretest.Reply{Raw: b.Bytes()}, provider.Limits{})
		if e == nil || e.Cause != provider.Malformed || len(message.ToolCalls(m)) == len(pieces)-2 {
			t.Errorf("%v, %s", e, message.Encode(m))
		}
	}
}

// Ids and names of calls are such that the rest can work with them.
func TestHostileNames(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, s := range speakers() {
		var b bytes.Buffer
		b.Write(wiretest.Piece{Begin: true}.In(s.wire))
		for i, p := range []wiretest.Piece{
			{ID: "same", Name: "ls"}, {ID: "", Name: "\x1b]0;a\x07\x00"}, {ID: long, Name: long}, {ID: long, Name: "ls"}, {ID: "same", Name: "bash"},
		} {
			p.Index, p.Open = int64(i), true
			b.Write(p.In(s.wire))
			b.Write(wiretest.Piece{Index: int64(i), Input: "{}"}.In(s.wire))
			b.Write(wiretest.Piece{Index: int64(i), Close: true}.In(s.wire))
		}
		b.Write(wiretest.Piece{End: true}.In(s.wire))
		m, e := s.hear(t, wiretest.Reply{Raw: b.Bytes()}, provider.Limits{})
		ids := map[string]bool{}
		for _, c := range message.ToolCalls(m) {
			if c.ID == "" || ids[c.ID] || len(c.ID) > 2048 || len(c.Name) > 300 {
				t.Errorf("%s: a call %.100q of the id %.100q", s.wire, c.Name, c.ID)
			}
			ids[c.ID] = true
		}
		if e != nil || len(ids) < 4 {
			t.Errorf("%s: %v, %d calls", s.wire, e, len(ids))
		}
	}
}

// Counts that cannot be cost nothing that cannot be.
func TestHostileUsage(t *testing.T) {
	for _, n := range []string{"-5", "1e308", "1e999", "-1e999", strings.Repeat("9", 100_000), `"NaN"`, "null", "[1]"} {
		for _, s := range speakers() {
			u := strings.ReplaceAll(`{"input_tokens":%,"output_tokens":%,"prompt_tokens":%,"completion_tokens":%,"total_tokens":%,"cache_read_input_tokens":%,"prompt_tokens_details":{"cached_tokens":%}}`, "%", n)
			stream := map[wiretest.Protocol]string{
				wiretest.Anthropic: "data: {\"type\":\"message_start\",\"message\":{\"usage\":" + u + "}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
				wiretest.Chat:      "data: {\"choices\":[{\"finish_reason\":\"stop\"}],\"usage\":" + u + "}\n\ndata: [DONE]\n\n",
				wiretest.Responses: "data: {\"type\":\"response.completed\",\"response\":{\"usage\":" + u + "}}\n\n",
			}[s.wire]
			if _, e := s.hear(t, wiretest.Reply{Raw: []byte(stream)}, provider.Limits{}); e != nil {
				t.Errorf("%s: %v", s.wire, e)
			}
		}
	}
}

// A server's own blocks are kept only where a session with them can be read.
func TestDeepServerBlock(t *testing.T) {
	deep := strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000)
	m, e := speakers()[0].hear(t, wiretest.Reply{Raw: []byte(
		"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"web_search_tool_result\",\"content\":" + deep + "}}\n\n" +
			"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"what\",\"stop_details\":{\"type\":" + deep + ",\"explanation\":\"" + strings.Repeat("a", 1<<20) + "\"}}}\n\n" +
			"data: {\"type\":\"message_stop\"}\n\n")}, provider.Limits{})
	if e != nil || len(message.Encode(m)) > 10_000 {
		t.Errorf("%v, %d bytes", e, len(message.Encode(m)))
	}
}

// packed is a gzip bomb.
func packed(t *testing.T, text string, times int) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for range times {
		if _, err := io.WriteString(z, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPackedAnswer(t *testing.T) {
	bomb := packed(t, strings.Repeat("data: {}\n\n", 1<<12), 400)
	line := packed(t, strings.Repeat("a", 1<<20), 20)
	for _, s := range speakers() {
		header := wiretest.Header{"Content-Encoding": "gzip"}
		if _, e := s.hear(t, wiretest.Reply{Raw: bomb, Header: header}, provider.Limits{Total: 1 << 20}); e == nil || !strings.Contains(e.Error(), "does not end") {
			t.Errorf("%s: %v", s.wire, e)
		}
		if _, e := s.hear(t, wiretest.Reply{Raw: line, Header: header}, provider.Limits{Event: 1 << 20}); e == nil || e.Cause != provider.Malformed {
			t.Errorf("%s: %v", s.wire, e)
		}
	}
}

// trickle says a byte a minute, for ever.
type trickle struct {
	text   string
	n      int
	closed chan struct{}
}

func (t *trickle) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Minute):
		t.n++
		p[0] = t.text[t.n%len(t.text)]
		return 1, nil
	case <-t.closed:
		return 0, errors.New("closed")
	}
}

func (t *trickle) Close() error {
	select {
	case <-t.closed:
	default:
		close(t.closed)
	}
	return nil
}

// answering answers every request with a body of a type.
type answering struct {
	status int
	kind   string
	body   io.ReadCloser
}

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.status, Header: http.Header{"Content-Type": {a.kind}}, Body: a.body, Request: r}, nil
}

func TestServerThatIsSilent(t *testing.T) {
	for _, s := range speakers() {
		for _, body := range []answering{{200, "text/event-stream", nil}, {200, "application/json", nil}, {500, "application/json", nil}} {
			synctest.Test(t, func(t *testing.T) {
				body.body = &trickle{text: "a", closed: make(chan struct{})}
				r := s.request("http://silent.example")
				m, err := s.new(body, provider.Limits{}).Stream(t.Context(), r, nil)
				e := sound(t, r, m, err)
				if body.kind == "application/json" && body.status == 200 && s.wire == wiretest.Anthropic {
					return // no stream, and not read
				}
				if e == nil || !e.Retry() || body.status == 200 && !strings.Contains(e.Error(), "silent for too long") {
					t.Errorf("%s %d %s: %v", s.wire, body.status, body.kind, e)
				}
			})
		}
	}
	silent := wiretest.Reply{Stream: []byte("data: {}\n\n"), Stall: true}
	for _, s := range speakers() {
		if _, e := s.hear(t, silent, provider.Limits{Silence: time.Millisecond}); e == nil || !e.Retry() {
			t.Errorf("%s: %v", s.wire, e)
		}
	}
}
