package coder_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/process"
	"github.com/cambium-dev/cambium/message"
)

// What a person always allows is allowed until the session is left, whatever way,
// or is one of another directory.
func TestAlwaysLastsUntilTheSessionIsLeft(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		leave func(r *rig) error
		asks  []string // what is asked about, before and after
	}{
		"stays": {func(*rig) error { return nil }, []string{"a"}},
		"new":   {func(r *rig) error { _, err := r.coder.Agent().New(ctx, false); return err }, []string{"a", "b"}},
		"switch": {func(r *rig) error {
			_, err := r.coder.Agent().Switch(ctx, filepath.Join(r.dir, "other.jsonl"))
			return err
		}, []string{"a", "b"}},
		"fork": {func(r *rig) error { _, err := r.coder.Agent().Fork(ctx); return err }, []string{"a", "b"}},
		"move": {func(r *rig) error { return r.coder.Agent().Move(ctx, t.TempDir()) }, []string{"a", "b"}},
		"a switch that fails": {func(r *rig) error {
			if ok, err := r.coder.Agent().Switch(ctx, r.dir); ok || err == nil {
				t.Errorf("gone to a directory: %v, %v", ok, err)
			}
			return nil
		}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t,
				reply{calls: []*message.ToolCall{called("a", "change", `{}`)}}, reply{text: "Done."},
				reply{calls: []*message.ToolCall{called("b", "change", `{}`)}}, reply{text: "Done."})
			var asked []string
			r.opt.Approve = func(_ context.Context, a coder.Ask) (coder.Answer, error) {
				asked = append(asked, a.CallID)
				return coder.Always, nil
			}
			r.start("")
			if _, err := r.prompt("Go."); err != nil {
				t.Fatal(err)
			}
			if err := c.leave(r); err != nil {
				t.Fatal(err)
			}
			if _, err := r.prompt("Again."); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(asked, c.asks) {
				t.Errorf("asked about %q, want %q", asked, c.asks)
			}
		})
	}
}

// A recorder keeps what it was given.
type recorder struct {
	fake
	got *[]string
}

func (r recorder) Run(_ context.Context, arguments entry.JSON, env tool.Env) tool.Result {
	*r.got = append(*r.got, env.Dir+" "+string(arguments))
	return tool.Result{}
}

// A shelled is a recorder that has a shell.
type shelled struct {
	recorder
	shell string
}

func (s shelled) Shell(tool.Env) (process.Shell, error) {
	if s.shell == "" {
		return process.Shell{}, process.ErrNoShell
	}
	return process.Shell{Path: s.shell}, nil
}

func (s shelled) Run(_ context.Context, _ entry.JSON, env tool.Env) tool.Result {
	*s.got = append(*s.got, env.Shell.Path)
	return tool.Result{}
}

// The question says which shell runs a command line, and that is the one that does;
// of bash it says nothing more. Where there is none nobody is asked.
func TestShellThatIsAskedRuns(t *testing.T) {
	for shell, told := range map[string]string{"/bin/bash": "", "/bin/dash": "/bin/dash", "": "nobody is asked"} {
		r := newRig(t, reply{calls: []*message.ToolCall{called("a", "run", "{}")}}, reply{text: "Done."})
		asked, ran := "nobody is asked", []string(nil)
		r.opt.Tools = append(r.opt.Tools, shelled{recorder{fake{"run", true, nil}, &ran}, shell})
		r.opt.Approve = func(_ context.Context, a coder.Ask) (coder.Answer, error) {
			asked = a.Shell
			return coder.Yes, nil
		}
		r.start("")
		if _, err := r.prompt("Go."); err != nil {
			t.Fatal(err)
		}
		if asked != told || strings.Join(ran, " ") != shell {
			t.Errorf("%q: told %q, want %q, run with %q", shell, asked, told, ran)
		}
	}
}

// What a person is asked about is to the byte what the tool gets, in that
// directory; what cannot be shown is asked about by nobody and run by nobody.
func TestWhatIsAskedIsRun(t *testing.T) {
	for name, c := range map[string]struct{ arguments, asked string }{
		"as it is":         {`{"n":1.50,"s":"\u001b[2J"}`, `{"n":1.50,"s":"\u001b[2J"}`},
		"made canonical":   {`{ "\u0061" : "\u0062\/" , "n":[ 1 ] }`, `{"a":"b/","n":[1]}`},
		"a name twice":     {`{"a":1,"a":2}`, ""},
		"twice within":     {`{"x":[{"a":1,"\u0061":2}]}`, ""},
		"a lone surrogate": {`{"a":"\ud83d"}`, ""},
		"no UTF-8":         {"{\"a\":\"\xff\"}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, changes := range []bool{true, false} {
				r := newRig(t, reply{calls: []*message.ToolCall{called("a", "record", c.arguments)}}, reply{text: "Done."})
				var asked, ran []string
				r.opt.Tools = append(r.opt.Tools, recorder{fake{"record", changes, nil}, &ran})
				r.opt.Approve = func(_ context.Context, a coder.Ask) (coder.Answer, error) {
					asked = append(asked, a.Dir+" "+string(a.Arguments))
					return coder.Yes, nil
				}
				r.start("")
				if _, err := r.prompt("Go."); err != nil {
					t.Fatal(err)
				}
				var want []string
				if c.asked != "" {
					want = []string{r.coder.Agent().Session().CWD() + " " + c.asked}
				} else if got := strings.Join(r.transcript(), "\n"); !strings.Contains(got, "Not run: the arguments ") {
					t.Errorf("transcript:\n%s", got)
				}
				if !slices.Equal(ran, want) || changes && !slices.Equal(asked, want) {
					t.Errorf("asked about %q, ran %q, want %q", asked, ran, want)
				}
			}
		})
	}
}

// A question that goes wrong is no reason to name a flag that who asks may not have.
func TestQuestionWithoutAnAnswer(t *testing.T) {
	r := newRig(t, reply{calls: []*message.ToolCall{called("a", "change", `{}`)}})
	r.opt.Approve = func(context.Context, coder.Ask) (coder.Answer, error) {
		return coder.No, errors.New("it makes no sense")
	}
	r.start("")
	out, err := r.prompt("Go.")
	if err != nil || out.Unapproved != "change" {
		t.Errorf("outcome %+v, %v", out, err)
	}
	got := strings.Join(r.transcript(), "\n")
	if !strings.Contains(got, "got no answer: it makes no sense") || strings.Contains(got, "--yes") {
		t.Errorf("transcript:\n%s", got)
	}
}
