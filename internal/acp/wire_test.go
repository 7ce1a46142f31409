package acp_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/acp"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	sdk "github.com/coder/acp-go-sdk"
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
func answer(t *testing.T, lines []string, id string) entry.JSON {
	t.Helper()
	for _, line := range lines {
		if got, ok := jsonedit.Get(entry.JSON(line), "id"); ok && string(got) == id {
			return entry.JSON(line)
		}
	}
	t.Fatalf("no answer to %s in %q", id, lines)
	return nil
}

// A pipe is a client that writes and reads lines.
type pipe struct {
	r     *rig
	in    io.WriteCloser
	out   *bufio.Scanner
	ended chan error
}

// pipe connects one; it hangs up when the test ends.
func (r *rig) pipe() *pipe {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	p := &pipe{r: r, in: toServer, out: bufio.NewScanner(fromServer), ended: make(chan error, 1)}
	p.out.Buffer(nil, 64<<20)
	go func() {
		err := acp.Serve(r.ctx, in, out, r.opt)
		_ = out.Close()
		p.ended <- err
	}()
	r.t.Cleanup(p.end)
	return p
}

// end hangs up and waits for the server.
func (p *pipe) end() {
	if p.ended == nil {
		return
	}
	_ = p.in.Close()
	for p.out.Scan() {
		_ = p.out.Bytes()
	}
	if err := <-p.ended; err != nil && !errors.Is(err, context.Canceled) {
		p.r.t.Errorf("Serve: %v", err)
	}
	p.ended = nil
}

// send writes a line.
func (p *pipe) send(format string, args ...any) {
	p.r.t.Helper()
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		p.r.t.Fatal(err)
	}
}

// read reads until a line is what is looked for, and returns it.
func (p *pipe) read(is func(entry.JSON) bool) entry.JSON {
	p.r.t.Helper()
	for p.out.Scan() {
		if line := entry.JSON(bytes.Clone(p.out.Bytes())); is(line) {
			return line
		}
	}
	p.r.t.Fatalf("the server has ended: %v", p.out.Err())
	return nil
}

// answer reads until the call with an id is answered.
func (p *pipe) answer(id string) entry.JSON {
	p.r.t.Helper()
	return p.read(func(line entry.JSON) bool {
		got, _ := jsonedit.Get(line, "id")
		_, asks := jsonedit.Get(line, "method")
		return string(got) == id && !asks
	})
}

// begin begins a session and returns its id as JSON.
func (p *pipe) begin() string {
	p.r.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, p.r.dir)
	id, _ := jsonedit.Path(p.answer("1"), "result", "sessionId")
	return string(id)
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
		{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"session/list"}`, "null", "-32600"},
		{"an id that is a truth", `{"jsonrpc":"2.0","id":true,"method":"session/list"}`, "null", "-32600"},
		{"a method and an error", `{"jsonrpc":"2.0","id":7,"method":"session/dance","error":"x"}`, "7", "-32601"},
		{"a version that is a number", `{"jsonrpc":2.0,"id":7,"method":"session/dance"}`, "7", "-32601"},
		{"no UTF-8", `{"jsonrpc":"2.0","id":"` + "\xff" + `","method":"session/dance"}`, "\"\uFFFD\"", "-32601"},
		{"without parameters", `{"jsonrpc":"2.0","id":7,"method":"session/new"}`, "7", "-32602"},
		{"parameters that are none", `{"jsonrpc":"2.0","id":7,"method":"session/new","params":[]}`, "7", "-32602"},
		{"of the wrong type", `{"jsonrpc":"2.0","id":"a","method":"session/new","params":{"cwd":7,"mcpServers":[]}}`, `"a"`, "-32602"},
		{"an option that is a truth", `{"jsonrpc":"2.0","id":7,"method":"session/set_config_option","params":{"sessionId":"x","configId":"mode","type":"boolean","value":true}}`, "7", "-32602"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			lines := r.serve(c.line + "\n\n" + initialize)
			fault, _ := jsonedit.Get(answer(t, lines, c.id), "error")
			if got, _ := jsonedit.Get(fault, "code"); string(got) != c.want {
				t.Errorf("answered %q", lines)
			}
			if _, ok := jsonedit.Get(answer(t, lines, "1"), "result"); !ok || len(lines) != 2 {
				t.Errorf("then %q", lines)
			}
		})
	}
}

// Unknown notifications, and answers that nobody waits for, are passed over.
func TestNotificationsAreNotAnswered(t *testing.T) {
	r := newRig(t)
	r.opt.Log = func(line string) { t.Errorf("logged %q", line) }
	lines := r.serve(`{"jsonrpc":"2.0","method":"_who/knows"}` + "\n" + `{"jsonrpc":"2.0","method":"session/new","params":{"cwd":"/","mcpServers":[]}}` + "\n" +
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what"}}` + "\n" + `{"jsonrpc":"2.0","id":98,"error":"what"}` + "\n" +
		`{"jsonrpc":"2.0","method":"session/cancel","params":7}` + "\n" + `{"jsonrpc":"2.0","method":"session/dance","params":{}}` + "\n" +
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
	all, _ := jsonedit.Path(answer(t, lines, "2"), "result", "sessions")
	if jsonedit.Len(all) != 2 {
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
		id, _ := jsonedit.Path(entry.JSON(lines.Bytes()), "result", "sessionId")
		session := string(id)
		go fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":%s,"prompt":[{"type":"text","text":"hi"}]}}`+"\n"+
			`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%s}}`+"\n", session, session)
		for lines.Scan() {
			line := entry.JSON(lines.Bytes())
			if n, ok := jsonedit.Get(line, "id"); ok && string(n) == "2" {
				if got, _ := jsonedit.Path(line, "result", "stopReason"); string(got) != `"cancelled"` {
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
	id, _ := jsonedit.Path(entry.JSON(line), "result", "sessionId")
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

// However many cancellations come, and whatever else without an id: the next call is
// done, and a turn can be stopped.
func TestManyNotifications(t *testing.T) {
	r := newRig(t, wiretest.Reply{Say: &wiretest.Say{Text: "one two three four"}, Stall: true, Events: 4}, wiretest.Text("well"))
	p := r.pipe()
	id := p.begin()
	p.send(`{"jsonrpc":"2.0","method":"session/prompt","params":{"sessionId":%s,"prompt":[{"type":"text","text":"no call"}]}}`, id)
	p.send("%s", strings.Repeat(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":`+id+"}}\n", 5000))
	p.send(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":%s,"prompt":[{"type":"text","text":"hi"}]}}`, id)
	p.read(func(line entry.JSON) bool { return strings.Contains(string(line), "agent_message_chunk") })
	p.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%s}}`, id)
	if x := p.answer("2"); !strings.Contains(string(x), `"cancelled"`) {
		t.Errorf("answered %s", x)
	}
	if n := len(r.wire.Requests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	p.send(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":%s,"prompt":[{"type":"text","text":"again"}]}}`, id)
	if x := p.answer("3"); !strings.Contains(string(x), `"end_turn"`) {
		t.Errorf("answered %s", x)
	}
}

// A prompt that cannot be read leaves nothing behind that a cancellation would stop.
func TestPromptThatCannotBeRead(t *testing.T) {
	r := newRig(t, wiretest.Reply{Say: &wiretest.Say{Text: "one two three four"}, Stall: true, Events: 4}, wiretest.Text("well"))
	p := r.pipe()
	id := p.begin()
	p.send(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":%s,"prompt":"hi"}}`, id)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"x","sessionId":%s,"prompt":[]}}`, id)
	p.answer("2")
	p.answer("2")
	p.send(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":%s,"prompt":[{"type":"text","text":"hi"}]}}`, id)
	p.read(func(line entry.JSON) bool { return strings.Contains(string(line), "agent_message_chunk") })
	p.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%s}}`, id)
	p.answer("3")
	p.send(`{"jsonrpc":"2.0","id":4,"method":"session/prompt","params":{"sessionId":%s,"prompt":[{"type":"text","text":"again"}]}}`, id)
	if x := p.answer("4"); !strings.Contains(string(x), `"end_turn"`) {
		t.Errorf("answered %s", x)
	}
}

// Whatever an editor answers to a question, the turn goes on or ends.
func TestOddAnswers(t *testing.T) {
	for _, odd := range []string{
		`"error":"no"`, `"error":7`, `"error":{"code":"x"}`, `"error":{"code":1.5,"message":7}`, `"error":{"code":-32601,"message":"no such method","data":[1]}`, `"error":null`,
		`"result":7`, `"result":null`, `"result":{}`, `"result":{"outcome":{"outcome":"selected"}}`, `"result":{"outcome":{"outcome":"dance"}}`,
		`"result":{"outcome":{"outcome":"selected","optionId":"reject_always"}}`,
	} {
		t.Run(odd, func(t *testing.T) {
			r := newRig(t, wiretest.Calling(wiretest.Call{ID: "a", Name: "bash", Arguments: `{"command":"touch x"}`}), wiretest.Reply{Say: &wiretest.Say{Text: "well"}, Always: true})
			p := r.pipe()
			id := p.begin()
			p.send(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":%s,"prompt":[{"type":"text","text":"hi"}]}}`, id)
			ask := p.read(func(line entry.JSON) bool { return strings.Contains(string(line), "session/request_permission") })
			asked, _ := jsonedit.Get(ask, "id")
			p.send(`{"jsonrpc":"2.0","id":%s,%s}`, asked, odd)
			want := `"end_turn"`
			if strings.Contains(odd, "dance") { // what is no choice is none
				want = `"cancelled"`
			}
			if x := p.answer("2"); !strings.Contains(string(x), want) {
				t.Errorf("answered %s", x)
			}
			if _, err := os.Stat(filepath.Join(r.dir, "x")); err == nil {
				t.Error("it was run")
			}
		})
	}
}

// An option whose value is a text is set, whatever type the client says it is of.
func TestOptionOfAnotherType(t *testing.T) {
	r := newRig(t)
	p := r.pipe()
	id := p.begin()
	p.send(`{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":%s,"configId":"mode","type":"one_day","value":"plan"}}`, id)
	if x := p.answer("2"); !strings.Contains(string(x), `"currentValue":"plan"`) {
		t.Errorf("answered %s", x)
	}
}
