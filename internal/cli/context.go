package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
)

// branchOptions are the flags that choose a branch and how it is shown.
type branchOptions struct {
	leaf            string
	root, llm, full bool
}

func newContext(a *app) *cobra.Command {
	var o branchOptions
	cmd := &cobra.Command{
		Use:   "context SESSION",
		Short: "Show what the model sees",
		Long: "Shows the messages that the model sees at the end of a branch, and the state around them. " +
			"With --llm they are what is sent: other roles converted, and cleaned so that a provider takes them.",
		GroupID: groupRead,
		Example: "cambium context ./session.jsonl\ncambium context 0198c2a1 --leaf 5f0c1d2e --json",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			s, err := openRead(ctx, a, args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			c, leaf, err := branchOf(ctx, a, s, o)
			if err != nil {
				return err
			}
			if a.flags.json {
				return contextJSON(ctx, a, s, c, leaf, o.llm)
			}
			err = a.page(ctx, func(w io.Writer) error { return contextText(ctx, a, w, s, c, o) })
			a.lib.Damage(s)
			return err
		}),
	}
	takesSession(a, cmd)
	f := cmd.Flags()
	f.StringVar(&o.leaf, "leaf", "", "the last entry of the branch, instead of the session's leaf")
	completesEntries(a, cmd, "leaf")
	f.BoolVar(&o.root, "root", false, "the context before any entry")
	f.BoolVar(&o.llm, "llm", false, "the messages as they are sent to a model")
	f.BoolVar(&o.full, "full", false, "collapse nothing")
	cmd.MarkFlagsMutuallyExclusive("leaf", "root")
	return cmd
}

// branchOf builds the context that the options name and returns its leaf, nil for
// none.
func branchOf(ctx context.Context, a *app, s *session.Session, o branchOptions) (*replay.Context, *entry.ID, error) {
	opt := session.ContextOptions{Root: o.root, Strict: a.flags.strict}
	var leaf *entry.ID
	switch id, ok := s.Leaf(); {
	case o.leaf != "":
		at, err := entryID(s, o.leaf)
		if err != nil {
			return nil, nil, err
		}
		leaf, opt.Leaf = &at, &at
	case ok && !o.root:
		leaf = &id
	}
	c, err := s.Context(ctx, opt)
	return c, leaf, err
}

// contextJSON prints the context as one value. Messages are written as they are
// read: no more than one is held.
func contextJSON(ctx context.Context, a *app, s *session.Session, c *replay.Context, leaf *entry.ID, llm bool) error {
	w := a.out
	id, err := json.Marshal(s.ID(), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	leafID, err := json.Marshal(leaf, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, `{"sessionId":%s,"leafId":%s,"messages":`, id, leafID)
	var cleaned *replay.Cleaned
	if llm {
		messages, counted := s.LLM(ctx, c)
		cleaned = counted
		if err := writeArray(w, messages); err != nil {
			return err
		}
	} else if err := c.WriteMessages(w); err != nil {
		return err
	}
	_ = w.WriteByte(',') // the writer keeps its error
	_, _ = w.Write(c.AppendState(nil, replay.FullShape))
	if cleaned != nil {
		fmt.Fprintf(w, `,"cleaned":{"surrogates":%d,"names":%d,"blobs":%d,"clipped":%d}`,
			cleaned.Surrogates, cleaned.Names, cleaned.Blobs, cleaned.Clipped)
	}
	if d := damageWith(s, c); d.Any() {
		a.note(s.Path(), d.String())
		text, err := json.Marshal(d, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, `,"damage":%s`, text)
	}
	_, err = w.WriteString("}\n")
	return err
}

// damageWith is the session's damage with what came up while c was read.
func damageWith(s *session.Session, c *replay.Context) *defects.Report {
	d := defects.Of(s.Damage())
	list := s.List()
	told := make(map[int]bool, len(d.Flagged))
	for _, f := range d.Flagged {
		told[f.Line] = true
	}
	for _, i := range c.Flagged() {
		line := list.At(i).Line
		switch {
		case told[line]:
		case len(d.Flagged) >= defects.MaxTold:
			d.FlaggedMore++
		default:
			id, _ := list.ID(i)
			d.Flagged = append(d.Flagged, defects.Flag{Line: line, ID: id, Detail: "its content has the wrong type"})
		}
		told[line] = true
	}
	return d
}

// writeArray writes a sequence as a JSON array.
func writeArray(w *bufio.Writer, values func(func(entry.JSON, error) bool)) error {
	sep := byte('[')
	for value, err := range values {
		if err != nil {
			return err
		}
		_ = w.WriteByte(sep) // the writer keeps its error
		if _, err := w.Write(value); err != nil {
			return err
		}
		sep = ','
	}
	if sep == '[' {
		_ = w.WriteByte('[')
	}
	return w.WriteByte(']')
}

// contextText writes the context for a person.
func contextText(ctx context.Context, a *app, w io.Writer, s *session.Session, c *replay.Context, o branchOptions) error {
	v, err := a.newView(w, s, o.full)
	if err != nil {
		return err
	}
	v.title()
	v.state(c)
	all, t := v.read.Context(ctx, c)
	if o.llm {
		all, t = v.read.Sent(ctx, c)
	}
	if err := v.parts(all); err != nil {
		return err
	}
	v.println("")
	v.wrapDim(fmt.Sprintf("%s, about %s tokens", plural(t.Messages, "message"), transcript.Count(t.Tokens)))
	if !o.root {
		v.tips(c)
	}
	return v.err
}
