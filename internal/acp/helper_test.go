package acp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/acp"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	sdk "github.com/coder/acp-go-sdk"
)

// An editor is the client of a test: it keeps what it is told.
type editor struct {
	mu      sync.Mutex
	all     []sdk.SessionNotification // guarded by mu
	changed chan struct{}             // gets one when something was told
	// answer says what to choose; nil is the first option.
	answer func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome
	asked  []sdk.RequestPermissionRequest // guarded by mu
	deaf   bool                           // nobody can be asked
}

func (e *editor) SessionUpdate(_ context.Context, n sdk.SessionNotification) error {
	e.mu.Lock()
	e.all = append(e.all, n)
	e.mu.Unlock()
	select {
	case e.changed <- struct{}{}:
	default:
	}
	return nil
}

func (e *editor) RequestPermission(_ context.Context, p sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	e.mu.Lock()
	e.asked = append(e.asked, p)
	answer := e.answer
	e.mu.Unlock()
	if e.deaf {
		return sdk.RequestPermissionResponse{}, sdk.NewMethodNotFound(sdk.ClientMethodSessionRequestPermission)
	}
	if answer == nil {
		return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected(p.Options[0].OptionId)}, nil
	}
	return sdk.RequestPermissionResponse{Outcome: answer(p)}, nil
}

// The rest of a client is never asked for: the agent has tools of its own.
var errUnasked = errors.New("nobody asked for that")

func (*editor) ReadTextFile(context.Context, sdk.ReadTextFileRequest) (r sdk.ReadTextFileResponse, _ error) {
	return r, errUnasked
}
func (*editor) WriteTextFile(context.Context, sdk.WriteTextFileRequest) (r sdk.WriteTextFileResponse, _ error) {
	return r, errUnasked
}
func (*editor) CreateTerminal(context.Context, sdk.CreateTerminalRequest) (r sdk.CreateTerminalResponse, _ error) {
	return r, errUnasked
}
func (*editor) KillTerminal(context.Context, sdk.KillTerminalRequest) (r sdk.KillTerminalResponse, _ error) {
	return r, errUnasked
}
func (*editor) TerminalOutput(context.Context, sdk.TerminalOutputRequest) (r sdk.TerminalOutputResponse, _ error) {
	return r, errUnasked
}
func (*editor) ReleaseTerminal(context.Context, sdk.ReleaseTerminalRequest) (r sdk.ReleaseTerminalResponse, _ error) {
	return r, errUnasked
}
func (*editor) WaitForTerminalExit(context.Context, sdk.WaitForTerminalExitRequest) (r sdk.WaitForTerminalExitResponse, _ error) {
	return r, errUnasked
}

// updates returns what was told until now and forgets it.
func (e *editor) updates() []sdk.SessionUpdate {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []sdk.SessionUpdate
	for _, n := range e.all {
		all = append(all, n.Update)
	}
	e.all = nil
	return all
}

// until waits until something was told for which is is true.
func (e *editor) until(t *testing.T, is func(sdk.SessionUpdate) bool) {
	t.Helper()
	for {
		e.mu.Lock()
		for _, n := range e.all {
			if is(n.Update) {
				e.mu.Unlock()
				return
			}
		}
		e.mu.Unlock()
		select {
		case <-e.changed:
		case <-t.Context().Done():
			t.Fatal("the test is over")
		}
	}
}

// A rig is a server with an editor.
type rig struct {
	t        *testing.T
	ctx      context.Context
	home     string
	dir      string
	opt      acp.Options
	settings agent.Settings
	tools    []tool.Tool // beside the usual ones
	fs       vfs.FS      // of sessions; nil is that of the machine
	wire     *wiretest.Server
	editor   *editor
	client   *sdk.ClientSideConnection
	hangUp   func() // ends the server's input
	ended    chan error
	mu       sync.Mutex
	logged   []string
	finished bool
}

// newRig returns what is not connected yet. The model says the replies.
func newRig(t *testing.T, replies ...wiretest.Reply) *rig {
	t.Helper()
	root := t.TempDir()
	r := &rig{t: t, ctx: t.Context(), home: filepath.Join(root, "home"), dir: filepath.Join(root, "work"), ended: make(chan error, 1)}
	for _, dir := range []string{r.home, r.dir} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.wire = wiretest.New(t, replies...)
	none, locked := "", "NOWHERE_KEY"
	m := func(id string) model.Definition {
		return model.Definition{ID: id, Name: strings.ToUpper(id), Window: 100_000, MaxOutput: 4000, Images: sdk.Ptr(true), Price: &model.Price{Input: 2}, Levels: []string{"off", "low", "high"}}
	}
	registry := model.New([]model.Provider{
		{Name: "p", API: model.Anthropic, BaseURL: r.wire.URL, KeyEnv: &none, Models: []model.Definition{m("m"), m("big")}},
		{Name: "locked", API: model.Anthropic, BaseURL: r.wire.URL, KeyEnv: &locked, Models: []model.Definition{m("x")}},
	}, nil)
	env := layout.Env{
		Home: r.home, Cwd: r.dir, TempDir: t.TempDir(),
		Getenv:    func(string) string { return "" },
		LookupEnv: func(string) (string, bool) { return "", false },
		Exists:    func(p string) bool { _, err := os.Stat(p); return err == nil },
		Real:      func(p string) (string, bool) { real, err := filepath.EvalSymlinks(p); return real, err == nil },
	}
	r.settings = agent.Settings{Model: &replay.Model{Provider: "p", ModelID: "m"}, ThinkingLevel: "off"}
	so := session.Options{Env: env, FirstWrite: session.FirstAssistant}
	r.opt = acp.Options{
		Version: "test", Catalog: catalog.Options{Env: env}, Session: so, Models: registry,
		Coder: func(w acp.Wires) (*coder.Coder, error) {
			so := so
			if r.fs != nil {
				so = vfs.On(so, r.fs)
			}
			return coder.New(coder.Options{
				Session: so, Registry: registry, Providers: coder.Providers(nil), Tools: append(tool.All(), r.tools...),
				Settings: r.settings,
				Retry:    coder.Retry{Tries: 1}, Tell: w.Tell, Approve: w.Approve, Refuse: w.Refuse, More: w.More,
				EnterMode: w.EnterMode, OnTodos: w.OnTodos,
				Environ: []string{"PATH=" + os.Getenv("PATH")},
			}), nil
		},
		Environ: []string{"PATH=" + os.Getenv("PATH")},
		Log: func(line string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.logged = append(r.logged, line)
		},
	}
	return r
}

// connect connects an editor to the server.
func (r *rig) connect() *rig {
	r.t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	r.editor = &editor{changed: make(chan struct{}, 1)}
	r.client = sdk.NewClientSideConnection(r.editor, toServer, fromServer)
	go func() {
		err := acp.Serve(r.ctx, in, out, r.opt)
		_ = out.Close()
		r.ended <- err
	}()
	r.hangUp = func() { _ = toServer.Close() }
	r.t.Cleanup(func() {
		r.hangUp()
		if !r.finished {
			if err := <-r.ended; err != nil && !errors.Is(err, context.Canceled) {
				r.t.Errorf("Serve: %v", err)
			}
		}
	})
	if _, err := r.client.Initialize(r.ctx, sdk.InitializeRequest{ProtocolVersion: sdk.ProtocolVersionNumber}); err != nil {
		r.t.Fatal(err)
	}
	return r
}

// end hangs up and waits for the server.
func (r *rig) end() error {
	r.hangUp()
	r.finished = true
	return <-r.ended
}

// begin begins a session.
func (r *rig) begin() sdk.NewSessionResponse {
	r.t.Helper()
	x, err := r.client.NewSession(r.ctx, sdk.NewSessionRequest{Cwd: r.dir, McpServers: []sdk.McpServer{}})
	if err != nil {
		r.t.Fatal(err)
	}
	return x
}

// say prompts and returns why the turn ended.
func (r *rig) say(id sdk.SessionId, text string) (sdk.StopReason, error) {
	x, err := r.client.Prompt(r.ctx, sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock(text)}})
	return x.StopReason, err
}

// must is say that ends with a reason.
func (r *rig) must(id sdk.SessionId, text string, want sdk.StopReason) {
	r.t.Helper()
	if got, err := r.say(id, text); err != nil || got != want {
		r.t.Fatalf("prompt %q: %s, %v, want %s", text, got, err, want)
	}
}

// examples copies the examples of a dialect into the home, their sessions being of
// the working directory, and returns the paths of their files.
func (r *rig) examples(name string) []string {
	r.t.Helper()
	var files []string
	from, to := filepath.Join("..", "..", "examples", name, "agent"), filepath.Join(r.home, "."+name, "agent")
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(from, path)
		if strings.HasSuffix(path, ".jsonl") {
			for _, dir := range []string{"/work/garden", "/work/pump", "/work/weather"} {
				data = bytes.ReplaceAll(data, []byte(`"cwd":"`+dir+`"`), []byte(`"cwd":"`+r.dir+`"`))
			}
			files = append(files, filepath.Join(to, rel))
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, rel)), 0o700); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o600)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return files
}

// read opens a session to look at it.
func (r *rig) read(path string) *session.Session {
	r.t.Helper()
	o := r.opt.Session
	o.ReadOnly = true
	s, err := session.Open(context.Background(), path, o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = s.Close() })
	return s
}

// transcript is what was said at the end of a session, a line a message.
func (r *rig) transcript(path string) []string {
	r.t.Helper()
	c, err := r.read(path).Context(context.Background(), session.ContextOptions{})
	if err != nil {
		r.t.Fatal(err)
	}
	var all []string
	for m, err := range c.Messages() {
		if err != nil {
			r.t.Fatal(err)
		}
		x, err := message.Decode(m.JSON)
		if err != nil {
			r.t.Fatal(err)
		}
		line := message.Role(x) + ": " + message.Text(x)
		if a, ok := x.(*message.Assistant); ok {
			line += " [" + string(a.StopReason) + "]"
		}
		all = append(all, line)
	}
	return all
}

// sessions returns the session files in the home.
func (r *rig) sessions() []string {
	var all []string
	_ = filepath.WalkDir(r.home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".jsonl") && strings.Contains(path, "/sessions/") {
			all = append(all, path)
		}
		return nil
	})
	return all
}

// code returns the code of an error of a call, 0 for none.
func code(err error) int {
	var e *sdk.RequestError
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// words joins what an answer, or a thought, said.
func words(all []sdk.SessionUpdate) (said, thought, user string) {
	for _, u := range all {
		switch {
		case u.AgentMessageChunk != nil && u.AgentMessageChunk.Content.Text != nil:
			said += u.AgentMessageChunk.Content.Text.Text
		case u.AgentThoughtChunk != nil && u.AgentThoughtChunk.Content.Text != nil:
			thought += u.AgentThoughtChunk.Content.Text.Text
		case u.UserMessageChunk != nil && u.UserMessageChunk.Content.Text != nil:
			user += u.UserMessageChunk.Content.Text.Text
		}
	}
	return said, thought, user
}
