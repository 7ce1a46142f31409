package acp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	sdk "github.com/coder/acp-go-sdk"
)

// The commands are told when a session is begun, and are no matter of the model.
func TestCommands(t *testing.T) {
	r := newRig(t, wiretest.Text("Here I am."), wiretest.Text("That is a path.")).connect()
	id := r.begin().SessionId
	r.editor.until(t, func(u sdk.SessionUpdate) bool {
		return u.AvailableCommandsUpdate != nil && len(u.AvailableCommandsUpdate.AvailableCommands) == 6
	})
	r.editor.updates()
	answer := func(text string) string {
		t.Helper()
		r.must(id, text, sdk.StopReasonEndTurn)
		said, _, _ := words(r.editor.updates())
		return said
	}
	for _, c := range [][2]string{
		{"/label first", "Nothing was said yet."},
		{"/compact", "There is nothing to sum up."},
		{"hello", "Here I am."},
		{"/name", "Session name cannot be empty."},
		{" /name Winter  water ", `Session renamed to "Winter water".`},
		{"/label first", `Labelled "first".`},
		{"/label", "Took the label away."},
		{"/todo", "There are no todos. /todo TEXT adds one, /todo done N says that one is done."},
		{"/todo dig a\nhole", "1. dig a\nhole (pending)\n"},
		{"/todo done 2", "There is no todo \"2\".\n\n1. dig a\nhole (pending)\n"},
		{"/todo done", "There is no todo \"\".\n\n1. dig a\nhole (pending)\n"},
		{"/etc/passwd is a file", "That is a path."},
	} {
		if got := answer(c[0]); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
	if got := answer("/context"); got != "Nothing goes to the model that is not shown." {
		t.Errorf("/context: %q", got)
	}
	if got := answer("/session"); !strings.Contains(got, "- name: Winter water\n") || !strings.Contains(got, "- model: p/m\n") || !strings.Contains(got, string(id)) {
		t.Errorf("/session: %q", got)
	}
	if n := len(r.wire.Requests()); n != 2 {
		t.Errorf("the model was asked %d times", n)
	}
	r.must(id, "/todo done 1", sdk.StopReasonEndTurn)
	plan := ""
	for _, u := range r.editor.updates() {
		if u.Plan != nil {
			for _, e := range u.Plan.Entries {
				plan += e.Content + " " + string(e.Status) + ";"
			}
		}
	}
	if plan != "dig a\nhole completed;" {
		t.Errorf("plan %q", plan)
	}
	path := r.sessions()[0]
	if got := r.transcript(path); len(got) != 4 {
		t.Errorf("transcript %q", got)
	}
	if title, _ := r.read(path).Title(); title != "Winter water" {
		t.Errorf("title %q", title)
	}
	if _, err := r.client.CloseSession(r.ctx, sdk.CloseSessionRequest{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.client.LoadSession(r.ctx, sdk.LoadSessionRequest{SessionId: id, Cwd: r.dir, McpServers: []sdk.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	told := false
	for _, u := range r.editor.updates() {
		told = told || u.Plan != nil && u.Plan.Entries[0].Status == "completed"
	}
	if !told {
		t.Error("the todos are not told when it is loaded")
	}
}

// A session is summed up by command, and a turn does not go on beside it.
func TestCompactCommand(t *testing.T) {
	long := strings.Repeat(strings.Repeat("x", 4000)+" ", 10)
	r := newRig(t, wiretest.Text(long), wiretest.Text(long), wiretest.Text("## Summary\n\nMuch was said."), wiretest.Text("A turn."), wiretest.Text("In short."), wiretest.Text("Still here.")).connect()
	r.settings.Compaction.KeepRecent = 1000
	id := r.begin().SessionId
	r.must(id, "tell me", sdk.StopReasonEndTurn)
	r.must(id, "tell me more", sdk.StopReasonEndTurn)
	r.editor.updates()
	r.must(id, "/compact the digging", sdk.StopReasonEndTurn)
	if said, _, _ := words(r.editor.updates()); !strings.HasPrefix(said, "Summed up: ") {
		t.Errorf("said %q", said)
	}
	if !slices.ContainsFunc(r.wire.Requests(), func(q wiretest.Request) bool { return strings.Contains(string(q.Body), "the digging") }) {
		t.Error("the model was not told what to look after")
	}
	r.must(id, "and?", sdk.StopReasonEndTurn)
	if got := r.transcript(r.sessions()[0]); len(got) > 5 || !strings.Contains(got[0], "Much was said.") {
		t.Errorf("transcript %.300q", got)
	}
}

// A command while a turn runs is refused, as another prompt is, and one that is
// cancelled says so.
func TestCommandsInATurn(t *testing.T) {
	r := newRig(t, wiretest.Reply{Say: &wiretest.Say{Text: "one two three four"}, Stall: true, Events: 4}).connect()
	id := r.begin().SessionId
	ended := make(chan sdk.StopReason, 1)
	go func() {
		stop, _ := r.say(id, "count")
		ended <- stop
	}()
	r.editor.until(t, func(u sdk.SessionUpdate) bool { return u.AgentMessageChunk != nil })
	for _, text := range []string{"/name x", "/compact", "/todo x"} {
		if _, err := r.say(id, text); code(err) != -32005 {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := r.client.Cancel(r.ctx, sdk.CancelNotification{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if stop := <-ended; stop != sdk.StopReasonCancelled {
		t.Errorf("ended with %q", stop)
	}
}
