package rpc

import (
	"context"
	"errors"
	"iter"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
)

func readMethods() []method {
	// says makes a method of a text about the session, null for "".
	says := func(what func(s *session.Session) string) func(context.Context, *call) (entry.JSON, error) {
		return func(_ context.Context, c *call) (entry.JSON, error) { return orNull(what(c.h.session)), nil }
	}
	return []method{
		{
			name: "isPersisted",
			says: "Whether the session is kept at all, now or with its first write.", gives: isFlag,
			on: func(_ context.Context, c *call) (entry.JSON, error) {
				return jsonedit.BoolValue(c.h.session.Persisted()), nil
			}},
		{
			name: "getCwd",
			says: "The working directory.", gives: isText.orNil(),
			on: says((*session.Session).CWD)},
		{
			name: "getSessionDir",
			says: "Where sessions go that are made out of this one, empty in memory.", gives: isText,
			on: func(_ context.Context, c *call) (entry.JSON, error) {
				return jsonedit.Quoted(c.h.session.Dir()), nil
			}},
		{
			name: "getSessionId",
			says: "The id of the session.", gives: isText.orNil(),
			on: says((*session.Session).ID)},
		{
			name: "getSessionFile",
			says: "The path, also of a session that is not written yet; null in memory.", gives: isText.orNil(),
			on: says((*session.Session).Path)},
		{
			name: "isSessionOnDisk",
			says: "Whether the session has a file, or its place in the store, already.", gives: isFlag,
			on: func(_ context.Context, c *call) (entry.JSON, error) {
				return jsonedit.BoolValue(c.h.session.OnDisk()), nil
			},
		},
		{
			name: "getSessionName",
			says: "The name, null for none.", gives: isText.orNil(),
			on: says(func(s *session.Session) string {
				name, _ := s.Title()
				return name
			})},
		{
			name: "getHeader",
			says: "The header, with the name that counts.", gives: named("Header"),
			on: func(_ context.Context, c *call) (entry.JSON, error) {
				return c.h.session.HeaderJSON(), nil
			}},
		{
			name: "getLeafId",
			says: "The entry that the next one follows, null for none.", gives: isText.orNil(),
			on: leafID},
		{
			name: "getLeafEntry",
			says: "The entry that the next one follows, null for none.", gives: named("Entry").orNil(),
			on: leafEntry},
		{
			name: "getEntry",
			says: "The entry of an id, null for none.", gives: named("Entry").orNil(),
			on: getEntry, params: []param{need("id", text)}},
		{
			name: "getEntries",
			says: "All entries in the order of the file.", gives: listOf(named("Entry")),
			on: getEntries},
		{
			name: "getChildren",
			says: "The entries that follow one.", gives: listOf(named("Entry")),
			on: getChildren, params: []param{need("parentId", textOrNull)}},
		{
			name: "getLabel",
			says: "The label of an entry, null for none.", gives: isText.orNil(),
			on: getLabel, params: []param{need("id", text)}},
		{
			name: "getBranch",
			says: "The entries from the root to the leaf, or to another entry.", gives: listOf(named("Entry")),
			on: getBranch, params: []param{may("fromId", text)}},
		{
			name: "getTree",
			says: "The whole tree.", gives: schema{types: []string{"array"}, items: &schema{ref: "TreeNode"}},
			on: getTree, params: []param{may("flat", flag)},
		},
		{
			name: "getUsageStatistics",
			says: "The sums over all answers, on every branch.", gives: named("Usage"),
			on: usageStatistics},
	}
}

// orNull returns a string, null for "".
func orNull(s string) entry.JSON {
	if s == "" {
		return null
	}
	return jsonedit.Quoted(s)
}

func leafID(_ context.Context, c *call) (entry.JSON, error) {
	id, ok := c.h.session.Leaf()
	if !ok {
		return null, nil
	}
	return jsonedit.Quoted(id), nil
}

// leafEntry finds the leaf by its place: an id may be given twice.
func leafEntry(_ context.Context, c *call) (entry.JSON, error) {
	at := c.h.session.LeafPosition()
	if at < 0 {
		return null, nil
	}
	e, err := c.h.session.List().Entry(at)
	return e.Raw(), err
}

func getEntry(_ context.Context, c *call) (entry.JSON, error) {
	e, err := c.h.session.Entry(c.args.text("id"))
	if errors.Is(err, session.ErrNotFound) {
		return null, nil
	}
	return e.Raw(), err
}

func getEntries(ctx context.Context, c *call) (entry.JSON, error) {
	var all jsonedit.Array
	for e, err := range c.h.session.Entries(ctx) {
		if err != nil {
			return nil, err
		}
		all.Add(e.Raw())
	}
	return all.Value(), nil
}

func getChildren(_ context.Context, c *call) (entry.JSON, error) {
	return lineArray(c.h.session.Children(c.args.textOrNil("parentId")))
}

// getBranch takes null for the leaf, as the programs do.
func getBranch(_ context.Context, c *call) (entry.JSON, error) {
	return lineArray(c.h.session.Branch(c.args.textOrNil("fromId")))
}

func lineArray(entries iter.Seq2[entry.Entry, error]) (entry.JSON, error) {
	var all jsonedit.Array
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		all.Add(e.Raw())
	}
	return all.Value(), nil
}

// getTree answers the published tree, or a list of its nodes. pi's has the times of
// labels.
func getTree(_ context.Context, c *call) (entry.JSON, error) {
	s := c.h.session
	form := tree.Form{Flat: c.args.flag("flat"), Times: spelling.For(s.Dialect()).LabelTimes}
	return tree.Of(s.Tree()).AppendForm(nil, tree.Strict, form)
}

func getLabel(_ context.Context, c *call) (entry.JSON, error) {
	label, ok, err := c.h.session.Label(c.args.text("id"))
	if err != nil || !ok {
		return null, err
	}
	return jsonedit.Quoted(label), nil
}

func usageStatistics(ctx context.Context, c *call) (entry.JSON, error) {
	u, err := c.h.session.Usage(ctx)
	if err != nil {
		return nil, err
	}
	var o jsonedit.Object
	o.Number("input", u.Input).Number("output", u.Output)
	o.Number("cacheRead", u.CacheRead).Number("cacheWrite", u.CacheWrite)
	if c.h.session.Dialect() == dialect.Omp {
		o.Number("totalTokens", u.TotalTokens).Number("orchestrationInput", u.OrchestrationInput)
		o.Number("orchestrationOutput", u.OrchestrationOutput).Number("orchestrationCacheRead", u.OrchestrationCache)
	}
	o.Number("premiumRequests", u.PremiumRequests).Number("cost", u.Cost)
	return o.Value(), nil
}
