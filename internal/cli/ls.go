package cli

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/when"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/search"
	"github.com/spf13/cobra"
)

// lsOptions are the flags of ls and recent.
type lsOptions struct {
	cwd         string
	here, all   bool
	empty, text bool
	newest      bool // stop at the limit, by when files changed
	limit       int
	choice      lsChoice
}

// lsChoice says which sessions ls lists, and in which order.
type lsChoice struct {
	query                         string
	since, before, project, model string
	cost                          float64
	sort                          string
	columns                       []string
}

// lsOrders are the orders of sessions, by name: the largest, newest or dearest first, names
// from A to Z.
func lsOrders() map[string]func(a, b *catalog.Info) int {
	return map[string]func(a, b *catalog.Info) int{
		"changed":  nil, // as they come
		"created":  func(a, b *catalog.Info) int { return b.Created.Compare(a.Created) },
		"messages": func(a, b *catalog.Info) int { return cmp.Compare(b.Messages, a.Messages) },
		"size":     func(a, b *catalog.Info) int { return cmp.Compare(b.Size, a.Size) },
		"cost":     func(a, b *catalog.Info) int { return cmp.Compare(b.Usage.Cost, a.Usage.Cost) },
		"name": func(a, b *catalog.Info) int {
			return cmp.Compare(strings.ToLower(cmp.Or(a.Title, a.FirstMessage)), strings.ToLower(cmp.Or(b.Title, b.FirstMessage)))
		},
	}
}

func (c *lsChoice) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.since, "since", "", "only sessions that changed since then: 3d, 2w, yesterday, 2026-11-21")
	f.StringVar(&c.before, "before", "", "only sessions that did not change since then")
	f.StringVar(&c.project, "project", "", "only sessions whose working directory has this in it")
	f.StringVar(&c.model, "model", "", "only sessions whose last answer is of a model that has this in its name")
	f.Float64Var(&c.cost, "min-cost", 0, "only sessions that cost so many dollars or more")
	f.StringVar(&c.sort, "sort", "changed", "the order: "+strings.Join(slices.Sorted(maps.Keys(lsOrders())), ", "))
	f.StringSliceVar(&c.columns, "columns", nil, "what the table tells, in this order: "+strings.Join(print.Columns(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("columns", cobra.FixedCompletions(print.Columns(), cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)) // the flag exists
	_ = cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(slices.Sorted(maps.Keys(lsOrders())), cobra.ShellCompDirectiveNoFileComp))               // the flag exists
}

// settle returns what keeps and orders sessions, nil for what was not asked for.
func (c *lsChoice) settle(ctx context.Context, a *app, o lsOptions) (keep func(*catalog.Info) bool, sort func(x, y *catalog.Info) int, err error) {
	sort, ok := lsOrders()[c.sort]
	if !ok && c.sort != "" {
		return nil, nil, problem.Usage("read --sort %q: the orders are %s", c.sort, strings.Join(slices.Sorted(maps.Keys(lsOrders())), ", "))
	}
	for _, name := range c.columns {
		if !slices.Contains(print.Columns(), name) {
			return nil, nil, problem.Usage("read --columns %q: the columns are %s", name, strings.Join(print.Columns(), ", "))
		}
	}
	var since, before time.Time
	for flag, at := range map[string]struct {
		text string
		to   *time.Time
	}{"since": {c.since, &since}, "before": {c.before, &before}} {
		if at.text == "" {
			continue
		}
		if *at.to, ok = when.Parse(at.text, a.Now()); !ok {
			return nil, nil, problem.Usage("read --%s %q: no such time; say 2026-11-21, 2026-11-21T15:04, 3h, 3d, 2w, 6m, 1y, today or yesterday", flag, at.text)
		}
	}
	var hit map[string]bool
	if c.query != "" {
		if hit, err = sessionsOf(ctx, a, c.query, o); err != nil {
			return nil, nil, err
		}
	}
	project, model := strings.ToLower(c.project), strings.ToLower(c.model)
	if hit == nil && since.IsZero() && before.IsZero() && project == "" && model == "" && c.cost == 0 {
		return nil, sort, nil
	}
	return func(i *catalog.Info) bool {
		return (hit == nil || hit[i.Path]) && !i.Modified.Before(since) && (before.IsZero() || i.Modified.Before(before)) &&
			strings.Contains(strings.ToLower(i.CWD), project) && strings.Contains(strings.ToLower(i.Model), model) && i.Usage.Cost >= c.cost
	}, sort, nil
}

// sessionsOf are the paths of the sessions in which a query, as search takes it, finds
// something.
func sessionsOf(ctx context.Context, a *app, text string, o lsOptions) (map[string]bool, error) {
	q, err := search.Parse(text, a.Now())
	if err != nil {
		return nil, err
	}
	all, found := map[string]bool{}, work.NewSearch(a.lib, q, work.SearchOptions{CWD: o.cwd, Empty: o.empty, Each: 1})
	for hit, err := range found.Hits(ctx) {
		if err != nil {
			return nil, err
		}
		all[hit.Info.Path] = true
	}
	return all, found.Keep(ctx)
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
		Use:     "ls [QUERY]",
		Args:    cobra.ArbitraryArgs,
		Short:   "List the sessions of all agents and projects, newest first",
		Long: "Lists the sessions of all agents and projects, newest first. " +
			"With QUERY it lists those in which `cambium search` finds something, in the same language.",
		GroupID: groupRead,
		Example: "cambium ls --here\ncambium ls --agent pi --json\ncambium ls 'retry role:user' --since 2w --sort cost",
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if err := nonEmpty(cmd, "since", "before", "project", "model", "sort"); err != nil {
				return err
			}
			if o.here && o.cwd == "" {
				o.cwd = a.lib.Dir
			}
			o.choice.query = strings.Join(args, " ")
			return runLs(ctx, a, o)
		}),
	}
	o.addFlags(a, cmd)
	o.choice.addFlags(cmd)
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
	keep, sort, err := o.choice.settle(ctx, a, o)
	if err != nil {
		return err
	}
	found, err := work.List(ctx, a.lib, work.ListOptions{CWD: o.cwd, Empty: o.empty, Text: o.text, Limit: o.limit, Recent: o.newest, Keep: keep, Sort: sort})
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
		return print.Table(ctx, a.Console, found.All, found.WithHolders(ctx), o.choice.columns...)
	case outOfReach(a): // said in its place
	case o.empty || o.newest || keep != nil:
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
