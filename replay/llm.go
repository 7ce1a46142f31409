package replay

import (
	"iter"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// Convert turns the messages of a context into what a model is sent, as the
// programs' convertToLlm does (pi 0.87.1, omp 18.2.3, xcsh 17.4.4), and cleans
// the result as [Cleaned] says. Messages may be dropped, split and rewritten;
// those that need no change are passed on byte for byte. What was changed for
// cleanness is counted in cleaned, which may be nil and is complete when the
// sequence has ended. Errors are passed on in their place; a message that is no
// object is dropped.
//
// The sequence reads msgs once and holds at most one message back.
func Convert[S sending](msgs iter.Seq2[entry.JSON, error], rules S, cleaned *Cleaned) iter.Seq2[entry.JSON, error] {
	return func(yield func(entry.JSON, error) bool) {
		c := converter{rules: llmOf(rules), yield: yield, cleaned: cleaned}
		if cleaned == nil {
			c.cleaned = new(Cleaned)
		}
		for msg, err := range msgs {
			if err != nil {
				if !c.release(false) || !yield(nil, err) {
					return
				}
				continue
			}
			if !c.message(msg) {
				return
			}
		}
		c.release(false)
	}
}

// converter is one run of Convert. Its methods report false when the reader of
// the sequence wants no more.
type converter struct {
	rules   spelling.LLM
	yield   func(entry.JSON, error) bool
	cleaned *Cleaned
	// held is an assistant message that waits for the one after it.
	held entry.JSON
	// lost counts the surrogates that the message under way has lost already.
	lost int
}

// message converts one message.
func (c *converter) message(msg entry.JSON) bool {
	c.lost = 0 // what a dropped message lost does not count
	role, ok := jsonedit.Text(msg, "role")
	if !ok {
		return c.release(false)
	}
	interrupts := false
	if role == message.RoleCustom && c.held != nil {
		customType, _ := jsonedit.Text(msg, "customType")
		interrupts = c.rules.Interrupted != "" && customType == c.rules.Interrupted
	}
	if !c.release(interrupts) {
		return false
	}
	if slices.Contains(c.rules.Skip, role) {
		return true
	}
	switch role {
	case message.RoleUser:
		return c.emit(c.attributed(msg, "user"))
	case message.RoleDeveloper:
		return c.emit(c.attributed(msg, "agent"))
	case message.RoleSystem:
		return c.emit(msg)
	case message.RoleAssistant:
		c.held = msg
		return true
	case message.RoleToolResult:
		msg, c.lost = jsonedit.Scrub(msg)
		return c.emit(c.attributed(c.pruned(msg), "agent"))
	}
	return c.rewrite(msg, role)
}

// rewrite converts a message of a role that models do not know. It is rid of
// lone surrogates first, since decoding its text would lose them uncounted.
func (c *converter) rewrite(msg entry.JSON, role string) bool {
	msg, c.lost = jsonedit.Scrub(msg)
	switch role {
	case message.RoleBashExecution, message.RolePythonExecution:
		return c.execution(msg, role)
	case message.RoleCustom, message.RoleHook:
		return c.custom(msg, role)
	case message.RoleFileMention:
		return c.files(msg)
	case message.RoleBranchSummary, message.RoleCompactionSummary:
		return c.summary(msg, role)
	}
	return true
}

// release sends the message that was held back.
func (c *converter) release(interrupted bool) bool {
	msg := c.held
	if msg == nil {
		return true
	}
	c.held = nil
	if interrupted {
		msg = withoutUnfinished(msg)
	}
	return c.emit(msg)
}

// emit cleans and sends one message.
func (c *converter) emit(msg entry.JSON) bool {
	c.cleaned.Surrogates += c.lost
	c.lost = 0
	return c.yield(clean(msg, c.cleaned), nil)
}

// attributed adds who said it, where that is missing and asked for.
func (c *converter) attributed(msg entry.JSON, who string) entry.JSON {
	if v, ok := jsonedit.Get(msg, "attribution"); !c.rules.Attribution || ok && !jsonedit.IsNull(v) {
		return msg
	}
	return jsonedit.Set(msg, "attribution", jsonedit.Quoted(who))
}

// outgoing is a message made for the model.
type outgoing struct {
	role    string
	content entry.JSON
	// attribution is left out when nil.
	attribution entry.JSON
	// from is the stored message that gives the timestamp.
	from entry.JSON
}

// object starts the message; the caller may add to it before value.
func (o outgoing) object() *jsonedit.Object {
	return new(jsonedit.Object).String("role", o.role).Add("content", o.content).Add("attribution", o.attribution)
}

// value returns the message.
func (o outgoing) value() entry.JSON {
	return o.object().Add("timestamp", member(o.from, "timestamp")).Value()
}

// who returns the attribution for a message made for the model.
func (c *converter) who(name string) entry.JSON {
	if !c.rules.Attribution {
		return nil
	}
	return jsonedit.Quoted(name)
}

// member returns the member's value, nil when it is absent.
func member(obj entry.JSON, key string) entry.JSON {
	v, _ := jsonedit.Get(obj, key)
	return v
}

// textBlock returns a text block.
func textBlock(text string) entry.JSON {
	return new(jsonedit.Object).String("type", message.TypeText).String("text", text).Value()
}

// isBlock reports whether v is a block of the type.
func isBlock(v entry.JSON, kind string) bool {
	t, ok := jsonedit.Text(v, "type")
	return ok && t == kind
}

// truthy reports whether JavaScript takes v for true.
func truthy(v entry.JSON) bool {
	switch jsonedit.Kind(v) {
	case jsontext.KindString:
		return jsonedit.UnitsRaw(v) > 0
	case jsontext.KindNumber:
		n, ok := jsonedit.Number(v)
		return ok && n != 0
	case jsontext.KindTrue, jsontext.KindBeginObject, jsontext.KindBeginArray:
		return true
	}
	return false
}
