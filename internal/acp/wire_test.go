package acp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/acp"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/splice"
	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
)

// serve has a server read a text, and returns what it answered, a line a message.
func (r *rig) serve(text string) []string {
	r.t.Helper()
	var out strings.Builder
	if err := acp.Serve(r.ctx, strings.NewReader(text), &out, r.opt); err != nil {
		r.t.Errorf("Serve: %v", err)
	}
	if out.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// answer returns the answer to the call with an id.
func answer(t *testing.T, lines []string, id string) jsontext.Value {
	t.Helper()
	for _, line := range lines {
		if got, ok := splice.Get(jsontext.Value(line), "id"); ok && string(got) == id {
			return jsontext.Value(line)
		}
	}
	t.Fatalf("no answer to %s in %q", id, lines)
	return nil
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}` + "\n"

func TestBadMessages(t *testing.T) {
	for _, c := range []struct{ name, line, id, want string }{
		{"no JSON", "hello", "null", "-32700"},
		{"half", `{"jsonrpc":"2.0","id":7,`, "null", "-32700"},
		{"a batch", `[{"jsonrpc":"2.0","id":7,"method":"initialize"}]`, "null", "-32600"},
		{"a number", `7`, "null", "-32600"},
		{"neither call nor answer", `{"jsonrpc":"2.0","id":7}`, "null", "-32600"},
		{"too long", `{"jsonrpc":"2.0","id":7,"method":"` + strings.Repeat("x", 11<<20) + `"}`, "null", "-32600"},
		{"unknown", `{"jsonrpc":"2.0","id":7,"method":"session/dance"}`, "7", "-32601"},
		{"without parameters", `{"jsonrpc":"2.0","id":7,"method":"session/new"}`, "7", "-32602"},
		{"parameters that are none", `{"jsonrpc":"2.0","id":7,"method":"session/new","params":[]}`, "7", "-32602"},
		{"of the wrong type", `{"jsonrpc":"2.0","id":"a","method":"session/new","params":{"cwd":7,"mcpServers":[]}}`, `"a"`, "-32602"},
		{"an option that is a truth", `{"jsonrpc":"2.0","id":7,"method":"session/set_config_option","params":{"sessionId":"x","configId":"mode","type":"boolean","value":true}}`, "7", "-32602"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			lines := r.serve(c.line + "\n\n" + initialize)
			fault, _ := splice.Get(answer(t, lines, c.id), "error")
			if got, _ := splice.Get(fault, "code"); string(got) != c.want {
				t.Errorf("answered %q", lines)
			}
			if _, ok := splice.Get(answer(t, lines, "1"), "result"); !ok || len(lines) != 2 {
				t.Errorf("then %q", lines)
			}
		})
	}
}

// Unknown notifications, and answers that nobody waits for, are passed over.
func TestNotificationsAreNotAnswered(t *testing.T) {
	r := newRig(t)
	r.opt.Log = func(line string) { t.Errorf("logged %q", line) }
	lines := r.serve(`{"jsonrpc":"2.0","method":"_who/knows"}` + "\n" + `{"jsonrpc":"2.0","method":"session/dance","params":{}}` + "\n" +
		`{"jsonrpc":"2.0","id":99,"result":{}}` + "\n" + `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"x"}}` + "\n" + initialize)
	if len(lines) != 1 {
		t.Errorf("answered %q", lines)
	}
}

// What came before the end of the input is answered.
func TestAnswersBeforeTheEnd(t *testing.T) {
	r := newRig(t)
	r.examples("pi")
	lines := r.serve(initialize + `{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}`)
	all, _ := splice.Path(answer(t, lines, "2"), "result", "sessions")
	if splice.Len(all) != 2 {
		t.Errorf("answered %q", lines)
	}
}

// A cancellation right behind a prompt is not lost.
func TestCancelRightBehind(t *testing.T) {
	for range 20 {
		r := newRig(t, wiretest.Reply{Say: &wiretest.Say{Text: "too late"}, Always: true})
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			err := acp.Serve(r.ctx, in, out, r.opt)
			_ = out.Close()
			ended <- err
		}()
		lines := bufio.NewScanner(fromServer)
		fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", r.dir)
		lines.Scan()
		id, _ := splice.Path(jsontext.Value(lines.Bytes()), "result", "sessionId")
		session := string(id)
		go fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":%s,"prompt":[{"type":"text","text":"hi"}]}}`+"\n"+
			`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%s}}`+"\n", session, session)
		for lines.Scan() {
			line := jsontext.Value(lines.Bytes())
			if n, ok := splice.Get(line, "id"); ok && string(n) == "2" {
				if got, _ := splice.Path(line, "result", "stopReason"); string(got) != `"cancelled"` {
					t.Fatalf("answered %s", line)
				}
				break
			}
		}
		_ = toServer.Close()
		for lines.Scan() {
			_ = lines.Bytes()
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

// A client that reads nothing can still end the turn by going away, and nothing
// waits for it.
func TestClientThatDoesNotRead(t *testing.T) {
	text := strings.Repeat("a long answer that nobody reads. ", 4000)
	r := newRig(t, wiretest.Answer(wiretest.Say{Text: text}))
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- acp.Serve(r.ctx, in, out, r.opt) }()
	lines := bufio.NewReader(fromServer)
	fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", r.dir)
	line, err := lines.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	id, _ := splice.Path(jsontext.Value(line), "result", "sessionId")
	fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":%s,"prompt":[{"type":"text","text":"hi"}]}}`+"\n", string(id))
	if _, err := lines.ReadBytes('\n'); err != nil { // the first word; then no more is read
		t.Fatal(err)
	}
	_ = toServer.Close()
	_ = fromServer.Close()
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if got := r.transcript(r.sessions()[0]); len(got) != 2 || got[0] != "user: hi" {
		t.Errorf("%d messages", len(got))
	}
}

// The server ends with its context, and saves.
func TestContextEnds(t *testing.T) {
	r := newRig(t, wiretest.Reply{Say: &wiretest.Say{Text: "one two three four"}, Stall: true, Events: 4})
	ctx, stop := context.WithCancel(t.Context())
	r.ctx = ctx
	r.connect()
	id := r.begin().SessionId
	go func() { _, _ = r.say(id, "go") }()
	r.editor.until(t, func(u sdk.SessionUpdate) bool { return u.AgentMessageChunk != nil })
	stop()
	r.finished = true
	if err := <-r.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve: %v", err)
	}
	if got := r.transcript(r.sessions()[0]); len(got) != 2 || !strings.HasSuffix(got[1], "[aborted]") {
		t.Errorf("transcript %q", got)
	}
}
