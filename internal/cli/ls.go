package cli

import (
	"context"
	"errors"
	"math"
	"runtime/debug"
	"strconv"

	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

// lsOptions are the flags of ls and recent.
type lsOptions struct {
	cwd         string
	here, all   bool
	empty, text bool
	newest      bool // stop at the limit, by when files changed
	limit       int
}

func (o *lsOptions) addFlags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.cwd, "cwd", "", "only sessions of this working directory")
	f.BoolVar(&o.empty, "empty", false, "sessions without a message too")
	f.BoolVar(&o.text, "text", false, "with --json: all that was said, as allMessagesText")
	f.Bool("usage", true, "with --json: what the answers cost, as usage; it is always told")
	_ = f.MarkHidden("usage") // it is defined above
	f.VarP((*counted)(&o.limit), "limit", "n", "at most so many sessions, 0 for all")
	f.BoolVarP(&a.Zero, "null", "0", false, "print the paths only, each ended by NUL")
}

// counted is a flag's number of things, 0 or more.
type counted int

// Set reads it.
func (c *counted) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("want a number, 0 or more")
	}
	*c = counted(n)
	return nil
}

// String prints it.
func (c *counted) String() string { return strconv.Itoa(int(*c)) }

// Type names it in a help text.
func (c *counted) Type() string { return "int" }

func newLs(a *app) *cobra.Command {
	var o lsOptions
	cmd := &cobra.Command{
		Aliases: []string{"list"},
		Use:     "ls",
		Short:   "List the sessions of all agents and projects, newest first",
		GroupID: groupRead,
		Example: "cambium ls --here\ncambium ls --agent pi --json",
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			if o.here && o.cwd == "" {
				o.cwd = a.lib.Dir
			}
			return runLs(ctx, a, o)
		}),
	}
	o.addFlags(a, cmd)
	cmd.Flags().BoolVar(&o.here, "here", false, "only sessions of this working directory")
	return cmd
}

// recentLimit is how many sessions recent lists.
const recentLimit = 10

func newRecent(a *app) *cobra.Command {
	o := lsOptions{limit: recentLimit, newest: true}
	cmd := &cobra.Command{
		Use:     "recent",
		Short:   "List the last sessions of this working directory",
		GroupID: groupRead,
		Example: "cambium recent -n 3\ncambium recent --all",
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			if !o.all && o.cwd == "" && a.lib.SessionDir == "" {
				o.cwd = a.lib.Dir
			}
			return runLs(ctx, a, o)
		}),
	}
	o.addFlags(a, cmd)
	cmd.Flags().BoolVar(&o.all, "all", false, "sessions of all projects")
	return cmd
}

// runLs prints the sessions that the options ask for.
func runLs(ctx context.Context, a *app, o lsOptions) error {
	defer frugal()()
	found, err := work.List(ctx, a.lib, work.ListOptions{CWD: o.cwd, Empty: o.empty, Text: o.text, Limit: o.limit, Recent: o.newest})
	if err != nil {
		return err
	}
	noteFound(a, found.Len)
	switch {
	case a.JSON:
		for info := range found.WithHolders(ctx) {
			if err := a.Emit(print.Row(info, o.text)); err != nil {
				return err
			}
		}
	case a.Zero:
		for info := range found.All {
			a.Path(info.Path)
		}
	case found.Len > 0:
		return print.Table(ctx, a.Console, found.All, found.WithHolders(ctx))
	case outOfReach(a): // said in its place
	case o.empty || o.newest:
		a.Note("", "no sessions found")
	default:
		a.Note("", "no sessions found; `cambium ls --empty` lists those without a message too")
	}
	return nil
}

// enough is how much memory a listing takes before what is not needed is looked
// for again and again, in bytes: what 100,000 sessions need, and some more.
const enough = 56 << 20

// frugal has that looked for early, unless the environment says when, until usual
// is called.
func frugal() (usual func()) {
	was := debug.SetMemoryLimit(-1)
	if was == math.MaxInt64 {
		debug.SetMemoryLimit(enough)
	}
	return func() { debug.SetMemoryLimit(was) }
}
