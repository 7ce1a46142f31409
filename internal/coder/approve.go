package coder

import (
	"context"
	"maps"

	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/message"
)

// An Ask is a call that a person is asked about: consent.Call.Show says all of it,
// and that is what is run. Whoever cannot show all of it answers No.
type Ask struct {
	consent.Call
	CallID string
	// ReadsOnly says that the tool is said to change nothing (tool.Hinted).
	ReadsOnly bool
	// Target is the file that the call changes, and no other; nil for a tool that
	// does not say so beforehand. Leads and Acts of the call are of it.
	Target *tool.Target
}

// An Answer is what a person says to an [Ask].
type Answer int

// The answers. Always holds for all further calls of that tool in that session,
// until it is left, a fork of it gone to or it is moved to another directory, but not
// for a file that somebody obeys although nobody runs it (tool.Target.Acts).
const (
	No Answer = iota
	Yes
	Always
)

// consented asks about a call of a tool that changes something as mayRun does, and
// has the tool change no other file, and take no other shell, than what is asked about. What would be
// refused anyway is not asked about.
func (c *Coder) consented(ctx context.Context, t tool.Tool, id string, made consent.Call, env *tool.Env) (why string, asked bool) {
	target, err := tool.TargetOf(t, message.JSON(made.Arguments), *env)
	if err != nil {
		return wasRefused + err.Error(), true
	}
	if env.Agreed = target; target != nil {
		made.Acts = target.Acts
		if target.Linked {
			made.Leads = target.Real
		}
	}
	if t, ok := t.(tool.Shelled); ok {
		shell, err := t.Shell(*env)
		if err != nil {
			return wasRefused + err.Error(), true
		}
		if env.Shell = &shell; !shell.Bash() {
			made.Shell = shell.Path
		}
	}
	return c.mayRun(ctx, t, Ask{Call: made, CallID: id, Target: target})
}

// mayRun asks whether a call that changes something may be run. why says why not,
// "" if it may; asked is false when nobody could be asked.
func (c *Coder) mayRun(ctx context.Context, t tool.Tool, about Ask) (why string, asked bool) {
	c.asking.Lock()
	defer c.asking.Unlock()
	told := func(answer string) { c.tell(Approval{about.CallID, about.Tool, answer}) }
	anew := false
	if h, ok := t.(tool.Hinted); ok {
		about.ReadsOnly = h.ReadsOnly()
	}
	if c.opt.Refuse != nil {
		if why, anew = c.opt.Refuse(about); why != "" {
			told("no")
			return why, true
		}
	}
	session, known := c.allowed(about.Tool, about.Dir)
	if known && !anew && (c.opt.Yes || about.Acts == "") {
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
		c.allow(about.Tool, session, about.Dir)
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
