package agent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var ctx = context.Background()

// same reports what differs between two states of one agent.
func same(was, now state) string {
	return cmp.Diff(was, now, cmpopts.IgnoreFields(state{}, "Session"))
}

func TestNew(t *testing.T) {
	r := newRig(t)
	r.tell()
	here := r.here()
	r.start(here)
	r.fill()
	if ok, err := r.agent.New(ctx, true); !ok || err != nil {
		t.Fatal(ok, err)
	}
	s := r.agent.Session()
	r.wantSteps(
		"session_before_switch new .", "disconnect", "stop", "visit "+filepath.Base(s.Path())+" false", "id "+s.ID(),
		"session_switch new here.jsonl at "+filepath.Base(s.Path()), "messages 0", "thinking low", "mode none", "todos ", "connect",
	)
	if s.OnDisk() || s.Header().ParentSession != here || s.CWD() != "/w" || filepath.Dir(s.Path()) != r.dir {
		t.Errorf("on disk %v, header %+v, path %q", s.OnDisk(), s.Header(), s.Path())
	}
	if got := r.state(); got.Queued != nil || got.Model != "p/m" {
		t.Errorf("state %+v", got)
	}
}

func TestNewFailsAtEachStep(t *testing.T) {
	for n := 1; ; n++ {
		r := newRig(t)
		r.start(r.here())
		r.fill()
		if err := r.agent.Session().MoveLeaf("u1"); err != nil {
			t.Fatal(err)
		}
		was, disk := r.state(), r.disk()
		r.fail = n
		ok, err := r.agent.New(ctx, false)
		if ok {
			if n != 5 {
				t.Errorf("%d steps can fail", n-1)
			}
			break
		}
		if !errors.Is(err, errInjected) {
			t.Fatal(err)
		}
		if d := same(was, r.state()); d != "" {
			t.Errorf("step %d (-was +now):\n%s", n, d)
		}
		if d := cmp.Diff(disk, r.disk()); d != "" {
			t.Errorf("step %d:\n%s", n, d)
		}
	}
}

func TestFork(t *testing.T) {
	r := newRig(t)
	r.tell()
	here := r.here()
	r.file(filepath.Join("here", "1.bash.log"), "output")
	r.start(here)
	r.fill()
	if err := r.agent.Session().MoveLeaf("u2"); err != nil {
		t.Fatal(err)
	}
	if ok, err := r.agent.Fork(ctx); !ok || err != nil {
		t.Fatal(ok, err)
	}
	s := r.agent.Session()
	r.wantSteps(
		"session_before_switch fork .", "visit "+filepath.Base(s.Path())+" true", "id "+s.ID(),
		"session_switch fork here.jsonl at "+filepath.Base(s.Path()),
	)
	if got := r.state(); got.Leaf != "u2" || len(got.Messages) != 3 || len(got.Queued) != 3 || got.Path == here {
		t.Errorf("state %+v", got)
	}
	data, err := os.ReadFile(filepath.Join(s.ArtifactDir(), "1.bash.log"))
	if string(data) != "output\n" {
		t.Errorf("artifact %q, %v", data, err)
	}
}

func TestForkInMemory(t *testing.T) {
	r := newRig(t)
	s, err := session.InMemory("/w", r.opt.Session)
	if err != nil {
		t.Fatal(err)
	}
	a := agent.New(r.opt)
	if err := a.Start(ctx, agent.Start{Session: s}); err != nil {
		t.Fatal(err)
	}
	defer a.Close(ctx)
	if ok, err := a.Fork(ctx); ok || err != nil {
		t.Error(ok, err)
	}
}

func TestBranch(t *testing.T) {
	tests := []struct {
		at, text string
		messages int
	}{{"u2", "three", 2}, {"u1", "one", 0}}
	for _, test := range tests {
		t.Run(test.at, func(t *testing.T) {
			r := newRig(t)
			r.tell()
			here := r.here()
			r.start(here)
			r.fill()
			text, ok, err := r.agent.Branch(ctx, test.at)
			if text != test.text || !ok || err != nil {
				t.Fatal(text, ok, err)
			}
			got := r.state()
			if len(got.Messages) != test.messages || got.Path == here || !got.Connected || len(got.Queued) != 2 {
				t.Errorf("state %+v", got)
			}
			if above := r.agent.Session().Header().ParentSession; above != here {
				t.Errorf("parent %q", above)
			}
			steps := strings.Join(r.steps, "\n")
			if !strings.HasPrefix(steps, "session_before_branch "+test.at+"\ndisconnect\nstop\n") || !strings.Contains(steps, "\nsession_branch here.jsonl\nmessages") {
				t.Errorf("steps:\n%s", steps)
			}
		})
	}
}

func TestBranchSkipsMessages(t *testing.T) {
	r := newRig(t)
	r.start(r.here())
	agent.On(r.hooks, func(context.Context, agent.SessionBeforeBranch) (agent.Reply, error) {
		return agent.Reply{SkipConversationRestore: true}, nil
	})
	if _, ok, err := r.agent.Branch(ctx, "u2"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if len(r.driver.messages) != 3 {
		t.Errorf("%d messages", len(r.driver.messages))
	}
}

func TestBranchRefuses(t *testing.T) {
	r := newRig(t)
	r.start(r.here())
	for _, id := range []string{"a1", "t1", "nobody"} {
		_, ok, err := r.agent.Branch(ctx, id)
		var e *session.Error
		if ok || !errors.As(err, &e) || e.Text != "Invalid entry ID for branching" {
			t.Errorf("%s: %v, %v", id, ok, err)
		}
	}
	r.wantSteps()
}

func TestBranchFailsAtEachStep(t *testing.T) {
	for n := 1; ; n++ {
		r := newRig(t)
		r.start(r.here())
		r.fill()
		if err := r.agent.Session().MoveLeaf("t1"); err != nil {
			t.Fatal(err)
		}
		was := r.state()
		r.fail = n
		_, ok, err := r.agent.Branch(ctx, "u2")
		if ok {
			if n != 3 {
				t.Errorf("%d steps can fail", n-1)
			}
			break
		}
		if !errors.Is(err, errInjected) {
			t.Fatal(err)
		}
		if d := same(was, r.state()); d != "" {
			t.Errorf("step %d (-was +now):\n%s", n, d)
		}
	}
}

// Each event that asks can be cancelled, and nothing has changed then.
func TestCancelled(t *testing.T) {
	tests := []struct {
		name string
		do   func(*rig) (bool, error)
	}{
		{"new", func(r *rig) (bool, error) { return r.agent.New(ctx, false) }},
		{"fork", func(r *rig) (bool, error) { return r.agent.Fork(ctx) }},
		{"branch", func(r *rig) (bool, error) {
			_, ok, err := r.agent.Branch(ctx, "u1")
			return ok, err
		}},
		{"navigate", func(r *rig) (bool, error) {
			n, err := r.agent.Navigate(ctx, "u1", agent.NavigateOptions{})
			return !n.Cancelled, err
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			r.start(r.here())
			cancel[agent.SessionBeforeSwitch](r)
			cancel[agent.SessionBeforeBranch](r)
			cancel[agent.SessionBeforeTree](r)
			r.fill()
			was, disk := r.state(), r.disk()
			if ok, err := test.do(r); ok || err != nil {
				t.Fatal(ok, err)
			}
			if d := same(was, r.state()); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(disk, r.disk()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRenameAndMove(t *testing.T) {
	r := newRig(t)
	r.start(r.here())
	if ok, err := r.agent.Rename(ctx, "A name", session.Title{}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := r.agent.Move(ctx, "/elsewhere"); err != nil {
		t.Fatal(err)
	}
	s := r.agent.Session()
	if title, _ := s.Title(); title != "A name" || s.CWD() != "/elsewhere" {
		t.Errorf("title %q, cwd %q", title, s.CWD())
	}
}

// A new session is one of the directory in which the agent works, not of the one
// that the session before was recorded in.
func TestNewWhereTheAgentWorks(t *testing.T) {
	r := newRig(t)
	r.start(r.file("far.jsonl", elsewhereIn("/"), says("u1", "", "hi")))
	old := r.agent.Session()
	ok, err := r.agent.New(ctx, true)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	now := r.agent.Session()
	if now.CWD() != "/w" || r.agent.Dir() != "/w" || now.Header().ParentSession == "" || now.Dialect() != old.Dialect() {
		t.Errorf("the new session is of %q, parent %q, of %s; the agent works in %q", now.CWD(), now.Header().ParentSession, now.Dialect(), r.agent.Dir())
	}
	if _, err := old.Append(ctx, &entry.LabelBody{TargetID: "u1", Label: "x"}); err == nil {
		t.Error("the session before is still open")
	}
}
