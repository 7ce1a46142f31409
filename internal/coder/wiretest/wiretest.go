package wiretest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
)

// A Protocol is one of the protocols that the server speaks; its text is the
// folder of the protocol's files.
type Protocol string

// The protocols.
const (
	Anthropic Protocol = "anthropic"
	Chat      Protocol = "openai-chat"
	Responses Protocol = "openai-responses"
)

// Protocols returns all protocols.
func Protocols() []Protocol { return []Protocol{Anthropic, Chat, Responses} }

// A Request is what a client sent.
type Request struct {
	Protocol Protocol
	// Method and Path are those of HTTP.
	Method, Path string
	Header       http.Header
	Body         []byte
}

// A Server answers requests until the test ends. It is safe for concurrent use.
type Server struct {
	// URL is the address, without a slash at its end. Clients of Anthropic take
	// it as their base; those of OpenAI take URL + "/v1".
	URL string

	done   chan struct{}
	choose func(Request) (Reply, bool)

	mu       sync.Mutex
	requests []Request
	refused  int
	waiting  []waiter
}

// waiter is a channel that is closed when n requests have come.
type waiter struct {
	n  int
	ch chan struct{}
}

// New starts a server that answers with the replies of the script, as [Script]
// tells. It ends with the test, which fails if a request found no reply.
func New(t testing.TB, replies ...Reply) *Server {
	t.Helper()
	script := &Script{Replies: replies}
	return start(t, script.Next)
}

// NewFunc starts a server that asks reply for each answer, from the goroutine of
// the request.
func NewFunc(t testing.TB, reply func(Request) Reply) *Server {
	t.Helper()
	return start(t, func(r Request) (Reply, bool) { return reply(r), true })
}

func start(t testing.TB, choose func(Request) (Reply, bool)) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("wiretest: listen: %v", err)
	}
	s := newServer(choose)
	s.URL = "http://" + l.Addr().String()
	served := make(chan struct{})
	web := &http.Server{Handler: s}
	go func() {
		defer close(served)
		_ = web.Serve(l) // ends with the listener
	}()
	t.Cleanup(func() {
		close(s.done)
		_ = web.Close() // the connections of clients that are still there
		<-served
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.refused > 0 {
			t.Errorf("wiretest: %d of %d requests found no reply in the script", s.refused, len(s.requests))
		}
	})
	return s
}

func newServer(choose func(Request) (Reply, bool)) *Server {
	return &Server{choose: choose, done: make(chan struct{})}
}

// Serve answers the requests on l with the replies of the script until ctx ends
// or the listener fails, and closes l.
func Serve(ctx context.Context, l net.Listener, script *Script) error {
	s := newServer(script.Next)
	web := &http.Server{Handler: s}
	stop := context.AfterFunc(ctx, func() {
		close(s.done)
		_ = web.Close() // nothing of it is to be kept
	})
	defer stop()
	err := web.Serve(l)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// Requests returns what came until now, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Last returns the newest request, the zero Request for none.
func (s *Server) Last() Request {
	if all := s.Requests(); len(all) > 0 {
		return all[len(all)-1]
	}
	return Request{}
}

// Arrived returns a channel that is closed when n requests have come.
func (s *Server) Arrived(n int) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := make(chan struct{})
	if len(s.requests) >= n {
		close(ch)
	} else {
		s.waiting = append(s.waiting, waiter{n, ch})
	}
	return ch
}

// note keeps a request and wakes those who wait for it.
func (s *Server) note(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	kept := s.waiting[:0]
	for _, w := range s.waiting {
		if len(s.requests) >= w.n {
			close(w.ch)
		} else {
			kept = append(kept, w)
		}
	}
	s.waiting = kept
}
