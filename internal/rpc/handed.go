package rpc

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// A bundle is entries that a client hands in, migrated in memory.
type bundle struct {
	header *entry.Header // nil when none is among them
	list   *entry.List
	rules  spelling.Dialect
}

// handedIn reads the parameter entries: a header, if there is one, and entries.
// Links are taken as they are written.
func (c *call) handedIn() (*bundle, error) {
	var data bytes.Buffer
	headed := false
	for v := range jsonedit.Elements(c.args["entries"]) {
		if kind, _ := jsonedit.Text(v, "type"); kind == "session" {
			headed = true
		}
		data.Write(jsonedit.Compact(v))
		data.WriteByte('\n')
	}
	return c.bundled(data.Bytes(), headed)
}

// bundled reads the text of a session file.
func (c *call) bundled(data []byte, headed bool) (*bundle, error) {
	if !headed { // what has none is of the present version
		data = append([]byte(`{"type":"session","version":3,"id":"none","timestamp":"1970-01-01T00:00:00.000Z","cwd":"/"}`+"\n"), data...)
	}
	h, list, _, err := session.ParseEntries(data)
	if errors.Is(err, session.ErrNotSession) {
		return nil, badParam("entries", "they are no session")
	}
	if err != nil {
		return nil, err
	}
	b := &bundle{list: list}
	if headed {
		b.header = &h
	}
	name := dialect.Name(c.args.text("agent"))
	if name == "" {
		name = c.s.o.Agent
	}
	b.rules = spelling.Of(name, list, h)
	return b, nil
}

// at returns the position that the parameter leafId means: the last entry when it
// is not given or no entry has it, none for null.
func (b *bundle) at(c *call) int {
	if !c.args.has("leafId") {
		return b.list.Len() - 1
	}
	id := c.args.textOrNil("leafId")
	if id == nil {
		return -1
	}
	if at := b.list.Find(*id); at >= 0 {
		return at
	}
	return b.list.Len() - 1
}

// path returns the branch that the call means, as positions.
func (b *bundle) path(c *call) []int { return tree.New(b.list, nil).Path(b.at(c), tree.Strict) }

// context rebuilds the context of the branch that the call means.
func (b *bundle) context(c *call) (*replay.Context, error) {
	return replay.Build(b.list, b.path(c), b.rules.Replay)
}

// raw returns the entries at some positions.
func (b *bundle) raw(ctx context.Context, at []int) (entry.JSON, error) {
	var all jsonedit.Array
	for _, i := range at {
		e, err := b.list.Entry(i)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		all.Add(e.Raw())
	}
	return all.Value(), nil
}

// rules are those of the session of the call, of the agent that it names, or of the
// server's.
func (c *call) rules() (spelling.Dialect, error) {
	if c.onHandle() {
		return spelling.For(c.h.session.Dialect()), nil
	}
	name := cmp.Or(dialect.Name(c.args.text("agent")), c.s.o.Agent, dialect.Cambium)
	rules, ok := spelling.ByName(string(name))
	if !ok {
		return rules, badParam("agent", "no agent is called %q", name)
	}
	return rules, nil
}

// migrateEntries answers the entries that are handed in, in the present version.
func migrateEntries(ctx context.Context, c *call) (entry.JSON, error) {
	b, err := c.handedIn()
	if err != nil {
		return nil, err
	}
	return b.whole(ctx)
}

// whole returns the header, if there is one, and all entries.
func (b *bundle) whole(ctx context.Context) (entry.JSON, error) {
	var all jsonedit.Array
	if b.header != nil {
		all.Add(spelling.MigrateHeader(b.header.Raw))
	}
	for i := range b.list.Len() {
		e, err := b.list.Entry(i)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		all.Add(e.Raw())
	}
	return all.Value(), nil
}

// parseEntries answers what is in the text of a session file; what is damaged is left
// out.
func parseEntries(_ context.Context, c *call) (entry.JSON, error) {
	var all jsonedit.Array
	for line := range strings.Lines(c.args.text("content")) {
		line := entry.JSON(strings.TrimSpace(line))
		if len(line) > 0 && jsonl.Valid(line) == nil && jsonedit.Kind(line) == '{' {
			all.Add(line)
		}
	}
	return all.Value(), nil
}
