package replay

import (
	"bufio"
	"bytes"
	"io"
	"iter"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// A Message is one message that the model sees.
type Message struct {
	// Entry is the position of the entry it comes from: for a summary, the
	// compaction; for a notebook, the entry that holds it.
	Entry int
	Role  entry.Role
	// JSON is the message: as it is stored, unless the entry is no message
	// or the rules or an edit change it. It must not be changed.
	JSON entry.JSON
	// Kept reports that the entry stands before the compaction in effect.
	Kept bool
	// Changed reports that the entry is a message and JSON is not as stored.
	Changed bool
}

// Messages yields what the model sees, in order, loading one body at a time
// (with rules that prune, every answer is loaded once before). The error is that
// of an entry that cannot be loaded; it is yielded with the position of that
// entry, and the messages go on after it if the caller does.
func (c *Context) Messages() iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		if err := c.prune(); err != nil {
			yield(Message{Entry: -1}, err)
			return
		}
		for n := range c.steps() {
			m, ok, err := c.message(&c.plan[n])
			if err != nil {
				m = Message{Entry: int(c.plan[n].at)}
			}
			if (ok || err != nil) && !yield(m, err) {
				return
			}
		}
	}
}

// message returns the message of one step, false when it gives none.
func (c *Context) message(s *step) (Message, bool, error) {
	i := int(s.at)
	m := Message{Entry: i, Kept: s.kept}
	if s.drop {
		return m, false, nil
	}
	ed, edited := c.editOf(i)
	if edited && ed.remove {
		return m, false, nil
	}
	var err error
	switch s.what {
	case theSystem:
		m.JSON, m.Role = c.summary.system, entry.RoleSystem
		return m, true, nil
	case theSummary:
		m.JSON, m.Role = c.summary.json, entry.RoleCompactionSummary
		return m, true, nil
	case theNotes:
		m.JSON, m.Role, err = c.notesMessage(i)
		return m, m.JSON != nil, err
	}
	kind := c.list.Kind(i)
	switch kind {
	case entry.CustomMessage:
		m.JSON, err = c.customMessage(i)
		m.Role = entry.RoleCustom
	case entry.BranchSummary:
		m.JSON, err = c.branchMessage(i)
		m.Role = entry.RoleBranchSummary
	default:
		m.Role = c.list.Role(i)
		m.JSON, m.Changed, err = c.storedMessage(i)
	}
	if err != nil || m.JSON == nil {
		return m, false, err
	}
	if edited {
		m.JSON = ed.apply(m.JSON, m.Role)
	}
	if s.mended {
		m.JSON = mend(m.JSON, c.answered)
	}
	m.Changed = m.Changed || kind == entry.Message && (edited || s.mended)
	return m, true, nil
}

// storedMessage returns the message of a message entry, nil when it has none,
// and whether its content was filled in.
func (c *Context) storedMessage(i int) (json entry.JSON, changed bool, err error) {
	body, err := c.body(i)
	if err != nil {
		return nil, false, err
	}
	if body == nil {
		c.flag(i)
		return nil, false, nil
	}
	if c.rules.FillContent {
		if filled := c.fill(i, body); filled != nil {
			return filled, true, nil
		}
	}
	return body, false, nil
}

// fill returns the message with empty content in place of null or none, nil
// when it has content.
func (c *Context) fill(i int, body entry.JSON) entry.JSON {
	if hasContent(body) {
		return nil
	}
	empty := entry.JSON("[]")
	switch c.list.Role(i) {
	case entry.RoleSystem:
		empty = entry.JSON(`""`)
	case entry.RoleUser, entry.RoleAssistant, entry.RoleToolResult:
	default:
		return nil
	}
	if content, ok := jsonedit.Get(body, "content"); ok && !jsonedit.IsNull(content) {
		return nil
	}
	c.flag(i)
	return jsonedit.Set(body, "content", empty)
}

// hasContent reports, from the first bytes alone, that a message as the programs
// write it has content. False means that nothing is known.
func hasContent(body entry.JSON) bool {
	head := body[:min(len(body), 256)]
	key := []byte(`"content":`)
	at := bytes.Index(head, key)
	if at < 1 || at+len(key) >= len(head) || bytes.ContainsAny(head[1:at], `{[\`) {
		return false
	}
	return head[at+len(key)] == '"' || head[at+len(key)] == '['
}

// branchMessage returns the message of a branch_summary, nil when it says
// nothing.
func (c *Context) branchMessage(i int) (entry.JSON, error) {
	line, err := c.load(i)
	if err != nil {
		return nil, err
	}
	if text, ok := c.text(i, line, "summary"); !ok || text == "" {
		return nil, nil
	}
	var o jsonedit.Object
	o.String("role", entry.RoleBranchSummary.String())
	pass(&o, line, "summary")
	pass(&o, line, "fromId")
	addTime(&o, c.list.Time(i))
	return o.Value(), nil
}

// isContent reports whether v can be the content of a message.
func isContent(v entry.JSON) bool {
	k := jsonedit.Kind(v)
	return k == '"' || k == '['
}

// customMessage returns the message of a custom_message, nil when the rules
// leave it out.
func (c *Context) customMessage(i int) (entry.JSON, error) {
	r := c.rules.Custom
	for _, hidden := range r.Hidden {
		if c.list.Ref(i) == hidden {
			return nil, nil
		}
	}
	line, err := c.load(i)
	if err != nil {
		return nil, err
	}
	content, _ := jsonedit.Get(line, "content")
	if !isContent(content) {
		c.flag(i)
		switch {
		case r.Strict:
			return nil, nil
		case content == nil || jsonedit.IsNull(content):
			content = entry.JSON("[]")
		}
	}
	var o jsonedit.Object
	o.String("role", entry.RoleCustom.String())
	name, ok := jsonedit.Get(line, "customType")
	if text, _ := jsonedit.String(name); r.Strict && text == "" {
		name, ok = jsonedit.Quoted(r.DefaultType), true
	}
	if ok {
		o.Add("customType", name)
	}
	o.Add("content", content)
	display, _ := jsonedit.Get(line, "display")
	if _, is := jsonedit.Bool(display); r.Strict && !is {
		display = entry.JSON("false")
	}
	o.Add("display", display)
	pass(&o, line, "details")
	if by, ok := jsonedit.Get(line, "attribution"); ok && r.Attribution {
		if r.Strict {
			if text, _ := jsonedit.String(by); text != "user" {
				by = jsonedit.Quoted("agent")
			}
		}
		o.Add("attribution", by)
	}
	addTime(&o, c.list.Time(i))
	return o.Value(), nil
}

// WriteMessages writes the messages to w as a JSON array, holding one at a time.
// The error is that of w or of an entry that cannot be loaded; what was written
// until then stays written.
func (c *Context) WriteMessages(w io.Writer) error {
	b := bufio.NewWriterSize(w, 64<<10)
	_ = b.WriteByte('[') // as all below, Flush gives the error
	first := true
	for m, err := range c.Messages() {
		if err != nil {
			return err
		}
		if !first {
			_ = b.WriteByte(',')
		}
		first = false
		if _, err := b.Write(m.JSON); err != nil {
			return err
		}
	}
	_ = b.WriteByte(']')
	return b.Flush()
}
