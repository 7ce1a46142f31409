package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Times of the end of a server.
const (
	farewell  = time.Second // that a server has to end by itself
	killGrace = 2 * time.Second
)

// A server is one that was started, or is about to be.
type server struct {
	Server
	o      Options
	prefix string        // of its tools' names
	ready  chan struct{} // closed when its tools are known, or never will be
	over   chan struct{} // closed when nothing of it is left

	meter   meter
	listing sync.Mutex // held while it is asked for its tools

	mu      sync.Mutex
	session *sdk.ClientSession // guarded by mu; nil when there is none
	tools   []*remote          // guarded by mu
	stale   bool               // guarded by mu; it said that its tools have changed
	gone    bool               // guarded by mu
}

// run is the life of a server. It ends with ctx at the latest.
func (s *server) run(ctx context.Context) {
	defer close(s.over)
	link, err := s.reach()
	if err != nil {
		s.o.Say(fmt.Sprintf("the MCP server %q cannot be started: %v", s.Name, err))
		close(s.ready)
		return
	}
	life, die := context.WithCancel(ctx) // some transports live no longer than what connects them
	defer die()
	session, err := s.begin(life, link)
	if err != nil {
		s.fail(ctx, link, session, err)
		return
	}
	close(s.ready)
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err = <-ended:
	case <-link.ended():
	case <-s.meter.flood:
		err = errFlood
	case <-ctx.Done():
	}
	s.mu.Lock()
	s.gone, s.tools = true, nil
	s.mu.Unlock()
	link.end(session)
	if ctx.Err() == nil {
		s.o.Say(fmt.Sprintf("the MCP server %q is gone, and its tools with it: %s", s.Name, link.why(err)))
	}
}

// errSilent is why a server has failed that may do nothing when it is ended, either.
var errSilent = errors.New("it has not answered")

// fail ends a server that did not start. Why is said before its tools are known to be
// none: who does not find them has heard it. Nobody waits for the end of one that does
// not answer.
func (s *server) fail(ctx context.Context, l *link, session *sdk.ClientSession, err error) {
	late := ctx.Err() != nil || errors.Is(err, errSilent)
	if !late {
		l.end(session)
	}
	if ctx.Err() == nil {
		s.o.Say(fmt.Sprintf("the MCP server %q did not start: %s", s.Name, l.why(err)))
	}
	close(s.ready)
	if late {
		l.end(session)
	}
}

// begin shakes hands and asks for the tools. A server that has none is no error.
func (s *server) begin(life context.Context, l *link) (*sdk.ClientSession, error) {
	ctx, stop := context.WithTimeoutCause(life, s.o.Start, fmt.Errorf("%w for %v", errSilent, s.o.Start))
	defer stop()
	client := sdk.NewClient(&sdk.Implementation{Name: "cambium", Version: s.o.Version}, &sdk.ClientOptions{
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		//lint:ignore SA1019 servers of the protocol that is in use ask for the directory so
		Capabilities: &sdk.ClientCapabilities{RootsV2: &sdk.RootCapabilities{}},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			s.mu.Lock()
			s.stale = true
			s.mu.Unlock()
		},
	})
	client.AddReceivingMiddleware(s.heard)
	root := url.URL{Scheme: "file", Path: filepath.ToSlash(s.o.Dir)}
	//lint:ignore SA1019 see above
	client.AddRoots(&sdk.Root{URI: root.String(), Name: filepath.Base(s.o.Dir)})
	type met struct {
		session *sdk.ClientSession
		err     error
	}
	done := make(chan met, 1)
	go func() {
		session, err := client.Connect(life, l.transport, nil)
		done <- met{session, err}
	}()
	select {
	case m := <-done:
		if m.err != nil {
			return nil, cause(ctx, m.err)
		}
		s.mu.Lock()
		s.session = m.session
		s.mu.Unlock()
		return m.session, s.list(ctx, m.session)
	case <-ctx.Done():
		go func() { // it ends when the link does
			if m := <-done; m.session != nil {
				_ = m.session.Close()
			}
		}()
		return nil, context.Cause(ctx)
	}
}

// acknowledged is how a server says that it tells of changes from now on.
const acknowledged = "notifications/subscriptions/acknowledged"

// heard takes what a server says. Of changes that came before it was told to tell of
// them it does not: its tools are asked for again.
func (s *server) heard(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		if method == acknowledged {
			s.mu.Lock()
			s.stale = true
			s.mu.Unlock()
		}
		return next(ctx, method, r)
	}
}

// list asks for the tools.
func (s *server) list(ctx context.Context, session *sdk.ClientSession) error {
	s.listing.Lock()
	defer s.listing.Unlock()
	s.mu.Lock()
	s.stale = false
	s.mu.Unlock()
	init := session.InitializeResult()
	if init == nil || init.Capabilities == nil || init.Capabilities.Tools == nil {
		return nil // it has something else
	}
	type page struct {
		r   *sdk.ListToolsResult
		err error
	}
	var tools []*remote
	cursor, odd, size := "", 0, 0
	for pages := 1; ; pages++ {
		s.meter.asked()
		got := make(chan page, 1)
		go func() {
			r, err := session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
			got <- page{r, err}
		}()
		var p page
		select {
		case p = <-got:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if p.err != nil {
			return cause(ctx, p.err)
		}
		for _, t := range p.r.Tools {
			one := s.tool(t)
			if one != nil {
				size += len(one.spec.Description) + len(one.spec.Parameters)
			}
			if one == nil || size > maxSpecs || len(tools) == 20*MaxTools {
				odd++
			} else {
				tools = append(tools, one)
			}
		}
		if p.r.NextCursor == "" || p.r.NextCursor == cursor {
			break
		}
		if cursor = p.r.NextCursor; pages == maxPages || odd > 20*MaxTools {
			s.o.Say(fmt.Sprintf("the MCP server %q: the list of its tools does not end; the first %d are known", s.Name, len(tools)))
			break
		}
	}
	s.mu.Lock()
	for i, t := range tools { // what has not changed is still the same
		for _, was := range s.tools {
			if was.name == t.name && was.spec.Name == t.spec.Name && was.spec.Description == t.spec.Description &&
				was.reads == t.reads && bytes.Equal(was.spec.Parameters, t.spec.Parameters) {
				tools[i] = was
				break
			}
		}
	}
	s.tools = tools
	s.mu.Unlock()
	if odd > 0 {
		s.o.Say(fmt.Sprintf("the MCP server %q: %d of its tools cannot be offered: what they say of themselves is too long, or their arguments are no object", s.Name, odd))
	}
	return nil
}

// offered returns its tools, asked for again where they have changed. A server
// that does not answer then keeps those that are known. One that is gone has none once
// that was said.
func (s *server) offered(ctx context.Context) []*remote {
	select {
	case <-s.ready:
	case <-ctx.Done():
		return nil
	}
	s.mu.Lock()
	session, stale := s.session, s.stale && !s.gone
	s.mu.Unlock()
	if stale {
		ctx, stop := context.WithTimeoutCause(ctx, s.o.Start/4, errSilent)
		if err := s.list(ctx, session); err != nil && ctx.Err() == nil {
			s.o.Say(fmt.Sprintf("the MCP server %q: its tools cannot be listed again: %v", s.Name, err))
		}
		stop()
	}
	s.mu.Lock()
	tools, gone := s.tools, s.gone
	s.mu.Unlock()
	if !gone {
		return tools
	}
	select {
	case <-s.over:
	case <-ctx.Done():
	}
	return nil
}

// live returns the connection, nil when the server is gone.
func (s *server) live() *sdk.ClientSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return nil
	}
	return s.session
}

// cause is why a context ended, where it has, else the error; what servers say is
// cut.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.New(jsonedit.CutText(oneLine(err.Error()), 300))
}
