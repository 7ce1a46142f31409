package cli

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

func newContinue(a *app) *cobra.Command {
	var o resumeOptions
	cmd := &cobra.Command{
		Use:   "continue",
		Short: "Go on with what this terminal last used here",
		Long: "Starts the agent program of the session that this terminal last used in this working directory, else of the newest session of it, " +
			"to go on with it in the session's directory. When there is none, the program of --agent begins a new one.\n\n" + handoverHelp + "\n\n" +
			"Exit codes: 0 done, 1 the program is not there, 2 usage, 3 nothing to go on with, 5 damaged, 6 busy, or it would run where you did not say, " +
			"130 interrupted; else that of the program.",
		GroupID: groupWrite,
		Example: "cambium continue\ncambium continue --agent pi\ncambium show \"$(cambium continue --print)\"",
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, _ []string) error {
			if err := begins(a, cmd, o); err != nil {
				return err
			}
			return runContinue(ctx, a, o)
		}),
	}
	o.addFlags(a, cmd)
	return cmd
}

// runContinue goes on with the session that continue finds; where there is none the
// program of the agent begins one.
func runContinue(ctx context.Context, a *app, o resumeOptions) error {
	t, err := work.Continue(ctx, a.lib, o.options(a))
	switch {
	case err != nil:
		return notGoneOn(a, t.Path, err)
	case t.Path == "":
		return continueNew(ctx, a, t, o)
	}
	return handOver(ctx, a, t, o.only(a))
}

// continueNew begins a session, in the program of the agent.
func continueNew(ctx context.Context, a *app, t work.Target, o resumeOptions) error {
	none := problem{exit: exitNotFound, text: fmt.Sprintf("continue: no session of %q", a.lib.Dir),
		todo: "`cambium continue --agent pi` (or omp, xcsh) begins one, `cambium recent --all` lists those of other projects"}
	if o.leaf != "" || o.fork || o.print || a.flags.json {
		return none
	}
	if t.Own() && !a.browses() {
		return none
	}
	return handOver(ctx, a, t, false)
}
