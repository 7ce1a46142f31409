package acp_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	sdk "github.com/coder/acp-go-sdk"
	"github.com/google/go-cmp/cmp"
)

func TestInitialize(t *testing.T) {
	r := newRig(t).connect()
	x, err := r.client.Initialize(r.ctx, sdk.InitializeRequest{ProtocolVersion: 1})
	if err != nil {
		t.Fatal(err)
	}
	c := x.AgentCapabilities
	if x.ProtocolVersion != 1 || x.AgentInfo.Name != "cambium" || x.AgentInfo.Version != "test" || !c.LoadSession || !c.PromptCapabilities.Image ||
		!c.PromptCapabilities.EmbeddedContext || c.PromptCapabilities.Audio ||
		c.SessionCapabilities.List == nil || c.SessionCapabilities.Resume == nil || c.SessionCapabilities.Fork == nil || c.SessionCapabilities.Close == nil {
		t.Errorf("%+v", x)
	}
	if _, err := r.client.Authenticate(r.ctx, sdk.AuthenticateRequest{MethodId: "key"}); code(err) != -32602 {
		t.Errorf("authenticate: %v", err)
	}
	if _, err := r.client.UnstableLogout(r.ctx, sdk.UnstableLogoutRequest{}); code(err) != -32601 {
		t.Errorf("a method that there is not: %v", err)
	}
	if _, err := r.client.CallExtension(r.ctx, "_other/thing", nil); code(err) != -32601 {
		t.Errorf("an extension that there is not: %v", err)
	}
}

// A turn with reasoning, text, a tool that reads, one that writes and a command.
func TestTurn(t *testing.T) {
	r := newRig(t,
		wiretest.Answer(wiretest.Say{Thinking: "hm, well", Text: "Let me see.", Calls: []wiretest.Call{
			{ID: "a", Name: "read", Arguments: `{"path":"notes.txt"}`},
			{ID: "b", Name: "write", Arguments: `{"path":"notes.txt","content":"new\n"}`},
			{ID: "c", Name: "bash", Arguments: `{"command":"echo one; echo two"}`},
		}}),
		wiretest.Answer(wiretest.Say{Text: "Done.", Calls: []wiretest.Call{{ID: "a", Name: "read", Arguments: `{"path":"gone"}`}}}),
		wiretest.Text("All done.")).connect()
	if err := os.WriteFile(filepath.Join(r.dir, "notes.txt"), []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := r.begin()
	if x.Modes == nil || x.Modes.CurrentModeId != "ask" || x.Models == nil || x.Models.CurrentModelId != "p/m" || len(x.ConfigOptions) != 3 {
		t.Errorf("%+v", x)
	}
	if _, err := r.client.SetSessionConfigOption(r.ctx, setting(x.SessionId, "thinking", "high")); err != nil {
		t.Fatal(err)
	}
	p, err := r.client.Prompt(r.ctx, sdk.PromptRequest{
		SessionId: x.SessionId, Prompt: []sdk.ContentBlock{sdk.TextBlock("Look at my notes")}, MessageId: sdk.Ptr("6d0c4f3e-0000-4000-8000-000000000001"),
	})
	if err != nil || p.StopReason != sdk.StopReasonEndTurn || p.Usage == nil || p.Usage.InputTokens != 30 || p.Usage.OutputTokens != 15 || *p.UserMessageId == "" {
		t.Fatalf("%+v, %v", p, err)
	}
	all := r.editor.updates()
	said, thought, user := words(all)
	if said != "Let me see.Done.All done." || thought != "hm, well" || user != "" {
		t.Errorf("said %q, thought %q, user %q", said, thought, user)
	}
	if diff := cmp.Diff([]string{
		"tool_call a read notes.txt read pending [" + r.dir + "/notes.txt]",
		"tool_call b write notes.txt edit pending [" + r.dir + "/notes.txt] diff old\n>new\n",
		"tool_call c echo one; echo two execute pending []",
		"update a in_progress", "update a completed old\n",
		"update b in_progress", "update b completed",
		"update c in_progress", "update c completed ```console\none\ntwo\n```",
		"tool_call a#2 read gone read pending [" + r.dir + "/gone]",
		"update a#2 in_progress", "update a#2 failed …",
	}, calls(all)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var usage *sdk.SessionUsageUpdate
	var info *sdk.SessionSessionInfoUpdate
	for _, u := range all {
		if u.UsageUpdate != nil {
			usage = u.UsageUpdate
		}
		if u.SessionInfoUpdate != nil {
			info = u.SessionInfoUpdate
		}
	}
	if usage == nil || usage.Size != 100_000 || usage.Used != 15 {
		t.Errorf("usage %+v", usage)
	}
	if info == nil || info.Title == nil || *info.Title != "Look at my notes" || info.UpdatedAt == nil {
		t.Errorf("info %+v", info)
	}
	var asked []string
	for _, a := range r.editor.asked {
		asked = append(asked, string(a.ToolCall.ToolCallId)+" "+*a.ToolCall.Title)
	}
	if !slices.Equal(asked, []string{"b write notes.txt", "c echo one; echo two"}) {
		t.Errorf("asked about %q", asked)
	}
	if data, err := os.ReadFile(filepath.Join(r.dir, "notes.txt")); err != nil || string(data) != "new\n" {
		t.Errorf("%q, %v", data, err)
	}
	if files := r.sessions(); len(files) != 1 || len(r.transcript(files[0])) != 8 {
		t.Errorf("sessions %q", files)
	}
}

// calls are the updates of calls in short; what a tool says of its own failure is
// left out, and what only tells what a command has put out until now.
func calls(all []sdk.SessionUpdate) []string {
	var lines []string
	content := func(all []sdk.ToolCallContent) (s string) {
		for _, c := range all {
			switch {
			case c.Diff != nil && c.Diff.OldText != nil:
				s += " diff " + *c.Diff.OldText + ">" + c.Diff.NewText
			case c.Diff != nil:
				s += " new " + c.Diff.NewText
			case c.Content != nil && c.Content.Content.Text != nil:
				s += " " + c.Content.Content.Text.Text
			case c.Content != nil && c.Content.Content.Image != nil:
				s += " image"
			}
		}
		return s
	}
	for _, u := range all {
		switch {
		case u.ToolCall != nil:
			c := u.ToolCall
			var places []string
			for _, p := range c.Locations {
				places = append(places, p.Path)
			}
			lines = append(lines, strings.Join([]string{"tool_call", string(c.ToolCallId), c.Title, string(c.Kind), string(c.Status), "[" + strings.Join(places, " ") + "]"}, " ")+content(c.Content))
		case u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil:
			c := u.ToolCallUpdate
			line := "update " + string(c.ToolCallId) + " " + string(*c.Status)
			if *c.Status == sdk.ToolCallStatusFailed && len(c.Content) > 0 {
				lines = append(lines, line+" …")
				continue
			}
			lines = append(lines, line+content(c.Content))
		}
	}
	return lines
}

func setting(id sdk.SessionId, name, value string) sdk.SetSessionConfigOptionRequest {
	return sdk.SetSessionConfigOptionRequest{ValueId: &sdk.SetSessionConfigOptionValueId{
		SessionId: id, ConfigId: sdk.SessionConfigId(name), Value: sdk.SessionConfigValueId(value),
	}}
}

func TestPermissions(t *testing.T) {
	write := func(name string) wiretest.Reply {
		return wiretest.Calling(wiretest.Call{ID: name, Name: "write", Arguments: wiretest.Arguments(`{"path":"` + name + `","content":"x"}`)})
	}
	choose := func(id sdk.PermissionOptionId) func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome {
		return func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome {
			return sdk.NewRequestPermissionOutcomeSelected(id)
		}
	}
	for _, c := range []struct {
		name   string
		answer func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome
		mode   sdk.SessionModeId
		asked  int
		files  []string
		stop   sdk.StopReason
	}{
		{name: "once", answer: choose("allow_once"), asked: 2, files: []string{"a", "b"}},
		{name: "always", answer: choose("allow_always"), asked: 1, files: []string{"a", "b"}},
		{name: "reject", answer: choose("reject_once"), asked: 2},
		{name: "an option that there is not", answer: choose("perhaps"), asked: 2},
		{name: "cancelled", asked: 1, stop: sdk.StopReasonCancelled, answer: func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome {
			return sdk.NewRequestPermissionOutcomeCancelled()
		}},
		{name: "unasked", mode: "yes", files: []string{"a", "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			replies := []wiretest.Reply{write("a")}
			want := sdk.StopReasonEndTurn
			if c.stop == "" {
				replies = append(replies, write("b"), wiretest.Text("done"))
			} else {
				want = c.stop
			}
			r := newRig(t, replies...).connect()
			r.editor.answer = c.answer
			id := r.begin().SessionId
			if c.mode != "" {
				if _, err := r.client.SetSessionMode(r.ctx, sdk.SetSessionModeRequest{SessionId: id, ModeId: c.mode}); err != nil {
					t.Fatal(err)
				}
			}
			r.must(id, "write", want)
			var files []string
			for _, name := range []string{"a", "b"} {
				if _, err := os.Stat(filepath.Join(r.dir, name)); err == nil {
					files = append(files, name)
				}
			}
			if len(r.editor.asked) != c.asked || !slices.Equal(files, c.files) {
				t.Errorf("asked %d times, files %q", len(r.editor.asked), files)
			}
			for _, line := range calls(r.editor.updates()) {
				if c.files == nil && strings.Contains(line, "completed") {
					t.Errorf("told %q", line)
				}
			}
		})
	}
}

// An editor that cannot ask ends the turn, and hears why; the session has what was
// said, so it is no refusal, and can be prompted again.
func TestNobodyCanBeAsked(t *testing.T) {
	r := newRig(t, wiretest.Calling(wiretest.Call{ID: "a", Name: "bash", Arguments: `{"command":"touch x"}`}), wiretest.Text("well")).connect()
	r.editor.deaf = true
	id := r.begin().SessionId
	r.must(id, "touch", sdk.StopReasonEndTurn)
	told := r.editor.updates()
	if got := calls(told); len(got) != 2 || got[1] != "update a failed …" {
		t.Errorf("told %q", got)
	}
	if _, thought, _ := words(told); !strings.Contains(thought, "bash needs approval, and nobody could be asked") {
		t.Errorf("noted %q", thought)
	}
	r.must(id, "then not", sdk.StopReasonEndTurn)
	if _, err := os.Stat(filepath.Join(r.dir, "x")); err == nil {
		t.Error("it was run")
	}
}

func TestForkOfNothing(t *testing.T) {
	r := newRig(t).connect()
	id := r.begin().SessionId
	if _, err := r.client.UnstableForkSession(r.ctx, sdk.UnstableForkSessionRequest{SessionId: id, Cwd: r.dir}); code(err) != -32005 {
		t.Errorf("of a session in which nothing was said: %v", err)
	}
	if _, err := r.client.UnstableForkSession(r.ctx, sdk.UnstableForkSessionRequest{SessionId: "none", Cwd: r.dir}); code(err) != -32002 {
		t.Errorf("of a session that there is not: %v", err)
	}
	if files := r.sessions(); len(files) > 0 {
		t.Errorf("left %q", files)
	}
}

func TestCancel(t *testing.T) {
	r := newRig(t,
		wiretest.Reply{Say: &wiretest.Say{Text: "one two three four"}, Stall: true, Events: 4},
		wiretest.Text("here I am")).connect()
	id := r.begin().SessionId
	ended := make(chan error, 1)
	var stop sdk.StopReason
	go func() {
		var err error
		stop, err = r.say(id, "count")
		ended <- err
	}()
	r.editor.until(t, func(u sdk.SessionUpdate) bool { return u.AgentMessageChunk != nil })
	if _, err := r.say(id, "meanwhile"); code(err) != -32005 {
		t.Errorf("a second prompt: %v", err)
	}
	if err := r.client.Cancel(r.ctx, sdk.CancelNotification{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil || stop != sdk.StopReasonCancelled {
		t.Fatalf("%s, %v", stop, err)
	}
	r.must(id, "still there?", sdk.StopReasonEndTurn)
	got := r.transcript(r.sessions()[0])
	if len(got) != 4 || !strings.HasPrefix(got[1], "assistant: one") || !strings.HasSuffix(got[1], "[aborted]") || got[3] != "assistant: here I am [stop]" {
		t.Errorf("transcript %q", got)
	}
}

// A call that is cancelled as a call ends the turn as well.
func TestCancelRequest(t *testing.T) {
	r := newRig(t, wiretest.Reply{Say: &wiretest.Say{Text: "one two three four"}, Stall: true, Events: 4}).connect()
	id := r.begin().SessionId
	ctx, stop := context.WithCancel(r.ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := r.client.Prompt(ctx, sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("count")}})
		ended <- err
	}()
	r.editor.until(t, func(u sdk.SessionUpdate) bool { return u.AgentMessageChunk != nil })
	stop()
	<-ended
	r.editor.until(t, func(u sdk.SessionUpdate) bool { return u.SessionInfoUpdate != nil })
	if got := r.transcript(r.sessions()[0]); len(got) != 2 || !strings.HasSuffix(got[1], "[aborted]") {
		t.Errorf("transcript %q", got)
	}
}

// Where no model can be asked, sessions are there to look at, and a prompt says
// that a key is missing.
func TestNoModel(t *testing.T) {
	r := newRig(t)
	r.settings.Model = nil
	path := r.examples("pi")[0]
	id := sdk.SessionId(r.read(path).ID())
	before, _ := os.ReadFile(path)
	r.connect()
	x, err := r.client.LoadSession(r.ctx, sdk.LoadSessionRequest{SessionId: id, Cwd: r.dir, McpServers: []sdk.McpServer{}})
	if err != nil || x.Models != nil || len(x.ConfigOptions) != 1 {
		t.Errorf("%+v, %v", x, err)
	}
	if said, _, _ := words(r.editor.updates()); said == "" {
		t.Error("nothing was told")
	}
	if _, err := r.say(id, "hello"); code(err) != -32000 || !strings.Contains(err.Error(), "ANTHROPIC_API_KEY") {
		t.Errorf("prompt: %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the session was changed")
	}
}

// Closing a session ends its turn, and saves it.
func TestCloseInATurn(t *testing.T) {
	r := newRig(t, wiretest.Reply{Say: &wiretest.Say{Text: "one two three four"}, Stall: true, Events: 4}).connect()
	id := r.begin().SessionId
	ended := make(chan sdk.StopReason, 1)
	go func() {
		stop, _ := r.say(id, "count")
		ended <- stop
	}()
	r.editor.until(t, func(u sdk.SessionUpdate) bool { return u.AgentMessageChunk != nil })
	if _, err := r.client.CloseSession(r.ctx, sdk.CloseSessionRequest{SessionId: id}); err != nil {
		t.Error(err)
	}
	if stop := <-ended; stop != sdk.StopReasonCancelled {
		t.Errorf("the turn ended with %q", stop)
	}
	if _, err := r.client.CloseSession(r.ctx, sdk.CloseSessionRequest{SessionId: id}); code(err) != -32002 {
		t.Errorf("closed again: %v", err)
	}
	if got := r.transcript(r.sessions()[0]); len(got) != 2 || !strings.HasSuffix(got[1], "[aborted]") {
		t.Errorf("transcript %q", got)
	}
}

// A client that goes away in a turn ends it; what was said is saved.
func TestDisconnectInATurn(t *testing.T) {
	for _, reply := range []wiretest.Reply{
		{Say: &wiretest.Say{Text: "one two three four"}, Stall: true, Events: 4},
		wiretest.Answer(wiretest.Say{Text: "now", Calls: []wiretest.Call{{ID: "a", Name: "bash", Arguments: `{"command":"sleep 600"}`}}}),
	} {
		r := newRig(t, reply).connect()
		id := r.begin().SessionId
		go func() { _, _ = r.say(id, "go") }()
		r.editor.until(t, func(u sdk.SessionUpdate) bool {
			return u.AgentMessageChunk != nil && reply.Stall || u.ToolCallUpdate != nil
		})
		if err := r.end(); err != nil {
			t.Errorf("Serve: %v", err)
		}
		got := r.transcript(r.sessions()[0])
		if len(got) < 2 || got[0] != "user: go" || !reply.Stall && len(got) != 3 {
			t.Errorf("transcript %q", got)
		}
	}
}

// A client that goes away while it is asked.
func TestDisconnectWhenAsked(t *testing.T) {
	r := newRig(t, wiretest.Calling(wiretest.Call{ID: "a", Name: "bash", Arguments: `{"command":"true"}`})).connect()
	asked, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	r.editor.answer = func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome {
		close(asked)
		<-release
		return sdk.NewRequestPermissionOutcomeCancelled()
	}
	id := r.begin().SessionId
	go func() { _, _ = r.say(id, "go") }()
	<-asked
	if err := r.end(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if got := r.transcript(r.sessions()[0]); len(got) != 3 || !strings.Contains(got[2], "Not run: stopped") {
		t.Errorf("transcript %q", got)
	}
}

func TestPromptFails(t *testing.T) {
	r := newRig(t, wiretest.Failing(wiretest.Unauthorized), wiretest.Answer(wiretest.Say{Text: "cut", Stop: "length"}), wiretest.Text("well")).connect()
	id := r.begin().SessionId
	if _, err := r.say("none", "hello"); code(err) != -32002 {
		t.Errorf("a session that is not open: %v", err)
	}
	if _, err := r.say(id, "hello"); code(err) != -32603 || !strings.Contains(err.Error(), "hint") {
		t.Errorf("a key that is wrong: %v", err)
	}
	r.must(id, "again", sdk.StopReasonMaxTokens)
	for _, blocks := range [][]sdk.ContentBlock{
		{}, {sdk.TextBlock(" \n")}, {sdk.AudioBlock("QUJD", "audio/wav")}, {sdk.ImageBlock("no base64!", "image/png")}, {sdk.ImageBlock("QUJD", "image/tiff")},
		{sdk.ImageBlock("QUJD", "image/png")},
	} {
		if _, err := r.client.Prompt(r.ctx, sdk.PromptRequest{SessionId: id, Prompt: blocks}); code(err) != -32602 {
			t.Errorf("%+v: %v", blocks, err)
		}
	}
}
