package rpc_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

// TestMalformed sends what is no proper call, and sees that each gets its error
// and that the process goes on.
func TestMalformed(t *testing.T) {
	c := start(t)
	tests := []struct{ name, line, want string }{
		{"no JSON", `{"jsonrpc":"2.0","id":1`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse message: unexpected end","data":{"byte":23}}}`},
		{"two values", `{} {}`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse message: unexpected byte after value","data":{"byte":3}}}`},
		{"scalar", `7`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: a message is an object"}}`},
		{"no method", `{"jsonrpc":"2.0","id":1}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: method is not a string"}}`},
		{"method is a number", `{"jsonrpc":"2.0","id":1,"method":1}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: method is not a string"}}`},
		{"no id and no method", `{"jsonrpc":"2.0"}`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: method is not a string"}}`},
		{"old version", `{"id":1,"method":"listAll"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: jsonrpc is not \"2.0\""}}`},
		{"id is an object", `{"jsonrpc":"2.0","id":{},"method":"listAll"}`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: id is neither a string nor a number nor null"}}`},
		{"params is a string", `{"jsonrpc":"2.0","id":1,"method":"listAll","params":"x"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: params is not an object"}}`},
		{"params by position", `{"jsonrpc":"2.0","id":1,"method":"listAll","params":["x"]}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"parameters are given by name, not by position"}}`},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"listNone"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no method is called \"listNone\"","data":{"method":"listNone"}}}`},
		{"unknown parameter", `{"jsonrpc":"2.0","id":1,"method":"listAll","params":{"cwd":"/w"}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"parameter \"cwd\": listAll does not take it","data":{"parameter":"cwd"}}}`},
		{"missing parameter", `{"jsonrpc":"2.0","id":1,"method":"open"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"parameter \"path\": missing","data":{"parameter":"path"}}}`},
		{"null for a needed parameter", `{"jsonrpc":"2.0","id":1,"method":"open","params":{"path":null}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"parameter \"path\": want a string","data":{"parameter":"path"}}}`},
		{"wrong type", `{"jsonrpc":"2.0","id":1,"method":"open","params":{"path":"/p","readOnly":"yes"}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"parameter \"readOnly\": want true or false","data":{"parameter":"readOnly"}}}`},
		{"missing handle", `{"jsonrpc":"2.0","id":1,"method":"getTree"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"parameter \"handle\": missing","data":{"parameter":"handle"}}}`},
		{"bad handle", `{"jsonrpc":"2.0","id":1,"method":"getTree","params":{"handle":"17"}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32007,"message":"no session is open as \"17\"","data":{"handle":"17"}}}`},
		{"empty batch", `[]`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: a batch without a message"}}`},
		{"batch of nonsense", `[1,{"jsonrpc":"2.0","method":"listNone"},{"jsonrpc":"2.0","id":2,"method":"x"}]`,
			`[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: a message is an object"}},` +
				`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no method is called \"x\"","data":{"method":"x"}}}]`},
		{"blank lines are no messages, CR is blank", "\r\n   \n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"listAll\",\"params\":null}\r",
			`{"jsonrpc":"2.0","id":1,"result":[]}`},
		{"further members", `{"jsonrpc":"2.0","id":1,"method":"listAll","trace":{"x":1}}`, `{"jsonrpc":"2.0","id":1,"result":[]}`},
		{"with the prefix", `{"jsonrpc":"2.0","id":1,"method":"session.listAll"}`, `{"jsonrpc":"2.0","id":1,"result":[]}`},
		{"cancelling what is not there", `{"jsonrpc":"2.0","id":1,"method":"$/cancel","params":{"id":99}}`, `{"jsonrpc":"2.0","id":1,"result":null}`},
		{"cancelling nothing", `{"jsonrpc":"2.0","id":1,"method":"$/cancel"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"parameter \"id\": missing","data":{"parameter":"id"}}}`},
	}
	for _, tt := range tests {
		c.send(tt.line)
		if got := string(c.answer()); got != tt.want {
			t.Errorf("%s: %s\n got %s\nwant %s", tt.name, tt.line, got, tt.want)
		}
	}
	if code := c.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestIDsAreEchoed(t *testing.T) {
	c := start(t)
	for _, id := range []string{
		`0`, `-1.50e+3`, `123456789012345678901234567890`, `""`, `"a\u0041\ud800\/"`, "\"\xff\"", `null`,
	} {
		c.send(`{"jsonrpc":"2.0", "id" :  ` + id + ` ,"method":"listAll"}`)
		if got, want := string(c.answer()), `{"jsonrpc":"2.0","id":`+id+`,"result":[]}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestCallsAhead sends calls on a handle before it is answered: handles are
// numbered in the order of the calls that open them.
func TestCallsAhead(t *testing.T) {
	c := start(t)
	lines := []string{
		`{"jsonrpc":"2.0","id":1,"method":"inMemory","params":{}}`,
		`{"jsonrpc":"2.0","id":2,"method":"open","params":{"path":"nowhere"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"appendCustomEntry","params":{"handle":"1","customType":"x"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"getEntries","params":{"handle":"2"}}`,
		`{"jsonrpc":"2.0","id":5,"method":"getEntries","params":{"handle":"1"}}`,
	}
	c.send("[" + strings.Join(lines, ",") + "]")
	var got []string
	for a := range jsonedit.Elements(c.answer()) {
		code, _ := jsonedit.Path(a, "error", "code")
		result, _ := jsonedit.Get(a, "result")
		got = append(got, fmt.Sprintf("%s %d", string(code), jsonedit.Len(result)))
	}
	if diff := cmp.Diff([]string{" 0", "-32001 0", " 0", "-32007 0", " 1"}, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if h := c.open("inMemory", `{}`); h != `"3"` {
		t.Errorf("third handle %s", h)
	}
	if event := string(c.told[0]); !strings.Contains(event, `"handle":"1","kind":"appended"`) {
		t.Errorf("after the batch: %s", event)
	}
}

func TestNotificationsAreNotAnswered(t *testing.T) {
	c := start(t)
	h := c.open("inMemory", `{}`)
	c.send(`{"jsonrpc":"2.0","method":"appendCustomEntry","params":{"handle":` + h + `,"customType":"x"}}`)
	c.send(`{"jsonrpc":"2.0","method":"appendCustomEntry","params":{"handle":"99","customType":"x"}}`)
	c.send(`{"jsonrpc":"2.0","method":"nothing"}`)
	c.send(`[{"jsonrpc":"2.0","method":"appendCustomEntry","params":{"handle":` + h + `,"customType":"y"}}]`)
	if got := c.on(h, "getEntries", ""); jsonedit.Len(got) != 2 {
		t.Errorf("entries %s", got)
	}
}

func TestBatchOfHundred(t *testing.T) {
	c := start(t)
	path := filepath.Join(c.home, "s.jsonl")
	h := c.open("open", `{"path":`+quoted(path)+`}`)
	var all []string
	for n := range 100 {
		all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"appendCustomEntry","params":{"handle":%s,"customType":"e","data":%d}}`, n, h, n))
	}
	c.send("[" + strings.Join(all, ",") + "]")
	got := c.answer()
	if jsonedit.Len(got) != 100 {
		t.Fatalf("%d answers", jsonedit.Len(got))
	}
	var ids []string
	for a := range jsonedit.Elements(got) {
		if id, _ := jsonedit.Get(a, "id"); string(id) != strconv.Itoa(len(ids)) {
			t.Errorf("answer %d has id %s", len(ids), id)
		}
		id, _ := jsonedit.Text(a, "result")
		ids = append(ids, id)
	}
	// In the order of the batch, each the child of the one before.
	o := c.options()
	o.ReadOnly = true
	s, err := session.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	branch, err := gathered(s.Branch(nil))
	if err != nil {
		t.Fatal(err)
	}
	var stored []string
	for n, e := range branch {
		stored = append(stored, e.ID)
		if data, _ := jsonedit.Get(e.Raw(), "data"); string(data) != strconv.Itoa(n) {
			t.Errorf("entry %d has data %s", n, data)
		}
	}
	if diff := cmp.Diff(ids, stored); diff != "" {
		t.Errorf("ids (-answered +stored):\n%s", diff)
	}
}

// TestHandlesInParallel has eight sessions written and read at once, all calls
// sent before any answer is read.
func TestHandlesInParallel(t *testing.T) {
	c := start(t)
	const sessions, calls = 8, 200
	handles, at := make([]string, sessions), map[string]int{}
	for i := range handles {
		handles[i] = c.open("open", `{"path":`+quoted(filepath.Join(c.home, fmt.Sprint(i)+".jsonl"))+`}`)
	}
	for n := range calls {
		for i, h := range handles {
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d %d","method":"appendCustomEntry","params":{"handle":%s,"customType":"e","data":[%d,%d]}}`, i, n, h, i, n))
		}
	}
	for range sessions * calls {
		id, _ := jsonedit.Text(c.answer(), "id")
		i, n, _ := strings.Cut(id, " ")
		if n != strconv.Itoa(at[i]) {
			t.Fatalf("session %s: answer %s came as number %d", i, n, at[i])
		}
		at[i]++
	}
	if code := c.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for i := range handles {
		lines := fileLines(t, filepath.Join(c.home, fmt.Sprint(i)+".jsonl"))
		if len(lines) != calls+1 {
			t.Errorf("session %d has %d lines", i, len(lines))
		}
		for n, line := range lines[1:] {
			if want := fmt.Sprintf(`"data":[%d,%d]`, i, n); !strings.Contains(line, want) {
				t.Errorf("session %d, entry %d: %s", i, n, line)
			}
		}
	}
}

func TestTwentyMegabyteLine(t *testing.T) {
	c := start(t)
	path := filepath.Join(c.home, "s.jsonl")
	h := c.open("open", `{"agent":"pi","path":`+quoted(path)+`}`)
	text := strings.Repeat(`\u00e9\"x`, 20<<20/9+1)
	message := `{"role":"user","content":"` + text + `"}`
	id := c.on(h, "appendMessage", `"message":`+message)
	got := c.on(h, "getEntry", `"id":`+string(id))
	if stored, _ := jsonedit.Get(got, "message"); string(stored) != message {
		t.Errorf("the message came back as %d bytes, sent were %d", len(stored), len(message))
	}
	if line := lastLine(t, path); string(line) != string(got) {
		t.Error("the stored line is another one")
	}
}

func TestEventsComeInOrder(t *testing.T) {
	c := start(t)
	path := c.write("s.jsonl", sample)
	h := c.open("open", `{"path":`+quoted(path)+`}`)
	id := c.on(h, "appendCustomEntry", `"customType":"x"`)
	c.on(h, "setSessionName", `"name":"other"`)
	// Another process appends; this one notices at its next append.
	appendTo(t, path, `{"type":"custom","customType":"theirs","id":"theirs01","parentId":"a3","timestamp":"2026-02-16T11:00:00.000Z"}`)
	mine := c.on(h, "appendCustomEntry", `"customType":"y"`)
	event := func(rest string) string {
		return `{"jsonrpc":"2.0","method":"session.event","params":{"handle":` + h + `,` + rest + `}}`
	}
	want := []string{
		event(`"kind":"tips","ids":["l1"]`), // right after the answer that tells the handle
		event(`"kind":"appended","ids":[` + string(id) + `],"foreign":false`),
		event(`"kind":"renamed","foreign":false,"title":"other"`),
		event(`"kind":"busy","foreign":false,"text":"another process writes this session: what each appends is a branch of its own"`),
		event(`"kind":"appended","ids":["theirs01"],"foreign":true`),
		event(`"kind":"appended","ids":[` + string(mine) + `],"foreign":false`),
	}
	var got []string
	for _, m := range c.told {
		got = append(got, string(m))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func appendTo(t *testing.T, path, line string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, line+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFollow sees that what others append is told without a call.
func TestFollow(t *testing.T) {
	c := start(t, "CAMBIUM_RPC_TEST_POLL=1")
	for _, mode := range []string{"true", "false"} {
		path := c.write("s"+mode+".jsonl", sample)
		c.open("open", `{"readOnly":`+mode+`,"path":`+quoted(path)+`}`)
		appendTo(t, path, `{"type":"custom","customType":"theirs","id":"their`+mode+`","parentId":"a3","timestamp":"2026-02-16T11:00:00.000Z"}`)
		for m := ""; !strings.Contains(m, `"kind":"appended","ids":["their`+mode+`"],"foreign":true`); {
			m = string(c.read())
		}
	}
}

func TestCancel(t *testing.T) {
	c := start(t)
	path := c.write("s.jsonl", sample)
	h := c.open("open", `{"path":`+quoted(path)+`}`)
	// The first call keeps the handle busy; the others wait behind it and are
	// cancelled there, all in one piece of input.
	big := strings.Repeat("x", 4<<20)
	lines := []string{
		`{"jsonrpc":"2.0","id":"first","method":"appendCustomEntry","params":{"handle":` + h + `,"customType":"` + big + `"}}`,
		`{"jsonrpc":"2.0","id":"second","method":"appendCustomEntry","params":{"handle":` + h + `,"customType":"never"}}`,
		`{"jsonrpc":"2.0","id":"third","method":"getLeafId","params":{"handle":` + h + `}}`,
		`{"jsonrpc":"2.0","method":"$/cancel","params":{"id":"second"}}`,
		`{"jsonrpc":"2.0","id":"fourth","method":"getLabel","params":{"handle":` + h + `,"id":"a1"}}`,
	}
	c.send("[" + strings.Join(lines, ",") + "]")
	got := slices.Collect(jsonedit.Elements(c.answer()))
	if len(got) != 4 {
		t.Fatalf("%d answers", len(got))
	}
	second := string(got[1])
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	switch never := strings.Contains(string(stored), "never"); {
	case strings.Contains(second, `"code":-32800`) && never:
		t.Error("cancelled, and yet appended")
	case !strings.Contains(second, `"code":-32800`) && !never:
		t.Errorf("neither cancelled nor appended: %s", second)
	}
	for _, i := range []int{0, 2, 3} {
		if strings.Contains(string(got[i]), `"error"`) {
			t.Errorf("answer %d: %.200s", i, got[i])
		}
	}
}

// TestEndSavesEverything ends the input with calls under way.
func TestEndSavesEverything(t *testing.T) {
	c := start(t)
	path := filepath.Join(c.home, "s.jsonl")
	h := c.open("open", `{"path":`+quoted(path)+`}`)
	for n := range 50 {
		c.request("appendCustomEntry", onHandle(h, fmt.Sprintf(`"customType":"e","data":%d`, n)))
	}
	// A last line without its end is a message too.
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","id":"last","method":"appendCustomEntry","params":{"handle":`+h+`,"customType":"last"}}`); err != nil {
		t.Fatal(err)
	}
	if code := c.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if lines := fileLines(t, path); len(lines) != 52 || !strings.Contains(lines[51], `"last"`) {
		t.Errorf("%d lines, the last is %s", len(lines), lines[len(lines)-1])
	}
	if last := string(c.told[len(c.told)-1]); !strings.Contains(last, `"id":"last"`) {
		t.Errorf("the last answer is %s", last)
	}
}

// TestUnsaved makes the file of a session one that cannot be written.
func TestUnsaved(t *testing.T) {
	c := start(t)
	dir := filepath.Join(c.home, "sub")
	h := c.open("create", `{"cwd":"/w","sessionDir":`+quoted(dir)+`}`)
	c.on(h, "appendMessage", `"message":{"role":"user","content":"q"}`)
	c.write("sub", "in the way of the directory")
	fault := c.refused(-32006, "appendMessage", onHandle(h, `"message":{"role":"assistant","content":[]}`))
	data, _ := jsonedit.Get(fault, "data")
	if queued, _ := jsonedit.Get(data, "queued"); string(queued) != "2" {
		t.Errorf("queued in %s", fault)
	}
	if id, ok := jsonedit.Text(data, "id"); !ok || len(id) != 8 {
		t.Errorf("id in %s", fault)
	}
	if got := c.on(h, "getEntries", ""); jsonedit.Len(got) != 2 {
		t.Errorf("in memory: %s", got)
	}
	c.refused(-32006, "flush", onHandle(h, ""))
	c.refused(-32006, "close", onHandle(h, "")) // and it stays open
	if err := os.Remove(filepath.Join(c.home, "sub")); err != nil {
		t.Fatal(err)
	}
	c.on(h, "flush", "")
	path := unquoted(c.on(h, "getSessionFile", ""))
	if lines := fileLines(t, path); len(lines) != 3 {
		t.Errorf("%d lines after the repair", len(lines))
	}
	h = c.open("create", `{"cwd":"/w","sessionDir":`+quoted(filepath.Join(c.home, "sub2"))+`}`)
	c.write("sub2", "in the way of the directory")
	c.refused(-32006, "appendMessage", onHandle(h, `"message":{"role":"assistant","content":[]}`))
	if code := c.end(); code != 1 {
		t.Errorf("exit code %d with unsaved entries, want 1", code)
	}
}

// TestUnsavedEvents puts a directory in the place of a session's file, and takes
// it away again.
func TestUnsavedEvents(t *testing.T) {
	c := start(t)
	path := c.write("s.jsonl", sample)
	h := c.open("open", `{"path":`+quoted(path)+`}`)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	c.refused(-32006, "appendCustomEntry", onHandle(h, `"customType":"x"`))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	c.on(h, "close", "")
	var kinds []string
	for _, m := range c.told {
		params, _ := jsonedit.Get(m, "params")
		kind, _ := jsonedit.Text(params, "kind")
		code, _ := jsonedit.Path(params, "error", "code")
		queued, _ := jsonedit.Path(params, "error", "data", "queued")
		kinds = append(kinds, strings.TrimSpace(kind+" "+string(code)+" "+string(queued)))
	}
	if diff := cmp.Diff([]string{"tips", "unsaved -32006 1", "appended", "restored"}, kinds); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if lines := fileLines(t, path); len(lines) != 12 {
		t.Errorf("%d lines were put back", len(lines))
	}
}

// TestWritingWithoutReading sends far more than a pipe holds before it reads.
func TestWritingWithoutReading(t *testing.T) {
	c := start(t)
	h := c.open("inMemory", `{}`)
	const calls = 5000
	for range calls {
		c.request("getHeader", onHandle(h, ""))
	}
	for range calls / 2 {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"nothing"}`)
	}
	answers := map[string]int{}
	for range calls + calls/2 {
		_, ok := jsonedit.Get(c.answer(), "result")
		answers[strconv.FormatBool(ok)]++
	}
	if diff := cmp.Diff(map[string]int{"true": calls, "false": calls / 2}, answers); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// TestManyOpenings opens more at once than are served at once.
func TestManyOpenings(t *testing.T) {
	c := start(t)
	const n = 40
	for range n {
		c.request("inMemory", `{}`)
	}
	handles := map[string]bool{}
	for range n {
		h, _ := jsonedit.Path(c.answer(), "result", "handle")
		handles[string(h)] = true
	}
	if len(handles) != n {
		t.Errorf("%d handles", len(handles))
	}
}
