package replay

import (
	"github.com/cambium-dev/cambium/entry"
)

// From returns the first place on the path whose entry is not compacted away: of
// the compaction in effect the first entry it keeps, else the one after the last
// reset. It is the length of the path where nothing is.
func (c *Context) From() int {
	if c.cut >= 0 {
		return c.summary.from
	}
	return c.reset + 1
}

// Summary returns the summary of the compaction in effect as a message, and the
// system message that comes before it; nil for what there is not.
func (c *Context) Summary() (summary, system entry.JSON) {
	if c.summary == nil || c.cut < 0 {
		return nil, nil
	}
	return c.summary.json, c.summary.system
}

// Request returns the position of the request that comes again after a summary
// that did not keep it, or -1 (see CompactionRules.Rollover).
func (c *Context) Request() int {
	if c.summary == nil || c.cut < 0 {
		return -1
	}
	return c.summary.request
}

// Alone returns the message that entry i gives by itself, edits applied: what
// [Context.Messages] yields for it, unless that is left out or mended because of
// other messages. A compaction gives its summary, in effect or not, without what
// a provider keeps of it. It reports false for an entry that gives none.
func (c *Context) Alone(i int) (Message, bool, error) {
	kind := c.list.Kind(i)
	if !c.rules.Acts.Has(kind) {
		return Message{Entry: i}, false, nil
	}
	switch kind {
	case entry.Message:
		if c.list.Role(i) == entry.RoleNone {
			return Message{Entry: i}, false, nil
		}
		fallthrough
	case entry.CustomMessage, entry.BranchSummary:
		return c.message(&step{at: int32(i)})
	case entry.Compaction:
		line, err := c.load(i)
		if err != nil {
			return Message{Entry: i}, false, err
		}
		text, ok := c.text(i, line, "summary")
		m := Message{Entry: i, Role: entry.RoleCompactionSummary, JSON: c.summaryMessage(line, nil, nil, c.list.Time(i), entry.NoTime)}
		return m, ok && text != "", nil
	}
	return Message{Entry: i}, false, nil
}

// Aside returns the context for who reads its entries one by one beside it, in
// another goroutine: with [Context.Alone], and where they stand. It has no messages
// of its own: [Context.Messages] yields none.
func (c *Context) Aside() *Context {
	aside := *c
	aside.plan, aside.answered, aside.flagged, aside.pruned = []step{}, nil, nil, false
	return &aside
}
