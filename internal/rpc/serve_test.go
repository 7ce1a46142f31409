package rpc_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/rpc"
	"github.com/cambium-dev/cambium/internal/scratch"
	serving "github.com/cambium-dev/cambium/internal/serve"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
)

// With this variable set the server does not serve its standard input, but
// listens on a socket or for HTTP, until its input ends.
const overVariable = "CAMBIUM_RPC_TEST_OVER"

// childServer listens for one client. Every path is allowed: the tests of
// methods have sessions all over the place.
func childServer(home string, o rpc.Options) error {
	s := serving.Options{RPC: o, Roots: []string{"/"}, Ready: func(addresses []string) { fmt.Println(addresses[0]) }}
	s.Record = func(fsys vfs.FS) session.Recorder {
		return state.New(state.Options{Dir: places.Own(o.Env).State, Now: now(o), Random: random(o), FS: fsys})
	}
	if path, ok := strings.CutPrefix(os.Getenv(overVariable), "unix:"); ok {
		s.Socket = path
	} else {
		s.Listen, s.Tokens = "127.0.0.1:0", filepath.Join(home, serving.TokensFile)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	return serving.Run(ctx, s)
}

func TestEveryMethodOverSocket(t *testing.T) { everyMethod(t, "socket") }

func TestEveryMethodOverHTTP(t *testing.T) { everyMethod(t, "http") }

// startOver starts a server and connects to it.
func startOver(t *testing.T, over string, env ...string) *client {
	t.Helper()
	switch over {
	case "socket":
		dir, err := os.MkdirTemp("/tmp", "cambium") // paths of sockets are short, that of another directory may not be
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		c := startListening(t, t.TempDir(), append(env, overVariable+"=unix:"+filepath.Join(dir, "s"))...)
		conn, err := net.Dial("unix", filepath.Join(dir, "s"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		c.over, c.in, c.out = over, halfCloser{conn.(*net.UnixConn)}, bufio.NewReader(conn)
		return c.client
	case "http":
		home := scratch.OwnDir(t)
		token, err := serving.AddToken(t.Context(), filepath.Join(home, serving.TokensFile), serving.Token{Name: "t", Scope: serving.Write}, &fixedRandom{})
		if err != nil {
			t.Fatal(err)
		}
		c := startListening(t, home, append(env, overVariable+"=http")...)
		w := newWeb(t, c.address, token)
		out, in := io.Pipe()
		w.out, c.over, c.in, c.out = in, over, w, bufio.NewReader(out)
		return c.client
	}
	return start(t, env...)
}

type listening struct {
	*client
	address string
}

// startListening starts a server and waits until it listens.
func startListening(t *testing.T, home string, env ...string) *listening {
	t.Helper()
	c := startIn(t, home, env...)
	stdin := c.in
	c.stop = func() { _ = stdin.Close() }
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return &listening{c, strings.TrimSpace(line)}
}

// halfCloser closes the way in only.
type halfCloser struct{ *net.UnixConn }

func (h halfCloser) Close() error { return h.CloseWrite() }

// web speaks over HTTP what is written as lines, and writes what comes back as
// lines: the events of a connection before the answer that followed them.
type web struct {
	t       *testing.T
	address string
	token   string
	session string
	out     *io.PipeWriter
	closed  bool
	end     context.CancelFunc

	mu   sync.Mutex
	more sync.Cond
	got  []string // guarded by mu: the events
	read int      // guarded by mu: how many of them were written to out
	over bool     // guarded by mu
}

func newWeb(t *testing.T, address, token string) *web {
	t.Helper()
	w := &web{t: t, address: address, token: token}
	w.more.L = &w.mu
	ctx, cancel := context.WithCancel(context.Background())
	w.end = cancel
	t.Cleanup(cancel)
	resp := w.do(ctx, "GET", "/events", nil)
	w.session = resp.Header.Get("Cambium-Session")
	go w.follow(resp.Body)
	return w
}

func (w *web) do(ctx context.Context, method, path string, body []byte) *http.Response {
	w.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, w.address+path, bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	if w.session != "" {
		req.Header.Set("Cambium-Session", w.session)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp
}

// follow takes the numbered events of a stream.
func (w *web) follow(body io.ReadCloser) {
	defer body.Close()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 64<<20)
	numbered := false
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "id: ") {
			numbered = true
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok && numbered {
			numbered = false
			w.mu.Lock()
			w.got = append(w.got, data)
			w.mu.Unlock()
			w.more.Broadcast()
		}
	}
	w.mu.Lock()
	w.over = true
	w.mu.Unlock()
	w.more.Broadcast()
}

// Write sends one line.
func (w *web) Write(line []byte) (int, error) {
	resp := w.do(context.Background(), "POST", "/rpc", line)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	if n, err := strconv.Atoi(resp.Header.Get("Cambium-Event")); err == nil {
		w.mu.Lock()
		for len(w.got) < n && !w.over {
			w.more.Wait()
		}
		w.mu.Unlock()
	}
	w.mu.Lock()
	all := w.got[w.read:]
	w.read = len(w.got)
	w.mu.Unlock()
	if len(answer) > 0 {
		all = append(all[:len(all):len(all)], string(answer))
	}
	if len(all) > 0 {
		go func() { // who reads may be the one who writes
			_, _ = io.WriteString(w.out, strings.Join(all, "\n")+"\n")
		}()
	}
	return len(line), nil
}

// Close ends the connection. A second Close does nothing.
func (w *web) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	w.do(context.Background(), "DELETE", "/rpc", nil).Body.Close()
	w.end()
	return w.out.Close()
}
