package cli

import (
	"context"
	"errors"
	"time"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

// followOptions are the flags of follow.
type followOptions struct {
	last int
	idle time.Duration
	full bool
}

func newFollow(a *app) *cobra.Command {
	var o followOptions
	cmd := &cobra.Command{
		Use:   "follow SESSION",
		Short: "Show what others append to a session, as it comes",
		Long: "Shows each entry that a program appends to the session, on whatever branch, until it is interrupted. Nothing is changed. " +
			"With --json each is its stored line. When the file is moved, replaced, cut short or gone, that is said on stderr, and the session is followed on. " +
			"It ends with 130 when it is interrupted, with 0 when --until-idle ends it.",
		GroupID: groupRead,
		Example: "cambium follow 0198c2a1 -n 5\ncambium follow ./session.jsonl --json --until-idle 10m",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			switch {
			case o.last < 0:
				return problem.Usage("-n %d: want 0 or more", o.last)
			case cmd.Flags().Changed("until-idle") && o.idle <= 0:
				return problem.Usage("--until-idle %v: want a time above 0", o.idle)
			}
			return runFollow(ctx, a, args[0], o)
		}),
	}
	takesSession(a, cmd)
	cmd.Flags().IntVarP(&o.last, "last", "n", 0, "begin with so many of the last entries")
	cmd.Flags().DurationVar(&o.idle, "until-idle", 0, "end when nothing came for so long: 30s, 5m")
	cmd.Flags().BoolVar(&o.full, "full", false, "collapse nothing; whole texts and where pictures are")
	return cmd
}

// runFollow shows what others append to the session that arg names, until ctx ends
// or nothing came for o.idle.
func runFollow(ctx context.Context, a *app, arg string, o followOptions) error {
	from, err := work.Watch(ctx, a.lib, arg, work.FollowOptions{Last: o.last, Idle: o.idle})
	if err != nil {
		return err
	}
	s := from.Session
	defer s.Close()
	f := print.NewFollower(a.Console, s, shown(a, s, o.full))
	first := true
	for fresh, err := range from.Batches(ctx) {
		if err == nil {
			err = f.Show(ctx, fresh)
		}
		switch {
		case err != nil && (first || ctx.Err() != nil):
			return err
		case err != nil:
			return problem.Opening(s.Path(), err)
		}
		first = false
	}
	return nil
}

// insteadOf goes over to following a session that a command did not open because
// others have it open. Any other error is returned as it is.
func insteadOf(ctx context.Context, a *app, err error) error {
	var open *work.Busy
	if !errors.As(err, &open) || !open.Follow {
		return err
	}
	a.Note(open.Path, open.Holders()+"; nothing is changed, what it appends is shown")
	return runFollow(ctx, a, open.Path, followOptions{})
}
