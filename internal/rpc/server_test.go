package rpc_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/rpc"
)

// A local is a server in this process, for what cannot be had from outside.
type local struct {
	*client
	serve chan error // the result of Serve
	stop  context.CancelFunc
}

func serve(t *testing.T, o rpc.Options) *local {
	t.Helper()
	home := t.TempDir()
	o.Env, o.Poll = environment(home), -1
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	l := &local{
		client: &client{t: t, home: home, in: toServer, out: bufio.NewReader(fromServer)},
		serve:  make(chan error, 1), stop: stop,
	}
	go func() {
		err := rpc.Serve(ctx, in, out, o)
		_ = out.Close() // a pipe: nothing can fail
		l.serve <- err
	}()
	t.Cleanup(stop)
	return l
}

func TestPanicIsAnErrorOfOneCall(t *testing.T) {
	var bad atomic.Bool
	l := serve(t, rpc.Options{Now: func() time.Time {
		if bad.Load() {
			panic("the clock is broken")
		}
		return time.Unix(1_800_000_000, 0)
	}})
	h := l.open("inMemory", `{}`)
	bad.Store(true)
	fault := l.refused(-32603, "appendCustomEntry", onHandle(h, `"customType":"x"`))
	if got, _ := jsonedit.Text(fault, "message"); !strings.Contains(got, "the clock is broken") {
		t.Errorf("message %q", got)
	}
	bad.Store(false)
	l.on(h, "appendCustomEntry", `"customType":"x"`)
	if got := l.on(h, "getEntries", ""); jsonedit.Len(got) != 1 {
		t.Errorf("entries %s", got)
	}
}

// TestCancelWhileWaiting holds a handle busy until the call behind it is
// cancelled.
func TestCancelWhileWaiting(t *testing.T) {
	gate := make(chan struct{})
	var armed atomic.Bool
	l := serve(t, rpc.Options{Now: func() time.Time {
		if armed.CompareAndSwap(true, false) {
			<-gate
		}
		return time.Unix(1_800_000_000, 0)
	}})
	h := l.open("inMemory", `{}`)
	armed.Store(true)
	l.request("appendCustomEntry", onHandle(h, `"customType":"first"`))
	second := l.request("appendCustomEntry", onHandle(h, `"customType":"second"`))
	l.request("appendCustomEntry", onHandle(h, `"customType":"third"`))
	// Answered by a handle of its own: the cancellation has been taken then.
	l.send(`{"jsonrpc":"2.0","method":"$/cancel","params":{"id":` + second + `}}`)
	l.send(`{"jsonrpc":"2.0","id":"taken","method":"nothing"}`)
	if m := l.answer(); !strings.Contains(string(m), `"taken"`) {
		t.Fatalf("answered %s", m)
	}
	close(gate)
	var codes []string
	for range 3 {
		code, _ := jsonedit.Path(l.answer(), "error", "code")
		codes = append(codes, string(code))
	}
	if got := strings.Join(codes, ","); got != ",-32800," {
		t.Errorf("codes %q, want only the second cancelled", got)
	}
	if got := l.on(h, "getEntries", ""); jsonedit.Len(got) != 2 {
		t.Errorf("entries %s", got)
	}
}

func TestInterruptedServerSaves(t *testing.T) {
	l := serve(t, rpc.Options{})
	path := filepath.Join(l.home, "s.jsonl")
	h := l.open("open", `{"path":`+quoted(path)+`}`)
	l.on(h, "appendCustomEntry", `"customType":"x"`)
	l.stop()
	if err := <-l.serve; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve = %v", err)
	}
	if got := len(fileLines(t, path)); got != 2 {
		t.Errorf("%d lines", got)
	}
}

// TestInterruptedWhileNobodyReads stops a server that waits for its client.
func TestInterruptedWhileNobodyReads(t *testing.T) {
	l := serve(t, rpc.Options{})
	h := l.open("inMemory", `{}`)
	for range 10 {
		l.request("getHeader", onHandle(h, ""))
	}
	l.stop()
	if err := <-l.serve; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve = %v", err)
	}
}

var errGone = errors.New("the client is gone")

// A gone writer fails from its second write on.
type gone struct{ writes atomic.Int32 }

func (g *gone) Write(p []byte) (int, error) {
	if g.writes.Add(1) > 1 {
		return 0, errGone
	}
	return len(p), nil
}

func TestClientGone(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "s.jsonl")
	in, client := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- rpc.Serve(t.Context(), in, &gone{}, rpc.Options{Env: environment(home), Poll: -1})
	}()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"open","params":{"path":` + quoted(path) + `}}`,
		`{"jsonrpc":"2.0","id":2,"method":"listAll"}`,
	} {
		if _, err := io.WriteString(client, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-served; !errors.Is(err, errGone) {
		t.Errorf("Serve = %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestBrokenInput(t *testing.T) {
	in := io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"listAll"}`+"\n"+`{"half`), broken{})
	var out strings.Builder
	err := rpc.Serve(t.Context(), in, &out, rpc.Options{Env: environment(t.TempDir()), Poll: -1})
	if !errors.Is(err, errGone) {
		t.Errorf("Serve = %v", err)
	}
	if got := out.String(); got != `{"jsonrpc":"2.0","id":1,"result":[]}`+"\n" {
		t.Errorf("answered %q", got)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errGone }
