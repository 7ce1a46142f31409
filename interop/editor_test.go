//go:build peers

package interop_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/mcp/mcptest"
	"github.com/cambium-dev/cambium/interop/peers"
	sdk "github.com/coder/acp-go-sdk"
)

func TestMain(m *testing.M) { os.Exit(mcptest.Main(m.Run)) }

// copies is how many sessions there are beside, so that a list has pages.
const copies = 60

// TestEditorDrivesEveryMethod calls every method of the protocol through the SDK's
// client, over a pipe, on sessions that the real programs have just written; the
// programs read what came of it and go on.
func TestEditorDrivesEveryMethod(t *testing.T) {
	for p, name := range programs() {
		t.Run(string(p), func(t *testing.T) {
			w := newWorkshop(t, p, name)
			e := w.studio(p, string(name))
			e.greets()
			e.lists()
			e.loads()
			e.refuses()
			e.works()
			e.chooses()
			e.commands()
			e.cancels()
			e.forks()
			e.closes()
			e.end()
			e.begins()
			e.hangsUp()
			if t.Failed() {
				return
			}
			w.same(e.path, "what the editor did")
			w.same(e.copied, "the fork")
			for _, path := range []string{e.path, e.copied, e.begun} {
				w.says(wiretest.Text("Theirs."))
				w.asks(p, path, "and now?")
				w.same(path, "what the program said then")
				sent := string(w.server.Last().Body)
				for _, want := range e.added[path] {
					if !strings.Contains(sent, want) {
						t.Errorf("%s does not know of %q in %s: %.5000s", p, want, path, sent)
					}
				}
			}
		})
	}
}

// A studio is an editor at work on the sessions of a program.
type studio struct {
	*workshop
	*sdk.ClientSideConnection
	t       *testing.T
	program peers.Program
	agent   string
	editor  *editorOf
	end     func()

	path, copied, begun string
	elsewhere           string
	id, fork            sdk.SessionId
	added               map[string][]string // what the program must know of a session, by its path
}

// studio lets both programs write sessions, and starts the editor.
func (w *workshop) studio(p peers.Program, agent string) *studio {
	t := w.t
	s := &studio{workshop: w, t: t, program: p, agent: agent, elsewhere: filepath.Join(w.dir, "elsewhere"), added: map[string][]string{}}
	for other := range programs() {
		w.knows(other)
		if other != p {
			w.says(wiretest.Text("Theirs."))
			w.begins(other, "asked of the other program")
		}
	}
	w.says(wiretest.Text("Theirs."))
	w.beginsIn(p, s.elsewhere, "asked elsewhere")
	w.says(calling("I look.", "read", `{"path":"sum.txt"}`), wiretest.Text("Theirs."))
	w.begins(p, "what is in sum.txt")
	s.path = w.session(agent)
	data, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	id := s.idOf(data)
	s.id = sdk.SessionId(id)
	for i := range copies {
		other := fmt.Sprintf("%s%04d", id[:len(id)-4], i)
		path := filepath.Join(filepath.Dir(s.path), "2026-01-01T00-00-00-000Z_"+other+".jsonl")
		if err := os.WriteFile(path, bytes.ReplaceAll(data, []byte(id), []byte(other)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.editor = &editorOf{heard: make(chan struct{}, 1)}
	s.ClientSideConnection, s.end = w.editor(s.editor)
	return s
}

// idOf is the id in the header of a session.
func (s *studio) idOf(data []byte) string {
	for line := range bytes.Lines(data) {
		if kind, _ := jsonedit.Text(bytes.TrimSpace(line), "type"); kind == "session" {
			id, _ := jsonedit.Text(bytes.TrimSpace(line), "id")
			return id
		}
	}
	s.t.Fatal("there is no header")
	return ""
}

// code is that of an error of a call, 0 for none.
func code(err error) int {
	var e *sdk.RequestError
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// has checks what the editor was told since the last time.
func (s *studio) has(what string, want ...string) {
	s.t.Helper()
	got := s.editor.news()
	for _, w := range want {
		if !strings.Contains(got, w) {
			s.t.Errorf("%s: no %q in what was told:\n%s", what, w, got)
		}
	}
}

// say prompts; the turn must end so.
func (s *studio) say(id sdk.SessionId, text string, want sdk.StopReason) {
	s.t.Helper()
	x, err := s.Prompt(s.t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock(text)}})
	if err != nil || x.StopReason != want {
		s.t.Fatalf("prompt %q: %+v, %v", text, x, err)
	}
}

func (s *studio) greets() {
	s.t.Helper()
	x, err := s.Initialize(s.t.Context(), sdk.InitializeRequest{ProtocolVersion: sdk.ProtocolVersionNumber})
	c := x.AgentCapabilities
	if err != nil || !c.LoadSession || !c.McpCapabilities.Http || !c.McpCapabilities.Sse || c.SessionCapabilities.List == nil ||
		c.SessionCapabilities.Resume == nil || c.SessionCapabilities.Fork == nil || c.SessionCapabilities.Close == nil {
		s.t.Errorf("initialize: %+v, %v", x, err)
	}
	if _, err := s.Authenticate(s.t.Context(), sdk.AuthenticateRequest{MethodId: "key"}); code(err) != -32602 {
		s.t.Errorf("authenticate: %v", err)
	}
}

// driven are the methods of the SDK's client that are no calls, or that others of
// these tests make; refuses makes the rest.
var driven = []string{
	"Authenticate", "Cancel", "CloseSession", "Done", "Initialize", "ListSessions", "LoadSession", "NewSession", "Prompt", "ResumeSession",
	"SetLogger", "SetSessionConfigOption", "SetSessionMode", "UnstableForkSession", "UnstableSetSessionModel",
}

// refuses makes the calls and sends the notifications that are for what this agent
// does not have: calls are answered so, notifications passed over, and the session
// stays as it is.
func (s *studio) refuses() {
	s.t.Helper()
	ctx := s.t.Context()
	calls := map[string]func() error{
		"CallExtension":    func() error { _, err := s.CallExtension(ctx, "_other/thing", nil); return err },
		"UnstableLogout":   func() error { _, err := s.UnstableLogout(ctx, sdk.UnstableLogoutRequest{}); return err },
		"UnstableStartNes": func() error { _, err := s.UnstableStartNes(ctx, sdk.UnstableStartNesRequest{}); return err },
		"UnstableSuggestNes": func() error {
			_, err := s.UnstableSuggestNes(ctx, sdk.UnstableSuggestNesRequest{SessionId: s.id})
			return err
		},
		"UnstableCloseNes": func() error {
			_, err := s.UnstableCloseNes(ctx, sdk.UnstableCloseNesRequest{SessionId: s.id})
			return err
		},
		"UnstableListProviders": func() error {
			_, err := s.UnstableListProviders(ctx, sdk.UnstableListProvidersRequest{})
			return err
		},
		"UnstableSetProviders": func() error {
			_, err := s.UnstableSetProviders(ctx, sdk.UnstableSetProvidersRequest{})
			return err
		},
		"UnstableDisableProviders": func() error {
			_, err := s.UnstableDisableProviders(ctx, sdk.UnstableDisableProvidersRequest{})
			return err
		},
	}
	notes := map[string]func() error{
		"NotifyExtension": func() error { return s.NotifyExtension(ctx, "_other/thing", map[string]any{"x": 1}) },
		"UnstableDidOpenDocument": func() error {
			return s.UnstableDidOpenDocument(ctx, sdk.UnstableDidOpenDocumentNotification{SessionId: s.id, Uri: "file:///x"})
		},
		"UnstableDidChangeDocument": func() error {
			return s.UnstableDidChangeDocument(ctx, sdk.UnstableDidChangeDocumentNotification{SessionId: s.id, Uri: "file:///x"})
		},
		"UnstableDidFocusDocument": func() error {
			return s.UnstableDidFocusDocument(ctx, sdk.UnstableDidFocusDocumentNotification{SessionId: s.id, Uri: "file:///x"})
		},
		"UnstableDidSaveDocument": func() error {
			return s.UnstableDidSaveDocument(ctx, sdk.UnstableDidSaveDocumentNotification{SessionId: s.id, Uri: "file:///x"})
		},
		"UnstableDidCloseDocument": func() error {
			return s.UnstableDidCloseDocument(ctx, sdk.UnstableDidCloseDocumentNotification{SessionId: s.id, Uri: "file:///x"})
		},
		"UnstableAcceptNes": func() error { return s.UnstableAcceptNes(ctx, sdk.UnstableAcceptNesNotification{SessionId: s.id}) },
		"UnstableRejectNes": func() error { return s.UnstableRejectNes(ctx, sdk.UnstableRejectNesNotification{SessionId: s.id}) },
	}
	for name, note := range notes {
		if err := note(); err != nil {
			s.t.Errorf("%s: %v", name, err)
		}
	}
	for name, call := range calls {
		if err := call(); code(err) != -32601 {
			s.t.Errorf("%s: %v", name, err)
		}
	}
	for m := range reflect.TypeFor[*sdk.ClientSideConnection]().Methods() {
		if calls[m.Name] == nil && notes[m.Name] == nil && !slices.Contains(driven, m.Name) {
			s.t.Errorf("nobody drives %s", m.Name)
		}
	}
	if got := s.editor.news(); got != "" {
		s.t.Errorf("told %s", got)
	}
}

// lists looks at all homes, page by page, and at one directory.
func (s *studio) lists() {
	s.t.Helper()
	seen, agents, pages := map[sdk.SessionId]bool{}, map[any]int{}, 0
	for next := (*string)(nil); pages == 0 || next != nil; pages++ {
		x, err := s.ListSessions(s.t.Context(), sdk.ListSessionsRequest{Cursor: next})
		if err != nil {
			s.t.Fatal(err)
		}
		for _, one := range x.Sessions {
			if seen[one.SessionId] {
				s.t.Errorf("%s is listed twice", one.SessionId)
			}
			seen[one.SessionId] = true
			agents[one.Meta["cambium"].(map[string]any)["agent"]]++
		}
		next = x.NextCursor
	}
	if pages != 2 || len(seen) != copies+3 || agents[s.agent] != copies+2 || len(agents) != 2 || !seen[s.id] {
		s.t.Errorf("%d pages, %d sessions of %v", pages, len(seen), agents)
	}
	x, err := s.ListSessions(s.t.Context(), sdk.ListSessionsRequest{Cwd: &s.elsewhere})
	if err != nil || len(x.Sessions) != 1 || *x.Sessions[0].Title != "asked elsewhere" {
		s.t.Errorf("of one directory: %+v, %v", x, err)
	}
	if _, err := s.ListSessions(s.t.Context(), sdk.ListSessionsRequest{Cursor: sdk.Ptr("x")}); code(err) != -32602 {
		s.t.Errorf("a cursor that is none: %v", err)
	}
}

// loads loads the session with its history; elsewhere it is refused.
func (s *studio) loads() {
	s.t.Helper()
	command, variable := mcptest.Command(mcptest.Good)
	key, value, _ := strings.Cut(variable, "=")
	load := sdk.LoadSessionRequest{SessionId: s.id, Cwd: s.project, McpServers: []sdk.McpServer{{Stdio: &sdk.McpServerStdio{
		Name: "garden", Command: command, Args: []string{}, Env: []sdk.EnvVariable{{Name: key, Value: value}},
	}}}}
	x, err := s.LoadSession(s.t.Context(), load)
	if err != nil || x.Modes == nil || x.Models == nil || len(x.ConfigOptions) < 2 {
		s.t.Fatalf("%+v, %v", x, err)
	}
	s.has("load", "user: what is in sum.txt", "call: read sum.txt", "completed", "result: ", "three", "agent: Theirs.", "command: /compact")
	for _, bad := range []struct {
		cwd  string
		code int
	}{{s.elsewhere, -32005}, {"project", -32602}, {filepath.Join(s.project, "gone"), -32602}} {
		load.Cwd = bad.cwd
		if _, err := s.LoadSession(s.t.Context(), load); code(err) != bad.code {
			s.t.Errorf("load in %q: %v", bad.cwd, err)
		}
	}
}

// works has a turn with differences, permissions and a tool of a server.
func (s *studio) works() {
	s.t.Helper()
	s.editor.reject = func(title string) bool { return strings.Contains(title, "forbidden") }
	s.says(calling("I change it.", "edit", `{"path":"sum.txt","edits":[{"oldText":"two","newText":"2"}]}`, "bash", `{"command":"echo forbidden"}`,
		"mcp__garden_echo", `{"text":"from the garden"}`), wiretest.Text("Made it so, as was asked."))
	s.say(s.id, "make it a 2", sdk.StopReasonEndTurn)
	s.has("a turn", "call: edit sum.txt", "diff: two>2", "call: echo forbidden", "failed", "echo: from the garden", "agent: Made", "title: what is in sum.txt")
	if want := []string{"edit sum.txt", "echo forbidden", "mcp__garden_echo"}; !slices.Equal(s.editor.asked, want) {
		s.t.Errorf("asked about %q", s.editor.asked)
	}
	if data, err := os.ReadFile(filepath.Join(s.project, "sum.txt")); err != nil || string(data) != "one\n2\nthree\n" {
		s.t.Errorf("%q, %v", data, err)
	}
	s.added[s.path] = []string{"make it a 2", "Made it so, as was asked.", "echo: from the garden", "did not allow it"}
}

// chooses sets modes, models and options.
func (s *studio) chooses() {
	s.t.Helper()
	ctx := s.t.Context()
	if _, err := s.SetSessionMode(ctx, sdk.SetSessionModeRequest{SessionId: s.id, ModeId: "plan"}); err != nil {
		s.t.Fatal(err)
	}
	s.has("a mode", "option: mode=plan")
	s.says(calling("I would.", "bash", `{"command":"touch planned"}`), wiretest.Text("Planned."))
	s.say(s.id, "plan it", sdk.StopReasonEndTurn)
	s.has("plan mode", "plan mode, in which nothing is changed", "agent: Planned.")
	option := func(name, value string) error {
		_, err := s.SetSessionConfigOption(ctx, sdk.SetSessionConfigOptionRequest{ValueId: &sdk.SetSessionConfigOptionValueId{
			SessionId: s.id, ConfigId: sdk.SessionConfigId(name), Value: sdk.SessionConfigValueId(value),
		}})
		return err
	}
	if err := option("mode", "yes"); err != nil {
		s.t.Error(err)
	}
	s.has("a mode as option", "mode: yes")
	if _, err := s.UnstableSetSessionModel(ctx, sdk.UnstableSetSessionModelRequest{SessionId: s.id, ModelId: "messages/ash"}); err != nil {
		s.t.Fatal(err)
	}
	s.has("a model", "option: model=messages/ash")
	if err := option("thinking", "high"); err != nil {
		s.t.Error(err)
	}
	s.says(calling("I do.", "bash", `{"command":"touch done"}`), wiretest.Text("Done by ash."))
	s.say(s.id, "do it", sdk.StopReasonEndTurn)
	s.has("another model", "agent: Done", "completed")
	if p := s.server.Last().Protocol; p != wiretest.Anthropic {
		s.t.Errorf("it was asked by %s", p)
	}
	for _, name := range []string{"planned", "done"} {
		if _, err := os.Stat(filepath.Join(s.project, name)); (err == nil) != (name == "done") {
			s.t.Errorf("%s: %v", name, err)
		}
	}
	if err := errors.Join(option("model", "chat/oak"), option("mode", "ask")); err != nil {
		s.t.Error(err)
	}
	if err := option("model", "chat/none"); code(err) != -32602 {
		s.t.Errorf("a model that there is not: %v", err)
	}
	s.added[s.path] = append(s.added[s.path], "plan it", "Done by ash.")
}

// commands carries out commands.
func (s *studio) commands() {
	s.t.Helper()
	for _, c := range [][2]string{
		{"/name Sums and more", `renamed to "Sums and more"`}, {"/label here", `Labelled "here"`}, {"/todo dig", "plan: dig pending"},
		{"/todo done 1", "plan: dig completed"}, {"/session", "agent: " + s.agent},
	} {
		s.say(s.id, c[0], sdk.StopReasonEndTurn)
		s.has(c[0], c[1])
	}
}

// cancels stops a turn.
func (s *studio) cancels() {
	s.t.Helper()
	s.says(wiretest.Reply{Say: &wiretest.Say{Text: "one two three four five"}, Stall: true, Events: 4})
	ended := make(chan error, 1)
	go func() {
		x, err := s.Prompt(s.t.Context(), sdk.PromptRequest{SessionId: s.id, Prompt: []sdk.ContentBlock{sdk.TextBlock("count")}})
		if err == nil && x.StopReason != sdk.StopReasonCancelled {
			err = fmt.Errorf("it ended with %q", x.StopReason)
		}
		ended <- err
	}()
	s.until("agent: ")
	if _, err := s.Prompt(s.t.Context(), sdk.PromptRequest{SessionId: s.id, Prompt: []sdk.ContentBlock{sdk.TextBlock("meanwhile")}}); code(err) != -32005 {
		s.t.Errorf("a second prompt: %v", err)
	}
	if err := s.Cancel(s.t.Context(), sdk.CancelNotification{SessionId: s.id}); err != nil {
		s.t.Fatal(err)
	}
	if err := <-ended; err != nil {
		s.t.Error(err)
	}
	s.editor.news()
}

// until waits until the editor was told something.
func (s *studio) until(text string) {
	s.t.Helper()
	for !strings.Contains(s.editor.told(), text) {
		select {
		case <-s.editor.heard:
		case <-s.t.Context().Done():
			s.t.Fatalf("no %q in %s", text, s.editor.told())
		}
	}
}

// forks makes a copy here of this session, and of one of another directory, and
// sums the copy up.
func (s *studio) forks() {
	s.t.Helper()
	f, err := s.UnstableForkSession(s.t.Context(), sdk.UnstableForkSessionRequest{SessionId: s.id, Cwd: s.project})
	if err != nil {
		s.t.Fatal(err)
	}
	s.fork = f.SessionId
	s.copied = s.fileOf(s.fork)
	s.says(wiretest.Text("In the fork."))
	s.say(s.fork, "go on in the fork", sdk.StopReasonEndTurn)
	s.has("the fork", "agent: In")
	s.say(s.fork, "/compact what was asked", sdk.StopReasonEndTurn)
	s.has("/compact", "Summed up: ")
	if s.summed() == 0 {
		s.t.Error("nobody was asked for a summary")
	}
	s.added[s.copied] = []string{"Much | of it"}
	x, err := s.ListSessions(s.t.Context(), sdk.ListSessionsRequest{Cwd: &s.elsewhere})
	if err != nil || len(x.Sessions) != 1 {
		s.t.Fatalf("%+v, %v", x, err)
	}
	away, err := s.UnstableForkSession(s.t.Context(), sdk.UnstableForkSessionRequest{SessionId: x.Sessions[0].SessionId, Cwd: s.project})
	if err != nil {
		s.t.Fatal(err)
	}
	s.says(wiretest.Text("From elsewhere."))
	s.say(away.SessionId, "and here", sdk.StopReasonEndTurn)
	s.has("a fork from elsewhere", "agent: From")
}

// fileOf is the file of a session of the program.
func (s *studio) fileOf(id sdk.SessionId) string {
	s.t.Helper()
	found, err := filepath.Glob(filepath.Join(s.d.Home(), "."+s.agent, "agent/sessions/*/*"+string(id)+".jsonl"))
	if err != nil || len(found) != 1 {
		s.t.Fatalf("%q is in %q, %v", id, found, err)
	}
	return found[0]
}

// closes closes the session, and resumes it without a word.
func (s *studio) closes() {
	s.t.Helper()
	if _, err := s.CloseSession(s.t.Context(), sdk.CloseSessionRequest{SessionId: s.id}); err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.Prompt(s.t.Context(), sdk.PromptRequest{SessionId: s.id, Prompt: []sdk.ContentBlock{sdk.TextBlock("closed?")}}); code(err) != -32002 {
		s.t.Errorf("prompt of a closed session: %v", err)
	}
	s.editor.news()
	if _, err := s.ResumeSession(s.t.Context(), sdk.ResumeSessionRequest{SessionId: s.id, Cwd: s.project}); err != nil {
		s.t.Fatal(err)
	}
	if got := s.editor.news(); strings.Contains(got, "user: ") || strings.Contains(got, "agent: ") {
		s.t.Errorf("resume told %s", got)
	}
	s.says(wiretest.Text("Resumed."))
	s.say(s.id, "are you there", sdk.StopReasonEndTurn)
	s.added[s.path] = append(s.added[s.path], "are you there", "Resumed.")
}

// begins begins a session of the program in another editor.
func (s *studio) begins() {
	s.t.Helper()
	e := &editorOf{}
	c, end := s.workshop.editor(e, "--agent", s.agent)
	x, err := c.NewSession(s.t.Context(), sdk.NewSessionRequest{Cwd: s.project, McpServers: []sdk.McpServer{}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.says(wiretest.Text("Begun."))
	say := sdk.PromptRequest{SessionId: x.SessionId, Prompt: []sdk.ContentBlock{sdk.TextBlock("begin here")}}
	if p, err := c.Prompt(s.t.Context(), say); err != nil || p.StopReason != sdk.StopReasonEndTurn {
		s.t.Fatalf("%+v, %v", p, err)
	}
	end()
	s.begun = s.fileOf(x.SessionId)
	s.added[s.begun] = []string{"begin here", "Begun."}
}

// hangsUp has another editor go away in a turn.
func (s *studio) hangsUp() {
	s.t.Helper()
	e := &editorOf{heard: make(chan struct{}, 1)}
	c, end := s.workshop.editor(e)
	if _, err := c.ResumeSession(s.t.Context(), sdk.ResumeSessionRequest{SessionId: s.id, Cwd: s.project}); err != nil {
		s.t.Fatal(err)
	}
	s.says(wiretest.Reply{Say: &wiretest.Say{Text: "one two three four five"}, Stall: true, Events: 4})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = c.Prompt(s.t.Context(), sdk.PromptRequest{SessionId: s.id, Prompt: []sdk.ContentBlock{sdk.TextBlock("what is lost?")}})
	}()
	s.editor = e
	s.until("agent: ")
	end()
	<-ended
	s.added[s.path] = append(s.added[s.path], "what is lost?")
}
