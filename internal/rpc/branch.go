package rpc

import (
	"context"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/session"
)

func branchMethods() []method {
	return []method{
		{
			name: "branch",
			says: "Makes an entry the leaf. Nothing is written.", gives: isNull, fails: []int{codeNotFound},
			on: moveLeaf, params: []param{need("id", text)}},
		{
			name: "resetLeaf",
			says: "Makes the next entry a root. Nothing is written.", gives: isNull,
			on: func(_ context.Context, c *call) (entry.JSON, error) {
				c.h.session.ResetLeaf()
				return null, nil
			}},
		{
			name: "branchWithSummary",
			says: "Makes an entry, or none, the leaf and appends a summary of what was left.", gives: isEntry, fails: []int{codeNotFound},
			writes: true, on: branchWithSummary, params: []param{
				need("id", textOrNull), need("summary", text), may("details", anything),
				may("fromExtension", flag), may("fromHook", flag), may("usage", object), may("stored", flag),
			}},
		{
			name: "captureState",
			says: "Where the session is, to go back there.", gives: named("State"),
			on: captureState},
		{
			name: "restoreState",
			says: "Goes back to where the session was.", gives: isNull, fails: []int{codeNotFound, codeUnsaved},
			on: restoreState, params: []param{need("state", object)}},
	}
}

func moveLeaf(_ context.Context, c *call) (entry.JSON, error) {
	return null, c.h.session.MoveLeaf(c.args.text("id"))
}

func branchWithSummary(ctx context.Context, c *call) (entry.JSON, error) {
	from, err := c.fromExtension()
	if err != nil {
		return nil, err
	}
	id, err := c.h.session.BranchWithSummary(ctx, session.BranchSummary{
		Target: c.args.textOrNil("id"), Summary: c.args.text("summary"),
		Details: c.args["details"], FromExtension: from, Usage: c.args["usage"],
	})
	return c.appended(id, err)
}

// captureState answers with where the session is.
func captureState(_ context.Context, c *call) (entry.JSON, error) {
	st := c.h.session.Capture()
	var o jsonedit.Object
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

func restoreState(ctx context.Context, c *call) (entry.JSON, error) {
	st, err := readState(c.args["state"])
	if err != nil {
		return nil, err
	}
	return null, c.h.unsaved("", c.h.session.Restore(ctx, st))
}

// readState reads what captureState gave.
func readState(v entry.JSON) (session.State, error) {
	var st session.State
	for name, value := range jsonedit.Members(v) {
		s, isText := jsonedit.String(value)
		switch name {
		case "path":
			st.Path = s
		case "sessionId":
			st.SessionID = s
		case "leafId":
			if isText {
				st.LeafID = &s
			} else {
				st.LeafID, isText = nil, jsonedit.IsNull(value)
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
	if _, ok := jsonedit.Get(v, "leafId"); !ok || st.SessionID == "" {
		return st, badParam("state", "it lacks leafId or sessionId")
	}
	return st, nil
}
