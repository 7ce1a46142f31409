package acp_test

import (
	"os"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	sdk "github.com/coder/acp-go-sdk"
)

// Two editors have one session open: what each says is kept, on a branch of its
// own where the other said something meanwhile.
func TestTwoClients(t *testing.T) {
	one := newRig(t, wiretest.Text("first"), wiretest.Text("second"), wiretest.Text("third"), wiretest.Text("fourth"))
	two := newRig(t)
	two.home, two.dir, two.opt = one.home, one.dir, one.opt
	one.connect()
	two.connect()
	id := one.begin().SessionId
	one.must(id, "one says", sdk.StopReasonEndTurn)
	load := sdk.LoadSessionRequest{SessionId: id, Cwd: two.dir, McpServers: []sdk.McpServer{}}
	if _, err := two.client.LoadSession(two.ctx, load); err != nil {
		t.Fatal(err)
	}
	if said, _, user := words(two.editor.updates()); said != "first" || user != "one says" {
		t.Errorf("the other was told %q, %q", said, user)
	}
	two.must(id, "two says", sdk.StopReasonEndTurn)
	one.must(id, "one says again", sdk.StopReasonEndTurn)
	two.must(id, "two says again", sdk.StopReasonEndTurn)
	for _, r := range []*rig{one, two} {
		if err := r.end(); err != nil {
			t.Error(err)
		}
	}
	data, err := os.ReadFile(one.sessions()[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"one says", "two says", "one says again", "two says again", "first", "second", "third", "fourth"} {
		if n := strings.Count(string(data), `"`+want+`"`); n != 1 {
			t.Errorf("%q stands %d times in\n%s", want, n, data)
		}
	}
	if got := one.transcript(one.sessions()[0]); len(got) != 6 {
		t.Errorf("the newest branch is %q", got)
	}
}

// A directory that goes away while its session is open: the call of a tool fails,
// the turn and the session go on.
func TestDirectoryGoesAway(t *testing.T) {
	r := newRig(t, call("a", "bash", `{"command":"true"}`), call("b", "write", `{"path":"x","content":"y"}`), wiretest.Text("It is gone.")).connect()
	id := r.begin().SessionId
	if err := os.Remove(r.dir); err != nil {
		t.Fatal(err)
	}
	r.must(id, "go", sdk.StopReasonEndTurn)
	got := strings.Join(calls(r.editor.updates()), "\n")
	if strings.Count(got, "failed") != 2 {
		t.Errorf("told\n%s", got)
	}
	if _, err := r.client.LoadSession(r.ctx, sdk.LoadSessionRequest{SessionId: id, Cwd: r.dir, McpServers: []sdk.McpServer{}}); code(err) != -32602 {
		t.Errorf("loaded in a directory that is gone: %v", err)
	}
}

// A prompt as long as a message may be is said, and kept as its dialect keeps long
// texts; a message that is longer is refused, and the connection goes on.
func TestHugePrompts(t *testing.T) {
	r := newRig(t, wiretest.Text("Much."), wiretest.Text("Little.")).connect()
	id := r.begin().SessionId
	r.must(id, strings.Repeat("much ", 1<<21-1000), sdk.StopReasonEndTurn)
	done := make(chan error, 1)
	go func() {
		_, err := r.client.UnstableSetSessionModel(r.ctx, sdk.UnstableSetSessionModelRequest{SessionId: sdk.SessionId(strings.Repeat("x", 11<<20)), ModelId: "x"})
		done <- err
	}()
	r.must(id, "little", sdk.StopReasonEndTurn)
	r.hangUp()
	if err := <-done; err == nil { // what is too long has no id by which it could be answered
		t.Error("a message that is too long was answered")
	}
	if got := r.transcript(r.sessions()[0]); len(got) != 4 || len(got[0]) < 500_000 {
		t.Errorf("%d messages, the first of %d bytes", len(got), len(got[0]))
	}
}
