package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/google/go-cmp/cmp"
)

// A session that has no file yet loses no prompt, wherever the agent goes.
func TestLeavingASessionWithoutFile(t *testing.T) {
	moves := []struct {
		name string
		do   func(r *rig, there, id string) (bool, error)
	}{
		{"switch", func(r *rig, there, _ string) (bool, error) { return r.agent.Switch(ctx, there) }},
		{"switch to itself", func(r *rig, _, _ string) (bool, error) { return r.agent.Switch(ctx, r.agent.Session().Path()) }},
		{"new", func(r *rig, _, _ string) (bool, error) { return r.agent.New(ctx, true) }},
		{"branch", func(r *rig, _, id string) (bool, error) {
			_, ok, err := r.agent.Branch(ctx, id)
			return ok, err
		}},
	}
	for _, move := range moves {
		t.Run(move.name, func(t *testing.T) {
			for n := 1; ; n++ {
				r := newRig(t)
				there := r.there()
				r.start("")
				id, err := r.agent.Session().Append(ctx, user("a prompt"))
				if err != nil {
					t.Fatal(err)
				}
				r.fill()
				was := r.state()
				r.fail = n
				ok, err := move.do(r, there, id)
				if ok && err == nil {
					if n < 3 {
						t.Errorf("only %d steps can fail", n-1)
					}
					break
				}
				if !errors.Is(err, errInjected) {
					t.Fatal(err)
				}
				if d := same(was, r.state()); d != "" {
					t.Errorf("step %d (-was +now):\n%s", n, d)
				}
				drafts := 0
				for _, text := range r.disk() {
					drafts += strings.Count(text, "a prompt")
				}
				if drafts != 1 {
					t.Errorf("step %d: the prompt is on disk %d times", n, drafts)
				}
				if err := r.agent.Session().Flush(ctx); err != nil {
					t.Errorf("step %d: %v", n, err)
				}
			}
		})
	}
}

// An older version is migrated when nothing can fail any more, and only then is
// the session noted as the one in use.
func TestSwitchWritesLast(t *testing.T) {
	for n := 1; ; n++ {
		r := newRig(t)
		target := r.file("old.jsonl", `{"type":"session","id":"old","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`,
			`{"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"hi","timestamp":1}}`)
		r.start(r.here())
		disk := r.disk()
		agent.On(r.hooks, func(_ context.Context, _ agent.SessionSwitch) (agent.Reply, error) {
			if d := cmp.Diff(disk, r.disk()); d != "" {
				t.Errorf("written before session_switch:\n%s", d)
			}
			return agent.Reply{}, nil
		})
		r.fail = n
		ok, err := r.agent.Switch(ctx, target)
		visited := strings.Contains(strings.Join(r.steps, "\n"), "visit old")
		if ok {
			text := r.disk()[target]
			if !visited || !strings.Contains(text, `"version":3`) || strings.Count(text, "\n") != 3 {
				t.Errorf("visited %v, file: %s", visited, text)
			}
			break
		}
		if !errors.Is(err, errInjected) || visited {
			t.Errorf("step %d: %v, visited %v", n, err, visited)
		}
		if d := cmp.Diff(disk, r.disk()); d != "" {
			t.Errorf("step %d:\n%s", n, d)
		}
	}
}
