package mcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/mcp"
	"github.com/cambium-dev/cambium/internal/mcp/mcptest"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// Whatever a server lists, what is offered is bounded, named as no other tool is,
// and says nothing that drives a terminal.
func TestHostileLists(t *testing.T) {
	fits := regexp.MustCompile(`^mcp__x_[a-z0-9_]+$`)
	for way, c := range map[string]struct {
		tools int
		said  string
	}{
		"pages":     {50, "the list of its tools does not end; the first 50 are known"},
		"circle":    {1, ""},
		"thousands": {mcp.MaxTools, "of its tools cannot be offered"},
		"names":     {4, "2 of its tools cannot be offered"},
		"words":     {2, "4 of its tools cannot be offered"},
		"heavy":     {0, "did not start"},
		"loud":      {1, ""},
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			s := open(t, time.Minute, program("x", mcptest.Hostile(way)))
			all := s.Tools(t.Context())
			if c.tools == 0 {
				s.waitFor(c.said)
			}
			if len(all) != c.tools || !strings.Contains(s.heard(), c.said) || len(s.heard()) > 1000 {
				t.Errorf("%d tools %q, said %q", len(all), s.names(), s.heard())
			}
			for _, one := range all {
				spec := one.Spec()
				if !one.Changes() || len(spec.Name) > 64 || !fits.MatchString(spec.Name) || len(spec.Description) > 20<<10 ||
					strings.ContainsAny(spec.Description, "\x1b\x07\u202e\u009b\x00") || !provider.Whole(spec.Parameters) {
					t.Errorf("%.100q: %.200q, %.200s", spec.Name, spec.Description, spec.Parameters)
				}
			}
		})
	}
}

// Whatever a server says in a call, the call has a result of a bounded length, and
// one that does not stop is gone.
func TestHostileCalls(t *testing.T) {
	for way, c := range map[string]struct {
		want string
		gone bool
	}{
		"giant":    {`The MCP server "x"`, true},
		"half":     {`The MCP server "x"`, true},
		"notes":    {`The MCP server "x"`, true},
		"changes":  {`The MCP server "x"`, true},
		"asks":     {`The MCP server "x"`, true},
		"others":   {"done", false},
		"deep":     {"done", false}, // what is nested too deep would make the session unreadable
		"pictures": {"[a picture that is none]|<image/gif>|", false},
		"loud":     {"done", false},
	} {
		t.Run(way, func(t *testing.T) {
			s := open(t, time.Minute, program("x", mcptest.Hostile(way)))
			act := tool.Find(s.Tools(t.Context()), "mcp__x_act")
			if act == nil {
				t.Fatalf("said %q", s.heard())
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			r := act.Run(t.Context(), []byte("{}"), s.env)
			runtime.GC()
			runtime.ReadMemStats(&after)
			if got := words(r); !strings.Contains(got, c.want) || len(got) > 60_000 || r.IsError != c.gone || len(r.Content) > 20 {
				t.Errorf("%d blocks: %.300q", len(r.Content), got)
			}
			if !provider.Whole(r.Details) || len(r.Details) > 1000 {
				t.Errorf("details %.200s", r.Details)
			}
			if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 256<<20 {
				t.Errorf("%d MiB are kept", grown>>20)
			}
			if c.gone {
				s.waitFor("is gone, and its tools with it")
			}
			if text := s.heard(); strings.ContainsAny(text, "\x1b\x07\u202e\u009b") || len(text) > 2000 {
				t.Errorf("said %.300q", text)
			}
		})
	}
}

// What a server started is not left behind.
func TestServersChildren(t *testing.T) {
	s := open(t, 0, program("x", mcptest.Hostile("child")))
	pid, err := strconv.Atoi(words(s.run("mcp__x_act", "{}")))
	if err != nil {
		t.Fatal(err)
	}
	if !vfs.Alive(pid) {
		t.Fatal("the child is not there")
	}
	s.Close()
	for vfs.Alive(pid) { // until whoever inherits it has noticed
		if state := status(pid); state == "Z" {
			break
		}
		if t.Context().Err() != nil {
			t.Fatal("the child is still there")
		}
		runtime.Gosched()
	}
}

// An address leads to one server: what is asked, and the headers, go nowhere else,
// and not in clear to the same one.
func TestAddressStaysNear(t *testing.T) {
	var others atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { others.Add(1) }))
	defer other.Close()
	for _, events := range []bool{false, true} {
		for name, answer := range map[string]http.HandlerFunc{
			"redirect": func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
			},
			"endpoint": func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprintf(w, "event: endpoint\ndata: %s/steal\n\n", other.URL)
				_ = http.NewResponseController(w).Flush() // the client may be gone
				<-r.Context().Done()
			},
			"endless": func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				for r.Context().Err() == nil {
					if _, err := w.Write([]byte(strings.Repeat(" ", 1<<16))); err != nil {
						return
					}
				}
			},
			"endless error": func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusBadRequest)
				for r.Context().Err() == nil {
					if _, err := w.Write([]byte(strings.Repeat("\x1b[2J", 1<<14))); err != nil {
						return
					}
				}
			},
		} {
			if name == "endpoint" && !events {
				continue // there is no such thing
			}
			t.Run(fmt.Sprint(name, events), func(t *testing.T) {
				web := httptest.NewServer(answer)
				defer web.Close()
				defer web.CloseClientConnections()
				s := open(t, 0, mcp.Server{Name: "far", URL: web.URL, Events: events, Header: http.Header{"Authorization": {"Bearer x"}}})
				if names := s.names(); len(names) > 0 {
					t.Errorf("%q", names)
				}
				s.waitFor("did not start")
				if text := s.heard(); others.Load() > 0 || strings.Contains(text, "\x1b") || len(text) > 1000 {
					t.Errorf("%d requests went elsewhere, said %q", others.Load(), text)
				}
			})
		}
	}
}
