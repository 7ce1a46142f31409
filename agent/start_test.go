package agent_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

func TestStartResumes(t *testing.T) {
	r := newRig(t)
	r.tell()
	path := r.there()
	a := agent.New(r.opt)
	if err := a.Start(context.Background(), agent.Start{Path: path}); err != nil {
		t.Fatal(err)
	}
	r.wantSteps(
		"id there", "session_start resume", "messages 2", "model p/big", "thinking high", "mode plan",
		`todos ["there"]`, "visit there.jsonl true", "connect",
	)
	r.steps = nil
	for range 2 {
		if err := a.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	r.wantSteps("session_shutdown", "stop", "disconnect")
	if _, err := a.Switch(context.Background(), path); !errors.Is(err, agent.ErrNoSession) {
		t.Errorf("Switch: %v", err)
	}
}

func TestStartFailsAtEachStep(t *testing.T) {
	for n := 1; ; n++ {
		r := newRig(t)
		path := r.there()
		disk := r.disk()
		a := agent.New(r.opt)
		r.fail = n
		err := a.Start(context.Background(), agent.Start{Path: path})
		if err == nil {
			if n != 5 {
				t.Errorf("%d steps can fail", n-1)
			}
			_ = a.Close(context.Background())
			break
		}
		if !errors.Is(err, errInjected) || a.Session() != nil || r.driver.id != "" || r.driver.heard != 0 {
			t.Errorf("step %d: %v, session %v, id %q", n, err, a.Session(), r.driver.id)
		}
		if d := cmp.Diff(disk, r.disk()); d != "" {
			t.Errorf("step %d:\n%s", n, d)
		}
	}
}

func TestStartAnew(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.start("")
	s := r.agent.Session()
	if s.OnDisk() || s.CWD() != r.dir || r.driver.model != "p/base" || r.driver.level != "high" {
		t.Errorf("on disk %v, cwd %q, model %s, level %s", s.OnDisk(), s.CWD(), r.driver.model, r.driver.level)
	}
	if err := r.agent.Start(context.Background(), agent.Start{}); err == nil {
		t.Error("it was started twice")
	}
}

func TestStartWithAnOpenSession(t *testing.T) {
	r := newRig(t)
	s, err := session.InMemory("/w", r.opt.Session)
	if err != nil {
		t.Fatal(err)
	}
	a := agent.New(r.opt)
	if err := a.Start(context.Background(), agent.Start{Session: s}); err != nil {
		t.Fatal(err)
	}
	if a.Session() != s {
		t.Error("it is another session")
	}
	if err := a.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// Who listens to the agent appends while others switch it.
func TestConcurrentSwitches(t *testing.T) {
	r := newRig(t)
	paths := []string{r.here(), r.there()}
	r.start(paths[0])
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := range 5 {
				if ok, err := r.agent.Switch(context.Background(), paths[(i+n)%2]); !ok || err != nil {
					t.Errorf("Switch: %v, %v", ok, err)
				}
			}
		})
		all.Go(func() {
			for range 20 {
				s := r.agent.Session()
				_, err := s.Append(context.Background(), user("x"))
				if err != nil && !errors.Is(err, session.ErrClosed) && !errors.Is(err, session.ErrReadOnly) {
					t.Errorf("Append: %v", err)
				}
				_, _, _ = r.agent.Mode(), r.agent.Todos(), r.agent.Thinking()
			}
		})
	}
	all.Wait()
	if r.driver.heard != r.driver.deaf+1 {
		t.Errorf("connected %d times, disconnected %d times", r.driver.heard, r.driver.deaf)
	}
	if text := r.disk()[paths[1]]; strings.Count(text, `"thinking_level_change"`) != 1 {
		t.Errorf("file: %s", text)
	}
}

// Who closes does not wait for a handler longer than its context lasts.
func TestCloseCutsOffAHandler(t *testing.T) {
	r := newRig(t)
	a := agent.New(r.opt)
	if err := a.Start(context.Background(), agent.Start{Path: r.there()}); err != nil {
		t.Fatal(err)
	}
	hurry, cancel := context.WithCancel(context.Background())
	cut := make(chan error, 1)
	agent.On(r.hooks, func(ctx context.Context, _ agent.SessionShutdown) (agent.Reply, error) {
		cancel()
		<-ctx.Done()
		cut <- ctx.Err()
		return agent.Reply{}, nil
	})
	if err := a.Close(hurry); err != nil || a.Session() != nil {
		t.Errorf("Close: %v, session %v", err, a.Session())
	}
	if err := <-cut; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler's context ended with %v", err)
	}
}
