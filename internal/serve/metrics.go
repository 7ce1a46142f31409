package serve

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what a server counts, in a registry of its own.
type metrics struct {
	handler        http.Handler
	requests       *prometheus.CounterVec
	seconds        *prometheus.HistogramVec
	refused        *prometheus.CounterVec
	streams        prometheus.Gauge
	received, sent prometheus.Counter
}

func newMetrics(s *server) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cambium_requests_total", Help: "Messages that were done, by method and outcome (ok, or the code of the error).",
		}, []string{"method", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "cambium_request_seconds", Help: "How long messages took, waiting for their turn included.",
			Buckets: []float64{.0001, .0003, .001, .003, .01, .03, .1, .3, 1, 3, 10, 30},
		}, []string{"method"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cambium_refused_total", Help: "What was turned away unread, by reason.",
		}, []string{"reason"}),
		streams:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "cambium_event_streams", Help: "Event streams that are read."}),
		received: prometheus.NewCounter(prometheus.CounterOpts{Name: "cambium_received_bytes_total", Help: "Bytes of messages received."}),
		sent:     prometheus.NewCounter(prometheus.CounterOpts{Name: "cambium_sent_bytes_total", Help: "Bytes of answers and events sent."}),
	}
	gauge := func(name, help string, labels prometheus.Labels, value func() int) prometheus.Collector {
		o := prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}
		return prometheus.NewGaugeFunc(o, func() float64 { return float64(value()) })
	}
	const connections = "Connections, by kind."
	own := prometheus.NewRegistry()
	own.MustRegister(m.requests, m.seconds, m.refused, m.streams, m.received, m.sent,
		gauge("cambium_open_sessions", "Sessions that are open.", nil, s.room.held),
		gauge("cambium_unsaved_entries", "Entries in memory that are not saved, as of the last call on each session.", nil, s.unsaved),
		gauge("cambium_connections", connections, prometheus.Labels{"kind": "http"}, func() int {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.clients)
		}),
		gauge("cambium_connections", connections, prometheus.Labels{"kind": "stranger"}, func() int {
			return s.doors.http.held() + s.doors.socket.held()
		}),
		gauge("cambium_connections", connections, prometheus.Labels{"kind": "socket"}, func() int {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.sockets)
		}))
	m.handler = promhttp.HandlerFor(own, promhttp.HandlerOpts{})
	return m
}

// watch counts a message that was done.
func (m *metrics) watch(method string, code int, took time.Duration) {
	if method == "" {
		method = "none"
	}
	outcome := "ok"
	if code != 0 {
		outcome = strconv.Itoa(code)
	}
	m.requests.WithLabelValues(method, outcome).Inc()
	m.seconds.WithLabelValues(method).Observe(took.Seconds())
}

// refuse counts what was turned away.
func (m *metrics) refuse(reason string) { m.refused.WithLabelValues(reason).Inc() }

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
