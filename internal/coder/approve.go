package coder

import (
	"context"
	"maps"

	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// An Ask is a call that a person is asked about.
type Ask struct {
	CallID, Tool string
	Arguments    jsontext.Value
	// Dir is the directory in which it works.
	Dir string
	// ReadsOnly says that the tool is said to change nothing (tool.Hinted).
	ReadsOnly bool
}

// An Answer is what a person says to an [Ask].
type Answer int

// The answers. Always holds for all further calls of that tool in that session,
// until it is left, a fork of it gone to or it is moved to another directory.
const (
	No Answer = iota
	Yes
	Always
)

// mayRun asks whether a call that changes something may be run. why says why not,
// "" if it may; asked is false when nobody could be asked.
func (c *Coder) mayRun(ctx context.Context, call *message.ToolCall) (why string, asked bool) {
	c.asking.Lock()
	defer c.asking.Unlock()
	told := func(answer string) { c.tell(Approval{call.ID, call.Name, answer}) }
	about := Ask{CallID: call.ID, Tool: call.Name, Arguments: call.Arguments, Dir: c.agent.Session().CWD()}
	if t, ok := c.equipment().tools[call.Name].(tool.Hinted); ok {
		about.ReadsOnly = t.ReadsOnly()
	}
	if c.opt.Refuse != nil {
		if why := c.opt.Refuse(about); why != "" {
			told("no")
			return why, true
		}
	}
	session, known := c.allowed(call.Name, about.Dir)
	if known {
		return "", true
	}
	if c.opt.Approve == nil {
		told("nobody")
		return wasNotAsked, false
	}
	a, err := c.opt.Approve(ctx, about)
	switch {
	case ctx.Err() != nil:
		return wasStopped, true
	case err != nil:
		told("nobody")
		return wasUnheard + ": " + err.Error(), false
	case a == Yes:
		told("yes")
		return "", true
	case a == Always:
		told("always")
		c.allow(call.Name, session, about.Dir)
		return "", true
	}
	told("no")
	return wasUnwanted, true
}

// allowed reports whether a tool need not be asked about in the present session,
// one of that directory, and returns the session's id.
func (c *Coder) allowed(name, dir string) (session string, yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now.id, c.opt.Yes || c.now.alwaysIn == dir && c.now.always[name]
}

// allow has a tool not be asked about in a session any more, if that is still the
// present one.
func (c *Coder) allow(name, session, dir string) {
	c.put(func(m *mind) {
		if m.id != session {
			return
		}
		all := map[string]bool{name: true}
		if m.alwaysIn == dir {
			maps.Copy(all, m.always)
		}
		m.always, m.alwaysIn = all, dir
	})
}
