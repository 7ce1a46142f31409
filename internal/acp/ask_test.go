package acp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/mcp/mcptest"
	sdk "github.com/coder/acp-go-sdk"
)

// asks returns the call that a permission request shows.
func asks(t *testing.T, p sdk.RequestPermissionRequest) consent.Call {
	t.Helper()
	if len(p.ToolCall.Content) == 0 || p.ToolCall.Content[0].Content == nil {
		t.Fatalf("the request has no text: %+v", p.ToolCall)
	}
	lines := strings.Split(p.ToolCall.Content[0].Content.Content.Text.Text, "\n")
	c, err := consent.Read(lines[1 : len(lines)-1])
	if err != nil {
		t.Fatalf("%v in\n%s", err, strings.Join(lines, "\n"))
	}
	return c
}

// A permission request has all of a call, however long, in its content and in its
// raw input; what is cut in the title is marked.
func TestPermissionShowsAll(t *testing.T) {
	long := strings.Repeat("a long line\n", 30_000)
	tests := []struct{ name, tool, argument, value, title string }{
		{"an escape", "bash", "command", "ls -la \x1b]0;touch F;:\x07 # done", `ls -la \u{1b}]0;touch F;:\u{7} # done`},
		{"long", "bash", "command", "echo " + strings.Repeat("x", 200) + "; touch F", "echo " + strings.Repeat("x", 115) + "…"},
		{"fences", "bash", "command", "echo '\n```\n````\n'", `echo '\u{a}` + "```" + `\u{a}` + "````" + `\u{a}'`},
		{"very long", "write", "content", long, "write a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := new(jsonedit.Object).String(tt.argument, tt.value)
			if tt.tool == "write" {
				o.String("path", "a")
			}
			arguments := o.Value()
			r := newRig(t, wiretest.Calling(wiretest.Call{ID: "a", Name: tt.tool, Arguments: wiretest.Arguments(string(arguments))}), wiretest.Text("done")).connect()
			r.editor.answer = func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome {
				return sdk.NewRequestPermissionOutcomeSelected("reject_once")
			}
			r.must(r.begin().SessionId, "go", sdk.StopReasonEndTurn)
			if len(r.editor.asked) != 1 {
				t.Fatalf("asked %d times", len(r.editor.asked))
			}
			p := r.editor.asked[0]
			if c := asks(t, p); c.Tool != tt.tool || c.Dir != r.dir || string(c.Arguments) != string(arguments) {
				t.Errorf("it is read as %.200s", fmt.Sprint(c))
			}
			raw, err := json.Marshal(p.ToolCall.RawInput)
			if got, ok := jsonedit.Text(entry.JSON(raw), tt.argument); err != nil || !ok || got != tt.value {
				t.Errorf("the raw input is %.200s, %v", raw, err)
			}
			if *p.ToolCall.Title != tt.title {
				t.Errorf("the title is %q, want %q", *p.ToolCall.Title, tt.title)
			}
		})
	}
}

// What is shown is where a file really is, and an argument that is there twice is
// not run at all.
func TestPermissionOfALink(t *testing.T) {
	r := newRig(t, call("a", "write", `{"path":"notes.md","content":"x"}`), call("b", "bash", `{"command":"true","command":"touch x"}`), wiretest.Text("done")).connect()
	if err := os.Mkdir(filepath.Join(r.dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".git/config", filepath.Join(r.dir, "notes.md")); err != nil {
		t.Fatal(err)
	}
	r.must(r.begin().SessionId, "go", sdk.StopReasonEndTurn)
	if len(r.editor.asked) != 1 {
		t.Fatalf("asked %d times", len(r.editor.asked))
	}
	p := r.editor.asked[0]
	want := filepath.Join(r.dir, ".git/config")
	if c := asks(t, p); c.Leads != want || p.ToolCall.Locations[0].Path != want || p.ToolCall.Content[1].Diff.Path != want {
		t.Errorf("asked about %+v, %+v", c, p.ToolCall)
	}
	if got := string(r.wire.Last().Body); !strings.Contains(got, "Not run: the arguments ") {
		t.Errorf("told %.3000s", got)
	}
}

// A server that says its tool only reads is not believed: what was allowed before
// plan mode is asked about in it, each time.
func TestPlanModeAsksAnew(t *testing.T) {
	look := func(id string) wiretest.Reply { return call(id, "mcp__g_look", `{}`) }
	r := newRig(t, look("a"), look("b"), wiretest.Text("seen"), look("c"), look("d"), wiretest.Text("seen again")).connect()
	r.editor.answer = func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome {
		return sdk.NewRequestPermissionOutcomeSelected("allow_always")
	}
	id := r.with(serverOf("g", mcptest.Good))
	r.must(id, "look", sdk.StopReasonEndTurn)
	if len(r.editor.asked) != 1 {
		t.Fatalf("asked %d times before", len(r.editor.asked))
	}
	if _, err := r.client.SetSessionMode(r.ctx, sdk.SetSessionModeRequest{SessionId: id, ModeId: "plan"}); err != nil {
		t.Fatal(err)
	}
	r.must(id, "look again", sdk.StopReasonEndTurn)
	if len(r.editor.asked) != 3 {
		t.Errorf("asked %d times in all, want 3", len(r.editor.asked))
	}
}
