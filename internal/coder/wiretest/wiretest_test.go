package wiretest_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/go-json-experiment/json/jsontext"
)

func path(p wiretest.Protocol) string {
	switch p {
	case wiretest.Chat:
		return "/v1/chat/completions"
	case wiretest.Responses:
		return "/v1/responses"
	}
	return "/v1/messages"
}

// ask posts a body and returns what came back, with the error of reading it.
func ask(t *testing.T, s *wiretest.Server, p wiretest.Protocol, body string) (*http.Response, []byte, error) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Post(s.URL+path(p), "application/json", strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	defer r.Body.Close()
	got, err := io.ReadAll(r.Body)
	return r, got, err
}

func TestSayIsAStreamOfJSONInEveryProtocol(t *testing.T) {
	say := wiretest.Say{
		Thinking: "let me see", Redacted: "hidden", Text: "it is so",
		Calls: []wiretest.Call{{Name: "read", Arguments: `{"path":"a","n":12345678901234567890}`}, {ID: "x", Name: "ls"}},
		Usage: wiretest.Usage{Input: 3, Output: 4, CacheRead: 5, CacheWrite: 6, CacheWrite1h: 2, Reasoning: 1},
	}
	for _, p := range wiretest.Protocols() {
		t.Run(string(p), func(t *testing.T) {
			s := wiretest.New(t, wiretest.Answer(say))
			r, got, err := ask(t, s, p, `{"model":"m-1","stream_options":{"include_usage":true}}`)
			if err != nil || r.StatusCode != 200 {
				t.Fatalf("status %v, %v", r, err)
			}
			checkStream(t, got)
			for _, want := range []string{`{\"path`, `m-1`, `it `, `see`} {
				if !bytes.Contains(got, []byte(want)) {
					t.Errorf("the stream does not have %q:\n%s", want, got)
				}
			}
			if last := s.Last(); last.Protocol != p || !bytes.Contains(last.Body, []byte("m-1")) {
				t.Errorf("kept request %+v", last)
			}
		})
	}
}

// checkStream checks that each event's data is JSON.
func checkStream(t *testing.T, stream []byte) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(stream))
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok || string(data) == "[DONE]" {
			continue
		}
		n++
		if !jsontext.Value(data).IsValid() {
			t.Errorf("not JSON: %s", data)
		}
	}
	if n == 0 {
		t.Errorf("no event in %q", stream)
	}
}

func TestFilesAreServedAsTheyAreAndHaveASource(t *testing.T) {
	sources, err := os.ReadFile("testdata/SOURCES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range wiretest.Protocols() {
		names := wiretest.Files(p)
		if len(names) < 9 {
			t.Errorf("%s has %d files", p, len(names))
		}
		for _, name := range names {
			if !bytes.Contains(sources, []byte("`"+string(p)+"/"+name+".sse`")) {
				t.Errorf("SOURCES.md does not name %s/%s.sse", p, name)
			}
			want, err := wiretest.File(p, name)
			if err != nil {
				t.Fatal(err)
			}
			s := wiretest.New(t, wiretest.FromFile(name))
			_, got, err := ask(t, s, p, `{}`)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s/%s came as %d bytes, want %d: %v", p, name, len(got), len(want), err)
			}
			checkStream(t, got)
		}
	}
}

func TestFailures(t *testing.T) {
	for _, p := range wiretest.Protocols() {
		for _, f := range wiretest.Failures() {
			s := wiretest.New(t, wiretest.Failing(f), wiretest.Reply{Say: &wiretest.Say{Text: "one two"}, FailAfter: f, Events: 2})
			r, got, err := ask(t, s, p, `{}`)
			if err != nil || r.StatusCode < 400 || !jsontext.Value(got).IsValid() {
				t.Errorf("%s %s: %v %s %v", p, f, r.Status, got, err)
			}
			if _, got, _ = ask(t, s, p, `{}`); !bytes.Contains(got, []byte("message\":")) {
				t.Errorf("%s %s in the stream: %s", p, f, got)
			}
			checkStream(t, got)
		}
	}
}

func TestScriptMatchesAndIsUsedUp(t *testing.T) {
	script, err := wiretest.ParseScript([]byte(`
# a comment
{"say":{"text":"titled"},"match":"title","always":true}
{"say":{"calls":[{"name":"read","arguments":{"path":"a"}},{"name":"bad","arguments":"{\"pa"}],"usage":{"input":7}}}
{"fail":"overloaded"}
{"status":402,"header":{"X-Note":"pay"},"text":"no"}
{"file":"anthropic/basic","cut":"drop","bytes":40}
`))
	if err != nil {
		t.Fatal(err)
	}
	s := wiretest.New(t, script.Replies...)
	for i, want := range []string{"titled", `{\"path`, "Overloaded", "no"} {
		body := `{}`
		if i == 0 {
			body = `{"x":"a title"}`
		}
		if _, got, err := ask(t, s, wiretest.Anthropic, body); err != nil || !bytes.Contains(got, []byte(want)) {
			t.Errorf("answer %d: %s, %v; want %q", i, got, err, want)
		}
	}
	if _, got, err := ask(t, s, wiretest.Anthropic, `{}`); len(got) != 40 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the cut answer: %q, %v", got, err)
	}
	if _, got, _ := ask(t, s, wiretest.Anthropic, `{"title":1}`); !bytes.Contains(got, []byte("titled")) {
		t.Errorf("an answer for always: %s", got)
	}
	if _, err := wiretest.ParseScript([]byte(`{"sya":{}}`)); err == nil {
		t.Error("an unknown member is taken")
	}
}

func TestCuts(t *testing.T) {
	for _, cut := range []wiretest.Cut{wiretest.Clean, wiretest.Drop, wiretest.Reset} {
		reply := wiretest.Text("one two three")
		reply.Cut, reply.Events = cut, 4
		_, got, err := ask(t, wiretest.New(t, reply), wiretest.Anthropic, `{}`)
		if n := bytes.Count(got, []byte("event: ")); n > 4 || cut != wiretest.Reset && n != 4 {
			t.Errorf("%s: %d events before the cut", cut, n)
		}
		switch {
		case cut == wiretest.Clean && err != nil,
			cut == wiretest.Drop && !errors.Is(err, io.ErrUnexpectedEOF),
			cut == wiretest.Reset && !errors.Is(err, syscall.ECONNRESET):
			t.Errorf("%s: %v", cut, err)
		}
	}
}

func TestStallAndGate(t *testing.T) {
	release, gate := make(chan struct{}), make(chan struct{})
	stalled := wiretest.Text("one two")
	stalled.Stall, stalled.Events, stalled.Release = true, 3, release
	gated := wiretest.Text("one two")
	gated.Gate = gate
	s := wiretest.New(t, stalled, gated)
	arrived := s.Arrived(1)
	go func() {
		<-arrived
		close(release)
		gate <- struct{}{}
		close(gate)
	}()
	for range 2 {
		if _, got, err := ask(t, s, wiretest.Anthropic, `{}`); err != nil || !bytes.Contains(got, []byte("message_stop")) {
			t.Errorf("%s, %v", got, err)
		}
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	script := &wiretest.Script{Replies: []wiretest.Reply{wiretest.Text("served")}, Log: &log}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- wiretest.Serve(ctx, l, script) }()
	r, err := http.Post("http://"+l.Addr().String()+"/v1/messages", "application/json", strings.NewReader(`{"a": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || !bytes.Contains(got, []byte("served")) {
		t.Errorf("%s, %v", got, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if want := `{"path":"/v1/messages","body":{"a":1}}` + "\n"; log.String() != want {
		t.Errorf("log %q, want %q", log.String(), want)
	}
}
