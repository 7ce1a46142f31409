package coder_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// TestASessionDoesNotChooseWhereToolsWork: whatever directory the header of a
// session names, tools, questions, commands and the instructions for the model are
// those of the directory in which the agent was started.
func TestASessionDoesNotChooseWhereToolsWork(t *testing.T) {
	far := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(far, "AGENTS.md"), "words from far away")
	for name, cwd := range map[string]string{"another": far, "the root": "/", "none": "", "relative": "../..", "gone": "/nowhere/at/all"} {
		for _, way := range []string{"start", "switch"} {
			t.Run(name+" "+way, func(t *testing.T) {
				r := newRig(t, reply{calls: []*message.ToolCall{called("a", "look", `{}`), called("b", "change", `{}`)}}, reply{text: "Done."})
				var dirs []string
				sees := func(_ context.Context, _ entry.JSON, env tool.Env) tool.Result {
					dirs = append(dirs, env.Dir)
					return answers("seen")(context.Background(), nil, env)
				}
				r.opt.Tools = []tool.Tool{fake{"look", false, sees}, fake{"change", true, sees}}
				r.opt.Approve = func(_ context.Context, a coder.Ask) (coder.Answer, error) {
					dirs = append(dirs, a.Dir)
					return coder.Yes, nil
				}
				path := filepath.Join(r.dir, "given.jsonl")
				header, _ := jsontext.AppendQuote(nil, cwd)
				write(path, `{"type":"session","version":3,"id":"given","timestamp":"2026-03-01T09:00:00.000Z","cwd":`+string(header)+"}\n")
				r.coder = coder.New(r.opt)
				c := r.coder.Agent()
				t.Cleanup(func() { _ = c.Close(context.Background()) })
				begin := agent.Start{CWD: r.dir}
				if way == "start" {
					begin.Path = path
				}
				if err := c.Start(context.Background(), begin); err != nil {
					t.Fatal(err)
				}
				if way == "switch" {
					if ok, err := c.Switch(context.Background(), path); !ok || err != nil {
						t.Fatal(ok, err)
					}
				}
				if _, err := r.prompt("Go."); err != nil {
					t.Fatal(err)
				}
				m, err := r.coder.Shell(context.Background(), "pwd -P", false)
				if err != nil {
					t.Fatal(err)
				}
				real, err := filepath.EvalSymlinks(r.dir)
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.TrimSpace(m.Output); got != real {
					t.Errorf("a command ran in %q, want %q", got, real)
				}
				if got := strings.Join(dirs, " "); got != strings.Join([]string{r.dir, r.dir, r.dir}, " ") {
					t.Errorf("tools and questions were of %q, want %q", got, r.dir)
				}
				system := r.model.asked()[0].System
				if !strings.Contains(system, "Directory: "+r.dir+"\n") || strings.Contains(system, "far away") {
					t.Errorf("the model is told %s", system)
				}
			})
		}
	}
}
