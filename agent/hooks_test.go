package agent_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/compact"
)

type before = agent.SessionBeforeTree

func TestHooksInOrder(t *testing.T) {
	var h agent.Hooks
	var called []int
	add := func(n int, r agent.Reply) func() {
		return agent.On(&h, func(context.Context, before) (agent.Reply, error) {
			called = append(called, n)
			return r, nil
		})
	}
	add(1, agent.Reply{Prompt: "one"})
	remove := add(2, agent.Reply{Prompt: "two"})
	add(3, agent.Reply{})
	agent.On(&h, func(context.Context, agent.SessionTree) (agent.Reply, error) {
		called = append(called, 100)
		return agent.Reply{}, nil
	})
	// The last reply that says something counts.
	if r := h.Emit(context.Background(), before{}); r.Prompt != "two" || !slices.Equal(called, []int{1, 2, 3}) {
		t.Errorf("reply %+v, called %v", r, called)
	}
	remove()
	called = nil
	if r := h.Emit(context.Background(), before{}); r.Prompt != "one" || !slices.Equal(called, []int{1, 3}) {
		t.Errorf("reply %+v, called %v", r, called)
	}
	add(4, agent.Reply{Cancel: true})
	add(5, agent.Reply{Summary: &compact.Result{}})
	called = nil
	if r := h.Emit(context.Background(), before{}); !r.Cancel || !slices.Equal(called, []int{1, 3, 4}) {
		t.Errorf("reply %+v, called %v", r, called)
	}
	var none *agent.Hooks
	if r := none.Emit(context.Background(), before{}); r.Cancel {
		t.Error("no hooks cancel")
	}
}

// What has happened already cannot be cancelled.
func TestCancelCountsWhereAsked(t *testing.T) {
	var h agent.Hooks
	second := false
	agent.On(&h, func(context.Context, agent.SessionSwitch) (agent.Reply, error) { return agent.Reply{Cancel: true}, nil })
	agent.On(&h, func(context.Context, agent.SessionSwitch) (agent.Reply, error) {
		second = true
		return agent.Reply{}, nil
	})
	h.Emit(context.Background(), agent.SessionSwitch{})
	if !second {
		t.Error("the second handler was not told")
	}
}

func TestHooksThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		var reports []error
		h := agent.Hooks{Limit: time.Minute, Report: func(event string, err error) {
			if event != "session_before_tree" {
				t.Errorf("event %q", event)
			}
			reports = append(reports, err)
		}}
		agent.On(&h, func(context.Context, before) (agent.Reply, error) { return agent.Reply{Cancel: true}, broken })
		agent.On(&h, func(context.Context, before) (agent.Reply, error) { panic("boo") })
		agent.On(&h, func(context.Context, before) (agent.Reply, error) {
			runtime.Goexit()
			return agent.Reply{}, nil
		})
		release := make(chan struct{})
		agent.On(&h, func(ctx context.Context, _ before) (agent.Reply, error) {
			<-release // it does not even look at its context
			return agent.Reply{Cancel: true}, nil
		})
		agent.On(&h, func(context.Context, before) (agent.Reply, error) { return agent.Reply{Prompt: "last"}, nil })
		begun := time.Now()
		if r := h.Emit(context.Background(), before{}); r.Cancel || r.Prompt != "last" {
			t.Errorf("reply %+v", r)
		}
		if took := time.Since(begun); took != time.Minute {
			t.Errorf("it took %v", took)
		}
		if len(reports) != 4 || !errors.Is(reports[0], broken) || !errors.Is(reports[3], agent.ErrHung) {
			t.Fatalf("reports %v", reports)
		}
		if got := reports[1].Error(); got != "run hook session_before_tree: panic: boo" {
			t.Error(got)
		}
		close(release)
	})
}

// A caller that gives up does not wait for the limit, and the switch fails.
func TestHungHookAndCancelledContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		there := r.there()
		r.start(r.here())
		agent.On(r.hooks, func(ctx context.Context, _ agent.SessionSwitch) (agent.Reply, error) {
			<-ctx.Done()
			return agent.Reply{}, ctx.Err()
		})
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		was := r.state()
		ok, err := r.agent.Switch(ctx, there)
		if ok || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Switch: %v, %v", ok, err)
		}
		if now := r.state(); now.Session != was.Session || !now.Connected || now.ID != was.ID {
			t.Errorf("state %+v", now)
		}
		// Without such a deadline the hook is cut off and the switch goes on.
		if ok, err := r.agent.Switch(context.Background(), there); !ok || err != nil {
			t.Errorf("Switch: %v, %v", ok, err)
		}
	})
}

func TestHookMayNotMove(t *testing.T) {
	r := newRig(t)
	there := r.there()
	r.start(r.here())
	var errs []error
	agent.On(r.hooks, func(ctx context.Context, _ agent.SessionSwitch) (agent.Reply, error) {
		_, err := r.agent.Switch(ctx, there)
		errs = append(errs, err, r.agent.Move(ctx, "/x"))
		return agent.Reply{}, nil
	})
	if ok, err := r.agent.Switch(context.Background(), there); !ok || err != nil {
		t.Fatal(ok, err)
	}
	for _, err := range errs {
		if !errors.Is(err, agent.ErrBusy) {
			t.Error(err)
		}
	}
	if len(errs) != 2 {
		t.Errorf("%d answers", len(errs))
	}
}

// A handler may be registered by name, with a limit of its own.
func TestOnNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reports []error
		h := agent.Hooks{Limit: time.Minute, Report: func(_ string, err error) { reports = append(reports, err) }}
		h.OnNamed("session_before_tree", time.Hour, func(ctx context.Context, e agent.Event) (agent.Reply, error) {
			if _, ok := e.(before); !ok {
				t.Errorf("event %T", e)
			}
			<-ctx.Done()
			return agent.Reply{}, nil
		})
		remove := h.OnNamed("session_before_tree", 0, func(ctx context.Context, _ agent.Event) (agent.Reply, error) {
			<-ctx.Done()
			return agent.Reply{}, nil
		})
		h.OnNamed("no_such_event", 0, func(context.Context, agent.Event) (agent.Reply, error) {
			t.Error("called for another event")
			return agent.Reply{}, nil
		})
		for _, want := range []time.Duration{time.Hour + time.Minute, time.Hour} {
			begun := time.Now()
			h.Emit(context.Background(), before{})
			if took := time.Since(begun); took != want {
				t.Errorf("it took %v, want %v", took, want)
			}
			remove()
		}
		if len(reports) != 3 || !errors.Is(reports[0], agent.ErrHung) {
			t.Errorf("reports %v", reports)
		}
	})
}
