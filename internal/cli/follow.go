package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/tree"
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
	a *app
	o followOptions
	s *session.Session

	next     int             // the first position that was not printed
	seen     map[string]bool // the ids of the entries that were there or printed
	replaced bool            // positions mean nothing any more
	v        *view           // nil until something is shown
}

// runFollow shows what others append to the session that arg names, until ctx ends
// or nothing came for o.idle.
func runFollow(ctx context.Context, a *app, arg string, o followOptions) error {
	f := &follower{a: a, o: o, seen: map[string]bool{}}
	path, err := a.resolve(ctx, arg)
	if err != nil {
		return err
	}
	f.s, err = a.openReadAt(ctx, path, f.happened)
	if err != nil {
		return err
	}
	defer f.s.Close()
	a.lib.Damage(f.s)
	f.next = max(0, f.s.Len()-o.last)
	for i := range f.next {
		if id, ok := f.s.List().ID(i); ok {
			f.seen[id] = true
		}
	}
	if err := f.print(ctx); err != nil {
		return err
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	idle := time.AfterFunc(time.Hour, func() {})
	if o.idle > 0 {
		idle = time.AfterFunc(o.idle, stop)
	}
	defer idle.Stop()
	for err := range f.s.Watch(watching) {
		if err == nil {
			err = f.print(ctx)
		}
		if err != nil {
			return trouble(f.s.Path(), err)
		}
		if o.idle > 0 {
			idle.Reset(o.idle)
		}
	}
	return ctx.Err()
}

// happened says on stderr what becomes of the file, and notes when entries are
// at other positions.
func (f *follower) happened(e session.Event) {
	text := e.Text
	switch e.Kind {
	case session.Replaced:
		f.replaced = true
	case session.Moved:
		text = "it was moved, to " + e.Text
	case session.Gone:
		text += "; waiting for it"
	default:
		return
	}
	if text != "" {
		f.a.note(f.s.Path(), text)
	}
}

// print prints the entries that were not printed yet.
func (f *follower) print(ctx context.Context) error {
	list := f.s.List()
	var fresh []int
	from := f.next
	if f.replaced {
		from = 0
	}
	for i := from; i < list.Len(); i++ {
		id, ok := list.ID(i)
		if f.replaced && (!ok || f.seen[id]) {
			continue
		}
		f.seen[id] = true
		fresh = append(fresh, i)
	}
	f.next, f.replaced = list.Len(), false
	show := f.text
	if f.a.flags.json {
		show = f.json
	}
	if err := show(ctx, fresh); err != nil {
		return err
	}
	return f.a.out.Flush()
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
		v, err := f.a.newView(f.a.out, f.s, f.o.full)
		if err != nil {
			return err
		}
		f.v = v
	}
	for len(fresh) > 0 {
		n := 1
		for n < len(fresh) && f.s.Tree().Parent(fresh[n], tree.Healed) == fresh[n-1] {
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
