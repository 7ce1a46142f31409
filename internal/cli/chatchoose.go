package cli

import (
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

func (c *chat) cmdModel(arguments string) tea.Cmd {
	if arguments == "" {
		return c.tell1("type a part of its name behind /model; "+c.nowModel(), false)
	}
	return c.aside("choose model", func(ctx context.Context, _ *session.Session) (string, error) {
		m, level, err := c.r.reg.Resolve(arguments)
		if err != nil {
			return "", err
		}
		if _, err := c.r.reg.Key(m); err != nil {
			return "", err
		}
		want := replay.Model{Provider: m.Provider, ModelID: m.ID}
		level = first(level, c.r.coder.Thinking())
		if level != "" {
			level = agent.Clamp(level, c.r.reg.Levels(want))
		}
		if err := c.r.coder.Choose(ctx, &want, level); err != nil {
			return "", err
		}
		return "model " + m.Provider + "/" + m.ID, nil
	})
}

// nowModel says which model is asked.
func (c *chat) nowModel() string {
	if m, ok := c.r.coder.Model(); ok {
		return "it is " + m.Provider + "/" + m.ID
	}
	return "there is none yet"
}

func (c *chat) cmdThinking(arguments string) tea.Cmd {
	if m, ok := c.r.coder.Model(); ok && len(m.Levels) == 0 {
		return c.tell1(m.Provider+"/"+m.ID+" has no thinking levels", arguments != "")
	}
	if arguments == "" {
		return c.tell1("thinking is "+first(c.r.coder.Thinking(), "off")+"; levels: "+strings.Join(c.levels(), ", "), false)
	}
	return c.aside("choose thinking level", func(ctx context.Context, _ *session.Session) (string, error) {
		m, ok := c.r.coder.Model()
		if !ok {
			return "", coder.ErrNoModel
		}
		level, err := coder.Level(arguments, c.r.reg, replay.Model{Provider: m.Provider, ModelID: m.ID})
		if err == nil {
			err = c.r.coder.Choose(ctx, nil, level)
		}
		if !strings.EqualFold(level, arguments) {
			return fmt.Sprintf("thinking %s; %s/%s has no %s", level, m.Provider, m.ID, arguments), err
		}
		return "thinking " + level, err
	})
}

// levels are the thinking levels of the model.
func (c *chat) levels() []string {
	if m, ok := c.r.coder.Model(); ok {
		return m.Levels
	}
	return coder.Levels()
}

func (c *chat) cmdMode(arguments string) tea.Cmd {
	c.mu.Lock()
	now := first(c.mode, "none")
	c.mu.Unlock()
	switch arguments {
	case "":
		return c.tell1("mode is "+now+"; there are none and plan", false)
	case "none", "plan":
	default:
		return c.tell1(fmt.Sprintf("there is no mode %q; there are none and plan", arguments), true)
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
		c.setMode(arguments)
		if !knowsModes(s.Dialect()) {
			return "mode " + arguments + ", until you leave: its program keeps no modes", nil
		}
		return "mode " + arguments, nil
	})
}
