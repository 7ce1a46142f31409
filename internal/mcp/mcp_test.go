package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/mcp"
	"github.com/cambium-dev/cambium/internal/mcp/mcptest"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/message"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestMain(m *testing.M) {
	os.Exit(mcptest.Main(func() int {
		scratch.InMemory()
		scratch.CollectSeldom()
		return m.Run()
	}))
}

// A shelf is a toolbox with what was said of it.
type shelf struct {
	*mcp.Toolbox
	t   *testing.T
	env tool.Env

	mu      sync.Mutex
	said    []string
	changed chan struct{}
}

func program(name string, kind mcptest.Kind) mcp.Server {
	command, variable := mcptest.Command(kind)
	return mcp.Server{Name: name, Command: command, Env: []string{variable, "COLOUR=green"}}
}

// patience is how long a good server may take to start. It never passes where
// nothing is wrong, on a machine with much else to do either.
const patience = 5 * time.Minute

// open opens a toolbox; a start of 0 is as long as patience.
func open(t *testing.T, start time.Duration, servers ...mcp.Server) *shelf {
	t.Helper()
	if start == 0 {
		start = patience
	}
	s := &shelf{t: t, env: tool.Env{Dir: t.TempDir()}, changed: make(chan struct{}, 100)}
	s.Toolbox = mcp.Open(servers, mcp.Options{
		Dir: s.env.Dir, Environ: []string{"PATH=" + os.Getenv("PATH")}, Version: "1", Start: start,
		Say: func(line string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.said = append(s.said, line)
			s.changed <- struct{}{}
		},
	})
	t.Cleanup(s.Close)
	return s
}

func (s *shelf) heard() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.said, "\n")
}

func (s *shelf) names() []string {
	var all []string
	for _, t := range s.Tools(s.t.Context()) {
		all = append(all, t.Spec().Name)
	}
	slices.Sort(all)
	return all
}

// run runs a tool.
func (s *shelf) run(name, arguments string) tool.Result {
	s.t.Helper()
	t := tool.Find(s.Tools(s.t.Context()), name)
	if t == nil {
		s.t.Fatalf("there is no tool %q in %q; said %q", name, s.names(), s.heard())
	}
	return t.Run(s.t.Context(), message.JSON(arguments), s.env)
}

// words is what a result says.
func words(r tool.Result) string {
	var all []string
	for _, b := range r.Content {
		switch b := b.(type) {
		case *message.TextBlock:
			all = append(all, b.Text)
		case *message.Image:
			all = append(all, "<"+b.MimeType+">")
		}
	}
	return strings.Join(all, "|")
}

func TestTools(t *testing.T) {
	s := open(t, 0, program("My Garden!", mcptest.Good), program("my garden", mcptest.Odd), program("none", mcptest.Bare))
	names := s.names()
	for _, want := range []string{"mcp__my_garden_echo", "mcp__my_garden_look", "mcp__my_garden_2_plain"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %q in %q", want, names)
		}
	}
	if len(names) != 13 || !strings.Contains(s.heard(), `"my garden": 1 of its tools cannot be offered`) {
		t.Errorf("%q, said %q", names, s.heard())
	}
	for _, one := range s.Tools(t.Context()) {
		spec := one.Spec()
		if !one.Changes() || !json.Valid(spec.Parameters) || jsonedit.Kind(spec.Parameters) != '{' || spec.Description == "" {
			t.Errorf("%+v", spec)
		}
		if got := one.(tool.Hinted).ReadsOnly(); got != (spec.Name == "mcp__my_garden_look") {
			t.Errorf("%s reads only: %v", spec.Name, got)
		}
	}
	for _, c := range []struct {
		tool, arguments, want string
		failed                bool
	}{
		{"echo", `{"text":"hällo"}`, "echo: hällo", false},
		{"echo", ``, "echo: <nil>", false},
		{"look", `{}`, "looked", false},
		{"picture", `{}`, `see|<image/png>|[a picture of the type "image/tiff", which no model takes]|[sound of 1 bytes, audio/wav]|[file:///a ]|` + "file:///b\ninside", false},
		{"structured", `{}`, `{"n":1}`, false},
		{"fail", `{}`, "it is broken\ufffd", true},
		{"refuse", `{}`, "I do not want to", true},
		{"where", `{}`, "dir=" + real(t, s.env.Dir) + " colour=green", false},
	} {
		r := s.run("mcp__my_garden_"+c.tool, c.arguments)
		if words(r) != c.want || r.IsError != c.failed {
			t.Errorf("%s: %q, %v; want %q", c.tool, words(r), r.IsError, c.want)
		}
		if !strings.Contains(string(r.Details), `"server":"My Garden!"`) {
			t.Errorf("%s: details %s", c.tool, r.Details)
		}
	}
}

func real(t *testing.T, dir string) string {
	t.Helper()
	to, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// A server that knows an older protocol asks where the session is.
func TestOlderServer(t *testing.T) {
	s := open(t, 0, program("old", mcptest.Older))
	want := "dir=" + real(t, s.env.Dir) + " colour=green root=" + (&url.URL{Scheme: "file", Path: s.env.Dir}).String()
	if r := s.run("mcp__old_where", "{}"); words(r) != want {
		t.Errorf("%q, want %q; said %q", words(r), want, s.heard())
	}
}

// A tool that comes later is offered from the next turn on; the others are the same.
func TestToolsChange(t *testing.T) {
	s := open(t, 0, program("g", mcptest.Good))
	old := tool.Find(s.Tools(t.Context()), "mcp__g_echo")
	if r := s.run("mcp__g_learn", "{}"); words(r) != "learning" {
		t.Fatal(words(r))
	}
	for !slices.Contains(s.names(), "mcp__g_learnt") { // it says so when it likes
		if t.Context().Err() != nil {
			t.Fatal("it is never told")
		}
	}
	if r := s.run("mcp__g_learnt", "{}"); words(r) != "I know" {
		t.Error(words(r))
	}
	if now := tool.Find(s.Tools(t.Context()), "mcp__g_echo"); now != old {
		t.Error("one that has not changed is another one")
	}
}

// A tool that came before the server was told to tell of changes is found as well.
func TestToolsChangeAtOnce(t *testing.T) {
	s := open(t, 0, program("x", mcptest.Hostile("late")))
	for !slices.Contains(s.names(), "mcp__x_later") { // the server is heard when it likes
		if t.Context().Err() != nil {
			t.Fatal("it is never asked again")
		}
	}
}

func TestLongAnswers(t *testing.T) {
	s := open(t, 0, program("g", mcptest.Good))
	r := s.run("mcp__g_long", "{}")
	if text := words(r); strings.Count(text, "\n") != tool.MaxLines || !strings.HasSuffix(text, "|[cut here; the rest is not kept]") {
		t.Errorf("%d lines, …%q", strings.Count(text, "\n"), text[len(text)-60:])
	}
	kept := filepath.Join(t.TempDir(), "kept")
	s.env.Artifact = artifact(kept)
	r = s.run("mcp__g_long", "{}")
	if data, err := os.ReadFile(kept); err != nil || strings.Count(string(data), "a line of it\n") != 10_000 || !strings.Contains(words(r), kept) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

func TestManyTools(t *testing.T) {
	s := open(t, 0, program("g", mcptest.Good), program("many", mcptest.Many))
	for range 3 {
		if names := s.names(); len(names) != mcp.MaxTools || !slices.Contains(names, "mcp__g_echo") {
			t.Fatalf("%d tools", len(names))
		}
	}
	if got := s.heard(); strings.Count(got, "the model is offered the first 120") != 1 {
		t.Errorf("said %q", got)
	}
}

// Bad servers are told of once, and the tools of the others are there.
func TestBadServers(t *testing.T) {
	for _, c := range []struct {
		name, want string
		server     mcp.Server
	}{
		{"no program", "cannot be started", mcp.Server{Name: "x", Command: "/no/such/program"}},
		{"nothing", "it has no command", mcp.Server{Name: "x"}},
		{"no address", "is none of http or https", mcp.Server{Name: "x", URL: "ftp://x/y"}},
		{"nobody there", "did not start", mcp.Server{Name: "x", URL: "http://127.0.0.1:1/mcp"}},
		{"nobody there, events", "did not start", mcp.Server{Name: "x", URL: "http://127.0.0.1:1/mcp", Events: true}},
		{"ends", "exit status 1; it said: mcptest: there is no such database", program("x", mcptest.Ended)},
		{"garbage", "did not start", program("x", mcptest.Garbage)},
		{"mute", "it has not answered for", program("x", mcptest.Mute)},
		{"stubborn", "it said: I stay", program("x", mcptest.Stubborn)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			open(t, 0, c.server, program("g", mcptest.Good)).Close()
			start := time.Duration(0)
			if c.name == "mute" || c.name == "stubborn" {
				start = 500 * time.Millisecond
			}
			said := told(t, start, c.server)
			for c.name == "stubborn" && !strings.Contains(said, c.want) && start < time.Minute {
				start *= 2 // it had not the time to begin
				said = told(t, start, c.server)
			}
			if !strings.Contains(said, c.want) || strings.Contains(said, "\n") {
				t.Errorf("said %q, want %q", said, c.want)
			}
		})
	}
}

// told is what is said of a server that has no tools, all of it before they are found to
// be none.
func told(t *testing.T, start time.Duration, server mcp.Server) string {
	t.Helper()
	s := open(t, start, server)
	if names := s.names(); len(names) > 0 {
		t.Errorf("it has %q", names)
	}
	said := s.heard()
	s.Close()
	if later := strings.TrimPrefix(s.heard(), said); said == "" || later != "" {
		t.Errorf("said %q, and later %q", said, later)
	}
	return said
}

// waitFor waits until something was said.
func (s *shelf) waitFor(want string) {
	s.t.Helper()
	select {
	case <-s.changed:
	case <-s.t.Context().Done():
	}
	if got := s.heard(); !strings.Contains(got, want) {
		s.t.Errorf("said %q, want %q", got, want)
	}
}

// A server that dies in a call: the call has a result, and the others go on.
func TestServerDies(t *testing.T) {
	s := open(t, 0, program("g", mcptest.Good), program("h", mcptest.Good))
	old := tool.Find(s.Tools(t.Context()), "mcp__g_echo")
	if r := s.run("mcp__g_die", "{}"); !r.IsError || !strings.Contains(words(r), `The MCP server "g"`) {
		t.Errorf("%q", words(r))
	}
	for slices.Contains(s.names(), "mcp__g_echo") { // until it is noticed
		if t.Context().Err() != nil {
			t.Fatal("it stays")
		}
	}
	if got := s.heard(); !strings.Contains(got, "is gone, and its tools with it: its program ended, exit status 7; it said: farewell") {
		t.Errorf("its tools are gone, and said is %q", got)
	}
	if names := s.names(); slices.Contains(names, "mcp__g_echo") || !slices.Contains(names, "mcp__h_echo") {
		t.Errorf("%q", names)
	}
	if r := old.Run(t.Context(), message.JSON("{}"), s.env); !r.IsError || words(r) != `The MCP server "g" is gone.` {
		t.Errorf("%q", words(r))
	}
}

// One that says what is no message in a call is gone, too.
func TestServerBabbles(t *testing.T) {
	s := open(t, 0, program("g", mcptest.Good))
	if r := s.run("mcp__g_babble", "{}"); !r.IsError || !strings.Contains(words(r), `The MCP server "g"`) {
		t.Errorf("%q", words(r))
	}
	s.waitFor("is gone, and its tools with it")
	if names := s.names(); len(names) > 0 {
		t.Errorf("%q", names)
	}
}

func TestCallsEnd(t *testing.T) {
	s := open(t, 0, program("g", mcptest.Good))
	s.env.Limit = 50 * time.Millisecond
	if r := s.run("mcp__g_wait", "{}"); !r.IsError || !strings.Contains(words(r), "did not answer within 50ms") {
		t.Errorf("%q", words(r))
	}
	s.env.Limit = 0
	ctx, stop := context.WithCancel(t.Context())
	wait := tool.Find(s.Tools(ctx), "mcp__g_wait")
	stop()
	if r := wait.Run(ctx, message.JSON("{}"), s.env); !r.IsError || !strings.Contains(words(r), "stopped by the user") {
		t.Errorf("%q", words(r))
	}
	if r := s.run("mcp__g_echo", `{"text":"there"}`); words(r) != "echo: there" {
		t.Errorf("afterwards %q", words(r))
	}
	s.Close()
	if r := wait.Run(t.Context(), message.JSON("{}"), s.env); !r.IsError {
		t.Errorf("of a closed toolbox: %q", words(r))
	}
	if names := s.names(); len(names) > 0 || s.heard() != "" {
		t.Errorf("%q, said %q", names, s.heard())
	}
}

// Servers at an address, by both transports; the headers go there and nowhere
// else.
func TestAddresses(t *testing.T) {
	for _, events := range []bool{false, true} {
		t.Run(fmt.Sprint(events), func(t *testing.T) {
			server := sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, nil)
			mcptest.Tools(server)
			one := func(*http.Request) *sdk.Server { return server }
			var handler http.Handler = sdk.NewStreamableHTTPHandler(one, nil)
			if events {
				handler = sdk.NewSSEHandler(one, nil)
			}
			var mu sync.Mutex
			refused := 0
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer x" {
					mu.Lock()
					refused++
					mu.Unlock()
					http.Error(w, "who are you?", http.StatusUnauthorized)
					return
				}
				handler.ServeHTTP(w, r)
			}))
			defer web.Close()
			defer web.CloseClientConnections()
			s := open(t, 0, mcp.Server{Name: "far", URL: web.URL, Events: events, Header: http.Header{"authorization": {"Bearer x"}}})
			if r := s.run("mcp__far_echo", `{"text":"there"}`); words(r) != "echo: there" {
				t.Errorf("%q", words(r))
			}
			s.Close()
			if refused > 0 {
				t.Errorf("%d requests had no header", refused)
			}
			other := httptest.NewServer(http.RedirectHandler(web.URL, http.StatusTemporaryRedirect))
			defer other.Close()
			away := open(t, 0, mcp.Server{Name: "away", URL: other.URL, Events: events, Header: http.Header{"Authorization": {"Bearer x"}}})
			if names := away.names(); len(names) > 0 {
				t.Errorf("the headers went elsewhere: %q", names)
			}
			away.waitFor("did not start")
		})
	}
}
