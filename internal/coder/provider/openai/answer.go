package openai

import (
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// An answer is a message that is being streamed.
type answer struct {
	*provider.Answer
	r provider.Request
	// place is who is asked, now when, for errors.
	place provider.Place
	now   time.Time
	// calls are the calls so far.
	calls []*call
	// stop is why the answer ended, "" as long as nobody said so.
	stop message.StopReason
	// failed is the error that the answer itself ended with, nil for none.
	failed *provider.Error
}

// A call is one of an answer: the block at a number.
type call struct {
	*message.ToolCall
	at     int
	closed bool
	// index is the server's number for it, where it gives one.
	index   int64
	indexed bool
}

func newAnswer(r provider.Request, tell func(provider.Event), now time.Time) *answer {
	return &answer{Answer: provider.Begin(r, now, tell), r: r, place: provider.At(r, ownAddress), now: now}
}

// openCall begins a call.
func (a *answer) openCall(id, name string) *call {
	c := &call{ToolCall: &message.ToolCall{ID: id, Name: name}}
	c.at = a.Open(c.ToolCall)
	a.calls = append(a.calls, c)
	return c
}

// closeCall ends a call, which gets an id if it has none.
func (a *answer) closeCall(c *call) error {
	if c.closed {
		return nil
	}
	if c.Name == "" {
		return a.malformed("a call without the name of a tool")
	}
	c.closed = true
	a.Close(c.at)
	return nil
}

// whole reports whether c can be run as it is, whatever follows.
func (a *answer) whole(c *call) bool {
	_, text := a.Block(c.at)
	return c.Name != "" && valid(message.JSON(text))
}

// settle makes text what the block says, of which deltas told the beginning. If
// they told something else, they count: they were shown.
func (a *answer) settle(at int, text string) {
	_, said := a.Block(at)
	if rest, ok := strings.CutPrefix(text, said); ok {
		a.Add(at, rest)
	}
}

// finish makes the message of what has come. Where the answer broke, err says
// so: calls that are not whole are left out then.
func (a *answer) finish(err error) (*message.Assistant, error) {
	if err == nil && a.failed != nil {
		err = a.failed
	}
	for _, c := range a.calls {
		if err == nil {
			err = a.closeCall(c)
		} else if a.whole(c) {
			_ = a.closeCall(c) // it has a name
		}
	}
	if err != nil {
		fault, ok := err.(*provider.Error)
		if !ok {
			fault = a.place.Fault(provider.Malformed, "", err)
		}
		return a.Broke(fault)
	}
	switch {
	case len(a.calls) > 0 && a.stop == message.Stop:
		a.stop = message.ToolUse
	case len(a.calls) == 0 && a.stop == message.ToolUse:
		a.stop = message.Stop // a promise without a call
	}
	return a.Done(a.stop), nil
}

// seen notes the id of the answer and the model that gave it.
func (a *answer) seen(id, name string) {
	if a.Message.ResponseID == "" {
		a.Message.ResponseID = id
	}
	if a.Message.ResponseModel == "" && name != a.r.Model.ID {
		a.Message.ResponseModel = name
	}
}

// count returns the number at keys, 0 where there is none.
func count(v message.JSON, keys ...string) float64 {
	n, _ := jsonedit.Path(v, keys...)
	f, _ := jsonedit.Number(n)
	return max(f, 0)
}

// number returns the integer member of v named key, 0 where there is none.
func number(v message.JSON, key string) int64 {
	n, _ := jsonedit.Get(v, key)
	i, _ := jsonedit.Int(n)
	return i
}

// object returns the member of v named key where it is an object.
func object(v message.JSON, key string) (message.JSON, bool) {
	member, _ := jsonedit.Get(v, key)
	return member, jsonedit.Kind(member) == jsontext.KindBeginObject
}

// valid reports whether v is a JSON object, in JavaScript's eyes.
func valid(v message.JSON) bool {
	return jsonedit.Kind(v) == jsontext.KindBeginObject && jsontext.Value(v).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}
