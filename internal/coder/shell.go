package coder

import (
	"context"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/message"
)

// Shell runs a person's own command in the agent's directory and appends what
// came of it; the model is not asked, and sees it with the next prompt unless it
// is hidden. It needs no approval. The error is ErrBusy, or that of the session or
// of a command that could not be started.
func (c *Coder) Shell(ctx context.Context, command string, hidden bool) (*message.BashExecution, error) {
	var m *message.BashExecution
	_, err := c.running(ctx, func(ctx context.Context) (Outcome, error) {
		c.begun()
		out := Outcome{Stop: message.Stop}
		e := tool.Execute(ctx, command, c.env("", "bash"))
		if e.Err != nil {
			out.Stop = message.Error
			return out, e.Err
		}
		m = c.execution(command, e, hidden)
		out.Text = e.Output
		if e.Cancelled {
			out.Stop = message.Aborted
		}
		return out, c.say(ctx, []entry.JSON{message.Encode(m)})
	})
	return m, err
}

// execution is the message of a command that ran, with the notice that its
// dialect reads about output that was cut.
func (c *Coder) execution(command string, e tool.Execution, hidden bool) *message.BashExecution {
	m := &message.BashExecution{
		Command: command, Output: e.Output, ExitCode: e.ExitCode, Cancelled: e.Cancelled || e.TimedOut, Truncated: e.Truncated,
		ExcludeFromContext: hidden, Timestamp: c.opt.Now().UnixMilli(),
	}
	if len(e.Notes) > 0 && (e.Truncated || e.TimedOut) {
		m.Output = strings.TrimRight(m.Output, "\n") + "\n[" + strings.Join(e.Notes, "]\n[") + "]"
	}
	if e.Truncated && e.FullOutputPath != "" {
		m.FullOutputPath = e.FullOutputPath
	}
	return m
}

// env is where a call of a tool works.
func (c *Coder) env(callID, name string) tool.Env {
	s := c.agent.Session()
	env := tool.Env{
		Dir: c.agent.Dir(), Outside: c.opt.Yes, Environ: c.opt.Environ, Limit: c.opt.CommandLimit,
		Update: func(text string) { c.tell(ToolUpdate{callID, name, text}) },
	}
	if s.Persisted() {
		env.Artifact, env.ArtifactDir = s.NewArtifact, s.ArtifactDir()
	}
	return env
}
