package cli

import (
	"context"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
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
			s, err := a.lib.OpenRead(ctx, args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			c, leaf, err := branchOf(ctx, a, s, o)
			if err != nil {
				return err
			}
			err = print.Context(ctx, a.Console, s, c, print.ContextOptions{ShowOptions: shown(a, s, o.full), Leaf: leaf, Root: o.root, Sent: o.llm})
			if !a.JSON {
				a.lib.Damage(s)
			}
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
	opt := session.ContextOptions{Root: o.root, Strict: a.strict}
	var leaf *entry.ID
	switch id, ok := s.Leaf(); {
	case o.leaf != "":
		at, err := work.EntryID(s, o.leaf)
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
