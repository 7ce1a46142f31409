package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/replay"
	"github.com/google/go-cmp/cmp"
)

// windowed are models with a window.
type windowed struct {
	models
	window int
}

func (w windowed) Window(replay.Model) int { return w.window }

// measured is an answer whose provider counted so many tokens.
func measured(id, parent string, tokens int) string {
	return strings.Replace(answers(id, parent, "done"), `"totalTokens":3`, fmt.Sprintf(`"totalTokens":%d`, tokens), 1)
}

func TestDue(t *testing.T) {
	for _, test := range []struct {
		window int
		due    bool
	}{{0, false}, {200_000, false}, {100_000, true}} {
		r := newRig(t)
		if test.window > 0 {
			r.opt.Models = windowed{window: test.window}
		}
		r.start(r.file("here.jsonl", header("here"), says("u1", "", "hi"), measured("a1", "u1", 90_000)))
		fill, due, err := r.agent.Due(ctx)
		if err != nil || due != test.due || fill.Tokens != 90_000 || fill.Counted != 90_000 {
			t.Errorf("window %d: %+v, %v, %v", test.window, fill, due, err)
		}
		if r.wantSteps(); r.agent.Session().Len() != 3 {
			t.Error("something was appended")
		}
	}
	if _, _, err := agent.New(newRig(t).opt).Due(ctx); !errors.Is(err, agent.ErrNoSession) {
		t.Error(err)
	}
}

// results is a session with results of tools of so many tokens each.
func (r *rig) results(tokens ...int) string {
	lines := []string{header("tools"), says("u0", "", "look")}
	parent := "u0"
	for i, n := range tokens {
		call, result := fmt.Sprintf("c%d", i), fmt.Sprintf("r%d", i)
		lines = append(lines,
			line("message", call, parent, fmt.Sprintf(`"message":{"role":"assistant","content":[{"type":"toolCall","id":"t%d","name":"bash","arguments":{"command":"x"}}],"provider":"p","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":95000},"stopReason":"toolUse","timestamp":2}`, i)),
			line("message", result, call, fmt.Sprintf(`"message":{"role":"toolResult","toolCallId":"t%d","toolName":"bash","content":[{"type":"text","text":%q}],"isError":false,"timestamp":2}`, i, strings.Repeat("word", n))))
		parent = result
	}
	return r.file("tools.jsonl", append(lines, measured("end", parent, 95_000), says("more", "end", "more"))...)
}

func TestPrune(t *testing.T) {
	for _, d := range spelling.All() {
		t.Run(string(d.Name), func(t *testing.T) {
			r := newRig(t)
			r.opt.Session.Dialect = d.Name
			path := r.results(30_000, 20_000, 50_000)
			r.start(path)
			before := r.disk()[path]
			pruned, saved, err := r.agent.Prune(ctx)
			if err != nil || !cmp.Equal(pruned, []entry.ID{"r0", "r1"}) || saved < 49_000 {
				t.Fatal(pruned, saved, err)
			}
			r.wantSteps("messages 9")
			text := r.disk()[path]
			added, ok := strings.CutPrefix(text, before)
			if !ok {
				t.Error("what was written is changed")
			}
			if kind := map[bool]string{true: `"type":"context_edit"`, false: `"customType":"cambium.edit"`}[d.ContextEdit]; strings.Count(added, kind) != 2 {
				t.Errorf("appended %s", added)
			}
			messages := strings.Join(r.state().Messages, "\n")
			if strings.Count(messages, "[Output truncated - ") != 2 || len(messages) > 250_000 {
				t.Errorf("%d bytes of messages", len(messages))
			}
			if pruned, _, err := r.agent.Prune(ctx); pruned != nil || err != nil {
				t.Errorf("a second time: %v, %v", pruned, err)
			}
		})
	}
}

func TestPruneFails(t *testing.T) {
	r := newRig(t)
	r.start(r.results(30_000, 20_000, 50_000))
	was := r.state()
	r.fail = 1
	if pruned, saved, err := r.agent.Prune(ctx); !errors.Is(err, errInjected) || pruned != nil || saved != 0 {
		t.Error(pruned, saved, err)
	}
	if d := same(was, r.state()); d != "" {
		t.Error(d)
	}
}

// Above the threshold old results go first; where that is not enough, or not
// wanted, it is summed up.
func TestThreshold(t *testing.T) {
	for _, test := range []struct {
		window  int
		noPrune bool
		enough  bool
	}{{100_000, false, true}, {100_000, true, false}, {50_000, false, false}} {
		r := newRig(t)
		s := r.scribing()
		r.opt.Settings.NoPrune = test.noPrune
		r.opt.Models = windowed{window: test.window}
		r.start(r.results(30_000, 20_000, 50_000))
		if _, due, err := r.agent.Due(ctx); !due || err != nil {
			t.Fatal(due, err)
		}
		c, err := r.agent.Compact(ctx, agent.CompactOptions{Reason: agent.Threshold})
		if err != nil {
			t.Fatal(err)
		}
		if test.enough != (len(c.Pruned) == 2 && c.Entry == "" && len(s.asked) == 0) || c.TokensAfter >= c.TokensBefore {
			t.Errorf("%+v: %+v", test, c)
		}
		for _, step := range r.steps {
			if step == "disconnect" || step == "stop" || step == "connect" {
				t.Errorf("steps %q", r.steps)
			}
		}
	}
}

// refused is an answer of a model that was sent too much.
func refused() entry.Body {
	return &entry.MessageBody{Message: entry.JSON(`{"role":"assistant","content":[],"provider":"p","model":"m","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"error","errorMessage":"prompt is too long","timestamp":5}`)}
}

func TestRecover(t *testing.T) {
	r := newRig(t)
	r.scribing()
	r.start(r.talk())
	s := r.agent.Session()
	add := func(b entry.Body) entry.ID {
		t.Helper()
		id, err := s.Append(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	asked := add(user("and then?"))
	add(refused())
	done, err := r.agent.Recover(ctx)
	if err != nil {
		t.Fatal(err)
	}
	leaf, _ := s.Leaf()
	if done.Entry != leaf || done.TokensBefore <= 0 || done.TokensAfter <= 0 || done.Summary == "" {
		t.Errorf("recovered: %+v, leaf %q", done, leaf)
	}
	if e, err := s.Entry(leaf); err != nil || e.Kind != entry.Compaction || e.ParentID != asked {
		t.Errorf("leaf %+v, %v", e, err)
	}
	got := r.state()
	if last := got.Messages[len(got.Messages)-1]; !strings.Contains(last, "and then?") || strings.Contains(strings.Join(got.Messages, ""), "too long") {
		t.Errorf("messages %q", got.Messages)
	}

	// Refused again: with its answer written, and without.
	for _, write := range []bool{false, true} {
		if write {
			add(refused())
		}
		was := r.state()
		if done, err := r.agent.Recover(ctx); done.Entry != "" || !errors.Is(err, agent.ErrOverflow) {
			t.Error(done, err)
		}
		if d := same(was, r.state()); d != "" {
			t.Error(d)
		}
	}

	// Once it has answered, it is a new matter.
	add(&entry.MessageBody{Message: entry.JSON(jsonedit.Set(entry.JSON(refused().(*entry.MessageBody).Message), "stopReason", jsonedit.Quoted("stop")))})
	for range 3 {
		add(user(strings.Repeat("much more ", 30)))
	}
	if done, err := r.agent.Recover(ctx); done.Entry == "" || err != nil {
		t.Error(done, err)
	}
}

func TestRecoverRefuses(t *testing.T) {
	r := newRig(t)
	r.scribing()
	r.start(r.file("short.jsonl", header("short"), says("u1", "", "hi")))
	if done, err := r.agent.Recover(ctx); done.Entry != "" || !errors.Is(err, agent.ErrOverflow) || !errors.Is(err, compact.ErrNothing) {
		t.Error(done, err)
	}

	// A hook that says no, and a model that fails, leave the broken answer.
	for _, hooked := range []bool{true, false} {
		r := newRig(t)
		r.scribing()
		if hooked {
			cancel[agent.SessionBeforeCompact](r)
		}
		r.start(r.talk())
		if _, err := r.agent.Session().Append(ctx, refused()); err != nil {
			t.Fatal(err)
		}
		was := r.state()
		r.fail = 1
		if done, err := r.agent.Recover(ctx); done.Entry != "" || errors.Is(err, agent.ErrOverflow) || (err == nil) != hooked {
			t.Error(done, err)
		}
		if d := same(was, r.state()); d != "" {
			t.Error(d)
		}
	}
}

// Who wants to leave does not wait for a model that writes.
func TestLeavingEndsACompaction(t *testing.T) {
	for name, leave := range map[string]func(r *rig, there string) error{
		"switch": func(r *rig, there string) error { _, err := r.agent.Switch(ctx, there); return err },
		"new":    func(r *rig, _ string) error { _, err := r.agent.New(ctx, false); return err },
		"branch": func(r *rig, _ string) error { _, _, err := r.agent.Branch(ctx, "u2"); return err },
		"navigate": func(r *rig, _ string) error {
			_, err := r.agent.Navigate(ctx, "a1", agent.NavigateOptions{})
			return err
		},
		"close": func(r *rig, _ string) error { return r.agent.Close(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			s := r.scribing()
			there, here := r.there(), r.talk()
			r.start(here)
			before := r.disk()[here]
			began, ended := make(chan struct{}), make(chan error, 1)
			s.wait = func(ctx context.Context) error {
				close(began)
				<-ctx.Done()
				return ctx.Err()
			}
			go func() {
				_, err := r.agent.Compact(ctx, agent.CompactOptions{Reason: agent.Threshold})
				ended <- err
			}()
			<-began
			if err := leave(r, there); err != nil {
				t.Error(err)
			}
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("Compact: %v", err)
			}
			if after := r.disk()[here]; after != before {
				t.Errorf("written: %s", strings.TrimPrefix(after, before))
			}
		})
	}
}
