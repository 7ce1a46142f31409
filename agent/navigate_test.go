package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// forked is a tree: u1 a1, and behind it u2 a2 x1 and u3 a3.
func (r *rig) forked() string {
	return r.file("here.jsonl", header("here"), says("u1", "", "one"), answers("a1", "u1", "two"),
		says("u2", "a1", "three"), answers("a2", "u2", "four"),
		line("custom_message", "x1", "a2", `"customType":"note","content":"noted","display":true`),
		says("u3", "a1", "five"), answers("a3", "u3", "six"))
}

func TestNavigate(t *testing.T) {
	tests := []struct {
		to, leaf, prefill string
		messages          int
	}{
		{"a2", "a2", "", 4},
		{"u2", "a1", "three", 2},
		{"x1", "a2", "noted", 4},
		{"u1", "", "one", 0},
		{"u3", "a1", "five", 2},
	}
	for _, test := range tests {
		t.Run(test.to, func(t *testing.T) {
			r := newRig(t)
			r.start(r.forked())
			r.tell()
			r.fill()
			if err := r.agent.Session().MoveLeaf("a3"); err != nil {
				t.Fatal(err)
			}
			disk := r.disk()
			n, err := r.agent.Navigate(ctx, test.to, agent.NavigateOptions{})
			if err != nil || n.Prefill != test.prefill || n.Summary != "" || n.Cancelled {
				t.Fatalf("%+v, %v", n, err)
			}
			got := r.state()
			if got.Leaf != test.leaf || len(got.Messages) != test.messages || !got.Connected || len(got.Queued) != 3 {
				t.Errorf("state %+v", got)
			}
			leaf := test.leaf
			if leaf == "" {
				leaf = "none"
			}
			if last := r.steps[len(r.steps)-1]; last != "session_tree a3 to "+leaf+", false" {
				t.Errorf("last step %q", last)
			}
			if len(disk) != len(r.disk()) || disk[got.Path] != r.disk()[got.Path] {
				t.Error("something was written")
			}
		})
	}
}

func TestNavigateSumsUp(t *testing.T) {
	for _, hooked := range []bool{false, true} {
		r := newRig(t)
		asked := 0
		r.opt.Summarize = func(_ context.Context, left compact.Abandoned, instructions string) (compact.Result, error) {
			asked++
			if len(left.(*compaction.Abandoned).Messages) != 2 || instructions != "be brief" {
				t.Errorf("%d messages, %q", len(left.(*compaction.Abandoned).Messages), instructions)
			}
			return compact.Result{Summary: "five and six"}, nil
		}
		var p agent.TreePreparation
		agent.On(r.hooks, func(_ context.Context, e agent.SessionBeforeTree) (agent.Reply, error) {
			p = e.Preparation
			if hooked {
				return agent.Reply{Summary: &compact.Result{Summary: "of a hook"}}, nil
			}
			return agent.Reply{}, nil
		})
		r.start(r.forked())
		r.tell()
		if err := r.agent.Session().MoveLeaf("a3"); err != nil {
			t.Fatal(err)
		}
		n, err := r.agent.Navigate(ctx, "a2", agent.NavigateOptions{Summarize: true, Instructions: "be brief"})
		if err != nil || n.Summary == "" {
			t.Fatalf("%+v, %v", n, err)
		}
		if p.TargetID != "a2" || id(p.OldLeafID) != "a3" || id(p.CommonAncestorID) != "a1" || len(p.EntriesToSummarize) != 2 ||
			p.EntriesToSummarize[0].ID != "u3" || !p.UserWantsSummary || p.CustomInstructions != "be brief" {
			t.Errorf("preparation %+v", p)
		}
		e, err := r.agent.Session().Entry(n.Summary)
		if err != nil {
			t.Fatal(err)
		}
		b, err := e.Body()
		if err != nil {
			t.Fatal(err)
		}
		body := b.(*entry.BranchSummaryBody)
		want := map[bool]string{false: "five and six", true: "of a hook"}[hooked]
		if body.Summary != want || e.ParentID != "a2" || (asked == 0) != hooked {
			t.Errorf("summary %q below %q, asked %d times", body.Summary, e.ParentID, asked)
		}
		if hooked != (body.FromExtension != nil && *body.FromExtension) {
			t.Errorf("from extension: %v", body.FromExtension)
		}
		if got := r.state(); got.Leaf != n.Summary || len(got.Messages) != 5 {
			t.Errorf("state %+v", got)
		}
	}
}

// Where only the model for compactions is given, it sums up branches too.
func TestNavigateAsksTheCompactor(t *testing.T) {
	for _, d := range spelling.All() {
		r := newRig(t)
		s := r.scribing()
		s.window = 20_000
		r.opt.Session.Dialect = d.Name
		r.start(r.file("here.jsonl", header("here"), says("u1", "", "one"), answers("a1", "u1", "two"),
			says("u2", "a1", strings.Repeat("too long to be summed up ", 2000)), says("u3", "u2", "three"),
			line("message", "a3", "u3", `"message":{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"edit","arguments":{"path":"m.go"}}],"provider":"p","model":"m","stopReason":"toolUse","timestamp":2}`)))
		n, err := r.agent.Navigate(ctx, "a1", agent.NavigateOptions{Summarize: true, Instructions: "be brief"})
		if err != nil || len(s.asked) != 1 {
			t.Fatal(n, err, len(s.asked))
		}
		if p := s.asked[0].Prompt; !strings.Contains(p, "be brief") || !strings.Contains(p, "three") || strings.Contains(p, "too long") {
			t.Errorf("%s: asked %s", d.Name, p)
		}
		e, err := r.agent.Session().Entry(n.Summary)
		if err != nil {
			t.Fatal(err)
		}
		body, err := e.Body()
		if err != nil {
			t.Fatal(err)
		}
		b := body.(*entry.BranchSummaryBody)
		if !strings.HasPrefix(b.Summary, "summary 1\n") || !strings.Contains(b.Summary, "m.go") || !strings.Contains(string(b.Details), "m.go") ||
			(b.Usage != nil) != (d.Name == dialect.Pi) || b.FromExtension != nil || b.FromHook != nil {
			t.Errorf("%s: %+v", d.Name, b)
		}
	}
}

func TestNavigateRefuses(t *testing.T) {
	r := newRig(t)
	r.start(r.forked())
	if err := r.agent.Session().MoveLeaf("a3"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.agent.Navigate(ctx, "a2", agent.NavigateOptions{Summarize: true}); err == nil || err.Error() != "No model available for summarization" {
		t.Error(err)
	}
	if _, err := r.agent.Navigate(ctx, "nobody", agent.NavigateOptions{}); err == nil || err.Error() != "Entry nobody not found" {
		t.Error(err)
	}
	if n, err := r.agent.Navigate(ctx, "a3", agent.NavigateOptions{Summarize: true}); n != (agent.Navigation{}) || err != nil {
		t.Error(n, err)
	}
	r.wantSteps()
}

func TestNavigateFailsAtEachStep(t *testing.T) {
	for n := 1; ; n++ {
		r := newRig(t)
		r.opt.Summarize = func(context.Context, compact.Abandoned, string) (compact.Result, error) {
			return compact.Result{Summary: "s"}, r.step("summarize")
		}
		r.start(r.forked())
		r.fill()
		if err := r.agent.Session().MoveLeaf("x1"); err != nil {
			t.Fatal(err)
		}
		was := r.state()
		r.fail = n
		_, err := r.agent.Navigate(ctx, "a3", agent.NavigateOptions{Summarize: true})
		if err == nil {
			if n != 4 {
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

func TestTodos(t *testing.T) {
	result := func(id, details string) string {
		return line("message", id, "u1", `"message":{"role":"toolResult","toolCallId":"c","toolName":"todo","content":[],"details":`+details+`,"timestamp":1}`)
	}
	tests := []struct {
		name, beside, want, from string
		lines                    []string
	}{
		{name: "none"},
		{name: "of cambium", want: `[1]`, from: "x", lines: []string{line("custom", "x", "u1", `"customType":"cambium.todos","data":[1]`)}},
		{name: "of omp", want: `{"phases":[]}`, from: "x", lines: []string{line("custom", "x", "u1", `"customType":"user_todo_edit","data":{"phases":[]}`)}},
		{name: "of a tool", want: `[2]`, from: "x", lines: []string{result("x", `{"todos":[2]}`)}},
		{name: "the newest", want: `[3]`, from: "y", lines: []string{
			result("x", `{"todos":[2]}`), line("custom", "y", "x", `"customType":"cambium.todos","data":[3]`), result("z", `{"other":"todo"}`),
			line("custom", "w", "y", `"customType":"other","data":"todo"`),
		}},
		{name: "of another branch", beside: `[9]`, want: "[9]\n", lines: []string{
			line("custom", "x", "u1", `"customType":"cambium.todos","data":[1]`), says("y", "u1", "z"),
		}},
		{name: "beside, damaged", beside: `[9`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			r.start(r.here())
			target := r.file("there.jsonl", append([]string{header("there"), says("u1", "", "x")}, test.lines...)...)
			if test.beside != "" {
				r.file("there/todos.json", test.beside)
			}
			if ok, err := r.agent.Switch(ctx, target); !ok || err != nil {
				t.Fatal(ok, err)
			}
			got := r.agent.Todos()
			if string(got.JSON) != test.want || string(got.From) != test.from {
				t.Errorf("todos %s of %q", got.JSON, got.From)
			}
			if said := strings.Contains(strings.Join(r.said, ""), "todos"); said != (test.name == "beside, damaged") {
				t.Errorf("said %q", r.said)
			}
		})
	}
}
