package print

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
)

// A Follower prints the entries of a session as they come.
type Follower struct {
	c *console.Console
	s *session.Session
	o ShowOptions
	v *view // nil until something is shown
}

// NewFollower returns a follower of a session.
func NewFollower(c *console.Console, s *session.Session, o ShowOptions) *Follower {
	return &Follower{c: c, s: s, o: o}
}

// Show prints the entries at positions.
func (f *Follower) Show(ctx context.Context, fresh []int) error {
	var err error
	if f.c.JSON {
		err = f.json(fresh)
	} else {
		err = f.text(ctx, fresh)
	}
	if err == nil {
		err = f.c.Out.Flush()
	}
	return err
}

// json prints entries as they are stored.
func (f *Follower) json(fresh []int) error {
	for _, i := range fresh {
		line, err := f.s.Stored(i)
		if errors.Is(err, session.ErrNotFound) {
			return nil // replaced again; the next change tells
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(f.c.Out, "%s\n", line); err != nil {
			return err
		}
	}
	return nil
}

// text prints entries as show does, those that follow one another together.
func (f *Follower) text(ctx context.Context, fresh []int) error {
	if len(fresh) == 0 {
		return nil
	}
	if f.v == nil || f.v.list != f.s.List() {
		v, err := newView(f.c, f.c.Out, f.s, f.o)
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
func (f *Follower) run(ctx context.Context, part []int) error {
	id, ok := f.v.list.ID(part[len(part)-1])
	if !ok {
		for _, i := range part {
			f.v.part(f.v.read.Aside(i))
		}
		return nil
	}
	c, err := f.s.Context(ctx, session.ContextOptions{Leaf: &id, Strict: f.o.Strict})
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
