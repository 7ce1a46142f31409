//go:build share

package cli_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/coder/acp-go-sdk"
)

// A sharedEditor is an editor of a home whose sessions are in a store.
type sharedEditor struct {
	acp.Client // what is never asked for
	*acp.ClientSideConnection

	mu   sync.Mutex
	told strings.Builder // guarded by mu
}

func (e *sharedEditor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch u := n.Update; {
	case u.UserMessageChunk != nil && u.UserMessageChunk.Content.Text != nil:
		e.told.WriteString("user: " + u.UserMessageChunk.Content.Text.Text + "\n")
	case u.AgentMessageChunk != nil && u.AgentMessageChunk.Content.Text != nil:
		e.told.WriteString(u.AgentMessageChunk.Content.Text.Text)
	}
	return nil
}

// heard returns what was told until now.
func (e *sharedEditor) heard() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.told.String()
}

// editor starts an editor's agent there; end hangs up.
func (h home) editor(t *testing.T, args ...string) (e *sharedEditor, end func()) {
	t.Helper()
	in, toAgent := io.Pipe()
	fromAgent, out := io.Pipe()
	var problems bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- cli.Run(t.Context(), append([]string{"acp"}, args...), cli.System{
			Stdin: in, Stdout: out, Stderr: &problems, Env: h.env, Dir: h.dir, Now: time.Now, Random: io.Reader(rand.Reader),
		})
		_ = out.Close()
	}()
	e = &sharedEditor{}
	e.ClientSideConnection = acp.NewClientSideConnection(e, toAgent, fromAgent)
	if _, err := e.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber}); err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	return e, func() {
		_ = toAgent.Close()
		if got := <-code; got != 0 {
			t.Errorf("acp ended with %d: %s", got, problems.String())
		}
	}
}

// TestShareEditor: an editor on one machine goes on with what one on another has
// begun in the store, and is refused what the other has open, if it wants that.
func TestShareEditor(t *testing.T) { eachStore(t, testShareEditor) }

func testShareEditor(t *testing.T, url string) {
	work := t.TempDir()
	wire := wiretest.New(t, wiretest.Text("Here I am."), wiretest.Text("Here, too."), wiretest.Text("In the copy."))
	one, two := newHome(t, work, url), newHome(t, work, url)
	for _, h := range []*home{&one, &two} {
		config := scratch.OwnDir(t)
		settings := `{"model":"p/m","providers":{"p":{"api":"openai-completions","baseUrl":"` + wire.URL + `/v1","models":[{"id":"m"}]}}}`
		if err := os.WriteFile(filepath.Join(config, "settings.json"), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		h.env = append(h.env, "CAMBIUM_CONFIG_DIR="+config)
	}
	ctx := t.Context()
	say := func(e *sharedEditor, id acp.SessionId, text string) {
		t.Helper()
		x, err := e.Prompt(ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
		if err != nil || x.StopReason != acp.StopReasonEndTurn {
			t.Fatalf("%q: %+v, %v", text, x, err)
		}
	}
	first, end := one.editor(t)
	begun, err := first.NewSession(ctx, acp.NewSessionRequest{Cwd: work, McpServers: []acp.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	id := begun.SessionId
	say(first, id, "hello from one")

	careful, endCareful := two.editor(t, "--if-busy", "fail")
	load := acp.LoadSessionRequest{SessionId: id, Cwd: work, McpServers: []acp.McpServer{}}
	var refused *acp.RequestError
	if _, err := careful.LoadSession(ctx, load); !errors.As(err, &refused) || refused.Code != -32005 {
		t.Errorf("what the other has open: %v", err)
	}
	endCareful()
	end()

	second, end := two.editor(t, "--if-busy", "fail")
	list, err := second.ListSessions(ctx, acp.ListSessionsRequest{Cwd: &work})
	if err != nil || len(list.Sessions) != 1 || list.Sessions[0].SessionId != id || *list.Sessions[0].Title != "hello from one" {
		t.Fatalf("%+v, %v", list, err)
	}
	if _, err := second.LoadSession(ctx, load); err != nil {
		t.Fatal(err)
	}
	if got := second.heard(); got != "user: hello from one\nHere I am." {
		t.Errorf("told %q", got)
	}
	say(second, id, "hello from two")
	say(second, id, "/name Both of us")
	fork, err := second.UnstableForkSession(ctx, acp.UnstableForkSessionRequest{SessionId: id, Cwd: work})
	if err != nil {
		t.Fatal(err)
	}
	say(second, fork.SessionId, "and in a copy")
	if _, err := second.ResumeSession(ctx, acp.ResumeSessionRequest{SessionId: id, Cwd: t.TempDir()}); !errors.As(err, &refused) || refused.Code != -32005 {
		t.Errorf("in another directory: %v", err)
	}
	end()
	if got := one.run(t, "", 0, "show", string(id)); !strings.Contains(got, "hello from two") || !strings.Contains(got, "Here, too.") || strings.Contains(got, "copy") {
		t.Errorf("shown on the other machine: %s", got)
	}
	if got := one.run(t, "", 0, "ls"); !strings.Contains(got, "Both of us") {
		t.Errorf("listed there: %s", got)
	}
	for _, h := range []home{one, two} {
		if left, err := filepath.Glob(filepath.Join(strings.TrimPrefix(h.env[0], "HOME="), ".cambium/agent/sessions/*/*")); err != nil || len(left) > 0 {
			t.Errorf("on the disk are %q, %v", left, err)
		}
	}
}
