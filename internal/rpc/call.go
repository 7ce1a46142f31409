package rpc

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

// A call is a message on its way.
type call struct {
	s      *Conn
	m      *method
	id     entry.JSON // nil for a notification
	args   args
	h      *handle // of a method on a handle, or the new one
	cancel context.CancelFunc
	// done is given the answer, nil for none, and what to do once it is sent.
	done   func(message entry.JSON, after func())
	after  func()
	caller context.Context // of who waits for the answer; nil when nobody goes away
	began  time.Time
	told   int64 // the percentage that was last told
	// away says which stores did not answer; nil for none.
	away entry.JSON
}

// begin begins one message: it is put in the queue of its handle, or done
// beside all others. It calls done exactly once, at any time.
func (s *Conn) begin(ctx, caller context.Context, raw entry.JSON, done func(entry.JSON, func())) {
	r, err := parse(raw)
	c := &call{s: s, id: r.id, done: done, after: nothing, caller: caller, began: time.Now()}
	if err == nil {
		err = s.prepare(c, r)
	}
	switch {
	case err != nil:
		s.reply(func() { c.finish(nil, err) })
	case c.m == nil:
		s.reply(func() { c.finish(nil, nil) }) // a cancellation: done already
	case c.onHandle():
		s.register(ctx, c, func(run func(pass func())) { c.h.push(&s.work, run) })
	case c.m.open != nil:
		// First in the queue of its handle: calls on it may be sent ahead.
		s.register(ctx, c, func(run func(pass func())) { c.h.push(&s.work, s.inTurn(run)) })
	case c.m.inOrder:
		s.register(ctx, c, func(run func(pass func())) { s.orderly.push(&s.work, s.inTurn(run)) })
	default:
		s.register(ctx, c, func(run func(pass func())) { s.work.Go(func() { s.inTurn(run)(nothing) }) })
	}
}

// onHandle reports whether the call is about an open session.
func (c *call) onHandle() bool { return c.m.on != nil && (c.m.find == nil || c.args.has("handle")) }

// inTurn bounds how many calls of its kind run side by side.
func (s *Conn) inTurn(run func(pass func())) func(pass func()) {
	return func(func()) {
		s.slots <- struct{}{}
		defer func() { <-s.slots }()
		run(nothing)
	}
}

// prepare finds what a message asks for.
func (s *Conn) prepare(c *call, r request) error {
	if r.method == "$/cancel" {
		return s.cancelCall(r.params)
	}
	m, ok := s.table[strings.TrimPrefix(r.method, prefix)]
	if !ok {
		var o jsonedit.Object
		return &fault{
			code: codeMethod, message: fmt.Sprintf("no method is called %q", r.method),
			data: o.String("method", r.method).Value(),
		}
	}
	c.m = m
	var err error
	if c.args, err = m.check(r.params); err != nil {
		return err
	}
	if err := s.permit(m, c.args); err != nil {
		return err
	}
	if err := m.located(c.args); err != nil {
		return err
	}
	switch {
	case m.open != nil:
		release, err := s.admit()
		if err != nil {
			return err
		}
		hush := s.hushed.Load()
		if c.args.has("ownEvents") {
			hush = !c.args.flag("ownEvents")
		}
		c.h = s.newHandle(release, hush)
		c.h.follows = m.name == "follow"
	case c.onHandle():
		name := c.args.text("handle")
		s.mu.Lock()
		c.h = s.handles[name]
		s.mu.Unlock()
		if c.h == nil {
			return badHandle(name)
		}
	}
	return nil
}

// register makes a call one that can be cancelled until it is answered, and
// has it started.
func (s *Conn) register(ctx context.Context, c *call, start func(run func(pass func()))) {
	ctx, c.cancel = context.WithCancel(ctx)
	stay := func() bool { return true }
	if c.caller != nil && !c.m.writes && c.m.open == nil {
		stay = context.AfterFunc(c.caller, c.cancel) // nobody wants to know any more
	}
	key := string(c.id)
	if c.id != nil {
		s.mu.Lock()
		s.pending[key] = append(s.pending[key], c)
		s.mu.Unlock()
	}
	start(func(pass func()) {
		look := s.o.Offline.Look()
		result, err := c.run(session.WhenWaiting(ctx, pass))
		result, err = c.judge(look, result, err)
		stay()
		c.cancel()
		if c.h != nil {
			c.h.count()
		}
		if c.id != nil {
			s.forget(key, c)
		}
		c.finish(result, err)
	})
}

func (s *Conn) forget(key string, c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := s.pending[key][:0]
	for _, other := range s.pending[key] {
		if other != c {
			rest = append(rest, other)
		}
	}
	if s.pending[key] = rest; len(rest) == 0 {
		delete(s.pending, key)
	}
}

// cancelCall ends the calls with an id. One that is not under way, because it
// was answered or never came, is nothing to complain about.
func (s *Conn) cancelCall(params entry.JSON) error {
	id, ok := jsonedit.Get(params, "id")
	if !ok {
		return badParam("id", "missing")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.pending[string(id)] {
		c.cancel()
	}
	return nil
}

// run does what the call asks for. A panic is an internal error of this call
// alone.
func (c *call) run(ctx context.Context) (result entry.JSON, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.s.o.Log.Error("panic in "+c.m.name, "error", fmt.Sprintf("%v\n%s", p, debug.Stack()))
			result, err = nil, &fault{code: codeInternal, message: fmt.Sprintf("internal error in %s: %v", c.m.name, p)}
		}
	}()
	if c.m.open != nil {
		return c.opened(ctx)
	}
	if ctx.Err() != nil {
		return nil, tooLate()
	}
	switch {
	case !c.onHandle():
		if result, err = c.m.find(ctx, c); err == nil && result != nil && jsonl.Valid(result) != nil {
			err = &fault{code: codeInternal, message: c.m.name + ": the answer is not JSON; `cambium doctor` may say why"}
		}
		return result, err
	case c.h.closed.Load():
		return nil, badHandle(c.h.name)
	}
	result, err = c.m.on(ctx, c)
	if !overwritten(result, err) || c.h.session.Queued() > 0 { // what waits was appended
		return result, err
	}
	// What was read is not what was known of the log: it is looked at, and read again.
	if _, err := c.h.session.Refresh(ctx); err != nil {
		return nil, err
	}
	if result, err = c.m.on(ctx, c); err == nil && overwritten(result, nil) {
		err = &fault{code: codeInternal, message: c.m.name + ": a line of the session is not JSON; `cambium doctor` says which"}
	}
	return result, err
}

// overwritten reports whether an answer shows that another program wrote over the
// log: an error that says so, or what is not JSON.
func overwritten(result entry.JSON, err error) bool {
	var changed *storage.Changed
	var broken *jsonl.SyntaxError
	return errors.As(err, &changed) || errors.As(err, &broken) || err == nil && result != nil && jsonl.Valid(result) != nil
}

// tooLate is the error of a call that was cancelled while it waited.
func tooLate() error {
	return &fault{code: codeCancelled, message: "cancelled before it was begun"}
}

// finish hands over the answer. A notification has none, whatever happened.
func (c *call) finish(result entry.JSON, err error) {
	c.watched(err)
	switch {
	case c.id == nil:
		if err != nil {
			c.s.o.Log.Debug("notification failed", "error", err)
		}
		c.done(nil, c.after)
	case err != nil:
		c.done(refusal(c.id, faultOf(err)), c.after)
	case result == nil:
		c.done(answer(c.id, null, c.away), c.after)
	default:
		c.done(answer(c.id, result, c.away), c.after)
	}
}

// progress tells how far the call is: at the beginning, at each further
// percent, at the end.
func (c *call) progress(done, total int) {
	if c.id == nil || total <= 0 {
		return
	}
	percent := int64(done)*100/int64(total) + 1
	if percent == c.told {
		return
	}
	c.told = percent
	var o jsonedit.Object
	o.Add("id", c.id).Int("done", int64(done)).Int("total", int64(total))
	c.s.tell(notification("$/progress", o.Value()))
}
