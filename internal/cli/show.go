package cli

import (
	"context"
	"errors"

	"github.com/cambium-dev/cambium/internal/browse"
	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// showOptions are the flags of show.
type showOptions struct {
	branchOptions
	color   string
	noPager bool
}

// When a command prints colours.
const (
	colorAlways = "always"
	colorAuto   = "auto"
	colorNever  = "never"
)

func newShow(a *app) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Aliases: []string{"view"},
		Use:     "show SESSION",
		Short:   "Read a session: one branch from its beginning to its end",
		Long: "Shows one branch of a session, what the model no longer sees included. " +
			"The output of tools and long reasoning are collapsed, hidden messages are one line; --full opens everything.\n\n" +
			"On a terminal it is a screen, to scroll, search and go to other branches; ? names the keys. " +
			"Elsewhere, and with --no-pager, it is text.",
		GroupID: groupRead,
		Example: "cambium show ./session.jsonl\ncambium show 0198c2a1 --leaf 5f0c1d2e --full\ncambium show 0198c2a1 --color always | less -R",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			if err := o.settle(a); err != nil {
				return err
			}
			s, err := a.lib.OpenRead(ctx, args[0])
			if err != nil {
				return err
			}
			if a.Draws() && !o.noPager {
				return readBranch(ctx, a, s, o)
			}
			defer s.Close()
			c, _, err := branchOf(ctx, a, s, o.branchOptions)
			if err != nil {
				return err
			}
			err = print.Branch(ctx, a.Console, s, c, shown(a, s, o.full))
			a.lib.Damage(s)
			return err
		}),
	}
	takesSession(a, cmd)
	cmd.Flags().StringVar(&o.leaf, "leaf", "", "the last entry of the branch, instead of the session's leaf")
	completesEntries(a, cmd, "leaf")
	cmd.Flags().BoolVar(&o.full, "full", false, "collapse nothing; whole texts and where pictures are")
	cmd.Flags().BoolVar(&o.noPager, "no-pager", false, "print text, without a screen or a pager")
	cmd.Flags().StringVar(&o.color, "color", colorAuto, "colours in text: always, auto (on a terminal) or never")
	_ = cmd.RegisterFlagCompletionFunc("color", cobra.FixedCompletions([]string{colorAlways, colorAuto, colorNever}, cobra.ShellCompDirectiveNoFileComp)) // it is defined above
	return cmd
}

// settle makes the console print as the flags say.
func (o *showOptions) settle(a *app) error {
	switch o.color {
	case colorAuto:
	case colorAlways:
		if !a.JSON {
			a.Palette = term.NewPalette(true)
		}
	case colorNever:
		a.NoColor, a.Palette = true, term.NewPalette(false)
	default:
		return problem.Usage("show: --color is always, auto or never")
	}
	a.NoPager = o.noPager
	return nil
}

// readBranch shows the branch that the options name on the terminal. It closes the
// session.
func readBranch(ctx context.Context, a *app, s *session.Session, o showOptions) error {
	if o.leaf != "" {
		id, err := work.EntryID(s, o.leaf)
		if err != nil {
			return errors.Join(err, s.Close())
		}
		o.leaf = string(id)
	}
	return readSession(ctx, a, s, browse.Reading{Leaf: o.leaf, Full: o.full})
}

// shown says how a session is shown.
func shown(a *app, s *session.Session, full bool) print.ShowOptions {
	return print.ShowOptions{Full: full, Strict: a.strict, Blobs: a.lib.Home(s.Dialect()).Blobs, Exists: a.lib.Env.Exists}
}
