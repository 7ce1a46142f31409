package coder

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// Choose writes into a session that its branch goes on with another model, where
// m is not nil, and on another thinking level, where level is not "". What the
// branch says already is not said again. An agent that is started on the session
// afterwards has both.
func Choose(ctx context.Context, s *session.Session, m *replay.Model, level string) error {
	if m == nil && level == "" {
		return nil
	}
	c, err := s.Context(ctx, session.ContextOptions{})
	if err != nil {
		return fmt.Errorf("read session %q: %w", s.Path(), err)
	}
	if m != nil && (c.Model == nil || *c.Model != *m) {
		if _, err := s.Append(ctx, spelling.For(s.Dialect()).ModelBody(m.Provider, m.ModelID, "")); err != nil {
			return fmt.Errorf("append model: %w", err)
		}
	}
	if level == "" || c.ThinkingLevel == level && saysLevel(s) {
		return nil
	}
	body := &entry.ThinkingLevelChangeBody{ThinkingLevel: &level}
	if spelling.For(s.Dialect()).Configured {
		body.Configured = jsonedit.Quoted(level)
	}
	if _, err := s.Append(ctx, body); err != nil {
		return fmt.Errorf("append thinking level: %w", err)
	}
	return nil
}

// Choose has the present session go on with another model, where m is not nil,
// and on another thinking level, where level is not "": it says so, and the next
// turn asks it.
func (c *Coder) Choose(ctx context.Context, m *replay.Model, level string) error {
	s := c.agent.Session()
	if s == nil {
		return agent.ErrNoSession
	}
	if err := Choose(ctx, s, m, level); err != nil {
		return err
	}
	return c.agent.Use(ctx, m, level)
}

// saysLevel reports whether the branch names a thinking level.
func saysLevel(s *session.Session) bool {
	list, path := s.Snapshot()
	return slices.ContainsFunc(path, func(i int) bool { return list.Kind(i) == entry.ThinkingLevelChange })
}

// Level returns the thinking level of a model that comes nearest to the one that
// is asked for; the error is for one that no model has.
func Level(text string, r Registry, m replay.Model) (string, error) {
	text = strings.ToLower(text)
	if all := Levels(); !slices.Contains(all, text) {
		return "", fmt.Errorf("there is no thinking level %q; there are %s", text, strings.Join(all, ", "))
	}
	return agent.Clamp(text, r.Levels(m)), nil
}

// Levels returns the thinking levels, least first.
func Levels() []string { return []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"} }

// Tools returns the tools of these names, all for nil. The error names one that
// there is not.
func Tools(names []string) ([]tool.Tool, error) {
	all := tool.All()
	if names == nil {
		return all, nil
	}
	chosen := []tool.Tool{}
	for _, name := range names {
		t := tool.Find(all, name)
		if t == nil {
			return nil, fmt.Errorf("there is no tool %q; there are %s", name, strings.Join(tool.Names(), ", "))
		}
		chosen = append(chosen, t)
	}
	return chosen, nil
}

// ToolNames returns the names of all tools.
func ToolNames() []string { return tool.Names() }
