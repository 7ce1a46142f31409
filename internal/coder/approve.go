package coder

import (
	"context"

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

// The answers. Always holds for all further calls of that tool, as long as the
// coder lives.
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
	c.mu.Lock()
	known := c.opt.Yes || c.always[call.Name]
	c.mu.Unlock()
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
		return wasNotAsked + " (" + err.Error() + ")", false
	case a == Yes:
		told("yes")
		return "", true
	case a == Always:
		told("always")
		c.mu.Lock()
		c.always[call.Name] = true
		c.mu.Unlock()
		return "", true
	}
	told("no")
	return wasUnwanted, true
}
