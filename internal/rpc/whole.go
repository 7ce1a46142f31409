package rpc

import (
	"context"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/session"
)

// wholeMethods are those about the session as a whole.
func wholeMethods() []method {
	return []method{
		{
			name: "newSession",
			says: "The handle becomes a new session of the same working directory.", gives: isText.orNil(),
			writes: true, on: newSession, params: []param{may("parentSession", text), may("id", text)}},
		{
			name: "setSessionFile",
			says: "The handle becomes another session.", gives: isNull, fails: []int{codeNotFound, codeAmbiguous, codeNotSession, codeUnsaved},
			on: setSessionFile, params: []param{need("path", log)}},
		{
			name: "setSessionName",
			says: "Names the session, and answers whether it has that name now.", gives: isFlag,
			writes: true, on: setSessionName, params: []param{need("name", text), may("source", text).of("user", "auto")}},
		{
			name: "createBranchedSession",
			says: "Writes a branch as a session of its own, which the handle becomes.", gives: isText.orNil(), fails: []int{codeNotFound},
			writes: true, on: createBranchedSession, params: []param{need("leafId", text)}},
		{
			name: "ensureOnDisk",
			says: "Writes a session now that waits for its first write, and answers its path; null in memory.", gives: isText.orNil(),
			writes: true, on: ensureOnDisk},
		{
			name: "fork",
			says: "Copies the whole session beside itself; the handle becomes the copy. Null in memory.", gives: named("Forked").orNil(),
			writes: true, on: fork, params: []param{may("copyArtifacts", flag)}},
		{
			name: "moveTo",
			says: "Makes it a session of another working directory.", gives: isNull,
			writes: true, on: moveTo, params: []param{need("cwd", place)}},
		{
			name: "rewriteEntries",
			says: "Replaces entries where they stand, each by the given one of the same id.", gives: isNull, fails: []int{codeNotFound},
			writes: true, on: rewriteEntries, params: []param{need("entries", objects)}},
		{
			name: "flush",
			says: "Saves what waits and makes everything durable.", gives: isNull, fails: []int{codeUnsaved},
			on: func(ctx context.Context, c *call) (entry.JSON, error) {
				return null, c.h.unsaved("", c.h.session.Flush(ctx))
			}},
		{
			name: "close",
			says: "Saves and closes the session and ends the handle.", gives: isNull, fails: []int{codeUnsaved},
			on: func(ctx context.Context, c *call) (entry.JSON, error) {
				return null, c.h.close(ctx)
			}},
	}
}

func newSession(ctx context.Context, c *call) (entry.JSON, error) {
	id, err := c.chosenID()
	if err != nil {
		return nil, err
	}
	path, err := c.h.session.NewAs(ctx, id, c.args.text("parentSession"))
	return orNull(path), c.h.unsaved("", err)
}

func setSessionFile(ctx context.Context, c *call) (entry.JSON, error) {
	path, err := c.resolve(ctx, c.args.text("path"))
	if err != nil {
		return nil, err
	}
	return null, c.h.unsaved("", c.h.session.Switch(ctx, path))
}

// setSessionName answers whether the session has that name now.
func setSessionName(ctx context.Context, c *call) (entry.JSON, error) {
	ok, err := c.h.session.Rename(ctx, c.args.text("name"), session.Title{Source: c.args.text("source")})
	return jsonedit.BoolValue(ok), c.h.unsaved("", err)
}

func createBranchedSession(ctx context.Context, c *call) (entry.JSON, error) {
	path, err := c.h.session.SaveBranch(ctx, c.args.text("leafId"))
	return orNull(path), c.h.unsaved("", err)
}

// fork answers with both paths, null for a session in memory (xcsh 17.4.4).
func fork(ctx context.Context, c *call) (entry.JSON, error) {
	if !c.h.session.Persisted() {
		return null, nil
	}
	old, now, err := c.h.session.ForkAs(ctx, !c.args.has("copyArtifacts") || c.args.flag("copyArtifacts"))
	if err != nil {
		return nil, c.h.unsaved("", err)
	}
	var o jsonedit.Object
	return o.String("oldSessionFile", old).String("newSessionFile", now).Value(), nil
}

// ensureOnDisk does what a first write does, whatever is said in the session.
func ensureOnDisk(ctx context.Context, c *call) (entry.JSON, error) {
	err := c.h.session.EnsureOnDisk(ctx)
	return orNull(c.h.session.Path()), c.h.unsaved("", err)
}

func moveTo(ctx context.Context, c *call) (entry.JSON, error) {
	return null, c.h.unsaved("", c.h.session.Move(ctx, c.args.text("cwd")))
}

// rewriteEntries puts each given entry in the place of the one with its id.
// Entries that are not given stay. Of an id that several entries have, either
// all are given, in their order, or the last is meant.
func rewriteEntries(ctx context.Context, c *call) (entry.JSON, error) {
	given := map[entry.ID][]entry.JSON{}
	n := 0
	for v := range jsonedit.Elements(c.args["entries"]) {
		n++
		id, ok := jsonedit.Text(v, "id")
		if !ok {
			return nil, badParam("entries", "number %d has no string as id", n)
		}
		given[id] = append(given[id], v)
	}
	s := c.h.session
	rules := spelling.For(s.Dialect()).Persist
	there, partly := map[entry.ID]int{}, map[entry.ID]bool{}
	list := s.List()
	for i := range list.Len() {
		id, ok := list.ID(i)
		if !ok || given[id] == nil {
			continue
		}
		if there[id]++; rules.Forget == "" {
			continue
		}
		e, err := list.Entry(i)
		if err != nil {
			return nil, err
		}
		if _, whole := jsonedit.Path(e.Raw(), "message", "providerPayload"); !whole {
			partly[id] = true // the caller cannot know of what was forgotten
		}
	}
	for id, lines := range given {
		switch n := there[id]; {
		case n == 0:
			return nil, &session.Error{ID: id, Text: "Entry " + id + " not found", Err: session.ErrNotFound}
		case len(lines) != n && len(lines) != 1:
			return nil, badParam("entries", "%d entries have the id %q and %d are given", n, id, len(lines))
		}
	}
	met := map[entry.ID]int{}
	err := s.Rewrite(ctx, func(e entry.Entry) ([]byte, error) {
		lines := given[e.ID]
		if lines == nil {
			return nil, nil
		}
		at := met[e.ID]
		met[e.ID]++
		if len(lines) != there[e.ID] {
			at -= there[e.ID] - 1 // only the last is meant
		}
		if at < 0 || at >= len(lines) {
			return nil, nil
		}
		if partly[e.ID] {
			return spelling.Remember(lines[at], e.Raw(), rules), nil
		}
		return lines[at], nil
	})
	return null, c.h.unsaved("", err)
}
