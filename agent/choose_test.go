package agent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

func TestChoose(t *testing.T) {
	ctx := context.Background()
	r := newRig(t)
	r.start(r.there())
	entries := func() int { return r.agent.Session().Len() }
	was := entries()
	small := &replay.Model{Provider: "p", ModelID: "small"}
	for _, c := range []struct {
		name  string
		model *replay.Model
		level string
		want  string
		adds  int
	}{
		{"what it has", nil, "high", "p/big high", 0},
		{"a model", small, "", "p/small high", 1},
		{"that again", small, "high", "p/small high", 0},
		{"a level that comes near", nil, "minimal", "p/small low", 1},
		{"both", &replay.Model{Provider: "p", ModelID: "big"}, "off", "p/big off", 2},
	} {
		if err := r.agent.Choose(ctx, c.model, c.level); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		m, _ := r.agent.Model()
		if got := m.Provider + "/" + m.ModelID + " " + r.agent.Thinking(); got != c.want || r.driver.model+" "+r.driver.level != c.want {
			t.Errorf("%s: agent has %s, driver %s %s, want %s", c.name, got, r.driver.model, r.driver.level, c.want)
		}
		if got := entries() - was; got != c.adds {
			t.Errorf("%s: %d entries, want %d", c.name, got, c.adds)
		}
		was = entries()
	}
	x, err := r.agent.Session().Context(ctx, session.ContextOptions{})
	if err != nil || x.Model == nil || x.Model.ModelID != "big" || x.ThinkingLevel != "off" {
		t.Errorf("the session says %v %s, %v", x.Model, x.ThinkingLevel, err)
	}
}

func TestChooseFails(t *testing.T) {
	ctx := context.Background()
	r := newRig(t)
	r.start(r.there())
	was := r.agent.Session().Len()
	if err := r.agent.Choose(ctx, &replay.Model{Provider: "gone", ModelID: "m"}, ""); err == nil {
		t.Error("a model that is not there was chosen")
	}
	for n := 1; n <= 2; n++ {
		r.fail = n
		if err := r.agent.Choose(ctx, &replay.Model{Provider: "p", ModelID: "small"}, "low"); !errors.Is(err, errInjected) {
			t.Errorf("step %d: %v", n, err)
		}
		if m, _ := r.agent.Model(); m.ModelID != "big" || r.agent.Thinking() != "high" || r.driver.model != "p/big" || r.driver.level != "high" {
			t.Errorf("step %d: agent %v %s, driver %s %s", n, m, r.agent.Thinking(), r.driver.model, r.driver.level)
		}
	}
	if n := r.agent.Session().Len() - was; n != 0 {
		t.Errorf("%d entries were appended", n)
	}
}
