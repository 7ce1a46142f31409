package rpc

import (
	"context"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// wholeMethods are those about the session as a whole.
func wholeMethods() []method {
	return []method{
		{name: "newSession", writes: true, on: newSession, params: []param{may("parentSession", text)}},
		{name: "setSessionFile", on: setSessionFile, params: []param{need("path", log)}},
		{name: "setSessionName", writes: true, on: setSessionName, params: []param{need("name", text), may("source", text).of("user", "auto")}},
		{name: "createBranchedSession", writes: true, on: createBranchedSession, params: []param{need("leafId", text)}},
		{name: "fork", writes: true, on: fork},
		{name: "moveTo", writes: true, on: moveTo, params: []param{need("cwd", text)}},
		{name: "rewriteEntries", writes: true, on: rewriteEntries, params: []param{need("entries", objects)}},
		{name: "flush", on: func(ctx context.Context, c *call) (jsontext.Value, error) {
			return null, c.h.unsaved("", c.h.session.Flush(ctx))
		}},
		{name: "close", on: func(ctx context.Context, c *call) (jsontext.Value, error) {
			return null, c.h.close(ctx)
		}},
	}
}

func newSession(ctx context.Context, c *call) (jsontext.Value, error) {
	path, err := c.h.session.New(ctx, c.args.text("parentSession"))
	return orNull(path), c.h.unsaved("", err)
}

func setSessionFile(ctx context.Context, c *call) (jsontext.Value, error) {
	path, err := c.resolve(ctx, c.args.text("path"))
	if err != nil {
		return nil, err
	}
	return null, c.h.unsaved("", c.h.session.Switch(ctx, path))
}

// setSessionName answers whether the session has that name now.
func setSessionName(ctx context.Context, c *call) (jsontext.Value, error) {
	ok, err := c.h.session.Rename(ctx, c.args.text("name"), session.Title{Source: c.args.text("source")})
	return splice.BoolValue(ok), c.h.unsaved("", err)
}

func createBranchedSession(ctx context.Context, c *call) (jsontext.Value, error) {
	path, err := c.h.session.SaveBranch(ctx, c.args.text("leafId"))
	return orNull(path), c.h.unsaved("", err)
}

// fork answers with both paths, null for a session in memory (xcsh 17.4.4).
func fork(ctx context.Context, c *call) (jsontext.Value, error) {
	if !c.h.session.Persisted() {
		return null, nil
	}
	old, now, err := c.h.session.Fork(ctx)
	if err != nil {
		return nil, c.h.unsaved("", err)
	}
	var o splice.Object
	return o.String("oldSessionFile", old).String("newSessionFile", now).Value(), nil
}

func moveTo(ctx context.Context, c *call) (jsontext.Value, error) {
	return null, c.h.unsaved("", c.h.session.Move(ctx, c.args.text("cwd")))
}

// rewriteEntries puts each given entry in the place of the one with its id.
// Entries that are not given stay. Of an id that several entries have, either
// all are given, in their order, or the last is meant.
func rewriteEntries(ctx context.Context, c *call) (jsontext.Value, error) {
	given := map[entry.ID][]jsontext.Value{}
	n := 0
	for v := range splice.Elements(c.args["entries"]) {
		n++
		id, ok := splice.Text(v, "id")
		if !ok {
			return nil, badParam("entries", "number %d has no string as id", n)
		}
		given[id] = append(given[id], v)
	}
	s := c.h.session
	there := map[entry.ID]int{}
	list := s.List()
	for i := range list.Len() {
		if id, ok := list.ID(i); ok && given[id] != nil {
			there[id]++
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
		return lines[at], nil
	})
	return null, c.h.unsaved("", err)
}
