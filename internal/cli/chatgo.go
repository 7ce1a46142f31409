package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
)

func (c *chat) cmdResume(arguments string) tea.Cmd {
	if arguments == "" {
		return c.pickSession()
	}
	return c.move(func(ctx context.Context) chatMoved {
		m := chatMoved{what: "resume session", other: true, told: "Resumed session"}
		path, err := c.a.resolve(ctx, arguments)
		if err == nil {
			_, _, err = c.a.present(ctx, path)
		}
		if err != nil {
			m.err, m.choice = err, c.a.candidates(err)
			return m
		}
		m.ok, m.err = c.agent().Switch(ctx, path)
		m.whole = m.ok && m.err == nil
		return m
	})
}

func (c *chat) cmdNew(string) tea.Cmd {
	return c.move(func(ctx context.Context) chatMoved {
		ok, err := c.agent().New(ctx, false)
		return chatMoved{what: "new session", ok: ok, other: true, told: "New session", err: err}
	})
}

func (c *chat) cmdFork(string) tea.Cmd {
	if !c.now.persisted {
		return c.tell1("a session that is kept nowhere cannot be forked", true)
	}
	return c.move(func(ctx context.Context) chatMoved {
		ok, err := c.agent().Fork(ctx)
		m := chatMoved{what: "fork session", ok: ok, err: err}
		if s := c.agent().Session(); ok && s != nil {
			m.told = "Forked; this is " + s.ID()
		}
		return m
	})
}

func (c *chat) cmdBranch(arguments string) tea.Cmd {
	if arguments == "" {
		return c.openTree(true)
	}
	return c.branch(entry.ID(arguments))
}

func (c *chat) cmdMove(arguments string) tea.Cmd {
	if arguments == "" {
		return c.tell1("move where? name a directory", true)
	}
	return c.aside("move session", func(ctx context.Context, _ *session.Session) (string, error) {
		dir := arguments
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			dir = filepath.Join(c.a.lib.Env.Home, rest)
		}
		if dir = c.a.lib.Absolute(dir); !work.IsDir(dir) {
			return "", fmt.Errorf("there is no directory %q", dir)
		}
		if err := c.agent().Move(ctx, filepath.Clean(dir)); err != nil {
			return "", err
		}
		return "moved to " + c.a.tilde(dir), nil
	})
}
