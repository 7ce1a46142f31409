package serve

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// meters are what a server counts, in a set of its own.
type meters struct {
	set            *metrics.Set
	streams        *metrics.Gauge
	received, sent *metrics.Counter
}

// secondsBuckets are the upper bounds of the histograms, in seconds.
var secondsBuckets = []float64{.0001, .0003, .001, .003, .01, .03, .1, .3, 1, 3, 10, 30}

func newMeters(s *server) *meters {
	set := metrics.NewSet()
	gauge := func(name string, value func() int) {
		set.NewGauge(name, func() float64 { return float64(value()) })
	}
	locked := func(value func() int) func() int {
		return func() int {
			s.mu.Lock()
			defer s.mu.Unlock()
			return value()
		}
	}
	gauge("cambium_open_sessions", s.room.held)
	gauge("cambium_unsaved_entries", s.unsaved)
	gauge(`cambium_connections{kind="http"}`, locked(func() int { return len(s.clients) }))
	gauge(`cambium_connections{kind="socket"}`, locked(func() int { return len(s.sockets) }))
	gauge(`cambium_connections{kind="stranger"}`, func() int { return s.doors.http.held() + s.doors.socket.held() })
	return &meters{
		set:      set,
		streams:  set.NewGauge("cambium_event_streams", nil),
		received: set.NewCounter("cambium_received_bytes_total"),
		sent:     set.NewCounter("cambium_sent_bytes_total"),
	}
}

// ServeHTTP answers with all counts, as Prometheus reads them.
func (c *meters) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	c.set.WritePrometheus(w)
}

// watch counts a message that was done. The method is one that there is, or empty.
func (c *meters) watch(method string, code int, took time.Duration) {
	if method == "" {
		method = "none"
	}
	outcome := "ok"
	if code != 0 {
		outcome = strconv.Itoa(code)
	}
	c.set.GetOrCreateCounter(fmt.Sprintf("cambium_requests_total{method=%q,outcome=%q}", method, outcome)).Inc()
	name := fmt.Sprintf("cambium_request_seconds{method=%q}", method)
	c.set.GetOrCreatePrometheusHistogramExt(name, secondsBuckets).Update(took.Seconds())
}

// refuse counts what was turned away.
func (c *meters) refuse(reason string) {
	c.set.GetOrCreateCounter(fmt.Sprintf("cambium_refused_total{reason=%q}", reason)).Inc()
}

// unsaved counts the entries of all connections that are not saved.
func (s *server) unsaved() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, c := range s.clients {
		n += c.conn.Unsaved()
	}
	for _, unsaved := range s.counts {
		n += unsaved()
	}
	return n
}
