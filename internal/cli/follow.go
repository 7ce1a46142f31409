package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
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
				return usage("-n %d: want 0 or more", o.last)
			case cmd.Flags().Changed("until-idle") && o.idle <= 0:
				return usage("--until-idle %v: want a time above 0", o.idle)
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

// A follower prints the entries of a session as they come.
type follower struct {
	a    *app
	full bool
	s    *session.Session
	v    *view // nil until something is shown
}

// runFollow shows what others append to the session that arg names, until ctx ends
// or nothing came for o.idle.
func runFollow(ctx context.Context, a *app, arg string, o followOptions) error {
	from, err := work.Watch(ctx, a.lib, arg, work.FollowOptions{Last: o.last, Idle: o.idle})
	if err != nil {
		return explained(a, arg, err)
	}
	f := &follower{a: a, full: o.full, s: from.Session}
	defer f.s.Close()
	show := f.text
	if a.flags.json {
		show = f.json
	}
	first := true
	for fresh, err := range from.Batches(ctx) {
		if err == nil {
			err = show(ctx, fresh)
		}
		if err == nil {
			err = a.out.Flush()
		}
		switch {
		case err != nil && (first || ctx.Err() != nil):
			return told(err)
		case err != nil:
			return trouble(f.s.Path(), err)
		}
		first = false
	}
	return nil
}

// json prints entries as they are stored.
func (f *follower) json(_ context.Context, fresh []int) error {
	for _, i := range fresh {
		line, err := f.s.Stored(i)
		if errors.Is(err, session.ErrNotFound) {
			return nil // replaced again; the next change tells
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(f.a.out, "%s\n", line); err != nil {
			return err
		}
	}
	return nil
}

// text prints entries as show does, those that follow one another together.
func (f *follower) text(ctx context.Context, fresh []int) error {
	if len(fresh) == 0 {
		return nil
	}
	if f.v == nil || f.v.list != f.s.List() {
		v, err := f.a.newView(f.a.out, f.s, f.full)
		if err != nil {
			return err
		}
		f.v = v
	}
	for len(fresh) > 0 {
		n := 1
		for n < len(fresh) && tree.Of(f.s.Tree()).Parent(fresh[n], tree.Healed) == fresh[n-1] {
			n++
		}
		if err := f.run(ctx, fresh[:n]); err != nil {
			return err
		}
		fresh = fresh[n:]
	}
	return f.v.err
}

// run prints entries of one branch, of which each follows the one before.
func (f *follower) run(ctx context.Context, part []int) error {
	id, ok := f.v.list.ID(part[len(part)-1])
	if !ok {
		for _, i := range part {
			f.v.part(f.v.read.Aside(i))
		}
		return nil
	}
	c, err := f.s.Context(ctx, session.ContextOptions{Leaf: &id, Strict: f.a.flags.strict})
	if err != nil {
		return err
	}
	for item, err := range c.Items() {
		if err != nil {
			return err
		}
		if slices.Contains(part, item.Entry) {
			for p := range f.v.read.Item(ctx, item) {
				f.v.part(p)
			}
		}
	}
	return f.v.err
}
