package print

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/prompts"
)

// jsonPrompt is a prompt as --json prints it.
type jsonPrompt struct {
	Prompt    string `json:"prompt"`
	Created   string `json:"createdAt"`
	CWD       string `json:"cwd"`
	Agent     string `json:"agent"`
	SessionID string `json:"sessionId,omitzero"`
	Uses      int64  `json:"uses,omitzero"`
}

// again returns how often a prompt was typed, 0 where once is all that is known.
func again(uses int64) int64 {
	if uses == 1 {
		return 0
	}
	return uses
}

// Prompts prints prompts.
func Prompts(ctx context.Context, c *console.Console, all []prompts.Prompt) error {
	if !c.JSON {
		return promptTable(ctx, c, all)
	}
	for _, p := range all {
		if err := c.Emit(jsonPrompt{p.Text, Time(p.Created), p.CWD, p.Agent, p.SessionID, again(p.Uses)}); err != nil {
			return err
		}
	}
	return nil
}

// promptTable prints prompts a line each, as wide as the terminal.
func promptTable(ctx context.Context, c *console.Console, all []prompts.Prompt) error {
	project := 0
	if width(c) >= 72 {
		project = min(32, width(c)/5)
	}
	line := func(w io.Writer, style func(string) string, at, agent, cwd, text string) error {
		head := term.Fit(at, 10) + "  " + term.Fit(agent, 7) + "  "
		if project > 0 {
			if !whole(c) {
				cwd = term.CutLeft(cwd, project)
			}
			head += fit(c, cwd, project) + "  "
		}
		text = cut(c, text, max(width(c)-term.Width(head), 10))
		_, err := fmt.Fprintln(w, strings.TrimRight(c.Palette.Dim(head)+style(text), " "))
		return err
	}
	return c.Page(ctx, func(w io.Writer) error {
		if err := line(w, c.Palette.Dim, "TYPED", "AGENT", "PROJECT", "PROMPT"); err != nil {
			return err
		}
		for _, p := range all {
			plain := func(s string) string { return s }
			text := strings.Join(strings.Fields(p.Text), " ")
			if err := line(w, plain, ago(p.Created, c.Now()), term.Line(p.Agent), term.Line(tilde(c, p.CWD)), term.Line(text)); err != nil {
				return err
			}
		}
		return nil
	})
}
