package replay

import (
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// A step is one message to come, or several that come from one entry.
type step struct {
	at   int32 // position of the entry
	what what
	kept bool // before the compaction, and kept by it
	// Of messages that pruning looked at:
	drop   bool
	mended bool // calls without a result are taken out
}

// what says what a step gives.
type what uint8

const (
	aMessage   what = iota // a message, custom_message or branch_summary entry
	theSystem              // the system message of the compaction
	theSummary             // the summary of the compaction
	theNotes               // the notebook
)

// choose selects the entries that give messages: those after the last reset, or
// the compaction, what it kept and what came after, or all.
func (c *Context) choose() error {
	if c.reset >= c.cut {
		c.cut = -1
		return nil // see steps
	}
	if err := c.readCompaction(); err != nil {
		return err
	}
	s := c.summary
	if s.system != nil {
		c.plan = append(c.plan, step{at: int32(s.at), what: theSystem})
	}
	c.plan = append(c.plan, step{at: int32(s.at), what: theSummary})
	if err := c.chooseRequest(); err != nil {
		return err
	}
	c.add(s.from, c.cut, true)
	c.add(c.cut+1, len(c.path), false)
	return nil
}

// steps returns the plan. Of a branch without a compaction in effect it is made when it
// is asked for first: who goes to a session need not read it.
func (c *Context) steps() []step {
	if c.plan == nil && c.cut < 0 {
		c.add(c.reset+1, len(c.path), false)
	}
	return c.plan
}

// add selects the entries of a part of the path that give messages.
func (c *Context) add(from, to int, kept bool) {
	if n := max(0, to-from); cap(c.plan)-len(c.plan) < n {
		c.plan = append(make([]step, 0, len(c.plan)+n), c.plan...)
	}
	plan := c.plan
	for _, i := range c.path[min(from, to):to] {
		switch kind := c.list.Kind(i); {
		case !c.rules.Acts.Has(kind):
			continue
		case kind == entry.Message:
			if kept && c.rules.Compaction.SystemMessage && c.list.Role(i) == entry.RoleSystem {
				continue
			}
			if c.list.Role(i) == entry.RoleNone { // "message":null
				c.flag(i)
				continue
			}
		case kind != entry.CustomMessage && kind != entry.BranchSummary:
			continue
		}
		plan = append(plan, step{at: int32(i), kept: kept})
	}
	c.plan = plan
}

// places reports for positions on the path whether their entry has that id,
// without making strings of the others' ids.
func (c *Context) places(id string) func(i int) bool {
	var with []int
	for i := c.list.Find(id); i >= 0; i = c.list.Twin(i) {
		with = append(with, i)
	}
	slices.Reverse(with)
	return func(i int) bool {
		_, is := slices.BinarySearch(with, i)
		return is
	}
}

// place returns where on the path the first entry with that id stands, or -1.
func (c *Context) place(id string) int {
	if id == "" {
		return -1
	}
	is := c.places(id)
	for at, i := range c.path {
		if is(i) {
			return at
		}
	}
	return -1
}

// behind returns where on the path the entry stands that followed a lost one with
// that id, or -1: one that hangs on another entry there than the one it names.
func (c *Context) behind(id string) int {
	if id == "" || c.list.Find(id) >= 0 {
		return -1
	}
	for at, i := range c.path {
		if parent, named := c.list.ParentID(i); named && parent == id && at > 0 {
			return at
		}
	}
	return -1
}

// chooseRequest selects the last request of the user before a compaction that
// went over to a notebook, if it was not kept (omp 18.2.3).
func (c *Context) chooseRequest() error {
	if !c.summary.rollover {
		return nil
	}
	for at := c.cut - 1; at > c.reset; at-- {
		asked, err := c.isRequest(c.path[at])
		if err != nil {
			return err
		}
		if asked {
			if at < c.summary.first {
				c.summary.request = c.path[at]
				c.add(at, at+1, true)
			}
			return nil
		}
	}
	return nil
}

// isRequest reports whether entry i is what a user asked for: a user message,
// or a custom one of certain types that is attributed to the user.
func (c *Context) isRequest(i int) (bool, error) {
	switch c.list.Kind(i) {
	case entry.Message:
		if c.list.Role(i) != entry.RoleCustom {
			return c.list.Role(i) == entry.RoleUser, nil
		}
		body, err := c.body(i)
		return err == nil && c.isRequestType(body), err
	case entry.CustomMessage:
		line, err := c.load(i)
		if err != nil {
			return false, err
		}
		content, _ := jsonedit.Get(line, "content")
		return isContent(content) && c.isRequestType(line), nil
	}
	return false, nil
}

func (c *Context) isRequestType(obj []byte) bool {
	name, _ := jsonedit.Text(obj, "customType")
	by, _ := jsonedit.Text(obj, "attribution")
	if by != "user" {
		return false
	}
	for _, t := range c.rules.Compaction.RequestTypes {
		if t == name {
			return true
		}
	}
	return false
}
