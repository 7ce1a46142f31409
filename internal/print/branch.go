package print

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// Branch prints a branch of a session, from its beginning to its end.
func Branch(ctx context.Context, c *console.Console, s *session.Session, branch *replay.Context, o ShowOptions) error {
	if c.JSON {
		return branchJSON(ctx, c, s, branch)
	}
	return c.Page(ctx, func(w io.Writer) error { return branchText(ctx, c, w, s, branch, o) })
}

// branchJSON prints each entry of the branch with what is known of it, one object
// a line; "entry" is the entry as it is stored.
func branchJSON(ctx context.Context, c *console.Console, s *session.Session, branch *replay.Context) error {
	list := s.List()
	for item, err := range branch.Items() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		var o jsonedit.Object
		id, ok := list.ID(item.Entry)
		if ok {
			o.String("id", id)
		}
		if role := item.Role.String(); role != "" {
			o.String("role", role)
		}
		o.Int("line", int64(list.At(item.Entry).Line))
		o.Bool("inContext", item.InContext)
		if item.Compacted {
			o.Bool("compacted", true)
		}
		if item.Folded {
			o.Bool("hidden", true)
		}
		if label, ok, err := s.Label(id); err != nil {
			return err
		} else if ok {
			o.String("label", label)
		}
		if n := item.Tokens(); n > 0 {
			o.Int("tokens", int64(n))
		}
		line, err := s.Stored(item.Entry)
		if err != nil {
			return err
		}
		o.Add("entry", line)
		if _, err := c.Out.Write(append(o.Value(), '\n')); err != nil {
			return err
		}
	}
	return nil
}

// branchText writes the branch for a person.
func branchText(ctx context.Context, c *console.Console, w io.Writer, s *session.Session, branch *replay.Context, o ShowOptions) error {
	v, err := newView(c, w, s, o)
	if err != nil {
		return err
	}
	v.title()
	v.state(branch)
	all, t := v.read.Branch(ctx, branch)
	if err := v.parts(all); err != nil {
		return err
	}
	v.println("")
	v.wrapDim(fmt.Sprintf("%s; the model sees %d, about %s tokens", term.Plural(t.Messages, "message"), t.Seen, transcript.Count(t.Tokens)))
	v.tips(branch)
	return v.err
}

// title writes what session this is: its name, then what is known of it.
func (v *view) title() {
	name, _ := v.s.Title()
	if name == "" {
		name = "(no name)"
	}
	v.println(v.palette.Bold(term.Cut(term.Line(name), v.cols)))
	var parts []string
	for _, part := range []string{string(v.s.Dialect()), v.s.ID(), tilde(v.c, v.s.CWD()), term.Plural(v.s.Len(), "entry")} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if ms, ok := jsonedit.ParseTime(v.s.Header().Timestamp); ok {
		parts = append(parts, "begun "+time.UnixMilli(ms).In(v.c.Now().Location()).Format("2 January 2006, 15:04"))
	}
	v.wrapDim(strings.Join(parts, " · "))
}

// state writes the state that goes with a context: one line.
func (v *view) state(c *replay.Context) {
	if parts := transcript.State(c); len(parts) > 0 {
		v.wrapDim(strings.Join(parts, " · "))
	}
}

// wrapDim writes dim lines of stored text.
func (v *view) wrapDim(s string) {
	for _, line := range term.Wrap(term.Line(s), v.cols) {
		v.println(v.palette.Dim(line))
	}
}

// tips names the other live branches and how to go to one.
func (v *view) tips(c *replay.Context) {
	tips := tree.Of(v.s.Tree()).Elsewhere(c.Leaf())
	if len(tips) == 0 || v.err != nil {
		return
	}
	v.println("")
	v.println(term.Plural(len(tips), "other branch") + ":")
	for n := len(tips) - 1; n >= 0; n-- {
		id, _ := v.list.ID(tips[n].Entry)
		left := indent + term.Line(id)
		if t := v.time(tips[n].Entry); !t.IsZero() {
			left += "  " + term.Fit(ago(t, v.c.Now()), 10)
		}
		v.println(term.Cut(left+"  "+term.Line(transcript.GistAt(v.list, tips[n].Said).String()), v.cols))
	}
	v.wrapDim("read one with --leaf ID; make one the leaf with `cambium branch SESSION ID`")
}
