package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/rpc"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/serve"
	"github.com/cambium-dev/cambium/layout"
)

// sample is a session with one prompt and its answer.
const sample = `{"type":"session","version":3,"id":"0badc0de00000001","timestamp":"2026-02-16T10:20:30.000Z","cwd":"/w"}
{"type":"message","id":"u1","parentId":null,"timestamp":"2026-02-16T10:21:00.000Z","message":{"role":"user","content":"one","timestamp":1}}
{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-02-16T10:21:01.000Z","message":{"role":"assistant","content":[],"timestamp":2}}
`

// A site is a server that runs, with a home of its own.
type site struct {
	t           testing.TB
	home        string
	sessions    string // where cambium keeps sessions
	socket      string
	url         string
	read, write string // tokens
	web         *http.Client
	stop        context.CancelFunc
	done        chan error // gets the result of Run
}

// A clock that only goes when told to.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// options are those of a server of a new home, with two tokens.
func options(t testing.TB) (serve.Options, *site) {
	t.Helper()
	home := scratch.OwnDir(t)
	short, err := os.MkdirTemp("/tmp", "cambium") // paths of sockets are short, that of another directory may not be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	x := &site{
		t: t, home: home, sessions: filepath.Join(home, ".cambium/agent/sessions"), socket: filepath.Join(short, "s"),
		web: &http.Client{Transport: &http.Transport{}}, done: make(chan error, 1),
	}
	tokens := filepath.Join(home, "tokens.json")
	for scope, secret := range map[serve.Scope]*string{serve.Read: &x.read, serve.Write: &x.write} {
		if *secret, err = serve.AddToken(t.Context(), tokens, serve.Token{Name: string(scope), Scope: scope}, rand.Reader); err != nil {
			t.Fatal(err)
		}
	}
	env := layout.Env{Home: home, TempDir: "/tmp", Cwd: filepath.Join(home, "work"), Getenv: func(string) string { return "" }}
	return serve.Options{
		RPC: rpc.Options{Env: env, Poll: -1}, Socket: x.socket, Listen: "127.0.0.1:0", Tokens: tokens,
	}, x
}

// run starts the server.
func (x *site) run(o serve.Options) *site {
	x.t.Helper()
	ready := make(chan []string, 1)
	o.Ready = func(addresses []string) { ready <- addresses }
	ctx, stop := context.WithCancel(context.Background())
	x.stop = stop
	go func() { x.done <- serve.Run(ctx, o) }()
	select {
	case addresses := <-ready:
		x.url = addresses[0]
	case err := <-x.done:
		x.t.Fatalf("Run = %v", err)
	}
	x.t.Cleanup(func() {
		stop()
		x.web.CloseIdleConnections()
	})
	return x
}

func start(t *testing.T) *site {
	t.Helper()
	o, x := options(t)
	return x.run(o)
}

// ended stops the server and returns the result of Run.
func (x *site) ended() error {
	x.stop()
	return <-x.done
}

// A reply is the answer to a request.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (r reply) code() string {
	code, _ := jsonedit.Path(r.body, "error", "code")
	return string(code)
}

func (r reply) result() []byte {
	v, _ := jsonedit.Get(r.body, "result")
	return v
}

func (r reply) session() string { return r.header.Get("Cambium-Session") }

func (x *site) request(ctx context.Context, method, path, token string, more ...string) (*http.Response, error) {
	var body io.Reader
	if method == "POST" {
		body = strings.NewReader(more[0])
		more = more[1:]
	}
	req, err := http.NewRequestWithContext(ctx, method, x.url+path, body)
	if err != nil {
		return nil, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(more); i += 2 {
		req.Header.Set(more[i], more[i+1])
	}
	return x.web.Do(req)
}

// ask sends a request; more is the body of a POST, then headers and values.
func (x *site) ask(method, path, token string, more ...string) reply {
	x.t.Helper()
	resp, err := x.request(x.t.Context(), method, path, token, more...)
	if err != nil {
		x.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		x.t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, body}
}

func message(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

// call calls a method with a token in a connection, "" for a new one.
func (x *site) call(token, session, method, params string) reply {
	x.t.Helper()
	return x.ask("POST", "/rpc", token, message(method, params), "Cambium-Session", session)
}

// must is call of what must succeed.
func (x *site) must(token, session, method, params string) reply {
	x.t.Helper()
	r := x.call(token, session, method, params)
	if r.status != http.StatusOK || r.result() == nil {
		x.t.Fatalf("%s %s: %d %s", method, params, r.status, r.body)
	}
	return r
}

// refused is call of what must fail.
func (x *site) refused(r reply, status int, code string) {
	x.t.Helper()
	if r.status != status || r.code() != code {
		x.t.Errorf("answered %d %s, want %d and code %s", r.status, r.body, status, code)
	}
}

// session writes a session file into the home of cambium and returns its path.
func (x *site) session(name string) string {
	x.t.Helper()
	return x.file(filepath.Join(x.sessions, "--w--", name), sample)
}

func (x *site) file(path, data string) string {
	x.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		x.t.Fatal(err)
	}
	return path
}

func (x *site) lines(path string) []string {
	x.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		x.t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func quoted(s string) string { return string(jsonedit.Quoted(s)) }

func pathParam(path string) string { return `{"path":` + quoted(path) + `}` }

// dial connects to the socket.
func (x *site) dial() *line {
	x.t.Helper()
	c, err := net.Dial("unix", x.socket)
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(func() { _ = c.Close() })
	return &line{x.t, c.(*net.UnixConn), bufio.NewReader(c)}
}

// A line is a client on the socket.
type line struct {
	t testing.TB
	*net.UnixConn
	out *bufio.Reader
}

func (l *line) say(message string) {
	l.t.Helper()
	if _, err := io.WriteString(l, message+"\n"); err != nil {
		l.t.Fatal(err)
	}
}

// hear returns the next message that is no notification.
func (l *line) hear() reply {
	l.t.Helper()
	for {
		m, err := l.out.ReadBytes('\n')
		if err != nil {
			l.t.Fatalf("read: %v", err)
		}
		if _, ok := jsonedit.Get([]byte(m), "method"); !ok {
			return reply{body: bytes.TrimSpace(m)}
		}
	}
}

func (l *line) call(method, params string) reply {
	l.t.Helper()
	l.say(message(method, params))
	return l.hear()
}

// A stream reads server-sent events.
type stream struct {
	t       testing.TB
	session string
	in      *bufio.Reader
	close   func()
}

func (x *site) events(token string, headers ...string) *stream {
	x.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	x.t.Cleanup(cancel)
	resp, err := x.request(ctx, "GET", "/events", token, headers...)
	if err != nil {
		x.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		x.t.Fatalf("events: %s", resp.Status)
	}
	x.t.Cleanup(func() { _ = resp.Body.Close() })
	s := &stream{x.t, resp.Header.Get("Cambium-Session"), bufio.NewReader(resp.Body), cancel}
	if got := s.next(); got != "|session|"+quoted(s.session) {
		x.t.Fatalf("first event %s", got)
	}
	return s
}

// next returns the next event as "id|event|data".
func (s *stream) next() string {
	s.t.Helper()
	fields := map[string]string{}
	for {
		text, err := s.in.ReadString('\n')
		if err != nil {
			s.t.Fatalf("read events: %v", err)
		}
		text = strings.TrimSuffix(text, "\n")
		if text == "" && fields["data"] != "" {
			return fmt.Sprintf("%s|%s|%s", fields["id"], fields["event"], fields["data"])
		}
		if name, value, ok := strings.Cut(text, ": "); ok {
			fields[name] = value
		}
	}
}

// A gate stops the sessions' clock once, when it is armed.
type gate struct {
	mu      sync.Mutex
	armed   bool
	entered chan struct{}
	open    chan struct{}
}

func newGate() *gate { return &gate{entered: make(chan struct{}), open: make(chan struct{})} }

func (g *gate) arm() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armed = true
}

// Now is the clock.
func (g *gate) Now() time.Time {
	g.mu.Lock()
	armed := g.armed
	g.armed = false
	g.mu.Unlock()
	if armed {
		close(g.entered)
		<-g.open
	}
	return time.Unix(1_800_000_000, 0)
}
