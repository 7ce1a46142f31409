package provider

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// Limits bound what is taken from a server and how long it may be silent. The
// zero Limits are the usual ones.
type Limits struct {
	// Total is how many bytes an answer may have; 0 is 512 MiB, what a hundred
	// of the longest answers take.
	Total int64
	// Event is how many bytes an event of it may have; 0 is 32 MiB.
	Event int64
	// Refusal is how much is read of an answer that is an error; 0 is 64 KiB.
	Refusal int64
	// Silence is how long a server may take to begin its answer, and to end an
	// event; 0 is half an hour: models on small machines read a long prompt for
	// minutes.
	Silence time.Duration
}

func (l Limits) usual() Limits {
	or := func(n *int64, usual int64) {
		if *n == 0 {
			*n = usual
		}
	}
	or(&l.Total, 512<<20)
	or(&l.Event, 32<<20)
	or(&l.Refusal, 64<<10)
	if l.Silence == 0 {
		l.Silence = 30 * time.Minute
	}
	return l
}

// What ends an answer that goes beyond its [Limits]. One that is longer than an
// event may be ends with bufio.ErrTooLong.
var (
	errFlood  = errors.New("the answer does not end")
	errSilent = errors.New("the server was silent for too long")
)

// Client returns a client that sends requests through base and takes answers
// within limits; nil is a transport of its own, with the proxies of the
// environment. It follows no redirects: whom they lead to would get the key and
// the conversation.
func Client(base http.RoundTripper, limits Limits) *http.Client {
	limits = limits.usual()
	if own, ok := http.DefaultTransport.(*http.Transport); ok && base == nil {
		own = own.Clone()
		own.ResponseHeaderTimeout = limits.Silence
		own.MaxResponseHeaderBytes = 1 << 20
		own.ReadBufferSize = 32 << 10 // an answer comes in large pieces
		base = own
	} else if base == nil {
		base = http.DefaultTransport
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Transport: bounded{base, limits}, CheckRedirect: stay}
}

// bounded carries requests and bounds the answers.
type bounded struct {
	http.RoundTripper
	limits Limits
}

// RoundTrip sends r.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err != nil {
		return res, err
	}
	w := &wire{body: res.Body, limits: b.limits, left: b.limits.Total, over: errFlood}
	if res.StatusCode >= http.StatusMultipleChoices {
		w.left, w.over = b.limits.Refusal, io.EOF // what came is enough
	}
	w.timer = time.AfterFunc(b.limits.Silence, w.giveUp)
	res.Body = w
	return res, nil
}

// A wire is the body of an answer.
type wire struct {
	body   io.ReadCloser
	limits Limits
	left   int64 // of the bytes of the whole
	over   error // when none is
	event  int64 // bytes of the event that is read
	line   int64 // bytes of its line
	timer  *time.Timer

	mu     sync.Mutex
	silent bool // guarded by mu
}

// giveUp ends the reading of a server that says nothing.
func (w *wire) giveUp() {
	w.mu.Lock()
	w.silent = true
	w.mu.Unlock()
	_ = w.body.Close() // only read
}

// Read reads on as long as the limits hold.
func (w *wire) Read(p []byte) (int, error) {
	if w.left <= 0 {
		return 0, w.over
	}
	n, err := w.body.Read(p[:min(int64(len(p)), w.left)])
	w.left -= int64(n)
	w.count(p[:n])
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.silent && err != nil && err != io.EOF:
		return n, errSilent
	case w.event > w.limits.Event:
		return 0, bufio.ErrTooLong
	}
	return n, err
}

// count notes where events end, which is at empty lines. What is said then is
// no silence.
func (w *wire) count(p []byte) {
	w.event += int64(len(p))
	ended := false
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			break
		}
		if w.line+visible(p[:i]) == 0 {
			w.event, ended = int64(len(p)-i-1), true
		}
		w.line, p = 0, p[i+1:]
	}
	w.line += visible(p)
	if ended {
		w.timer.Reset(w.limits.Silence)
	}
}

// visible is how many bytes of a line are not the carriage return of its end.
func visible(p []byte) int64 { return int64(len(bytes.TrimRight(p, "\r"))) }

// Close closes the connection.
func (w *wire) Close() error {
	w.timer.Stop()
	return w.body.Close()
}
