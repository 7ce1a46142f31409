package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

func newShow(a *app) *cobra.Command {
	var o branchOptions
	cmd := &cobra.Command{
		Aliases: []string{"view"},
		Use:     "show SESSION",
		Short:   "Read a session: one branch from its beginning to its end",
		Long: "Shows one branch of a session, what the model no longer sees included. " +
			"The output of tools and long reasoning are collapsed, hidden messages are one line; --full opens everything.",
		GroupID: groupRead,
		Example: "cambium show ./session.jsonl\ncambium show 0198c2a1 --leaf 5f0c1d2e --full",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			s, err := openRead(ctx, a, args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			c, _, err := branchOf(ctx, a, s, o)
			if err != nil {
				return err
			}
			if a.flags.json {
				err = showJSON(ctx, a, s, c)
			} else {
				err = a.page(ctx, func(w io.Writer) error { return showText(ctx, a, w, s, c, o.full) })
			}
			a.lib.Damage(s)
			return err
		}),
	}
	takesSession(a, cmd)
	cmd.Flags().StringVar(&o.leaf, "leaf", "", "the last entry of the branch, instead of the session's leaf")
	completesEntries(a, cmd, "leaf")
	cmd.Flags().BoolVar(&o.full, "full", false, "collapse nothing; whole texts and where pictures are")
	return cmd
}

// showJSON prints each entry of the branch with what is known of it, one object
// a line; "entry" is the entry as it is stored.
func showJSON(ctx context.Context, a *app, s *session.Session, c *replay.Context) error {
	list := s.List()
	for item, err := range c.Items() {
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
		if _, err := a.out.Write(append(o.Value(), '\n')); err != nil {
			return err
		}
	}
	return nil
}

// showText writes the branch for a person.
func showText(ctx context.Context, a *app, w io.Writer, s *session.Session, c *replay.Context, full bool) error {
	v, err := a.newView(w, s, full)
	if err != nil {
		return err
	}
	v.title()
	v.state(c)
	all, t := v.read.Branch(ctx, c)
	if err := v.parts(all); err != nil {
		return err
	}
	v.println("")
	v.wrapDim(fmt.Sprintf("%s; the model sees %d, about %s tokens", plural(t.Messages, "message"), t.Seen, transcript.Count(t.Tokens)))
	v.tips(c)
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
	for _, part := range []string{string(v.s.Dialect()), v.s.ID(), v.a.tilde(v.s.CWD()), plural(v.s.Len(), "entry")} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if ms, ok := jsonedit.ParseTime(v.s.Header().Timestamp); ok {
		parts = append(parts, "begun "+time.UnixMilli(ms).In(v.a.Now().Location()).Format("2 January 2006, 15:04"))
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
	v.println(plural(len(tips), "other branch") + ":")
	for n := len(tips) - 1; n >= 0; n-- {
		id, _ := v.list.ID(tips[n].Entry)
		left := indent + term.Line(id)
		if t := v.time(tips[n].Entry); !t.IsZero() {
			left += "  " + term.Fit(ago(t, v.a.Now()), 10)
		}
		v.println(term.Cut(left+"  "+term.Line(transcript.GistAt(v.list, tips[n].Said).String()), v.cols))
	}
	v.wrapDim("read one with --leaf ID; make one the leaf with `cambium branch SESSION ID`")
}
