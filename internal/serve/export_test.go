package serve

import (
	"net/http"
	"time"
)

// WithTicks has connections looked after whenever something is sent on ticks.
func WithTicks(o Options, ticks <-chan time.Time) Options {
	o.ticks = ticks
	return o
}

// Handler returns what answers HTTP, and what ends the calls.
func Handler(o Options) (http.Handler, func()) {
	s := newServer(o)
	return s.handler(), func() {
		s.halt(nil)
		s.roots.release()
	}
}
