package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

func newSync(a *app) *cobra.Command {
	var o work.SyncOptions
	var maps []string
	cmd := &cobra.Command{
		Use:   "sync [STORE]",
		Short: "Unite the sessions here with those of a store or a directory",
		Long: "Unites the sessions of this machine's agents (--agent: of one) with those of STORE, in both directions: " +
			"the URL of a shared store, or a directory, such as a mounted drive or a git checkout. Without STORE it is the one of --store or CAMBIUM_STORE.\n\n" +
			"Each side is appended the entries that it lacks, byte for byte; what diverged becomes branches, and names and labels follow the newest. " +
			"Nothing is ever deleted: a session that was removed on one side comes back from the other. " +
			"It may be stopped at any time; the next run does the rest, and a run with nothing to do writes nothing.",
		GroupID: groupMore,
		Example: "cambium sync postgres://ada@db.example.org/sessions\ncambium sync /mnt/drive/sessions --dry-run\n" +
			"cambium sync ~/checkout --map /srv/code=/mnt/code",
		Args: cobra.MaximumNArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			for _, text := range maps {
				m, err := exchange.ParseMapping(text, a.lib.Env.Home)
				if err != nil {
					return problem.Usage("sync: %v", err)
				}
				o.Maps = append(o.Maps, m)
			}
			with := ""
			if len(args) > 0 {
				if with = args[0]; with == "" {
					return &work.SideError{Fault: work.Unnamed}
				}
			}
			return runSync(ctx, a, with, o)
		}),
	}
	f := cmd.Flags()
	f.BoolVarP(&o.Dry, "dry-run", "n", false, "say what would be moved, and move nothing")
	f.BoolVar(&o.Anew, "anew", false, "send everything again to a place that had sessions and has none any more")
	f.StringArrayVar(&maps, "map", nil, "the directory `FROM=TO`: what is FROM there is TO here (the home directory is ~ there)")
	return cmd
}

// runSync unites the sessions here with those of a store or a directory that is named,
// "" for that of the options.
func runSync(ctx context.Context, a *app, with string, o work.SyncOptions) error {
	there, err := a.lib.Side(ctx, with, o.Dry)
	if err != nil {
		return err
	}
	defer there.Close()
	bar := a.ProgressBytes("sync sessions")
	o.Progress = bar.Step
	o.Warn = func(text string) { bar.Clear(); a.Note("", text) }
	o.Moved = func(m exchange.Moved) { bar.Clear(); print.Moved(a.Console, m, o.Dry) }
	done, err := a.lib.Sync(ctx, there, o)
	bar.Close()
	if err = syncDone(a, done.Report, done.Failures, err, o.Dry); err == nil && there.Waits != nil {
		err = problem.Problem{Exit: problem.ExitPartly, Printed: true, Text: "something waits for the store still", Err: there.Waits}
	}
	return err
}

// syncDone prints the counts and what failed.
func syncDone(a *app, rep exchange.Report, failed []exchange.Failure, err error, dry bool) error {
	for _, f := range failed {
		p := problem.Of(f.Err)
		p.Path, p.Text = f.Name, fmt.Sprintf("sync %s session: %v", f.Agent, f.Err)
		if !strings.Contains(p.Text, f.Name) {
			p.Text = fmt.Sprintf("sync %s session %q: %v", f.Agent, f.Name, f.Err)
		}
		p.Todo = ""
		a.report(p)
	}
	if err := print.Synced(a.Console, rep, dry, err != nil); err != nil {
		return err
	}
	switch {
	case errors.Is(err, exchange.ErrEmptied):
		return problem.Problem{Exit: problem.ExitRefused, Text: err.Error(), Todo: "is it mounted? --anew sends all sessions again", Err: err}
	case errors.Is(err, exchange.ErrOutside), errors.Is(err, exchange.ErrRunning):
		return problem.Problem{Exit: problem.ExitRefused, Text: err.Error(), Err: err}
	case err != nil:
		p := problem.Of(err)
		if work.Refused(err) {
			p = problem.Reaching(err).(problem.Problem)
		}
		if p.Exit == problem.ExitFailed && (rep.Out != exchange.Amount{} || rep.In != exchange.Amount{}) {
			p.Exit, p.Todo = problem.ExitPartly, "the next run does the rest"
		}
		return p
	case len(failed) > 0:
		return problem.Problem{Exit: problem.ExitPartly, Printed: true, Text: "some sessions were not united"}
	case rep.LeftLinks > 0:
		return problem.Problem{Exit: problem.ExitPartly, Printed: true, Text: "what links lead to was left out"}
	}
	return nil
}
