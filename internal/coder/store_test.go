package coder_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

// A person's own command is noted in each dialect, and the model sees it unless it
// is hidden.
func TestShell(t *testing.T) {
	for _, d := range spelling.All() {
		t.Run(string(d.Name), func(t *testing.T) {
			r := newRig(t, reply{text: "I see"})
			r.opt.Session.Dialect = d.Name
			r.start("")
			ran, err := r.coder.Shell(context.Background(), "echo beans; exit 3", false)
			if err != nil || ran.Output != "beans\n" || ran.ExitCode == nil || *ran.ExitCode != 3 {
				t.Fatalf("%+v, %v", ran, err)
			}
			if _, err := r.coder.Shell(context.Background(), "echo secret", true); err != nil {
				t.Fatal(err)
			}
			if _, err := r.prompt("what was that?"); err != nil {
				t.Fatal(err)
			}
			var sent []string
			for _, m := range r.model.asked()[0].Messages {
				sent = append(sent, inShort(t, m))
			}
			want := []string{"user: Ran `echo beans; exit 3`\n```\nbeans\n\n```\n\nCommand exited with code 3", "user: what was that?"}
			if diff := cmp.Diff(want, sent); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
}

func TestShellStopped(t *testing.T) {
	r := newRig(t).start("")
	ctx, stop := context.WithCancel(context.Background())
	stop()
	ran, err := r.coder.Shell(ctx, "exit 1", false)
	if err != nil || !ran.Cancelled || ran.ExitCode != nil {
		t.Errorf("%+v, %v", ran, err)
	}
	if got := r.transcript(); len(got) != 1 {
		t.Errorf("transcript %q", got)
	}
}

// The whole of an output that was cut is kept outside of the directory, and may be
// looked at there all the same.
func TestWholeOutputIsReadable(t *testing.T) {
	r := newRig(t, reply{calls: []*message.ToolCall{called("a", "bash", `{"command":"seq 100000"}`)}}, reply{text: "done"})
	work := filepath.Join(r.dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	r.opt.Tools, r.opt.Environ = tool.All(), os.Environ()
	r.opt.Approve = func(context.Context, coder.Ask) (coder.Answer, error) { return coder.Yes, nil }
	r.coder = coder.New(r.opt)
	if err := r.coder.Agent().Start(context.Background(), agent.Start{CWD: work}); err != nil {
		t.Fatal(err)
	}
	defer r.coder.Agent().Close(context.Background())
	if _, err := r.prompt("count"); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(r.coder.Agent().Session().ArtifactDir(), "0.bash.log")
	if got := r.transcript(); !strings.Contains(got[2], whole) {
		t.Fatalf("the result does not name %s: %.300q", whole, got)
	}
	r.model.replies = []reply{{calls: []*message.ToolCall{called("b", "read", fmt.Sprintf(`{"path":%q,"limit":1}`, whole))}}, {text: "done"}}
	if _, err := r.prompt("how does it begin?"); err != nil {
		t.Fatal(err)
	}
	if got := r.transcript(); strings.HasSuffix(got[6], "[error]") || !strings.HasPrefix(got[6], "toolResult b: 1\n") {
		t.Errorf("read: %.300q", got[6])
	}
}

// A full disk is said; what was said is in memory, and saved when there is room.
func TestDiskFull(t *testing.T) {
	r := newRig(t, reply{text: "one"}, reply{text: "two"}, reply{text: "three"})
	full := &errorfs.Toggle{Inner: errorfs.Match(errorfs.Fault{Err: errorfs.ErrNoSpace}, "", errorfs.Write, errorfs.WriteAt)}
	r.opt.Session = vfs.On(r.opt.Session, errorfs.Wrap(vfs.OS(), full.Inject))
	r.start("")
	if _, err := r.prompt("first"); err != nil {
		t.Fatal(err)
	}
	full.Set(true)
	if _, err := r.prompt("second"); !errors.Is(err, session.ErrUnsaved) {
		t.Errorf("got %v", err)
	}
	full.Set(false)
	if _, err := r.prompt("third"); err != nil {
		t.Fatal(err)
	}
	path := r.coder.Agent().Session().Path()
	want := r.transcript()
	if err := r.coder.Agent().Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, newRig(t).start(path).transcript()); diff != "" {
		t.Errorf("on disk (-memory +disk):\n%s", diff)
	}
}

// An answer that could not be saved is handed out all the same, and its calls are
// not run.
func TestDiskFullBeforeAnAnswer(t *testing.T) {
	full := &errorfs.Toggle{Inner: errorfs.Match(errorfs.Fault{Err: errorfs.ErrNoSpace}, "", errorfs.Write, errorfs.WriteAt)}
	r := newRig(t, reply{text: "one"},
		reply{text: "long thought", calls: []*message.ToolCall{called("a", "look", `{}`)}, before: func(context.Context) { full.Set(true) }}, reply{text: "three"})
	r.opt.Session = vfs.On(r.opt.Session, errorfs.Wrap(vfs.OS(), full.Inject))
	r.start("")
	if _, err := r.prompt("first"); err != nil {
		t.Fatal(err)
	}
	out, err := r.prompt("second")
	if !errors.Is(err, session.ErrUnsaved) || out.Text != "long thought" || out.Stop != message.Error {
		t.Errorf("%+v, %v", out, err)
	}
	if slices.Contains(r.events, "tool_execution_start") {
		t.Errorf("told %q", r.events)
	}
	full.Set(false)
	if out, err := r.prompt("third"); err != nil || out.Text != "three" {
		t.Errorf("%+v, %v", out, err)
	}
	if err := takeable(r.model.asked()[2].Messages); err != nil {
		t.Error(err)
	}
}

// What a flag chooses is noted once, in the dialect's spelling, where the branch
// says something else.
func TestChoose(t *testing.T) {
	for _, d := range spelling.All() {
		t.Run(string(d.Name), func(t *testing.T) {
			r := newRig(t)
			r.opt.Session.Dialect = d.Name
			s, err := session.Create(context.Background(), r.dir, r.opt.Session)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			m := &replay.Model{Provider: "p", ModelID: "m"}
			for range 2 {
				if err := coder.Choose(context.Background(), s, m, "high"); err != nil {
					t.Fatal(err)
				}
			}
			if err := coder.Choose(context.Background(), s, nil, ""); err != nil {
				t.Fatal(err)
			}
			if n := s.Len(); n != 2 {
				t.Errorf("%d entries, want 2", n)
			}
			c, err := s.Context(context.Background(), session.ContextOptions{})
			if err != nil || c.Model == nil || *c.Model != *m || c.ThinkingLevel != "high" {
				t.Errorf("%+v, %v", c, err)
			}
		})
	}
}

// A hook that hangs is cut off and reported; one that cancels a switch keeps the
// session, and the next prompt is possible.
func TestHooksDoNotHoldUp(t *testing.T) {
	var reported []string
	r := newRig(t, reply{text: "fine"})
	r.opt.Hooks = &agent.Hooks{Limit: time.Nanosecond, Report: func(event string, err error) {
		reported = append(reported, event)
		if !errors.Is(err, agent.ErrHung) {
			t.Errorf("%s: %v", event, err)
		}
	}}
	forever := make(chan struct{})
	defer close(forever)
	agent.On(r.opt.Hooks, func(context.Context, agent.SessionStart) (agent.Reply, error) { <-forever; return agent.Reply{}, nil })
	r.start("")
	if out, err := r.prompt("go"); err != nil || out.Text != "fine" {
		t.Errorf("%+v, %v", out, err)
	}
	if diff := cmp.Diff([]string{"session_start"}, reported); diff != "" {
		t.Errorf("reported (-want +got):\n%s", diff)
	}
}

// The system prompt says where the agent is and what the project says of itself,
// the outermost first, bounded.
func TestSystemPrompt(t *testing.T) {
	r := newRig(t, reply{text: "fine"}, reply{text: "fine"})
	inner := filepath.Join(r.dir, "repo", "inner")
	for path, text := range map[string]string{
		"AGENTS.md":            "outside of the repository",
		"repo/.git/HEAD":       "ref: refs/heads/main",
		"repo/CLAUDE.md":       "the whole repository",
		"repo/inner/AGENTS.md": "this directory" + strings.Repeat(" and more", 10_000),
		"repo/inner/CLAUDE.md": "not read beside the other",
	} {
		write(t, filepath.Join(r.dir, path), text)
	}
	r.opt.MoreSystem = "Be kind."
	r.coder = coder.New(r.opt)
	if err := r.coder.Agent().Start(context.Background(), agent.Start{CWD: inner}); err != nil {
		t.Fatal(err)
	}
	defer r.coder.Agent().Close(context.Background())
	if _, err := r.prompt("go"); err != nil {
		t.Fatal(err)
	}
	got := r.model.asked()[0].System
	at := 0
	for _, want := range []string{"look, change", "Directory: " + inner, "Date: 2026-03-10", "the whole repository", "this directory", "[the rest is left out]", "Be kind."} {
		i := strings.Index(got[at:], want)
		if i < 0 {
			t.Fatalf("%q is missing, or before its place, in:\n%.3000s", want, got)
		}
		at += i
	}
	for _, not := range []string{"outside of the repository", "not read beside"} {
		if strings.Contains(got, not) {
			t.Errorf("it says %q", not)
		}
	}
	if len(got) > 40<<10 {
		t.Errorf("it has %d bytes", len(got))
	}
}

// Pictures go with a prompt, and stay in the session whole.
func TestPictures(t *testing.T) {
	r := newRig(t, reply{text: "a cat"}).start("")
	if _, err := r.coder.Prompt(context.Background(), "what is it?", &message.Image{Data: "AAAA", MimeType: "image/png"}); err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(r.lines, "\n"); !strings.Contains(all, `{"type":"notice","text":"p/m takes no pictures: `) {
		t.Errorf("told %s", all)
	}
	want := `"content":[{"type":"text","text":"what is it?"},{"type":"image","data":"AAAA","mimeType":"image/png"}]`
	if sent := string(r.model.asked()[0].Messages[0]); !strings.Contains(sent, want) {
		t.Errorf("sent %s", sent)
	}
	c, err := r.coder.Agent().Session().Context(context.Background(), session.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for m := range c.Messages() {
		if strings.Contains(string(m.JSON), "what is it?") && !strings.Contains(string(m.JSON), want) {
			t.Errorf("stored %s", m.JSON)
		}
	}
}
