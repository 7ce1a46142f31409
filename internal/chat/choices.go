package chat

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// choices are what a person chooses for the session: the model, how much it thinks,
// and the mode.
type choices struct {
	*desk
	face *face
}

// model chooses the model.
func (c *choices) model(arguments string) tea.Cmd {
	if arguments == "" {
		return c.face.line("type a part of its name behind /model; " + c.nowModel())
	}
	return c.aside("choose model", func(ctx context.Context, _ *session.Session) (string, error) {
		m, level, err := c.models.Resolve(arguments)
		if err != nil {
			return "", err
		}
		if _, err := c.models.Key(m); err != nil {
			return "", err
		}
		want := replay.Model{Provider: m.Provider, ModelID: m.ID}
		level = cmp.Or(level, c.coder.Thinking())
		if level != "" {
			level = agent.Clamp(level, c.models.Levels(want))
		}
		if err := c.coder.Choose(ctx, &want, level); err != nil {
			return "", err
		}
		return "model " + m.Provider + "/" + m.ID, nil
	})
}

// nowModel says which model is asked.
func (c *choices) nowModel() string {
	if m, ok := c.coder.Model(); ok {
		return "it is " + m.Provider + "/" + m.ID
	}
	return "there is none yet"
}

// thinking chooses how much is thought.
func (c *choices) thinking(arguments string) tea.Cmd {
	if m, ok := c.coder.Model(); ok && len(m.Levels) == 0 {
		none := m.Provider + "/" + m.ID + " has no thinking levels"
		if arguments != "" {
			return c.face.complain(none)
		}
		return c.face.line(none)
	}
	if arguments == "" {
		return c.face.line("thinking is " + cmp.Or(c.coder.Thinking(), "off") + "; levels: " + strings.Join(c.levels(), ", "))
	}
	return c.aside("choose thinking level", func(ctx context.Context, _ *session.Session) (string, error) {
		m, ok := c.coder.Model()
		if !ok {
			return "", coder.ErrNoModel
		}
		level, err := coder.Level(arguments, c.models, replay.Model{Provider: m.Provider, ModelID: m.ID})
		if err == nil {
			err = c.coder.Choose(ctx, nil, level)
		}
		if !strings.EqualFold(level, arguments) {
			return fmt.Sprintf("thinking %s; %s/%s has no %s", level, m.Provider, m.ID, arguments), err
		}
		return "thinking " + level, err
	})
}

// levels are the thinking levels of the model.
func (c *choices) levels() []string {
	if m, ok := c.coder.Model(); ok {
		return m.Levels
	}
	return coder.Levels()
}

// enter enters a mode.
func (c *choices) enter(arguments string) tea.Cmd {
	now, _ := c.standing.now()
	now = cmp.Or(now, "none")
	switch arguments {
	case "":
		return c.face.line("mode is " + now + "; there are none and plan")
	case "none", "plan":
	default:
		return c.face.complain(fmt.Sprintf("there is no mode %q; there are none and plan", arguments))
	}
	return c.aside("enter mode", func(ctx context.Context, s *session.Session) (string, error) {
		if arguments == now {
			return "mode " + now, nil
		}
		if knowsModes(s.Dialect()) {
			if _, err := s.Append(ctx, &entry.ModeChangeBody{Mode: arguments}); err != nil {
				return "", err
			}
		}
		c.standing.enter(arguments)
		if !knowsModes(s.Dialect()) {
			return "mode " + arguments + ", until you leave: its program keeps no modes", nil
		}
		return "mode " + arguments, nil
	})
}
