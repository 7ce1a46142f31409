package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Of what a server says from one request to the next. It waits in memory until it
// is looked at, and one that never stops would fill it.
const (
	// maxUnasked is how many bytes that may be: two of the longest messages.
	maxUnasked = 32 << 20
	// aMessage is what a message takes beside its bytes.
	aMessage = 1 << 10
)

// errFlood is why a server is ended that does not stop.
var errFlood = errors.New("it says more in one go than is taken")

// A meter counts what a server says.
type meter struct {
	// flood is closed when that is too much: a server that does not read either
	// holds up who would tell it.
	flood chan struct{}

	mu   sync.Mutex
	said int // guarded by mu; since it was asked last
}

// asked notes that the server is asked for something.
func (m *meter) asked() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.said = 0
}

// take counts n bytes.
func (m *meter) take(n int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.said += n; m.said <= maxUnasked {
		return nil
	}
	if !m.flooded() {
		close(m.flood)
	}
	return errFlood
}

// flooded reports whether it was too much before.
func (m *meter) flooded() bool {
	select {
	case <-m.flood:
		return true
	default:
		return false
	}
}

// A metered stream ends with an error where the meter says so.
type metered struct {
	io.ReadCloser
	m *meter
	// lines says that messages are lines, as all are but a single one that
	// answers a request of HTTP.
	lines bool
}

// Read reads what the server says.
func (r metered) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	size := n
	if r.lines {
		size += aMessage * bytes.Count(p[:n], []byte("\n"))
	}
	if over := r.m.take(size); over != nil {
		return 0, over
	}
	return n, err
}

// near carries requests to one server alone, with headers: where that sends a
// client elsewhere, neither they nor what is asked go there.
type near struct {
	scheme, host string
	header       http.Header
	m            *meter
}

// RoundTrip does a request.
func (n *near) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != n.scheme || r.URL.Host != n.host {
		return nil, fmt.Errorf("it sends its client elsewhere, to %q", r.URL.Scheme+"://"+r.URL.Host)
	}
	r = r.Clone(r.Context())
	for name, values := range n.header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		events := strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
		res.Body = metered{res.Body, n.m, events}
	}
	return res, err
}
