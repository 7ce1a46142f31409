package acp_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/mcp/mcptest"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
	sdk "github.com/coder/acp-go-sdk"
)

func TestMain(m *testing.M) {
	os.Exit(mcptest.Main(func() int {
		scratch.InMemory()
		scratch.CollectSeldom()
		return m.Run()
	}))
}

// serverOf names a server of tools as an editor does.
func serverOf(name string, kind mcptest.Kind) sdk.McpServer {
	command, variable := mcptest.Command(kind)
	key, value, _ := strings.Cut(variable, "=")
	return sdk.McpServer{Stdio: &sdk.McpServerStdio{
		Name: name, Command: command, Args: []string{}, Env: []sdk.EnvVariable{{Name: key, Value: value}, {Name: "COLOUR", Value: "green"}},
	}}
}

// with begins a session with servers of tools.
func (r *rig) with(servers ...sdk.McpServer) sdk.SessionId {
	r.t.Helper()
	x, err := r.client.NewSession(r.ctx, sdk.NewSessionRequest{Cwd: r.dir, McpServers: servers})
	if err != nil {
		r.t.Fatal(err)
	}
	return x.SessionId
}

func call(id, name, arguments string) wiretest.Reply {
	return wiretest.Calling(wiretest.Call{ID: id, Name: name, Arguments: wiretest.Arguments(arguments)})
}

// The tools of an editor's servers are offered to the model, asked about, told and
// kept in the session; those of a server that is no good are not there, and the
// turn goes on.
func TestServersOfTools(t *testing.T) {
	r := newRig(t,
		call("a", "mcp__garden_echo", `{"text":"hi"}`), call("b", "mcp__garden_where", `{}`), call("c", "mcp__garden_die", `{}`), wiretest.Text("done"),
		call("d", "mcp__garden_echo", `{}`), wiretest.Text("done")).connect()
	id := r.with(serverOf("garden", mcptest.Good), serverOf("ended", mcptest.Ended), sdk.McpServer{Stdio: &sdk.McpServerStdio{
		Name: "gone", Command: "/no/such/program", Args: []string{}, Env: []sdk.EnvVariable{},
	}})
	r.must(id, "use them", sdk.StopReasonEndTurn)
	// That a server is gone is told when its program has ended, be it after the turn.
	r.editor.until(t, func(u sdk.SessionUpdate) bool {
		_, thought, _ := words([]sdk.SessionUpdate{u})
		return strings.Contains(thought, `"garden" is gone`)
	})
	r.must(id, "use them again", sdk.StopReasonEndTurn)
	first := string(r.wire.Requests()[0].Body)
	if !strings.Contains(first, `"mcp__garden_echo"`) || !strings.Contains(first, `"read"`) || strings.Contains(first, "mcp__ended") {
		t.Errorf("offered %.3000s", first)
	}
	if last := string(r.wire.Last().Body); strings.Contains(last, `"name":"mcp__garden_echo","description"`) {
		t.Errorf("offered when it is gone: %.3000s", last)
	}
	all := r.editor.updates()
	_, thought, _ := words(all)
	for _, want := range []string{`"ended" did not start`, "there is no such database", `"gone" cannot be started`, `"garden" is gone`} {
		if strings.Count(thought, want) != 1 {
			t.Errorf("%q is told %d times in %q", want, strings.Count(thought, want), thought)
		}
	}
	begun := slices.IndexFunc(all, func(u sdk.SessionUpdate) bool { return u.ToolCall != nil })
	_, thought, _ = words(all[:begun])
	for _, want := range []string{`"ended" did not start`, `"gone" cannot be started`} { // before the model answers without them
		if !strings.Contains(thought, want) {
			t.Errorf("%q is not told before the first call: %q", want, thought)
		}
	}
	got := strings.Join(calls(all), "\n")
	for _, want := range []string{"update a completed echo: hi", "update b completed dir=" + r.dir, "colour=green", "update c failed", "update d failed"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if len(r.editor.asked) != 3 {
		t.Errorf("asked %d times", len(r.editor.asked))
	}
	s := r.read(r.sessions()[0])
	if s.Len() < 10 || !strings.Contains(strings.Join(r.transcript(r.sessions()[0]), "\n"), "echo: hi") {
		t.Errorf("kept %q", r.transcript(r.sessions()[0]))
	}
}

// A session that is opened again keeps its servers, and gets others where the
// editor names others.
func TestServersOfOpenSessions(t *testing.T) {
	r := newRig(t, wiretest.Text("one"), wiretest.Text("two"), wiretest.Text("three"), wiretest.Text("four")).connect()
	id := r.with(serverOf("x", mcptest.Good))
	has := func(tool string) bool {
		r.t.Helper()
		r.must(id, "which have you?", sdk.StopReasonEndTurn)
		return strings.Contains(string(r.wire.Last().Body), tool)
	}
	if !has("mcp__x_echo") {
		t.Error("it is not there")
	}
	load := sdk.LoadSessionRequest{SessionId: id, Cwd: r.dir, McpServers: []sdk.McpServer{serverOf("y", mcptest.Good)}}
	if _, err := r.client.LoadSession(r.ctx, load); err != nil {
		t.Fatal(err)
	}
	if !has("mcp__y_echo") || strings.Contains(string(r.wire.Last().Body), "mcp__x_") {
		t.Error("the other is not there")
	}
	resume := sdk.ResumeSessionRequest{SessionId: id, Cwd: r.dir, McpServers: load.McpServers}
	if _, err := r.client.ResumeSession(r.ctx, resume); err != nil {
		t.Fatal(err)
	}
	if !has("mcp__y_echo") {
		t.Error("it did not stay")
	}
	stdio := load.McpServers[0].Stdio
	fork, err := r.client.UnstableForkSession(r.ctx, sdk.UnstableForkSessionRequest{SessionId: id, Cwd: r.dir, McpServers: []sdk.UnstableMcpServer{{Stdio: stdio}}})
	if err != nil {
		t.Fatal(err)
	}
	if id = fork.SessionId; !has("mcp__y_echo") {
		t.Error("the fork has none")
	}
	for _, bad := range []sdk.McpServer{{Acp: &sdk.McpServerAcpInline{Id: "x", Name: "x", Type: "acp"}}} {
		if _, err := r.client.NewSession(r.ctx, sdk.NewSessionRequest{Cwd: r.dir, McpServers: []sdk.McpServer{bad}}); code(err) != -32602 {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// A call that does not end ends with the turn, and a hung server with the session.
func TestServerHangs(t *testing.T) {
	r := newRig(t, call("a", "mcp__g_wait", `{}`), call("b", "mcp__g_echo", `{"text":"again"}`), wiretest.Text("there")).connect()
	id := r.with(serverOf("g", mcptest.Good), serverOf("stubborn", mcptest.Bare))
	ended := make(chan sdk.StopReason, 1)
	go func() {
		stop, _ := r.say(id, "wait")
		ended <- stop
	}()
	r.editor.until(t, func(u sdk.SessionUpdate) bool {
		return u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil && *u.ToolCallUpdate.Status == sdk.ToolCallStatusInProgress
	})
	if err := r.client.Cancel(r.ctx, sdk.CancelNotification{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if stop := <-ended; stop != sdk.StopReasonCancelled {
		t.Errorf("ended with %q", stop)
	}
	r.editor.updates()
	r.must(id, "and now?", sdk.StopReasonEndTurn)
	if got := strings.Join(calls(r.editor.updates()), "\n"); !strings.Contains(got, "echo: again") {
		t.Errorf("told\n%s", got)
	}
	if err := r.end(); err != nil {
		t.Error(err)
	}
}

// A planner is a tool of which the todos are a matter.
type planner struct{}

func (planner) Spec() provider.Tool {
	return provider.Tool{Name: "planner", Parameters: entry.JSON(`{"type":"object"}`)}
}
func (planner) Changes() bool { return false }
func (planner) Run(_ context.Context, arguments entry.JSON, _ tool.Env) tool.Result {
	return tool.Result{Content: []message.Block{&message.TextBlock{Text: "noted"}}, Details: arguments}
}

// Todos that change in a turn are told in it, once.
func TestTodosInATurn(t *testing.T) {
	r := newRig(t, call("a", "planner", `{"todos":[{"content":"dig","status":"in_progress"}]}`),
		call("b", "planner", `{"todos":[{"content":"dig","status":"in_progress"}]}`),
		call("c", "planner", `{"todos":[{"content":"dig","status":"completed"},{"content":"water","priority":"high"}]}`), wiretest.Text("done"))
	r.tools = []tool.Tool{planner{}}
	r.connect()
	r.must(r.begin().SessionId, "plan", sdk.StopReasonEndTurn)
	var got []string
	for _, u := range r.editor.updates() {
		if u.Plan != nil {
			line := ""
			for _, e := range u.Plan.Entries {
				line += e.Content + " " + string(e.Status) + " " + string(e.Priority) + ";"
			}
			got = append(got, line)
		}
	}
	if !slices.Equal(got, []string{"dig in_progress medium;", "dig completed medium;water pending high;"}) {
		t.Errorf("plans %q", got)
	}
}

// In plan mode nothing is changed: what is said to only read is asked about, the
// rest refused. The session remembers the mode where its program keeps modes.
func TestPlanMode(t *testing.T) {
	r := newRig(t, call("a", "bash", `{"command":"touch x"}`), call("b", "mcp__g_echo", `{}`), call("c", "mcp__g_look", `{}`), wiretest.Text("I would."),
		call("d", "bash", `{"command":"touch y"}`), wiretest.Text("done")).connect()
	id := r.with(serverOf("g", mcptest.Good))
	if _, err := r.client.SetSessionMode(r.ctx, sdk.SetSessionModeRequest{SessionId: id, ModeId: "plan"}); err != nil {
		t.Fatal(err)
	}
	r.must(id, "do it", sdk.StopReasonEndTurn)
	got := strings.Join(calls(r.editor.updates()), "\n")
	if len(r.editor.asked) != 1 || !strings.Contains(got, "update c completed looked") || !strings.Contains(got, "update a failed") || !strings.Contains(got, "update b failed") {
		t.Errorf("asked %d times, told\n%s", len(r.editor.asked), got)
	}
	if _, err := os.Stat(r.dir + "/x"); err == nil {
		t.Error("it was run")
	}
	if _, err := r.client.CloseSession(r.ctx, sdk.CloseSessionRequest{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	x, err := r.client.LoadSession(r.ctx, sdk.LoadSessionRequest{SessionId: id, Cwd: r.dir, McpServers: []sdk.McpServer{}})
	if err != nil || x.Modes.CurrentModeId != "plan" || values(x.ConfigOptions)[:9] != "mode=plan" {
		t.Fatalf("%+v, %v", x.Modes, err)
	}
	if _, err := r.client.SetSessionConfigOption(r.ctx, setting(id, "mode", "yes")); err != nil {
		t.Fatal(err)
	}
	r.must(id, "do it now", sdk.StopReasonEndTurn)
	if _, err := os.Stat(r.dir + "/y"); err != nil || len(r.editor.asked) != 1 {
		t.Errorf("asked %d times, %v", len(r.editor.asked), err)
	}
	c, err := r.read(r.sessions()[0]).Context(context.Background(), session.ContextOptions{})
	if err != nil || c.Mode != "none" {
		t.Errorf("the session is in mode %q, %v", c.Mode, err)
	}
	if modes := x.Modes.AvailableModes; !slices.ContainsFunc(modes, func(m sdk.SessionMode) bool { return m.Id == "plan" }) {
		t.Errorf("modes %+v", modes)
	}
}
