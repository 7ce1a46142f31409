package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/cambium-dev/cambium/internal/acp"
	"github.com/cambium-dev/cambium/internal/buildinfo"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/presence"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

func newACP(a *app) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "acp",
		Short: "Be the agent of an editor, by the Agent Client Protocol over stdin and stdout",
		Long: "Speaks the Agent Client Protocol over standard input and output: an editor that knows it has the built-in agent, " +
			"and in its list of sessions all of pi, omp, xcsh and cambium, to look at and to go on with. With --store they are those of a shared store. doc/acp.md says how an editor is set up.\n\n" +
			"MCP servers that the editor names are started, and their tools used. Before a command is run, a file changed or such a tool used, the editor asks. What is odd is said on standard error, which editors keep in their logs. " +
			"At the end of the input, and when it is interrupted, turns are stopped and all sessions saved and closed.\n\n" +
			"The key of the model's provider comes from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY).\n\n" +
			"Exit codes: 0 done, 1 entries could not be saved, 2 usage, 130 interrupted.",
		GroupID: groupMore,
		Example: "cambium acp\ncambium acp --model claude-opus-5-5:high",
		Args:    cobra.NoArgs,
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, _ []string) error {
			if err := nonBlank(cmd, "model", "thinking"); err != nil {
				return err
			}
			return runACP(ctx, a, o)
		}),
	}
	o.addModel(a, cmd, "the model of sessions that are opened", "their thinking level")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "")
	_ = cmd.Flags().MarkHidden("json") // the flag exists; what is spoken is JSON
	return cmd
}

// runACP serves the editor behind standard input and output.
func runACP(ctx context.Context, a *app, o runOptions) error {
	// A client that is gone must be an error of the write: the signal would
	// end the process before the sessions are saved.
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	defer signal.Stop(gone)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // the terminal of the editor is gone
	defer stop()
	a.Share()                      // every session says what is odd about it
	r, err := newRunner(a, o, nil) // what is wrong with flags and settings is said before an editor waits
	if err != nil {
		return err
	}
	so := a.lib.Session()
	so.FirstWrite = session.FirstAssistant
	switch a.lib.IfBusy {
	case work.Fork, work.Follow:
		return problem.Usage("acp: --if-busy %s: want %s, %s or %s", a.lib.IfBusy, work.Go, work.Take, work.Fail)
	case work.Fail:
		so.IfBusy = func(others []presence.Holder) error { return fmt.Errorf("%w: %s", acp.ErrBusy, session.Busily(others)) }
	case work.Take:
		so.TakeOver = true
	}
	err = acp.Serve(ctx, a.Stdin, a.Stdout, acp.Options{
		Version: buildinfo.Read().String(), Offline: offlineOf(a), Catalog: a.lib.Catalog(), Session: so, Models: r.reg, Model: r.agent.Model, Level: r.agent.Level,
		Coder:   func(w acp.Wires) (*coder.Coder, error) { return coderFor(a, w, o) },
		Environ: a.ChildEnv(),
		Log:     func(line string) { a.Note("", line) },
	})
	if errors.Is(err, session.ErrUnsaved) {
		// Not wrapped: whatever else ended the service, this is what counts.
		return problem.Problem{Exit: problem.ExitFailed, Text: err.Error()}
	}
	return err
}

// coderFor makes the coder of a session of an editor, by the settings as they are
// now.
func coderFor(a *app, w acp.Wires, o runOptions) (*coder.Coder, error) {
	r, err := newRunner(a, o, func(_ *runner, c *coder.Options) {
		c.Tell, c.Approve, c.Refuse, c.More = w.Tell, w.Approve, w.Refuse, w.More
		c.EnterMode, c.OnTodos = w.EnterMode, w.OnTodos
		c.Session.OnEvent = inTurn(c.Session.OnEvent)
	})
	if err != nil {
		return nil, err
	}
	return r.coder, nil
}

// inTurn has a function called by one goroutine at a time.
func inTurn(f func(session.Event)) func(session.Event) {
	var mu sync.Mutex
	return func(e session.Event) {
		mu.Lock()
		defer mu.Unlock()
		f(e)
	}
}
