package rpc

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/tree"
	"github.com/go-json-experiment/json/jsontext"
)

func readMethods() []method {
	// says makes a method of a text about the session, null for "".
	says := func(what func(s *session.Session) string) func(context.Context, *call) (jsontext.Value, error) {
		return func(_ context.Context, c *call) (jsontext.Value, error) { return orNull(what(c.h.session)), nil }
	}
	return []method{
		{name: "isPersisted", on: func(_ context.Context, c *call) (jsontext.Value, error) {
			return splice.BoolValue(c.h.session.Persisted()), nil
		}},
		{name: "getCwd", on: says((*session.Session).CWD)},
		{name: "getSessionDir", on: func(_ context.Context, c *call) (jsontext.Value, error) {
			return splice.Quoted(c.h.session.Dir()), nil
		}},
		{name: "getSessionId", on: says((*session.Session).ID)},
		{name: "getSessionFile", on: says((*session.Session).Path)},
		{name: "getSessionName", on: says(func(s *session.Session) string {
			name, _ := s.Title()
			return name
		})},
		{name: "getHeader", on: func(_ context.Context, c *call) (jsontext.Value, error) {
			return c.h.session.HeaderJSON(), nil
		}},
		{name: "getLeafId", on: leafID},
		{name: "getLeafEntry", on: leafEntry},
		{name: "getEntry", on: getEntry, params: []param{need("id", text)}},
		{name: "getEntries", on: getEntries},
		{name: "getChildren", on: getChildren, params: []param{need("parentId", textOrNull)}},
		{name: "getLabel", on: getLabel, params: []param{need("id", text)}},
		{name: "getBranch", on: getBranch, params: []param{may("fromId", text)}},
		{name: "getTree", on: func(_ context.Context, c *call) (jsontext.Value, error) {
			return c.h.session.Tree().AppendJSON(nil, tree.Strict)
		}},
		{name: "buildSessionContext", on: buildContext, params: []param{may("leafId", textOrNull), may("llm", flag)}},
		{name: "getUsageStatistics", on: usageStatistics},
	}
}

// orNull returns a string, null for "".
func orNull(s string) jsontext.Value {
	if s == "" {
		return null
	}
	return splice.Quoted(s)
}

func leafID(_ context.Context, c *call) (jsontext.Value, error) {
	id, ok := c.h.session.Leaf()
	if !ok {
		return null, nil
	}
	return splice.Quoted(id), nil
}

// leafEntry finds the leaf by its place: an id may be given twice.
func leafEntry(_ context.Context, c *call) (jsontext.Value, error) {
	at := c.h.session.LeafPosition()
	if at < 0 {
		return null, nil
	}
	e, err := c.h.session.List().Entry(at)
	return e.Raw(), err
}

func getEntry(_ context.Context, c *call) (jsontext.Value, error) {
	e, err := c.h.session.Entry(c.args.text("id"))
	if errors.Is(err, session.ErrNotFound) {
		return null, nil
	}
	return e.Raw(), err
}

func getEntries(ctx context.Context, c *call) (jsontext.Value, error) {
	var all splice.Array
	for e, err := range c.h.session.Entries(ctx) {
		if err != nil {
			return nil, err
		}
		all.Add(e.Raw())
	}
	return all.Value(), nil
}

func getChildren(_ context.Context, c *call) (jsontext.Value, error) {
	return lineArray(c.h.session.Children(c.args.textOrNil("parentId")))
}

// getBranch takes null for the leaf, as the programs do.
func getBranch(_ context.Context, c *call) (jsontext.Value, error) {
	return lineArray(c.h.session.Branch(c.args.textOrNil("fromId")))
}

func lineArray(entries []entry.Entry, err error) (jsontext.Value, error) {
	var all splice.Array
	for _, e := range entries {
		all.Add(e.Raw())
	}
	return all.Value(), err
}

func getLabel(_ context.Context, c *call) (jsontext.Value, error) {
	label, ok, err := c.h.session.Label(c.args.text("id"))
	if err != nil || !ok {
		return null, err
	}
	return splice.Quoted(label), nil
}

// buildContext rebuilds the context of the leaf, of the entry that leafId
// names, or, for null, the one before any entry.
func buildContext(ctx context.Context, c *call) (jsontext.Value, error) {
	s := c.h.session
	o := session.ContextOptions{Strict: c.s.o.Strict}
	if c.args.has("leafId") {
		o.Leaf = c.args.textOrNil("leafId")
		o.Root = o.Leaf == nil
	}
	built, err := s.Context(ctx, o)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString(`{"messages":`)
	var cleaned *replay.Cleaned
	if c.args.flag("llm") {
		messages, counts := s.LLM(ctx, built)
		cleaned = counts
		before := "["
		for m, err := range messages {
			if err != nil {
				return nil, err
			}
			out.WriteString(before)
			out.Write(m)
			before = ","
		}
		out.WriteString(strings.TrimSuffix(before, ",") + "]")
	} else if err := built.WriteMessages(&out); err != nil {
		return nil, err
	}
	out.WriteByte(',')
	raw := built.AppendState(out.Bytes(), replay.FullShape)
	if cleaned != nil {
		var o splice.Object
		o.Int("surrogates", int64(cleaned.Surrogates)).Int("names", int64(cleaned.Names))
		o.Int("blobs", int64(cleaned.Blobs)).Int("clipped", int64(cleaned.Clipped))
		raw = append(append(raw, `,"cleaned":`...), o.Value()...)
	}
	return append(raw, '}'), ctx.Err()
}

func usageStatistics(ctx context.Context, c *call) (jsontext.Value, error) {
	u, err := c.h.session.Usage(ctx)
	if err != nil {
		return nil, err
	}
	var o splice.Object
	o.Number("input", u.Input).Number("output", u.Output)
	o.Number("cacheRead", u.CacheRead).Number("cacheWrite", u.CacheWrite)
	o.Number("premiumRequests", u.PremiumRequests).Number("cost", u.Cost)
	return o.Value(), nil
}
