package rpc

import (
	"context"

	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

func branchMethods() []method {
	return []method{
		{name: "branch", on: moveLeaf, params: []param{need("id", text)}},
		{name: "resetLeaf", on: func(_ context.Context, c *call) (jsontext.Value, error) {
			c.h.session.ResetLeaf()
			return null, nil
		}},
		{name: "branchWithSummary", writes: true, on: branchWithSummary, params: []param{
			need("id", textOrNull), need("summary", text), may("details", anything),
			may("fromExtension", flag), may("fromHook", flag),
		}},
		{name: "captureState", on: captureState},
		{name: "restoreState", on: restoreState, params: []param{need("state", object)}},
	}
}

func moveLeaf(_ context.Context, c *call) (jsontext.Value, error) {
	return null, c.h.session.MoveLeaf(c.args.text("id"))
}

func branchWithSummary(ctx context.Context, c *call) (jsontext.Value, error) {
	from, err := c.fromExtension()
	if err != nil {
		return nil, err
	}
	id, err := c.h.session.BranchWithSummary(ctx, session.BranchSummary{
		Target: c.args.textOrNil("id"), Summary: c.args.text("summary"),
		Details: c.args["details"], FromExtension: from,
	})
	if err != nil {
		return nil, c.h.unsaved(id, err)
	}
	return splice.Quoted(id), nil
}

// captureState answers with where the session is.
func captureState(_ context.Context, c *call) (jsontext.Value, error) {
	st := c.h.session.Capture()
	var o splice.Object
	if st.Path != "" {
		o.String("path", st.Path)
	}
	o.String("sessionId", st.SessionID)
	if st.LeafID != nil {
		o.String("leafId", *st.LeafID)
	} else {
		o.Null("leafId")
	}
	return o.Int("entries", int64(st.Entries)).Value(), nil
}

func restoreState(ctx context.Context, c *call) (jsontext.Value, error) {
	st, err := readState(c.args["state"])
	if err != nil {
		return nil, err
	}
	return null, c.h.unsaved("", c.h.session.Restore(ctx, st))
}

// readState reads what captureState gave.
func readState(v jsontext.Value) (session.State, error) {
	var st session.State
	for name, value := range splice.Members(v) {
		s, isText := splice.String(value)
		switch name {
		case "path":
			st.Path = s
		case "sessionId":
			st.SessionID = s
		case "leafId":
			if isText {
				st.LeafID = &s
			} else {
				st.LeafID, isText = nil, splice.IsNull(value)
			}
		case "entries":
			isText = count.has(value)
		default:
			return st, badParam("state", "it has no member %q", name)
		}
		if !isText {
			return st, badParam("state", "its %s has the wrong type", name)
		}
	}
	if _, ok := splice.Get(v, "leafId"); !ok || st.SessionID == "" {
		return st, badParam("state", "it lacks leafId or sessionId")
	}
	return st, nil
}
