//go:build peers

package interop_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/interop/peers"
	sdk "github.com/coder/acp-go-sdk"
)

// TestEditorGoesOnWithTheirSessions has each real program's own agent write a
// session, lets an editor find, see, go on with and fork it through cambium acp,
// and the program read and go on with what came of it.
func TestEditorGoesOnWithTheirSessions(t *testing.T) {
	for p, name := range programs() {
		t.Run(string(p), func(t *testing.T) {
			w := newWorkshop(t, p, name)
			w.knows(p)
			w.says(calling("I look.", "read", `{"path":"sum.txt"}`), wiretest.Text("Theirs."))
			w.begins(p, "what is in sum.txt")
			path := w.session(string(name))

			e := &editorOf{}
			c, end := w.editor(e)
			list, err := c.ListSessions(t.Context(), sdk.ListSessionsRequest{Cwd: &w.project})
			if err != nil || len(list.Sessions) != 1 {
				t.Fatalf("%+v, %v", list, err)
			}
			id := list.Sessions[0].SessionId
			load := sdk.LoadSessionRequest{SessionId: id, Cwd: w.project, McpServers: []sdk.McpServer{}}
			if _, err := c.LoadSession(t.Context(), load); err != nil {
				t.Fatal(err)
			}
			if got := e.told(); !strings.Contains(got, "user: what is in sum.txt") || !strings.Contains(got, "call: read sum.txt") ||
				!strings.Contains(got, "completed") || !strings.Contains(got, "two") || !strings.Contains(got, "agent: Theirs.") {
				t.Errorf("the editor was told\n%s", got)
			}
			w.says(calling("I change it.", "edit", `{"path":"sum.txt","edits":[{"oldText":"two","newText":"2"}]}`), wiretest.Text("Changed."))
			say := sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("make it a 2")}}
			if x, err := c.Prompt(t.Context(), say); err != nil || x.StopReason != sdk.StopReasonEndTurn {
				t.Fatalf("%+v, %v", x, err)
			}
			fork, err := c.UnstableForkSession(t.Context(), sdk.UnstableForkSessionRequest{SessionId: id, Cwd: w.project})
			if err != nil {
				t.Fatal(err)
			}
			w.says(wiretest.Text("In the fork."))
			say.SessionId = fork.SessionId
			if x, err := c.Prompt(t.Context(), say); err != nil || x.StopReason != sdk.StopReasonEndTurn {
				t.Fatalf("%+v, %v", x, err)
			}
			end()
			w.same(path, "what the editor said")
			copied := w.session(string(name))
			if copied == path {
				t.Error("there is no fork")
			}
			w.same(copied, "the fork")
			w.says(wiretest.Text("Theirs."))
			w.asks(p, path, "and now?")
			w.same(path, "what the program said then")
		})
	}
}

// begins lets the program's own agent begin a session in the project.
func (w *workshop) begins(p peers.Program, prompt string) {
	w.t.Helper()
	w.beginsIn(p, w.project, prompt)
}

// beginsIn is begins in another directory.
func (w *workshop) beginsIn(p peers.Program, dir, prompt string) {
	w.t.Helper()
	root, err := peers.Root()
	if err != nil {
		w.t.Fatal(err)
	}
	scope, args := "@earendil-works", []string{"--offline", "--provider", "chat", "--model", "oak", "-p", prompt}
	if p == peers.Omp {
		scope, args = "@oh-my-pi", []string{"--no-title", "--model", "chat/oak", "-p", prompt}
	}
	main := filepath.Join(root, "interop", string(p), "node_modules", scope, "pi-coding-agent/dist/cli.js")
	cmd := exec.CommandContext(w.t.Context(), p.Runtime(root), append([]string{main}, args...)...)
	cmd.Dir, cmd.Env = dir, peers.Env(w.d.Home())
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "Theirs.") {
		w.t.Fatalf("%s: %v: %s", p, err, out)
	}
}

// editor starts cambium acp with an editor at its other end; end hangs up.
func (w *workshop) editor(e *editorOf, flags ...string) (c *sdk.ClientSideConnection, end func()) {
	w.t.Helper()
	cmd := w.command(append([]string{"acp"}, flags...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	c = sdk.NewClientSideConnection(e, in, out)
	if _, err := c.Initialize(w.t.Context(), sdk.InitializeRequest{ProtocolVersion: sdk.ProtocolVersionNumber}); err != nil {
		w.t.Fatal(err)
	}
	return c, func() {
		_ = in.Close()
		<-c.Done()
		if err := cmd.Wait(); err != nil {
			w.t.Errorf("cambium acp: %v", err)
		}
	}
}

// An editorOf is an editor that notes what it is told and allows everything.
type editorOf struct {
	sdk.Client // what is never asked for

	// reject says which calls it does not allow, by their titles; nil means none.
	reject func(title string) bool

	mu    sync.Mutex
	text  strings.Builder // guarded by mu
	asked []string        // guarded by mu; the titles of calls
	heard chan struct{}   // gets one when something was told, if it is not nil
}

func (e *editorOf) SessionUpdate(_ context.Context, n sdk.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	say := func(who string, b sdk.ContentBlock) {
		if b.Text != nil {
			e.text.WriteString(who + ": " + b.Text.Text + "\n")
		}
	}
	switch u := n.Update; {
	case u.UserMessageChunk != nil:
		say("user", u.UserMessageChunk.Content)
	case u.AgentMessageChunk != nil:
		say("agent", u.AgentMessageChunk.Content)
	case u.AgentThoughtChunk != nil:
		say("thought", u.AgentThoughtChunk.Content)
	case u.Plan != nil:
		for _, p := range u.Plan.Entries {
			e.text.WriteString("plan: " + p.Content + " " + string(p.Status) + "\n")
		}
	case u.AvailableCommandsUpdate != nil:
		for _, c := range u.AvailableCommandsUpdate.AvailableCommands {
			e.text.WriteString("command: /" + c.Name + "\n")
		}
	case u.SessionInfoUpdate != nil && u.SessionInfoUpdate.Title != nil:
		e.text.WriteString("title: " + *u.SessionInfoUpdate.Title + "\n")
	case u.CurrentModeUpdate != nil:
		e.text.WriteString("mode: " + string(u.CurrentModeUpdate.CurrentModeId) + "\n")
	case u.ConfigOptionUpdate != nil:
		for _, o := range u.ConfigOptionUpdate.ConfigOptions {
			e.text.WriteString("option: " + string(o.Select.Id) + "=" + string(o.Select.CurrentValue) + "\n")
		}
	case u.ToolCall != nil:
		e.text.WriteString("call: " + u.ToolCall.Title + "\n")
		for _, c := range u.ToolCall.Content {
			if d := c.Diff; d != nil && d.OldText != nil {
				e.text.WriteString("diff: " + *d.OldText + ">" + d.NewText + "\n")
			}
		}
	case u.ToolCallUpdate != nil:
		if s := u.ToolCallUpdate.Status; s != nil {
			e.text.WriteString(string(*s) + "\n")
		}
		for _, c := range u.ToolCallUpdate.Content {
			if c.Content != nil {
				say("result", c.Content.Content)
			}
		}
	}
	if e.heard != nil {
		select {
		case e.heard <- struct{}{}:
		default:
		}
	}
	return nil
}

func (e *editorOf) RequestPermission(_ context.Context, p sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	title := *p.ToolCall.Title
	e.mu.Lock()
	e.asked = append(e.asked, title)
	e.mu.Unlock()
	if e.reject != nil && e.reject(title) {
		last := p.Options[len(p.Options)-1]
		return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected(last.OptionId)}, nil
	}
	return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected(p.Options[0].OptionId)}, nil
}

func (e *editorOf) told() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.String()
}

// news returns what was told since it was asked last.
func (e *editorOf) news() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	text := e.text.String()
	e.text.Reset()
	return text
}
