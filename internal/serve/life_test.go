package serve_test

import (
	"context"
	"errors"
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
	"github.com/cambium-dev/cambium/internal/serve"
	"github.com/cambium-dev/cambium/session"
)

const appendOne = `{"handle":"1","customType":"one"}`

// TestStopLetsCallsEnd stops a server with a call under way on each way in: both
// are answered, and what they wrote is there.
func TestStopLetsCallsEnd(t *testing.T) {
	for _, way := range []string{"http", "socket"} {
		t.Run(way, func(t *testing.T) {
			o, x := options(t)
			g := newGate()
			o.RPC.Now = g.Now
			x.run(o)
			path := x.session("1_a.jsonl")
			watch := x.events(x.write)
			answered := make(chan reply, 1)
			if way == "http" {
				id := x.must(x.write, "", "open", pathParam(path)).session()
				g.arm()
				go func() { answered <- x.call(x.write, id, "appendCustomEntry", appendOne) }()
			} else {
				l := x.dial()
				l.call("open", pathParam(path))
				g.arm()
				l.say(message("appendCustomEntry", appendOne))
				go func() { answered <- l.hear() }()
			}
			<-g.entered
			x.stop()
			if got := watch.next(); got != `|end|{"reason":"stopping"}` {
				t.Errorf("told %s", got)
			}
			for way == "socket" { // nobody new is let in, as soon as the ways in are closed
				if _, err := x.request(t.Context(), "GET", "/healthz", ""); err != nil {
					break
				}
			}
			close(g.open)
			id, ok := jsonedit.String((<-answered).result())
			if !ok {
				t.Fatal("not answered")
			}
			if err := <-x.done; err != nil {
				t.Errorf("Run = %v", err)
			}
			if got := x.lines(path); len(got) != 4 || !strings.Contains(got[3], quoted(id)) {
				t.Errorf("answered %q, stored %q", id, got)
			}
			if _, err := os.Lstat(x.socket); err == nil {
				t.Error("the socket is left")
			}
		})
	}
}

// TestHurry gives up waiting: what was begun is done, what waits is not.
func TestHurry(t *testing.T) {
	o, x := options(t)
	g, hurry := newGate(), make(chan struct{})
	o.RPC.Now, o.Hurry = g.Now, hurry
	x.run(o)
	path := x.session("1_a.jsonl")
	id := x.must(x.write, "", "open", pathParam(path)).session()
	g.arm()
	ended := make(chan error, 1)
	batch := "[" + message("appendCustomEntry", appendOne) + "," + message("appendCustomEntry", `{"handle":"1","customType":"two"}`) + "]"
	go func() {
		_, err := x.request(context.Background(), "POST", "/rpc", x.write, batch, "Cambium-Session", id)
		ended <- err
	}()
	<-g.entered
	x.stop()
	close(hurry)
	if err := <-ended; err == nil {
		t.Error("answered what was not done")
	}
	close(g.open)
	if err := <-x.done; err != nil {
		t.Errorf("Run = %v", err)
	}
	if got := x.lines(path); len(got) != 4 || !strings.Contains(got[3], `"one"`) {
		t.Errorf("stored %q", got)
	}
}

// TestUnsavedAtTheEnd has a session that cannot be written anywhere.
func TestUnsavedAtTheEnd(t *testing.T) {
	for _, way := range []string{"http", "socket"} {
		t.Run(way, func(t *testing.T) {
			o, x := options(t)
			dir := filepath.Join(x.file(filepath.Join(x.home, "file"), "x"), "no")
			o.Roots = []string{x.home}
			x.run(o)
			create := `{"cwd":"/w","sessionDir":` + quoted(dir) + `}`
			answer := `{"handle":"1","message":{"role":"assistant","content":[]}}`
			var failed reply
			if way == "http" {
				id := x.must(x.write, "", "create", create).session()
				failed = x.call(x.write, id, "appendMessage", answer)
				x.refused(x.ask("DELETE", "/rpc", x.write, "Cambium-Session", id), http.StatusInternalServerError, "-32006")
				x.must(x.write, id, "getEntries", `{"handle":"1"}`) // it is still there
				if text := string(x.ask("GET", "/metrics", x.read).body); !strings.Contains(text, "cambium_unsaved_entries 1\n") {
					t.Errorf("metrics:\n%s", text)
				}
			} else {
				l := x.dial()
				l.call("create", create)
				failed = l.call("appendMessage", answer)
			}
			if failed.code() != "-32006" {
				t.Errorf("answered %s", failed.body)
			}
			if err := x.ended(); !errors.Is(err, session.ErrUnsaved) {
				t.Errorf("Run = %v", err)
			}
		})
	}
}

// TestClientVanishes is gone between sending and the answer.
func TestClientVanishes(t *testing.T) {
	o, x := options(t)
	g := newGate()
	o.RPC.Now = g.Now
	x.run(o)
	path := x.session("1_a.jsonl")
	id := x.must(x.write, "", "open", pathParam(path)).session()
	g.arm()
	ctx, vanish := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := x.request(ctx, "POST", "/rpc", x.write, message("appendCustomEntry", appendOne), "Cambium-Session", id)
		gone <- err
	}()
	<-g.entered
	vanish()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("request: %v", err)
	}
	close(g.open)
	// Whoever comes back finds it done, once.
	entries := x.must(x.write, id, "getEntries", `{"handle":"1"}`).result()
	if jsonedit.Len(entries) != 3 || !strings.Contains(string(entries), `"one"`) {
		t.Errorf("entries %s", entries)
	}

	if err := x.ended(); err != nil {
		t.Errorf("Run = %v", err)
	}
	if got := x.lines(path); len(got) != 4 {
		t.Errorf("stored %q", got)
	}
}

// TestSocketClientVanishes is gone while its call is done, which is done all the
// same, and its session closed.
func TestSocketClientVanishes(t *testing.T) {
	o, x := options(t)
	g := newGate()
	o.RPC.Now = g.Now
	x.run(o)
	path := x.session("1_a.jsonl")
	l := x.dial()
	l.call("open", pathParam(path))
	g.arm()
	l.say(message("appendCustomEntry", appendOne))
	<-g.entered
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	close(g.open)
	if err := x.ended(); err != nil {
		t.Errorf("Run = %v", err)
	}
	if got := x.lines(path); len(got) != 4 {
		t.Errorf("stored %q", got)
	}
}

// TestIdle ends what nobody uses any more: its sessions are saved and closed.
func TestIdle(t *testing.T) {
	o, x := options(t)
	c, ticks := newClock(), make(chan time.Time)
	o.Now, o.Limits.Idle, o.Limits.Sessions = c.Now, time.Minute, 3
	o = serve.WithTicks(o, ticks)
	x.run(o)
	left := x.must(x.write, "", "open", pathParam(x.session("1_a.jsonl"))).session()
	read := x.must(x.write, "", "open", pathParam(x.session("2_b.jsonl"))).session()
	used := x.must(x.write, "", "open", pathParam(x.session("3_c.jsonl"))).session()
	watch := x.events(x.write, "Cambium-Session", read)
	c.pass(40 * time.Second)
	x.must(x.write, used, "getLeafId", `{"handle":"1"}`)
	c.pass(40 * time.Second)
	sweep := func() {
		ticks <- c.Now()
		ticks <- c.Now() // the one before is over then
	}
	sweep()
	x.refused(x.call(x.write, left, "getLeafId", `{"handle":"1"}`), http.StatusNotFound, "-32007")
	x.must(x.write, used, "getLeafId", `{"handle":"1"}`)
	x.must(x.write, read, "getLeafId", `{"handle":"1"}`)
	x.must(x.write, "", "inMemory", `{}`) // there is room again
	if text := string(x.ask("GET", "/metrics", x.read).body); !strings.Contains(text, "cambium_open_sessions 3\n") {
		t.Errorf("metrics:\n%s", text)
	}
	// A token that is taken away takes its connections with it.
	if err := serve.RemoveToken(t.Context(), o.Tokens, "write"); err != nil {
		t.Fatal(err)
	}
	sweep()
	if got := watch.next(); got != `|end|{"reason":"token"}` {
		t.Errorf("told %s", got)
	}
	if text := string(x.ask("GET", "/metrics", x.read).body); !strings.Contains(text, "cambium_open_sessions 0\n") {
		t.Errorf("metrics:\n%s", text)
	}
}

func TestSocketOfOthers(t *testing.T) {
	o, x := options(t)
	o.Listen = ""
	// What a dead server left is replaced.
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: x.socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	x.run(o)
	if r := x.dial().call("listAll", "{}"); string(r.result()) != "[]" {
		t.Errorf("answered %s", r.body)
	}
	if err := serve.Run(t.Context(), o); !errors.Is(err, serve.ErrTaken) {
		t.Errorf("a second server: %v", err)
	}
	if r := x.dial().call("listAll", "{}"); string(r.result()) != "[]" {
		t.Errorf("answered %s", r.body)
	}
	if err := x.ended(); err != nil {
		t.Error(err)
	}
	// A server of another kind, and what is no socket, are left alone.
	other, err := net.Listen("unix", x.socket)
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Run(t.Context(), o); !errors.Is(err, serve.ErrTaken) {
		t.Errorf("beside another program: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	x.file(x.socket, "mine")
	if err := serve.Run(t.Context(), o); !errors.Is(err, serve.ErrTaken) || x.lines(x.socket)[0] != "mine" {
		t.Errorf("over a file: %v", err)
	}
	o.Socket = "/" + strings.Repeat("x", 120)
	if err := serve.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("a long path: %v", err)
	}
	o.Socket = ""
	if err := serve.Run(t.Context(), o); err == nil {
		t.Error("served nowhere")
	}
}

// TestHalfClose ends the way in: what came is answered.
func TestHalfClose(t *testing.T) {
	x := start(t)
	l := x.dial()
	l.say(message("inMemory", `{}`))
	l.say(message("getEntries", `{"handle":"1"}`))
	if err := l.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(l.out)
	if err != nil || strings.Count(string(all), "\n") != 2 || !strings.Contains(string(all), `"result":[]`) {
		t.Errorf("answered %q, %v", all, err)
	}
}

// TestStopWaitsForWhoIsGone stops a server in which calls go on whose client is
// gone: they are done to the last.
func TestStopWaitsForWhoIsGone(t *testing.T) {
	o, x := options(t)
	g := newGate()
	o.RPC.Now = g.Now
	x.run(o)
	path := x.session("1_a.jsonl")
	id := x.must(x.write, "", "open", pathParam(path)).session()
	watch := x.events(x.write)
	g.arm()
	ctx, vanish := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	batch := "[" + message("appendCustomEntry", appendOne) + "," + message("appendCustomEntry", `{"handle":"1","customType":"two"}`) + "]"
	go func() {
		_, err := x.request(ctx, "POST", "/rpc", x.write, batch, "Cambium-Session", id)
		gone <- err
	}()
	<-g.entered
	vanish()
	<-gone
	x.stop()
	if got := watch.next(); got != `|end|{"reason":"stopping"}` {
		t.Errorf("told %s", got)
	}
	close(g.open)
	if err := <-x.done; err != nil {
		t.Errorf("Run = %v", err)
	}
	if got := x.lines(path); len(got) != 5 || !strings.Contains(got[4], `"two"`) {
		t.Errorf("stored %q", got)
	}
}

// TestManyAtOnce has clients of both kinds write to one session each, and to one
// together: every entry is there, once.
func TestManyAtOnce(t *testing.T) {
	const clients, calls = 6, 30
	x := start(t)
	common := x.session("0_common.jsonl")
	var work sync.WaitGroup
	for i := range clients {
		path := x.session(fmt.Sprint(i+1) + "_own.jsonl")
		var l *line
		if i%2 == 0 {
			l = x.dial()
		}
		work.Go(func() {
			id := ""
			call := func(method, params string) {
				var r reply
				if l != nil {
					r = l.call(method, params)
				} else {
					resp, err := x.request(t.Context(), "POST", "/rpc", x.write, message(method, params), "Cambium-Session", id)
					if err != nil {
						t.Error(err)
						return
					}
					body, err := io.ReadAll(resp.Body)
					if err := errors.Join(err, resp.Body.Close()); err != nil {
						t.Error(err)
					}
					r = reply{resp.StatusCode, resp.Header, body}
					id = r.session()
				}
				if r.result() == nil {
					t.Errorf("%s: %s", method, r.body)
				}
			}
			call("open", pathParam(path))
			call("open", pathParam(common))
			for n := range calls {
				call("appendCustomEntry", fmt.Sprintf(`{"handle":"1","customType":"e","data":%d}`, n))
				call("appendCustomEntry", fmt.Sprintf(`{"handle":"2","customType":"e","data":"%d %d"}`, i, n))
			}
		})
	}
	work.Wait()
	if err := x.ended(); err != nil {
		t.Errorf("Run = %v", err)
	}
	for i := range clients {
		if got := len(x.lines(filepath.Join(x.sessions, "--w--", fmt.Sprint(i+1)+"_own.jsonl"))); got != 3+calls {
			t.Errorf("session of client %d: %d lines", i, got)
		}
	}
	seen := map[string]int{}
	for _, l := range x.lines(common)[3:] {
		data, _ := jsonedit.Text([]byte(l), "data")
		seen[data]++
	}
	if len(seen) != clients*calls || len(x.lines(common)) != 3+clients*calls {
		t.Errorf("%d entries of %d, %d lines", len(seen), clients*calls, len(x.lines(common)))
	}
}
