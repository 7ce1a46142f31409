package coder_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder"
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
