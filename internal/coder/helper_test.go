package coder_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// A reply is what the scripted model answers to one request.
type reply struct {
	text  string
	calls []*message.ToolCall
	stop  message.StopReason
	err   *provider.Error
	// before is called before the answer ends.
	before func(ctx context.Context)
}

// A script is a provider that answers with replies.
type script struct {
	mu       sync.Mutex
	replies  []reply            // guarded by mu
	requests []provider.Request // guarded by mu
}

func (s *script) Stream(ctx context.Context, r provider.Request, tell func(provider.Event)) (*message.Assistant, error) {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	next := reply{err: &provider.Error{Cause: provider.Refused, Detail: "the script has ended"}}
	if len(s.replies) > 0 {
		next, s.replies = s.replies[0], s.replies[1:]
	}
	s.mu.Unlock()
	m := &message.Assistant{
		API: string(r.Model.API), Provider: r.Model.Provider, Model: r.Model.ID,
		Usage: &message.Usage{Input: 10, Output: 5, TotalTokens: 15, Cost: &message.Cost{Total: 0.5}},
	}
	if next.text != "" {
		tell(provider.Event{Kind: provider.TextDelta, Delta: next.text})
		m.Content = append(m.Content, &message.TextBlock{Text: next.text})
	}
	for _, c := range next.calls {
		m.Content = append(m.Content, c)
	}
	if next.before != nil {
		next.before(ctx)
	}
	switch {
	case ctx.Err() != nil:
		m.StopReason = message.Aborted
		return m, &provider.Error{Cause: provider.Stopped, Err: ctx.Err()}
	case next.err != nil:
		m.StopReason = message.Error
		return m, next.err
	case next.stop != "":
		m.StopReason = next.stop
	case len(next.calls) > 0:
		m.StopReason = message.ToolUse
	default:
		m.StopReason = message.Stop
	}
	return m, nil
}

// asked returns the requests until now.
func (s *script) asked() []provider.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]provider.Request(nil), s.requests...)
}

// fake is a tool.
type fake struct {
	name    string
	changes bool
	run     func(ctx context.Context, args entry.JSON, env tool.Env) tool.Result
}

func (f fake) Spec() provider.Tool {
	return provider.Tool{Name: f.name, Parameters: entry.JSON(`{"type":"object"}`)}
}
func (f fake) Changes() bool { return f.changes }
func (f fake) Run(ctx context.Context, args entry.JSON, env tool.Env) tool.Result {
	return f.run(ctx, args, env)
}

func answers(text string) func(context.Context, entry.JSON, tool.Env) tool.Result {
	return func(context.Context, entry.JSON, tool.Env) tool.Result {
		return tool.Result{Content: []message.Block{&message.TextBlock{Text: text}}}
	}
}

// registry has the model p/m, and p/locked whose key is not there.
type registry struct{}

func (registry) Find(provider, id string) (model.Model, bool) {
	return model.Model{
		Provider: provider, ID: id, API: model.OpenAIChat, Window: 100_000, Levels: []string{"off", "medium", "high"},
	}, provider == "p" && (id == "m" || id == "locked")
}
func (r registry) Available(m replay.Model) bool { _, ok := r.Find(m.Provider, m.ModelID); return ok }
func (registry) Levels(replay.Model) []string    { return []string{"off", "medium", "high"} }
func (registry) Key(m model.Model) (string, error) {
	if m.ID == "locked" {
		return "", fmt.Errorf("find key: %w: set P_KEY", model.ErrNoKey)
	}
	return "secret", nil
}

// A rig is a coder with a scripted model.
type rig struct {
	t      *testing.T
	dir    string
	opt    coder.Options
	model  *script
	coder  *coder.Coder
	waits  []time.Duration
	events []string
	lines  []string
	mu     sync.Mutex
}

func newRig(t *testing.T, replies ...reply) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), model: &script{replies: replies}}
	clock := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	r.opt = coder.Options{
		Session: session.Options{
			NoDrafts: true,
			Env: layout.Env{Home: filepath.Join(r.dir, "home"), Cwd: r.dir, Getenv: func(name string) string {
				return map[string]string{"CAMBIUM_STATE_DIR": filepath.Join(r.dir, "state")}[name]
			}},
		},
		Registry: registry{}, Providers: map[model.API]provider.Provider{model.OpenAIChat: r.model},
		Settings: agent.Settings{Model: &replay.Model{Provider: "p", ModelID: "m"}},
		Tools: []tool.Tool{
			fake{"look", false, answers("seen")}, fake{"change", true, answers("changed")},
		},
		Now: func() time.Time {
			r.mu.Lock()
			defer r.mu.Unlock()
			clock = clock.Add(time.Millisecond)
			return clock
		},
		Wait: func(ctx context.Context, d time.Duration) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.waits = append(r.waits, d)
			return ctx.Err()
		},
		Tell: func(e coder.Event) {
			line := e.JSON()
			name, _ := jsonedit.Text(line, "type")
			r.events, r.lines = append(r.events, name), append(r.lines, string(line))
		},
	}
	return r
}

// start starts the coder on the session at a path, "" for a new one.
func (r *rig) start(path string) *rig {
	r.t.Helper()
	r.coder = coder.New(r.opt)
	if err := r.coder.Agent().Start(context.Background(), agent.Start{Path: path}); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = r.coder.Agent().Close(context.Background()) })
	return r
}

func (r *rig) prompt(text string) (coder.Outcome, error) {
	return r.coder.Prompt(context.Background(), text)
}

// transcript is the branch in short: a line for each message, "role: text".
func (r *rig) transcript() []string {
	r.t.Helper()
	c, err := r.coder.Agent().Session().Context(context.Background(), session.ContextOptions{})
	if err != nil {
		r.t.Fatal(err)
	}
	var all []string
	for m, err := range c.Messages() {
		if err != nil {
			r.t.Fatal(err)
		}
		all = append(all, inShort(r.t, m.JSON))
	}
	return all
}

// inShort is a message on one line.
func inShort(t *testing.T, raw entry.JSON) string {
	t.Helper()
	decoded, err := message.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	line := message.Role(decoded) + ": " + message.Text(decoded)
	switch m := decoded.(type) {
	case *message.Assistant:
		line += " [" + string(m.StopReason)
		for _, c := range message.ToolCalls(m) {
			line += " " + c.ID
		}
		line += "]"
		if m.ErrorMessage != "" {
			line += " " + m.ErrorMessage
		}
	case *message.ToolResult:
		line = fmt.Sprintf("%s %s: %s", message.Role(m), m.ToolCallID, message.Text(m))
		if m.IsError {
			line += " [error]"
		}
	}
	return strings.TrimSpace(line)
}

func called(id, name, args string) *message.ToolCall {
	return &message.ToolCall{ID: id, Name: name, Arguments: entry.JSON(args)}
}

// takeable checks that messages are what a provider takes.
func takeable(messages []entry.JSON) error {
	open := map[string]int{}
	for i, raw := range messages {
		decoded, err := message.Decode(raw)
		if err != nil {
			return err
		}
		if i == 0 && message.Role(decoded) != message.RoleUser {
			return errors.New("it does not begin with the user")
		}
		result, isResult := decoded.(*message.ToolResult)
		switch {
		case isResult && open[result.ToolCallID] == 0:
			return fmt.Errorf("message %d: a result without a call", i)
		case isResult:
			if open[result.ToolCallID]--; open[result.ToolCallID] == 0 {
				delete(open, result.ToolCallID)
			}
		case len(open) > 0:
			return fmt.Errorf("message %d: %v have no result", i, open)
		}
		switch m := decoded.(type) {
		case *message.Assistant:
			if len(m.Content) == 0 || m.StopReason == message.Error || m.StopReason == message.Aborted {
				return fmt.Errorf("message %d: %s", i, raw)
			}
			for _, c := range message.ToolCalls(m) {
				open[c.ID]++
			}
		case *message.User, *message.ToolResult:
		default:
			return fmt.Errorf("message %d: role %q", i, message.Role(m))
		}
	}
	last := ""
	if n := len(messages); n > 0 {
		last, _ = jsonedit.Text(messages[n-1], "role")
	}
	if len(open) > 0 || last == message.RoleAssistant {
		return fmt.Errorf("it ends with %s, %v without result", last, open)
	}
	return nil
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
