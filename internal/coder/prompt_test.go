package coder_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestTurnsWithCalls(t *testing.T) {
	r := newRig(t,
		reply{text: "let me see", calls: []*message.ToolCall{called("a", "look", `{}`), called("b", "change", `{}`), called("c", "look", `{}`)}},
		reply{text: "done"})
	r.opt.Yes = true
	r.start("")
	out, err := r.prompt("go")
	if err != nil {
		t.Fatal(err)
	}
	if out.Stop != message.Stop || out.Text != "done" || out.Turns != 2 || out.Usage.Input != 20 || out.Usage.Cost != 1 {
		t.Errorf("outcome %+v", out)
	}
	want := []string{
		"user: go", "assistant: let me see [toolUse a b c]", "toolResult a: seen", "toolResult b: changed", "toolResult c: seen",
		"assistant: done [stop]",
	}
	if diff := cmp.Diff(want, r.transcript()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, q := range r.model.asked() {
		if err := takeable(q.Messages); err != nil {
			t.Errorf("request %d: %v", i, err)
		}
		if q.Key != "secret" || len(q.Tools) != 2 || q.SessionID != r.coder.Agent().Session().ID() || q.Thinking != "medium" {
			t.Errorf("request %d: %+v", i, q)
		}
	}
	wantEvents := []string{
		"session", "agent_start", "message_start", "message_end", "turn_start", "message_start", "message_update", "message_end",
		"tool_execution_start", "tool_execution_end", "message_start", "message_end",
		"tool_execution_start", "tool_execution_end", "message_start", "message_end",
		"tool_execution_start", "tool_execution_end", "message_start", "message_end",
		"turn_end", "turn_start", "message_start", "message_update", "message_end", "turn_end", "agent_end",
	}
	if diff := cmp.Diff(wantEvents, r.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for _, line := range r.lines {
		if !jsontext.Value(line).IsValid() || strings.Contains(line, "\n") {
			t.Errorf("no line of JSON: %s", line)
		}
	}
}

// Results come in the order of the calls, whichever tool ends first.
func TestReadersSideBySide(t *testing.T) {
	second := make(chan struct{})
	r := newRig(t, reply{calls: []*message.ToolCall{called("a", "slow", `{}`), called("b", "quick", `{}`)}}, reply{text: "done"})
	r.opt.Tools = []tool.Tool{
		fake{"slow", false, func(context.Context, entry.JSON, tool.Env) tool.Result {
			<-second // would never come, were they run one after the other
			return answers("slow")(context.Background(), nil, tool.Env{})
		}},
		fake{"quick", false, func(context.Context, entry.JSON, tool.Env) tool.Result {
			defer close(second)
			return answers("quick")(context.Background(), nil, tool.Env{})
		}},
	}
	r.start("")
	if _, err := r.prompt("go"); err != nil {
		t.Fatal(err)
	}
	want := []string{"user: go", "assistant:  [toolUse a b]", "toolResult a: slow", "toolResult b: quick", "assistant: done [stop]"}
	if diff := cmp.Diff(want, r.transcript()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCallsThatAreNotRun(t *testing.T) {
	for name, tt := range map[string]struct {
		call *message.ToolCall
		stop message.StopReason
		want string
	}{
		"unknown tool":     {called("a", "dig", `{}`), "", `there is no tool "dig". There are: look, change.`},
		"no JSON":          {called("a", "look", `{"path": "x`), "", `not a JSON object: {"path": "x`},
		"no object":        {called("a", "look", `["path"]`), "", `not a JSON object: ["path"]`},
		"cut off":          {called("a", "look", `{}`), message.Length, "cut off at its limit of tokens"},
		"tool that bursts": {called("a", "burst", `{}`), "", "The tool burst broke: ouch"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, reply{calls: []*message.ToolCall{tt.call}, stop: tt.stop}, reply{text: "done"})
			if tt.call.Name == "burst" {
				r.opt.Tools = []tool.Tool{fake{"burst", false, func(context.Context, entry.JSON, tool.Env) tool.Result { panic("ouch") }}}
			}
			r.start("")
			out, err := r.prompt("go")
			if err != nil || out.Text != "done" {
				t.Fatalf("%+v, %v", out, err)
			}
			got := r.transcript()[2]
			if !strings.Contains(got, tt.want) || !strings.HasSuffix(got, "[error]") {
				t.Errorf("result %q, want %q", got, tt.want)
			}
			last := r.model.asked()[1]
			if err := takeable(last.Messages); err != nil {
				t.Error(err)
			}
			for _, m := range last.Messages {
				if !jsontext.Value(m).IsValid() {
					t.Errorf("sent %s", m)
				}
			}
		})
	}
}

func TestApproval(t *testing.T) {
	two := []*message.ToolCall{called("a", "change", `{"x":1}`), called("b", "change", `{"x":2}`)}
	for _, tt := range []struct {
		name    string
		answers []coder.Answer // nil: nobody
		yes     bool
		want    []string // results
		more    bool     // the model is asked again
	}{
		{"yes", []coder.Answer{coder.Yes, coder.Yes}, false, []string{"changed", "changed"}, true},
		{"always", []coder.Answer{coder.Always}, false, []string{"changed", "changed"}, true},
		{"no", []coder.Answer{coder.No, coder.Yes}, false, []string{"did not allow it", "changed"}, true},
		{"nobody", nil, false, []string{"with the flag --yes", "with the flag --yes"}, false},
		{"flag", nil, true, []string{"changed", "changed"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, reply{calls: two}, reply{text: "done"})
			r.opt.Yes = tt.yes
			left := tt.answers
			if tt.answers != nil {
				r.opt.Approve = func(_ context.Context, a coder.Ask) (coder.Answer, error) {
					if a.Tool != "change" || a.Dir != r.dir || len(left) == 0 {
						t.Errorf("asked about %+v, %d answers left", a, len(left))
						return coder.No, nil
					}
					next := left[0]
					left = left[1:]
					return next, nil
				}
			}
			r.start("")
			out, err := r.prompt("go")
			if err != nil {
				t.Fatal(err)
			}
			if len(left) > 0 {
				t.Errorf("%d questions were not asked", len(left))
			}
			if (out.Unapproved == "change") == tt.more || (len(r.model.asked()) == 2) != tt.more {
				t.Errorf("outcome %+v after %d requests", out, len(r.model.asked()))
			}
			got := r.transcript()[2:4]
			for i, want := range tt.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("result %d: %q, want %q", i, got[i], want)
				}
			}
		})
	}
}

// What broke is tried again and leaves no trace; waiting times double, and are no
// shorter than the provider asks for.
func TestRetries(t *testing.T) {
	busy := &provider.Error{Cause: provider.Busy, Status: 529}
	r := newRig(t,
		reply{text: "half an ans", err: busy}, reply{err: &provider.Error{Cause: provider.Broken, RetryAfter: 30 * time.Second}},
		reply{err: &provider.Error{Cause: provider.Unreachable}}, reply{text: "whole"})
	r.opt.Jitter = func() float64 { return 0 }
	r.start("")
	out, err := r.prompt("go")
	if err != nil || out.Text != "whole" {
		t.Fatalf("%+v, %v", out, err)
	}
	if diff := cmp.Diff([]time.Duration{time.Second, 30 * time.Second, 4 * time.Second}, r.waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"user: go", "assistant: whole [stop]"}, r.transcript()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := strings.Count(strings.Join(r.events, " "), "retry"); n != 3 {
		t.Errorf("told of %d retries", n)
	}
}

// What fails for good is in the session, the next prompt is possible, and the
// model is not told of it.
func TestFailure(t *testing.T) {
	for name, tt := range map[string]struct {
		err   *provider.Error
		tries int
	}{
		"unauthorized": {&provider.Error{Cause: provider.Unauthorized, Status: 401, Provider: "p", Model: "m", Host: "h"}, 1},
		"refused":      {&provider.Error{Cause: provider.Refused, Status: 400}, 1},
		"malformed":    {&provider.Error{Cause: provider.Malformed}, 4},
		"overflow":     {&provider.Error{Cause: provider.Overflow}, 1},
		"busy":         {&provider.Error{Cause: provider.Busy, Status: 500}, 4},
		"for tomorrow": {&provider.Error{Cause: provider.Busy, Status: 429, RetryAfter: 24 * time.Hour}, 1},
		"unreachable":  {&provider.Error{Cause: provider.Unreachable}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			var replies []reply
			for range tt.tries {
				replies = append(replies, reply{text: "half", calls: []*message.ToolCall{called("x", "look", `{"pa`)}, err: tt.err})
			}
			r := newRig(t, append(replies, reply{text: "here I am"})...).start("")
			out, err := r.prompt("go")
			var fault *provider.Error
			if !errors.As(err, &fault) || fault != tt.err || out.Stop != message.Error || len(r.waits) != tt.tries-1 {
				t.Errorf("%+v, %v after %d waits", out, err, len(r.waits))
			}
			if r.events[len(r.events)-2] != "error" {
				t.Errorf("events end with %v", r.events[len(r.events)-2:])
			}
			if out, err := r.prompt("again"); err != nil || out.Text != "here I am" {
				t.Errorf("then %+v, %v", out, err)
			}
			got := r.transcript()
			if name == "overflow" && strings.Contains(got[1], "begin a new session (nothing to compact)") {
				got[1], _, _ = strings.Cut(got[1], "  (")
			}
			want := []string{"user: go", strings.TrimSpace("assistant: half [error] " + tt.err.Error()), "user: again", "assistant: here I am [stop]"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			all := r.model.asked()
			if err := takeable(all[len(all)-1].Messages); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNothingIsSaidWithoutModelOrKey(t *testing.T) {
	for name, tt := range map[string]struct {
		model *replay.Model
		want  error
	}{
		"no model": {nil, coder.ErrNoModel},
		"no key":   {&replay.Model{Provider: "p", ModelID: "locked"}, model.ErrNoKey},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.opt.Settings.Model = tt.model
			r.start("")
			if _, err := r.prompt("go"); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if got := r.transcript(); len(got) != 0 || r.coder.Agent().Session().OnDisk() {
				t.Errorf("the session has %v", got)
			}
		})
	}
}

func TestStopWhileAnswering(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	r := newRig(t, reply{text: "I was about to", calls: []*message.ToolCall{called("x", "look", `{"pa`)}, before: func(context.Context) { stop() }},
		reply{text: "fine"}).start("")
	out, err := r.coder.Prompt(ctx, "go")
	if err != nil || out.Stop != message.Aborted || out.Text != "I was about to" {
		t.Fatalf("%+v, %v", out, err)
	}
	if _, err := r.prompt("go on"); err != nil {
		t.Fatal(err)
	}
	want := []string{"user: go", "assistant: I was about to [aborted] Stopped by the user.", "user: go on", "assistant: fine [stop]"}
	if diff := cmp.Diff(want, r.transcript()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	sent := r.model.asked()[1].Messages
	if err := takeable(sent); err != nil || inShort(t, sent[1]) != "assistant: I was about to [stop]" {
		t.Errorf("%v; sent %s", err, sent)
	}
}

func TestStopWhileWaiting(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	r := newRig(t, reply{text: "half", err: &provider.Error{Cause: provider.Busy}})
	r.opt.Wait = func(ctx context.Context, _ time.Duration) error { stop(); return ctx.Err() }
	r.start("")
	out, err := r.coder.Prompt(ctx, "go")
	if err != nil || out.Stop != message.Aborted {
		t.Fatalf("%+v, %v", out, err)
	}
	if diff := cmp.Diff([]string{"user: go", "assistant:  [aborted] Stopped by the user."}, r.transcript()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A stopped prompt leaves no call without a result, and does not wait for a tool
// that does not end.
func TestStopWhileCalling(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	forever := make(chan struct{})
	defer close(forever)
	r := newRig(t, reply{calls: []*message.ToolCall{called("a", "deaf", `{}`), called("b", "change", `{}`)}}, reply{text: "fine"})
	r.opt.Yes = true
	r.opt.Tools = append(r.opt.Tools, fake{"deaf", false, func(context.Context, entry.JSON, tool.Env) tool.Result {
		stop()
		<-forever
		return tool.Result{}
	}})
	r.start("")
	out, err := r.coder.Prompt(ctx, "go")
	if err != nil || out.Stop != message.Aborted {
		t.Fatalf("%+v, %v", out, err)
	}
	want := []string{
		"user: go", "assistant:  [toolUse a b]",
		"toolResult a: Stopped by the user. The tool did not end, and was left behind. [error]",
		"toolResult b: Not run: stopped by the user. [error]",
	}
	if diff := cmp.Diff(want, r.transcript()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := r.prompt("go on"); err != nil {
		t.Fatal(err)
	}
}

func TestQueues(t *testing.T) {
	r := newRig(t, reply{calls: []*message.ToolCall{called("a", "steer", `{}`)}}, reply{text: "one"}, reply{text: "two"}, reply{text: "three"})
	r.opt.Tools = []tool.Tool{fake{"steer", false, func(context.Context, entry.JSON, tool.Env) tool.Result {
		r.coder.FollowUp("and then")
		r.coder.Steer("not so fast")
		return answers("seen")(context.Background(), nil, tool.Env{})
	}}}
	r.start("")
	if _, err := r.prompt("go"); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"user: go", "assistant:  [toolUse a]", "toolResult a: seen", "user: not so fast", "assistant: one [stop]",
		"user: and then", "assistant: two [stop]",
	}
	if diff := cmp.Diff(want, r.transcript()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r.coder.NextTurn("by the way")
	if _, err := r.prompt("next"); err != nil {
		t.Fatal(err)
	}
	if got := r.transcript()[7:]; !slices.Equal(got, []string{"user: next", "user: by the way", "assistant: three [stop]"}) {
		t.Errorf("then %v", got)
	}
}

// One prompt at a time.
func TestBusy(t *testing.T) {
	var inside error
	r := newRig(t)
	r.model.replies = []reply{{text: "hm", before: func(context.Context) { _, inside = r.prompt("another") }}}
	r.start("")
	if _, err := r.prompt("go"); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(inside, coder.ErrBusy) {
		t.Errorf("got %v", inside)
	}
}

// Closing the agent stops the prompt, and what had come is saved.
func TestCloseStops(t *testing.T) {
	asked, closed := make(chan struct{}), make(chan error)
	r := newRig(t, reply{text: "half", before: func(ctx context.Context) { close(asked); <-ctx.Done() }}).start("")
	path := r.coder.Agent().Session().Path()
	go func() { <-asked; closed <- r.coder.Agent().Close(context.Background()) }()
	out, err := r.prompt("go")
	if err != nil || out.Stop != message.Aborted {
		t.Errorf("%+v, %v", out, err)
	}
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	again := newRig(t, reply{text: "fine"})
	again.start(path)
	if got := again.transcript(); len(got) != 2 || !strings.HasPrefix(got[1], "assistant: half [aborted]") {
		t.Errorf("saved %v", got)
	}
}
