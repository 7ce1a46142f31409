package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// HookLimit is how long one handler may take where nothing else is said.
const HookLimit = 30 * time.Second

// farewell is how long is waited for a handler that is interrupted: it kills the process
// that it has started.
const farewell = time.Second

// ErrHung is the cause of a handler that took longer than it may. It was left
// behind, with its context ended; what it answers later is not looked at.
var ErrHung = errors.New("hook took too long")

// Hooks are the handlers of events, called in the order in which they were
// registered, one after the other (published). The zero value is ready to use
// and safe for concurrent use; its fields are set before.
type Hooks struct {
	// Limit is how long one handler may take; 0 means HookLimit.
	Limit time.Duration
	// Report is told of a handler that returned an error, panicked or took too
	// long; it was passed over. nil means nobody is.
	Report func(event string, err error)

	mu  sync.Mutex
	all []*handler // guarded by mu
}

type handler struct {
	event string
	limit time.Duration // 0 is that of the Hooks
	call  func(context.Context, Event) (Reply, error)
}

// On registers a handler for events of type E, and returns what takes it out
// again. The handler runs in a goroutine of its own; it may call the agent's
// methods that only look, but none that goes elsewhere ([ErrBusy]).
func On[E Event](h *Hooks, f func(context.Context, E) (Reply, error)) (remove func()) {
	var zero E
	return h.add(&handler{event: zero.name(), call: func(ctx context.Context, e Event) (Reply, error) {
		return f(ctx, e.(E))
	}})
}

// OnNamed registers a handler for events of a name, whatever their type, that may
// take as long as limit; 0 means h.Limit. For the rest it is [On].
func (h *Hooks) OnNamed(name string, limit time.Duration, f func(context.Context, Event) (Reply, error)) (remove func()) {
	return h.add(&handler{event: name, limit: limit, call: f})
}

func (h *Hooks) add(added *handler) (remove func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, added)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.all = slices.DeleteFunc(h.all, func(x *handler) bool { return x == added })
	}
}

// hears reports whether an event has a handler. A nil *Hooks has none.
func (h *Hooks) hears(e Event) bool {
	if h == nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.all, func(x *handler) bool { return x.event == e.name() })
}

// Emit tells an event to its handlers and returns the last reply that says
// something. For an event that asks, the first reply that cancels is returned at
// once, and who comes after it is not asked. A handler that fails is reported and
// passed over. A nil *Hooks has no handlers.
func (h *Hooks) Emit(ctx context.Context, e Event) Reply {
	var last Reply
	if h == nil {
		return last
	}
	h.mu.Lock()
	all := slices.Clone(h.all)
	h.mu.Unlock()
	for _, x := range all {
		if x.event != e.name() {
			continue
		}
		r, err := h.call(ctx, x, e)
		switch {
		case err != nil:
			if h.Report != nil {
				h.Report(x.event, err)
			}
		case r.Cancel && asks(e):
			return r
		case !r.empty():
			last = r
		}
	}
	return last
}

type outcome struct {
	reply Reply
	err   error
}

// call runs one handler, as long as it may take.
func (h *Hooks) call(ctx context.Context, x *handler, e Event) (Reply, error) {
	limit := h.Limit
	if x.limit > 0 {
		limit = x.limit
	}
	if limit <= 0 {
		limit = HookLimit
	}
	ctx, stop := context.WithTimeoutCause(ctx, limit, ErrHung)
	defer stop()
	done := make(chan outcome, 1)
	go func() {
		o := outcome{err: fmt.Errorf("run hook %s: it ended its goroutine", x.event)}
		defer func() {
			if p := recover(); p != nil {
				o = outcome{err: fmt.Errorf("run hook %s: panic: %v", x.event, p)}
			}
			done <- o
		}()
		reply, err := x.call(ctx, e)
		if err != nil {
			err = fmt.Errorf("run hook %s: %w", x.event, err)
		}
		o = outcome{reply, err}
	}()
	select {
	case o := <-done:
		return o.reply, o.err
	case <-ctx.Done():
		cause := context.Cause(ctx)
		if !errors.Is(cause, ErrHung) {
			late := time.NewTimer(farewell)
			defer late.Stop()
			select {
			case <-done:
			case <-late.C:
			}
		}
		return Reply{}, fmt.Errorf("run hook %s: %w", x.event, cause)
	}
}
