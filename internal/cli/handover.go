package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/handover"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
)

// jsonTarget is a session that is gone on with.
type jsonTarget struct {
	ID      string   `json:"id"`
	Path    string   `json:"path"`
	Agent   string   `json:"agent"`
	CWD     string   `json:"cwd"`
	Command []string `json:"command,omitempty"`
}

// handOver notes that the session is in use in this terminal and starts its
// program in the directory that was agreed to, in place of the command. With only
// printing it prints the path instead.
func handOver(ctx context.Context, a *app, t work.Target, only bool) error {
	t.CWD = a.lib.Homely(t.CWD)
	if t.Path != "" {
		a.lib.Visited(session.Visit{Agent: t.Agent, CWD: t.CWD, Path: t.Path})
	}
	args := handover.Command(a.lib, t)
	switch {
	case only || a.JSON:
		return a.Print(console.Result{Path: t.Path, JSON: jsonTarget{t.ID, t.Path, string(t.Agent), t.CWD, args}})
	case handover.Draws(args) && !a.Draws():
		return problem.Problem{Exit: problem.ExitFailed, Path: t.Path, Text: fmt.Sprintf("resume session %q: it is one of Cambium's own, which `cambium chat` shows on a terminal", t.ID),
			Todo: problem.Advice(problem.Hint{Run: []string{problem.Program, "run", "--resume", problem.CalledAs(t.ID, t)}, Does: "goes on with it"},
				problem.Hint{Run: []string{problem.Program, "show"}, Of: []string{problem.CalledAs(t.ID, t)}, Does: "shows it"})}
	case a.lib.Shared != nil:
		return problem.InStore(a.lib, t)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	path, ok := handover.File(args[0], a.Getenv("PATH"))
	if !ok {
		return problem.Problem{Exit: problem.ExitFailed, Path: t.Path, Text: fmt.Sprintf("start %q: it is not on the PATH", args[0]),
			Todo: problem.InShell("to go on with the session: ", t.Dir, args)}
	}
	if err := a.Out.Flush(); err != nil {
		return err
	}
	a.lib.CloseIndex() // nothing of this process is run after the start
	start := a.sys.Start
	if start == nil {
		start = handover.Become
	}
	err := start(handover.Program{Path: path, Args: args, Dir: t.Dir, Env: handover.Environ(a.Env, t.Dir, a.lib.AgentDir)})
	var ended *handover.Ended
	switch {
	case errors.As(err, &ended):
		return problem.Problem{Exit: ended.Code, Printed: true}
	case err != nil:
		return problem.Problem{Exit: problem.ExitFailed, Path: t.Path, Err: err, Text: fmt.Sprintf("start %q: %v", path, work.Cause(err)),
			Todo: problem.InShell("to go on with the session: ", t.Dir, args)}
	}
	return nil
}
