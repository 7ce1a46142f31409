package acp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	sdk "github.com/coder/acp-go-sdk"
)

// history has an editor load a session of pi with these entries, each behind the
// one before, and returns what it is told, a line an update.
func (r *rig) history(entries ...string) string {
	r.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":"00000000-0000-7000-8000-000000000001","timestamp":"2026-04-02T17:20:00.000Z","cwd":%q}`+"\n", r.dir)
	parent := "null"
	for i, e := range append([]string{`"type":"message","message":{"role":"user","content":"hello","timestamp":1}`}, entries...) {
		id := fmt.Sprintf(`"%08x"`, i+1)
		fmt.Fprintf(&b, `{"id":%s,"parentId":%s,"timestamp":"2026-04-02T17:20:01.000Z",%s}`+"\n", id, parent, e)
		parent = id
	}
	dir := filepath.Join(r.home, ".pi/agent/sessions/--work--")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "2026-04-02T17-20-00-000Z_00000000-0000-7000-8000-000000000001.jsonl"), []byte(b.String()), 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.connect()
	if _, err := r.client.LoadSession(r.ctx, sdk.LoadSessionRequest{SessionId: "00000000-0000-7000-8000-000000000001", Cwd: r.dir, McpServers: []sdk.McpServer{}}); err != nil {
		r.t.Fatal(err)
	}
	var all strings.Builder
	for _, u := range r.editor.updates() {
		all.WriteString(line(u))
	}
	return all.String()
}

// What an extension does not want displayed is not told, pictures that are too large
// or of which nothing is left are named, and what a file held before a call that was
// made long ago is not taken from the disk.
func TestOddHistory(t *testing.T) {
	r := newRig(t)
	if err := os.WriteFile(filepath.Join(r.dir, "a.txt"), []byte("as it is now"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := r.history(
		`"type":"custom_message","customType":"x","content":"to be kept quiet","display":false`,
		`"type":"custom_message","customType":"x","content":"to be told","display":true`,
		`"type":"message","message":{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"`+strings.Repeat("A", 6<<20+4)+`"},{"type":"image","mimeType":"image/png","data":"blob:sha256:`+strings.Repeat("0", 64)+`"}],"timestamp":2}`,
		`"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"write","arguments":{"path":"a.txt","content":"as it was"}},{"type":"toolCall","id":"d","name":"read","arguments":{"path":"b.txt","offset":7}}],"stopReason":"toolUse","timestamp":3}`,
		`"type":"message","message":{"role":"toolResult","toolCallId":"c","toolName":"write","content":[{"type":"text","text":"no room"}],"isError":true,"timestamp":4}`,
		`"type":"message","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"it broke","timestamp":5}`,
	)
	a, b := filepath.Join(r.dir, "a.txt"), filepath.Join(r.dir, "b.txt")
	want := `user    "hello"
agent   "to be told"
user    "(a picture of 4718595 bytes)"
user    "(a picture that is not in the store)"
call    c edit pending "write a.txt" at ` + a + `:0: diff ` + a + ` > "as it was" in "map[content:as it was path:a.txt]"
call    d read pending "read b.txt" at ` + b + `:7:  in "map[offset:7 path:b.txt]"
update  c failed: "no room" out "<nil>"
notice  "(it broke)\n"
update  d failed:  out "<nil>"
`
	if !strings.HasPrefix(got, want) {
		t.Errorf("told\n%s\nwant\n%s", got, want)
	}
}

// The difference of a new call is that to the file as it is, if that is a text of
// the directory.
func TestWhatAFileHeld(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "c.txt")
	r := newRig(t, wiretest.Calling(
		wiretest.Call{ID: "a", Name: "write", Arguments: `{"path":"a.txt","content":"new"}`}, wiretest.Call{ID: "b", Name: "write", Arguments: `{"path":"b.bin","content":"new"}`},
		wiretest.Call{ID: "c", Name: "write", Arguments: wiretest.Arguments(fmt.Sprintf(`{"path":%q,"content":"new"}`, outside))},
	), wiretest.Text("well")).connect()
	for path, text := range map[string]string{filepath.Join(r.dir, "a.txt"): "old", filepath.Join(r.dir, "b.bin"): "old\xff", outside: "old"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	id := r.begin().SessionId
	r.editor.answer = func(p sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome {
		return sdk.NewRequestPermissionOutcomeSelected(p.Options[2].OptionId)
	}
	r.must(id, "write", sdk.StopReasonEndTurn)
	var got []string
	for _, u := range r.editor.updates() {
		if u.ToolCall != nil && len(u.ToolCall.Content) == 1 {
			held := "nothing"
			if old := u.ToolCall.Content[0].Diff.OldText; old != nil {
				held = *old
			}
			got = append(got, held)
		}
	}
	if strings.Join(got, " ") != "old nothing nothing" {
		t.Errorf("held %q", got)
	}
}

// Of a command that puts out much the end is told, and not after each piece.
func TestMuchOutput(t *testing.T) {
	r := newRig(t, wiretest.Calling(wiretest.Call{ID: "a", Name: "bash", Arguments: `{"command":"for i in $(seq 4000); do echo \"this is line $i of many\"; done"}`}), wiretest.Text("well")).connect()
	id := r.begin().SessionId
	r.must(id, "print", sdk.StopReasonEndTurn)
	running, longest := 0, 0
	for _, u := range r.editor.updates() {
		if c := u.ToolCallUpdate; c != nil && c.Status == nil && len(c.Content) == 1 {
			n := len(c.Content[0].Content.Content.Text.Text)
			if longest = max(longest, n); n > 5<<10 { // until 4 KiB, all is told as it comes
				running++
			}
		}
	}
	if longest > 16<<10+100 || running > 32 {
		t.Errorf("%d updates, the longest of %d bytes", running, longest)
	}
}

// A session that has changed since it was the last of a page is not met again, and
// what comes behind it is not lost.
func TestListGoesOnBehindWhatChanged(t *testing.T) {
	r := newRig(t, wiretest.Text("well"))
	r.opt.Page = 1
	r.examples("pi")
	r.connect()
	first, err := r.client.ListSessions(r.ctx, sdk.ListSessionsRequest{})
	if err != nil || len(first.Sessions) != 1 || first.NextCursor == nil {
		t.Fatalf("%+v, %v", first, err)
	}
	id := first.Sessions[0].SessionId
	if _, err := r.client.ResumeSession(r.ctx, sdk.ResumeSessionRequest{SessionId: id, Cwd: r.dir}); err != nil {
		t.Fatal(err)
	}
	r.must(id, "changed", sdk.StopReasonEndTurn)
	next, err := r.client.ListSessions(r.ctx, sdk.ListSessionsRequest{Cursor: first.NextCursor})
	if err != nil || len(next.Sessions) != 1 || next.Sessions[0].SessionId == id || next.NextCursor != nil {
		t.Errorf("%+v, %v", next, err)
	}
}

// What is no session is said to be none, and one without a header is shown.
func TestNoSessions(t *testing.T) {
	r := newRig(t)
	dir := filepath.Join(r.home, ".pi/agent/sessions/--work--")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	const message = `{"type":"message","id":"0000000a","parentId":null,"timestamp":"2026-04-02T17:20:01.000Z","message":{"role":"user","content":"hello","timestamp":1}}` + "\n"
	for name, text := range map[string]string{
		"words": "hello\n", "half": fmt.Sprintf(`{"type":"session","version":3,"cwd":%q}`+"\n", r.dir), "headless": message,
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.connect()
	load := sdk.LoadSessionRequest{Cwd: r.dir, McpServers: []sdk.McpServer{}}
	for _, name := range []string{"words", "half"} {
		load.SessionId = sdk.SessionId(filepath.Join(dir, name+".jsonl"))
		if _, err := r.client.LoadSession(r.ctx, load); code(err) != -32003 {
			t.Errorf("%s: %v", name, err)
		}
	}
	load.SessionId = sdk.SessionId(filepath.Join(dir, "headless.jsonl"))
	if _, err := r.client.LoadSession(r.ctx, load); err != nil {
		t.Fatal(err)
	}
	if _, thought, user := words(r.editor.updates()); user != "hello" || !strings.Contains(thought, "can only be read") {
		t.Errorf("told %q, %q", user, thought)
	}
	if _, err := r.say(load.SessionId, "go on"); code(err) != -32005 {
		t.Errorf("prompt: %v", err)
	}
}

// A disk that is full is said so; the next prompt saves what was not.
func TestDiskIsFull(t *testing.T) {
	r := newRig(t, wiretest.Text("one"), wiretest.Reply{Say: &wiretest.Say{Text: "more"}, Always: true})
	full := &errorfs.Toggle{Inner: errorfs.Match(errorfs.Fault{Err: errorfs.ErrNoSpace}, "", errorfs.Write, errorfs.WriteAt)}
	r.fs = errorfs.Wrap(vfs.OS(), full.Inject)
	r.connect()
	id := r.begin().SessionId
	r.must(id, "first", sdk.StopReasonEndTurn)
	full.Set(true)
	if _, err := r.say(id, "second"); code(err) != -32006 {
		t.Errorf("full: %v", err)
	}
	full.Set(false)
	r.must(id, "third", sdk.StopReasonEndTurn)
	if got := strings.Join(r.transcript(r.sessions()[0]), "\n"); !strings.Contains(got, "user: second") || !strings.HasSuffix(got, "more [stop]") {
		t.Errorf("saved %s", got)
	}
}

// What a session has cost is told, what it cost before it was loaded included.
func TestCost(t *testing.T) {
	r := newRig(t, wiretest.Answer(wiretest.Say{Text: "a", Usage: wiretest.Usage{Input: 1000, Output: 10}}), wiretest.Answer(wiretest.Say{Text: "b", Usage: wiretest.Usage{Input: 1000, Output: 10}}))
	r.connect()
	id := r.begin().SessionId
	cost := func() float64 {
		for _, u := range r.editor.updates() {
			if u.UsageUpdate != nil {
				return u.UsageUpdate.Cost.Amount
			}
		}
		return 0
	}
	r.must(id, "a", sdk.StopReasonEndTurn)
	if got := fmt.Sprintf("%.4f", cost()); got != "0.0020" {
		t.Errorf("it cost %v", got)
	}
	if _, err := r.client.CloseSession(r.ctx, sdk.CloseSessionRequest{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.client.LoadSession(r.ctx, sdk.LoadSessionRequest{SessionId: id, Cwd: r.dir, McpServers: []sdk.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	r.must(id, "b", sdk.StopReasonEndTurn)
	if got := fmt.Sprintf("%.4f", cost()); got != "0.0040" {
		t.Errorf("then it cost %v", got)
	}
}
