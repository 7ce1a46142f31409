package cli

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // some systems have no time zones

	"github.com/cambium-dev/cambium/internal/builtin"
	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/internal/print"
	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/usage"
	"github.com/cambium-dev/cambium/internal/when"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

// statsOptions are the flags of stats.
type statsOptions struct {
	since, until, tz string
	filter           usage.Filter
	by               []string
	top              int
	csv, heat        bool
	explain, check   bool
	format           string
	now              time.Time // in the zone of the days
	costs            print.Costs
	prices           usage.Prices
	dailyBudget      usage.Micros
}

const statsHelp = `Says what the sessions of all agents took and cost, each call of a model counted once.

A fork counts only what was said in it; what it copied counts in the session where it was made. Abandoned branches count, and so do compactions, summaries of branches, subagents and answers that were stopped. Money is exact to the millionth of a dollar, so that all groupings add up to the same.

A cost is the one that the agent stored. One that is not stored is computed from a table of prices and marked "~"; what has no price either is marked "?" and counted as 0.

With --json each row is an object, and their sum is the last one.`

func newStats(a *app) *cobra.Command {
	var o statsOptions
	cmd := &cobra.Command{
		Use:     "stats",
		Args:    cobra.NoArgs,
		Short:   "Say what sessions took and cost, each answer counted once",
		Long:    statsHelp,
		GroupID: groupRead,
		Example: "cambium stats --since 2w\ncambium stats --by model,month --json\ncambium stats --since today --explain",
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, _ []string) error {
			if err := nonEmpty(cmd, "since", "until", "project", "model", "session", "tz"); err != nil {
				return err
			}
			if err := o.settle(a, cmd); err != nil {
				return err
			}
			return runStats(ctx, a, &o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "", "only what was spent since then: today, 3d, 2w, 2026-11-21")
	f.StringVar(&o.until, "until", "", "only what was spent before then")
	f.StringVar(&o.filter.Project, "project", "", "only sessions whose working directory has this in it")
	f.StringVar(&o.filter.Model, "model", "", "only models that have this in their name")
	f.StringVar(&o.filter.Session, "session", "", "only the session with this id or path")
	f.BoolVar(&o.filter.Active, "active", false, "leave out abandoned branches")
	f.StringSliceVar(&o.by, "by", nil, "what to group by: "+strings.Join(dimensionNames(), ", "))
	f.Var((*counted)(&o.top), "top", "the so many dearest sessions and answers instead")
	f.BoolVar(&o.csv, "csv", false, "print CSV")
	f.BoolVar(&o.heat, "map", false, "a map of the days of the last year")
	f.BoolVar(&o.explain, "explain", false, "every charge with its place, and why it counts or not")
	f.BoolVar(&o.check, "check", false, "what naive counters would say, and which charges make the difference")
	f.StringVar(&o.format, "format", "", "prompt: what today cost, in one line for a shell's prompt")
	f.StringVar(&o.tz, "tz", "", "the time zone of days, such as Europe/Berlin; else that of the machine")
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(dimensionNames(), cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)) // the flag exists
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"prompt"}, cobra.ShellCompDirectiveNoFileComp))                           // the flag exists
	return cmd
}

// dimensionNames are what charges can be grouped by.
func dimensionNames() (names []string) {
	for _, d := range usage.Dimensions() {
		names = append(names, d.Name)
	}
	return names
}

// settle reads the flags.
func (o *statsOptions) settle(a *app, cmd *cobra.Command) error {
	modes := 0
	for _, set := range []bool{o.csv, o.heat, o.explain, o.check, o.format != "", o.top > 0} {
		if set {
			modes++
		}
	}
	switch {
	case modes > 1:
		return problem.Usage("stats takes one of --csv, --map, --explain, --check, --format and --top")
	case a.JSON && (o.csv || o.heat || o.format != ""):
		return problem.Usage("--json does not go with --csv, --map or --format")
	case o.format != "" && o.format != "prompt":
		return problem.Usage("read --format %q: the one format is prompt", o.format)
	}
	o.now = a.Now()
	if o.tz != "" {
		zone, err := time.LoadLocation(o.tz)
		if err != nil {
			return problem.Usage("read --tz %q: no such time zone; say Europe/Berlin, America/New_York or UTC", o.tz)
		}
		o.now = o.now.In(zone)
	}
	if o.format == "prompt" && o.since == "" {
		o.since = "today"
	}
	for _, at := range []struct {
		flag, text string
		to         *time.Time
	}{{"since", o.since, &o.filter.Since}, {"until", o.until, &o.filter.Until}} {
		var ok bool
		if at.text == "" {
			continue
		}
		if *at.to, ok = when.Parse(at.text, o.now); !ok {
			return problem.Usage("read --%s %q: no such time; say 2026-11-21, 2026-11-21T15:04, 3h, 3d, 2w, 6m, 1y, today or yesterday", at.flag, at.text)
		}
	}
	o.filter.Agent = a.agent
	if by := cmd.Flag("by"); by.Changed && len(o.by) == 0 {
		return problem.Usage("--by requires a non-empty value")
	}
	if len(o.by) == 0 || o.heat {
		o.by = []string{"day"}
	}
	for _, name := range o.by {
		d, ok := usage.DimensionOf(name)
		if !ok {
			return problem.Usage("read --by %q: the groups are %s", name, strings.Join(dimensionNames(), ", "))
		}
		o.costs.By = append(o.costs.By, d)
	}
	o.costs.Zone, o.costs.Prices = o.now.Location(), model.PriceDate
	return nil
}

// runStats prints what sessions took and cost.
func runStats(ctx context.Context, a *app, o *statsOptions) error {
	set, err := builtin.Settings(a.lib, a.Note)
	if err != nil {
		return err
	}
	o.prices, o.dailyBudget = pricesOf(builtin.Models(a.lib, set)), micros(set.DailyBudget)
	book, err := work.Stats(ctx, a.lib, o.prices)
	if err != nil {
		return err
	}
	noteFound(a, len(book.Ledgers))
	o.costs.Book = book
	o.costs.Rows = book.Group(o.filter, o.costs.By, o.costs.Zone, o.prices)
	return showStats(ctx, a, o)
}

// showStats prints what was counted in the form that is asked for.
func showStats(ctx context.Context, a *app, o *statsOptions) error {
	switch {
	case o.format != "":
		total := usage.Total(o.costs.Rows)
		return print.PromptCost(a.Console, total.Cost, o.dailyBudget)
	case o.explain:
		return print.Charges(ctx, a.Console, o.costs, chargesOf(o.costs.Book, o.filter))
	case o.check:
		return print.Check(ctx, a.Console, o.costs, o.costs.Book.Check(o.filter))
	case o.top > 0:
		return showDearest(ctx, a, o)
	case o.heat:
		return print.DayMap(a.Console, o.costs.Rows, o.now)
	case o.csv:
		return print.CostCSV(a.Console, o.costs)
	case a.JSON:
		return print.CostRows(a.Console, o.costs)
	case len(o.costs.Rows) == 0:
		a.Note("", "nothing was spent in the sessions that were found")
		return nil
	}
	return print.CostTable(ctx, a.Console, o.costs)
}

// chargesOf are the charges that are meant, those among them that do not count.
func chargesOf(b *usage.Book, f usage.Filter) (items []int32) {
	f.Copies = true
	for i := range b.Items {
		if b.Matches(&b.Items[i], &f) {
			items = append(items, int32(i))
		}
	}
	return items
}

// showDearest prints the dearest sessions and answers.
func showDearest(ctx context.Context, a *app, o *statsOptions) error {
	b, session := o.costs.Book, o.costs
	by, _ := usage.DimensionOf("session") // it is one
	session.By = []usage.Dimension{by}
	session.Rows = b.Group(o.filter, session.By, session.Zone, o.prices)
	slices.SortStableFunc(session.Rows, func(x, y usage.Row) int { return cmp.Compare(y.Cost, x.Cost) })
	session.Rows = session.Rows[:min(o.top, len(session.Rows))]
	items := slices.DeleteFunc(chargesOf(b, o.filter), func(i int32) bool {
		return b.Items[i].Of >= 0 || !b.Charge(&b.Items[i]).Spends()
	})
	slices.SortStableFunc(items, func(x, y int32) int { return cmp.Compare(b.Items[y].Cost, b.Items[x].Cost) })
	show := print.CostTable
	if a.JSON {
		show = func(_ context.Context, c *console.Console, s print.Costs) error { return print.CostRows(c, s) }
	}
	if err := show(ctx, a.Console, session); err != nil {
		return err
	}
	return print.Charges(ctx, a.Console, o.costs, items[:min(o.top, len(items))])
}

// pricesOf are the prices of models, those of the settings among them. A model that two
// providers have is found by its id alone where both ask the same.
func pricesOf(r *model.Registry) usage.Prices {
	return func(provider, id string) (usage.Price, bool) {
		if provider != "" {
			m, ok := r.Find(provider, id)
			return priceOf(m), ok && m.Price != model.Price{}
		}
		var found model.Model
		for _, m := range r.All() {
			switch {
			case m.ID != id || m.Price == model.Price{}:
			case found.ID != "" && priceOf(m) != priceOf(found):
				return usage.Price{}, false
			default:
				found = m
			}
		}
		return priceOf(found), found.ID != ""
	}
}

// pricesLater are the prices, with those of the settings once the first is asked for. Settings
// that cannot be read have none.
func pricesLater(a *app) usage.Prices {
	prices := sync.OnceValue(func() usage.Prices {
		set, err := builtin.Settings(a.lib, func(string, string) {})
		if err != nil {
			return func(string, string) (usage.Price, bool) { return usage.Price{}, false }
		}
		return pricesOf(builtin.Models(a.lib, set))
	})
	return func(provider, id string) (usage.Price, bool) { return prices()(provider, id) }
}

// micros is an amount of dollars in micro-dollars.
func micros(dollars float64) usage.Micros { return usage.Micros(math.RoundToEven(dollars * 1e6)) }

// priceOf is the price of a model. What Anthropic keeps for an hour costs twice the price
// of input, as in [model.Cost].
func priceOf(m model.Model) usage.Price {
	rates := func(p model.Price) usage.Rates {
		r := usage.Rates{Input: micros(p.Input), Output: micros(p.Output), CacheRead: micros(p.CacheRead), CacheWrite: micros(p.CacheWrite)}
		if r.CacheWriteLong = r.CacheWrite; m.API == model.Anthropic {
			r.CacheWriteLong = 2 * r.Input
		}
		return r
	}
	return usage.Price{Rates: rates(m.Price), Above: int64(m.Long.Above), Long: rates(m.Long.Price)}
}
