package conversion

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
)

// Custom types of entries that a conversion writes.
const (
	// Trailer is the custom type of the last entry of a converted session.
	Trailer = "cambium.converted"
	// Aside is the custom type of an entry that is set aside, so that the target
	// does not read what it would take wrongly; data.type is its own type.
	Aside = "cambium.kept"
)

// A Source is the session that is converted.
type Source struct {
	// Source has its header, its path and what it is called now.
	spelling.Source
	Dialect spelling.Dialect
	// List is its index. Its Load is not used.
	List *entry.List
	// Line returns the line of entry i as it is stored, in the present version,
	// blobs not put back in. The bytes must not be changed and stay valid.
	Line func(i int) ([]byte, error)
	// Links are the links that the lines do not have, and that those of the new
	// session get; the zero value has none.
	Links tree.Relink
	// Leaf is the position of its leaf, -1 for none.
	Leaf int
	// Get reads its blobs; nil means that it has none.
	Get func(ref string) ([]byte, error)
}

// A Target is what the session becomes.
type Target struct {
	Dialect spelling.Dialect
	// Fresh is what the new session has of its own. With an empty ID it is the
	// same session: it keeps id, timestamp and parentSession; a CWD is taken
	// over if it is not empty.
	Fresh spelling.Fresh
	// Put keeps its blobs; nil means that images stay in the lines.
	Put spelling.Put
	// NewID makes an id that is not taken, for an entry that is added.
	NewID func(taken func(id string) bool) (entry.ID, error)
	// Now is the time of entries that are added, in milliseconds since 1970.
	Now int64
}

// A Conversion is one session on its way to another dialect. It is not safe for
// concurrent use.
type Conversion struct {
	src    Source
	to     Target
	prior  *prior
	end    int // entries from here on were added by an earlier conversion
	blobs  blobs
	report convert.Report
	runs   []run
	name   string // what the entries call the session so far
	taken  map[entry.ID]bool
}

// New prepares a conversion. It loads what an earlier conversion left in the
// session, no other entry; the error is of a line that could not be loaded.
func New(src Source, to Target) (*Conversion, error) {
	c := &Conversion{src: src, to: to, end: src.List.Len(), taken: map[entry.ID]bool{}}
	c.blobs = blobs{read: src.Get, keep: to.Put, seen: map[string][]byte{}}
	c.report = convert.Report{From: src.Dialect.Name, To: to.Dialect.Name, Entries: src.List.Len(), Counts: map[convert.Reason]int{}, Items: []convert.Item{}}
	if c.copies() {
		return c, nil
	}
	var err error
	if c.prior, err = readPrior(src); err != nil {
		return nil, err
	}
	if c.prior != nil {
		c.end = c.prior.end
		c.report.Dropped = src.List.Len() - c.end
		if c.prior.agent == to.Dialect.Name && c.prior.slot == nil {
			c.name, _ = jsonedit.Text(c.prior.header, "title")
		}
	}
	return c, nil
}

// copies reports whether the session has the target's dialect already.
func (c *Conversion) copies() bool { return c.src.Dialect.Name == c.to.Dialect.Name }

// Lines yields the lines of the entries, without newlines, in the order of the
// source, and at last those that are added. It loads one line at a time and may
// be run once. The error is of a line that could not be loaded; nothing follows
// it.
func (c *Conversion) Lines() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for i := range c.end {
			line, err := c.src.Line(i)
			if err != nil {
				yield(nil, fmt.Errorf("convert entry %d: %w", i, err))
				return
			}
			if !yield(c.line(i, line), nil) {
				return
			}
		}
		added, err := c.added()
		if err != nil {
			yield(nil, fmt.Errorf("convert session: %w", err))
			return
		}
		for _, line := range added {
			if !yield(line, nil) {
				return
			}
		}
	}
}

// Report says what was done. It is complete when [Conversion.Lines] has ended.
func (c *Conversion) Report() *convert.Report { return &c.report }

// line returns the line of entry i for the target.
func (c *Conversion) line(i int, line entry.JSON) entry.JSON {
	if bytes.IndexByte(line, '\n') >= 0 {
		line = jsonedit.Compact(line) // an object over several lines
	}
	stored := line
	line = c.linked(i, line)
	if c.copies() {
		if string(line) != string(stored) {
			c.report.Changed++
		}
		c.moved(i, line)
		return line
	}
	clear(c.blobs.seen)
	was, from, restored := restore(line, c.blobs.pretended())
	if !restored {
		from = c.native(i)
	}
	was = c.src.Links.Line(i, was)
	c.run(from, i)
	out := was
	if from != c.to.Dialect.Name {
		rules := spelling.Reading(from) // restore and native give known names only
		t := &translation{c: c, i: i, from: rules, to: c.to.Dialect, line: was}
		t.translate()
		out = record(from, was, t.line, c.blobs)
	} else if restored {
		out, _, _ = restore(line, c.blobs)
		out = c.src.Links.Line(i, out)
		c.note(i, Restored, true)
	}
	if string(out) != string(stored) {
		c.report.Changed++
	}
	c.moved(i, out)
	if c.to.Dialect.NameByEntry {
		c.called(out)
	}
	return out
}

// linked returns the line of entry i with the links that it is read with.
func (c *Conversion) linked(i int, line entry.JSON) entry.JSON {
	if _, ok := c.src.Links.Parent(i); ok {
		c.note(i, Linked, true)
	}
	return c.src.Links.Line(i, line)
}

// note adds entry i to the report.
func (c *Conversion) note(i int, reason convert.Reason, changed bool) {
	id, _ := c.src.List.ID(i)
	item := convert.Item{Entry: id, Position: i, Reason: reason, Changed: changed}
	item.Type = c.src.List.Kind(i).String()
	add(&c.report, item)
}

// called notes the name that an entry gives the session.
func (c *Conversion) called(line entry.JSON) {
	if kind, _ := jsonedit.Text(line, "type"); kind == entry.SessionInfo.String() {
		c.name, _ = jsonedit.Text(line, "name")
	}
}

// added returns the entries that come last: the title, where the entries call
// the session something else, and what belongs to no entry.
func (c *Conversion) added() ([][]byte, error) {
	if c.copies() {
		return nil, nil
	}
	var all [][]byte
	parent := c.leaf()
	add := func(body entry.Body) error {
		id, err := c.to.NewID(func(id string) bool { return c.taken[id] || c.src.List.Find(id) >= 0 })
		if err != nil {
			return err
		}
		c.taken[id] = true
		line, err := entry.Encode(nil, entry.Stamp{ID: id, Parent: parent, Time: c.to.Now}, body)
		all, parent = append(all, line), &id
		return err
	}
	rules := c.to.Dialect
	if title := rules.Sanitize(c.src.Title); rules.NameByEntry && title != rules.Sanitize(c.name) {
		mark := entry.Member{Key: "cambium", Value: entry.JSON(`{"added":true}`)}
		body := &entry.SessionInfoBody{Name: title}
		body.Extra = []entry.Member{mark}
		if err := add(body); err != nil {
			return nil, err
		}
	}
	c.report.Added = len(all)
	if !c.home() {
		c.report.Added++
		if err := add(&entry.CustomBody{CustomType: Trailer, Data: c.trailer()}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// home reports whether all entries are as the target's own program wrote them.
func (c *Conversion) home() bool {
	for _, r := range c.runs {
		if r.agent != c.to.Dialect.Name {
			return false
		}
	}
	return c.prior != nil && c.prior.agent == c.to.Dialect.Name
}

// leaf returns the id of the entry below which entries are added.
func (c *Conversion) leaf() *entry.ID {
	at := c.src.Leaf
	if at >= c.end {
		at = c.src.List.Parent(c.end)
	}
	for ; at >= 0; at-- {
		if id, ok := c.src.Links.ID(at); ok {
			return &id
		}
		if id, ok := c.src.List.ID(at); ok {
			return &id
		}
	}
	return nil
}
