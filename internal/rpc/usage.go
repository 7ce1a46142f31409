package rpc

import (
	"context"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spending"
	"github.com/cambium-dev/cambium/internal/usage"
)

// usageMethods are those that count what all sessions took and cost.
func usageMethods() []method {
	return []method{{
		name: "usage.sum",
		says: "What the calls of models in all sessions took and cost, each counted once, by groups.", gives: named("UsageSums"),
		shows: counted, find: sumUsage, params: []param{
			may("by", texts), may("from", text), may("until", text), may("project", text), may("model", text),
			may("active", flag), may("timeZone", text), may("sessionDir", dir), may("agentDir", dir), may("agent", text).of(places.Names()...),
		},
	}}
}

// sumUsage counts the sessions of all agents that the server shows. The parameters choose
// among the charges: they do not change which session one belongs to.
func sumUsage(ctx context.Context, c *call) (entry.JSON, error) {
	o, f := c.places(), usage.Filter{
		Project: c.args.text("project"), Model: c.args.text("model"), Agent: c.args.text("agent"), Active: c.args.flag("active"),
	}
	if c.s.o.Agent == "" && o.AgentDir == "" && o.SessionDir == "" {
		o.Agents = nil // the server shows all
	}
	for name, to := range map[string]*time.Time{"from": &f.Since, "until": &f.Until} {
		if !c.args.has(name) {
			continue
		}
		ms, ok := jsonedit.ParseTime(c.args.text(name))
		if !ok {
			return nil, badParam(name, "no ISO-8601 time")
		}
		*to = time.UnixMilli(ms)
	}
	zone, err := time.LoadLocation(c.args.text("timeZone"))
	if err != nil {
		return nil, badParam("timeZone", "no such time zone")
	}
	names := c.args.texts("by")
	if len(names) == 0 {
		names = []string{"day"}
	}
	var by []usage.Dimension
	for _, name := range names {
		d, ok := usage.DimensionOf(name)
		if !ok {
			return nil, badParam("by", "it is any of %s", strings.Join(dimensions(), ", "))
		}
		by = append(by, d)
	}
	unread := 0
	book, err := spending.Count(ctx, o, c.s.o.Prices, func(catalog.Info) { unread++ })
	if err != nil {
		return nil, err
	}
	rows := book.Group(f, by, zone, c.s.o.Prices)
	var all jsonedit.Array
	for i := range rows {
		var group jsonedit.Object
		for n, name := range names {
			group.String(name, rows[i].Keys[n])
		}
		all.Add(addSum(new(jsonedit.Object).Add("group", group.Value()), &rows[i].Sum))
	}
	total := usage.Total(rows)
	return new(jsonedit.Object).Add("rows", all.Value()).Add("total", addSum(new(jsonedit.Object), &total)).Int("unreadSessions", int64(unread)).Value(), nil
}

// counted reports whether an answer of usage.sum has a row.
func counted(result entry.JSON) bool {
	rows, _ := jsonedit.Get(result, "rows")
	return jsonedit.Len(rows) > 0
}

// dimensions are what charges can be grouped by.
func dimensions() (names []string) {
	for _, d := range usage.Dimensions() {
		names = append(names, d.Name)
	}
	return names
}

// addSum returns an object with the members of a sum.
func addSum(o *jsonedit.Object, s *usage.Sum) entry.JSON {
	t := &s.Tokens
	o.Int("calls", s.Charges).Int("answers", s.Answers).Int("input", t.Input).Int("output", t.Output)
	o.Int("cacheRead", t.CacheRead).Int("cacheWrite", t.CacheWrite).Int("cacheWriteLong", t.CacheWriteLong).Int("reasoning", t.Reasoning)
	for name, m := range s.Money {
		o.Add(name, entry.JSON(m.Dollars()))
	}
	return o.Int("unknownCalls", s.Counts[usage.Unknown]).Int("toolRuns", s.Runs).Int("toolFailures", s.Failures).Int("toolMs", s.Took).Value()
}

// sumFields are the members of a sum.
func sumFields() []field {
	return []field{
		with("calls", isInteger, "calls of models"), with("answers", isInteger, "those of them that are answers in the conversation"),
		with("input", isInteger, "tokens"), with("output", isInteger, "tokens"), with("cacheRead", isInteger, "tokens"), with("cacheWrite", isInteger, "tokens"),
		with("cacheWriteLong", isInteger, "the part of cacheWrite that is kept for an hour"), with("reasoning", isInteger, "the part of output that was reasoning"),
		with("cost", isNumber, "US dollars, exact to the sixth digit: the sum of the next three"),
		with("stored", isNumber, "what the agents stored"), with("billed", isNumber, "what providers said"), with("priced", isNumber, "what was computed from a table of prices, because nothing is stored"),
		with("cacheSaved", isNumber, "what the cache saved, by the table of prices"),
		with("unknownCalls", isInteger, "calls whose cost nobody knows"), with("toolRuns", isInteger, "runs of tools"),
		with("toolFailures", isInteger, "those of them that failed"), with("toolMs", isInteger, "how long the runs were that say so"),
	}
}

// usageShapes are what usageMethods answer with.
func usageShapes() []shape {
	row := append([]field{with("group", mapOf(isText), "the group, by the names that were asked for")}, sumFields()...)
	return []shape{
		{"UsageRow", closed(row...), "What the calls of a group took and cost."},
		{"UsageSum", closed(sumFields()...), "What calls took and cost."},
		{"UsageSums", closed(
			with("rows", listOf(named("UsageRow")), "the groups, in order"), with("total", named("UsageSum"), "their sum"),
			with("unreadSessions", isInteger, "sessions that cannot be read, and are left out"),
		), "What calls took and cost, by groups."},
	}
}
