package serve_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/serve"
)

func TestTooLong(t *testing.T) {
	o, x := options(t)
	o.Limits.Body = 1000
	x.run(o)
	long := message("listAll", `{"sessionDir":"`+strings.Repeat("x", 2000)+`"}`)
	x.refused(x.ask("POST", "/rpc", x.write, long), http.StatusRequestEntityTooLarge, "-32600")
	l := x.dial()
	for range 3 {
		l.say(long + strings.Repeat(" ", 100_000))
		if r := l.hear(); r.code() != "-32600" || !strings.Contains(string(r.body), "more than 1000 bytes") {
			t.Errorf("answered %s", r.body)
		}
		if r := l.call("listAll", "{}"); string(r.result()) != "[]" {
			t.Errorf("answered %s", r.body)
		}
	}
	fits := message("listAll", "{}")
	if r := x.ask("POST", "/rpc", x.write, fits+strings.Repeat(" ", 1000-len(fits))); r.status != http.StatusOK {
		t.Errorf("answered %d %s", r.status, r.body)
	}
	if r := x.ask("POST", "/rpc", x.write, "["+strings.Repeat("1,", 400)+"1]"); jsonedit.Len(r.body) != 401 {
		t.Errorf("batch: %s", r.body)
	}
}

func TestBatchTooLong(t *testing.T) {
	x := start(t)
	r := x.ask("POST", "/rpc", x.write, "["+strings.Repeat("1,", 1000)+"1]")
	if r.code() != "-32600" || !strings.Contains(string(r.body), "1001 messages") {
		t.Errorf("answered %s", r.body)
	}
}

func TestRate(t *testing.T) {
	o, x := options(t)
	c := newClock()
	o.Now, o.Limits.Rate = c.Now, 4
	x.run(o)
	for range 4 {
		x.must(x.write, "", "listAll", "{}")
	}
	r := x.call(x.write, "", "listAll", "{}")
	x.refused(r, http.StatusTooManyRequests, "-32009")
	if r.header.Get("Retry-After") != "1" {
		t.Errorf("retry after %q", r.header.Get("Retry-After"))
	}
	x.must(x.read, "", "listAll", "{}") // another token
	c.pass(250 * time.Millisecond)
	x.must(x.write, "", "listAll", "{}")
	x.refused(x.call(x.write, "", "listAll", "{}"), http.StatusTooManyRequests, "-32009")
	// A batch counts as its messages, and is made up for.
	c.pass(time.Second)
	batch := "[" + strings.Repeat("1,", 7) + "1]"
	if r := x.ask("POST", "/rpc", x.write, batch); jsonedit.Len(r.body) != 8 {
		t.Errorf("batch: %s", r.body)
	}
	c.pass(time.Second)
	x.refused(x.call(x.write, "", "listAll", "{}"), http.StatusTooManyRequests, "-32009")
	c.pass(250 * time.Millisecond)
	x.must(x.write, "", "listAll", "{}")

	l := x.dial()
	for range 4 {
		if r := l.call("listAll", "{}"); r.code() != "" {
			t.Errorf("answered %s", r.body)
		}
	}
	if r := l.call("listAll", "{}"); r.code() != "-32009" || !strings.Contains(string(r.body), `"id":1`) {
		t.Errorf("answered %s", r.body)
	}
	if r := x.dial().call("listAll", "{}"); r.code() != "" {
		t.Errorf("another connection: %s", r.body)
	}
}

func TestTooManySessions(t *testing.T) {
	o, x := options(t)
	o.Limits.EachSessions, o.Limits.Sessions = 2, 3
	x.run(o)
	one := x.must(x.write, "", "inMemory", "{}").session()
	x.must(x.write, one, "inMemory", "{}")
	r := x.call(x.write, one, "inMemory", "{}")
	x.refused(r, http.StatusOK, "-32009")
	if !strings.Contains(string(r.body), "in this connection: 2") {
		t.Errorf("answered %s", r.body)
	}
	l := x.dial()
	if r := l.call("inMemory", "{}"); r.code() != "" {
		t.Errorf("answered %s", r.body)
	}
	if r := l.call("inMemory", "{}"); r.code() != "-32009" || !strings.Contains(string(r.body), "on this server") {
		t.Errorf("answered %s", r.body)
	}
	file := x.file(x.home+"/file", "")
	// What failed to open holds nothing, and what is closed no more.
	x.must(x.write, one, "close", `{"handle":"1"}`)
	for range 3 {
		if r := l.call("open", pathParam(file+"/x.jsonl")); r.code() == "" || r.code() == "-32009" {
			t.Errorf("answered %s", r.body)
		}
	}
	if r := l.call("inMemory", "{}"); r.code() != "" {
		t.Errorf("answered %s", r.body)
	}
	x.refused(x.call(x.write, one, "inMemory", "{}"), http.StatusOK, "-32009")
	if err := l.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, l.out); err != nil {
		t.Fatal(err)
	}
	x.must(x.write, one, "inMemory", "{}")
}

func TestTooManyConnections(t *testing.T) {
	o, x := options(t)
	o.Limits.Connections = 2
	x.run(o)
	one := x.must(x.write, "", "inMemory", "{}").session()
	l := x.dial()
	l.call("listAll", "{}")
	x.refused(x.call(x.write, "", "inMemory", "{}"), http.StatusServiceUnavailable, "-32009")
	x.must(x.write, one, "getEntries", `{"handle":"1"}`)
	if r := x.dial().hear(); r.code() != "-32009" {
		t.Errorf("answered %s", r.body)
	}
}

func TestTooManyRequests(t *testing.T) {
	o, x := options(t)
	g := newGate()
	o.RPC.Now, o.Limits.Requests = g.Now, 1
	x.run(o)
	id := x.must(x.write, "", "inMemory", "{}").session()
	g.arm()
	done := make(chan error, 1)
	go func() {
		resp, err := x.request(context.Background(), "POST", "/rpc", x.write, message("appendCustomEntry", appendOne), "Cambium-Session", id)
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			err = resp.Body.Close()
		}
		done <- err
	}()
	<-g.entered
	x.refused(x.call(x.write, "", "listAll", "{}"), http.StatusServiceUnavailable, "-32009")
	close(g.open)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestEvents(t *testing.T) {
	x := start(t)
	first := x.events(x.write)
	id := first.session
	x.must(x.write, id, "inMemory", "{}")
	r := x.must(x.write, id, "appendCustomEntry", appendOne)
	x.must(x.write, id, "appendCustomEntry", appendOne)
	if got := r.header.Get("Cambium-Event"); got != "1" {
		t.Errorf("event %q before the answer", got)
	}
	want := `1||{"jsonrpc":"2.0","method":"session.event","params":{"handle":"1","kind":"appended","ids":[` + string(r.result()) + `],"foreign":false}}`
	if got := first.next(); got != want {
		t.Errorf("event\n got %s\nwant %s", got, want)
	}
	if got := first.next(); !strings.HasPrefix(got, "2||") {
		t.Errorf("event %s", got)
	}
	// Whoever comes back goes on where it was.
	again := x.events(x.write, "Cambium-Session", id, "Last-Event-ID", "1")
	if got := again.next(); !strings.HasPrefix(got, "2||") {
		t.Errorf("event %s", got)
	}
	if r := x.ask("GET", "/events", x.write, "Last-Event-ID", "x"); r.status != http.StatusBadRequest {
		t.Errorf("answered %d", r.status)
	}
	if r := x.ask("GET", "/events", x.write, "Cambium-Session", "nobody"); r.status != http.StatusNotFound {
		t.Errorf("answered %d", r.status)
	}
	if r := x.ask("DELETE", "/rpc", x.write, "Cambium-Session", id); r.status != http.StatusNoContent {
		t.Errorf("ended: %d", r.status)
	}
	for _, s := range []*stream{first, again} {
		if got := s.next(); got != `|end|{"reason":"closed"}` {
			t.Errorf("told %s", got)
		}
	}
}

// A slowWriter is a client that reads its first event and then nothing until it
// is told to.
type slowWriter struct {
	header  http.Header
	started chan struct{}
	read    chan struct{}

	mu  sync.Mutex
	n   int          // guarded by mu
	got bytes.Buffer // guarded by mu
}

func (w *slowWriter) Header() http.Header                { return w.header }
func (w *slowWriter) WriteHeader(int)                    {}
func (w *slowWriter) SetWriteDeadline(_ time.Time) error { return nil }
func (w *slowWriter) FlushError() error                  { return nil }

func (w *slowWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	w.n++
	n := w.n
	w.mu.Unlock()
	if n == 2 {
		close(w.started)
		<-w.read
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.got.Write(p)
}

// TestSlowReader does not keep up with the events: it is dropped, and told why.
func TestSlowReader(t *testing.T) {
	o, x := options(t)
	o.Limits.Rate = -1
	h, halt := serve.Handler(o)
	defer halt()
	request := func(method, path, body string) *http.Request {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+x.write)
		return r
	}
	first := httptest.NewRecorder()
	h.ServeHTTP(first, request("POST", "/rpc", message("inMemory", "{}")))
	id := first.Header().Get("Cambium-Session")
	w := &slowWriter{header: http.Header{}, started: make(chan struct{}), read: make(chan struct{})}
	over := make(chan struct{})
	go func() {
		defer close(over)
		r := request("GET", "/events", "")
		r.Header.Set("Cambium-Session", id)
		h.ServeHTTP(w, r)
	}()
	post := func(n int) {
		r := request("POST", "/rpc", "["+strings.TrimSuffix(strings.Repeat(message("appendCustomEntry", appendOne)+",", n), ",")+"]")
		r.Header.Set("Cambium-Session", id)
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	post(1)
	// The stream may have sent the session and the entry at once.
	for sent := false; !sent; {
		select {
		case <-w.started:
			sent = true
		default:
			post(1)
		}
	}
	post(900)
	post(900)
	close(w.read)
	<-over
	if got := w.got.String(); !strings.Contains(got, `event: end`+"\n"+`data: {"reason":"slow","missed":`) {
		t.Errorf("told %s", got[max(0, len(got)-300):])
	}
	again := httptest.NewRecorder()
	r := request("GET", "/events", "")
	r.Header.Set("Cambium-Session", id)
	r.Header.Set("Last-Event-ID", "1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h.ServeHTTP(again, r.WithContext(ctx))
	if got := again.Body.String(); !strings.Contains(got, "event: missed\ndata: {\"missed\":") {
		t.Errorf("told %.300s", got)
	}
}

func TestMetricsAndHealth(t *testing.T) {
	o, x := options(t)
	c := newClock()
	var ping error
	o.Now, o.Ping = c.Now, func(context.Context) error { return ping }
	x.run(o)
	x.must(x.write, "", "inMemory", "{}")
	x.call(x.write, "", "nothing", "{}")
	x.call("wrong", "", "listAll", "{}")
	x.dial().call("listAll", "{}")
	text := string(x.ask("GET", "/metrics", x.read).body)
	for _, want := range []string{
		`cambium_requests_total{method="inMemory",outcome="ok"} 1`, `cambium_requests_total{method="none",outcome="-32601"} 1`,
		`cambium_requests_total{method="listAll",outcome="ok"} 1`, `cambium_request_seconds_count{method="inMemory"} 1`,
		`cambium_refused_total{reason="token"} 1`, "cambium_open_sessions 1", `cambium_connections{kind="http"} 1`,
		`cambium_connections{kind="socket"} 1`, "cambium_unsaved_entries 0", "cambium_event_streams 0", "cambium_received_bytes_total ",
	} {
		if !strings.Contains(text, want+"\n") && !(strings.HasSuffix(want, " ") && strings.Contains(text, want)) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if r := x.ask("GET", "/metrics", ""); r.status != http.StatusUnauthorized {
		t.Errorf("metrics without a token: %d", r.status)
	}
	if r := x.ask("GET", "/readyz", ""); r.status != http.StatusOK {
		t.Errorf("ready: %d", r.status)
	}
	ping = errors.New("password hidden")
	c.pass(2 * time.Second)
	if r := x.ask("GET", "/readyz", ""); r.status != http.StatusServiceUnavailable || strings.Contains(string(r.body), "hidden") {
		t.Errorf("ready: %d %s", r.status, r.body)
	}
	for _, r := range []reply{x.ask("GET", "/rpc", x.write), x.ask("POST", "/events", x.write, ""), x.ask("POST", "/healthz", "", "")} {
		if r.status != http.StatusMethodNotAllowed {
			t.Errorf("answered %d", r.status)
		}
	}
	if r := x.ask("GET", "/", x.write); r.status != http.StatusNotFound {
		t.Errorf("answered %d", r.status)
	}
}

// TestReadyDoesNotWait: a store that hangs, and hears of no context, is told to be
// away, and is not asked a second time before it has answered.
func TestReadyDoesNotWait(t *testing.T) {
	var asked atomic.Int64
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	o, x := options(t)
	c := newClock()
	o.Now, o.Ping = c.Now, func(context.Context) error { asked.Add(1); <-release; return nil }
	x.run(o)
	for range 2 {
		c.pass(2 * time.Second)
		if r := x.ask("GET", "/readyz", ""); r.status != http.StatusServiceUnavailable {
			t.Errorf("ready answers %d", r.status)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
