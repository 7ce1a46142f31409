//go:build share

package jetstream_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
)

// deadline is how long a test waits for something that must come.
const deadline = 60 * time.Second

// until asks again and again until the answer is yes. What it asks is a server,
// which takes its time.
func until(t testing.TB, what string, yes func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !yes() {
		select {
		case <-ctx.Done():
			t.Fatalf("waited in vain: %s", what)
		case <-tick.C:
		}
	}
}

// create begins a log with one line.
func create(t testing.TB, s wholeStore, name string) (storage.Log, storage.Mark) {
	t.Helper()
	log, err := s.Open(t.Context(), name, storage.Create)
	if err != nil {
		t.Fatal(err)
	}
	mark, err := log.Append(t.Context(), storage.Mark{}, [][]byte{[]byte("start")})
	if err != nil {
		t.Fatal(err)
	}
	return log, mark
}

func reopen(t testing.TB, s wholeStore, name string) (storage.Log, storage.Mark) {
	t.Helper()
	log, err := s.Open(t.Context(), name, storage.Write)
	if err != nil {
		t.Fatal(err)
	}
	info, err := log.Stat(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return log, info.Mark
}

func linesOf(t testing.TB, log storage.Log) (lines []string) {
	t.Helper()
	for line, err := range log.Read(t.Context(), storage.Mark{}) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line.Bytes))
	}
	return lines
}

// appendAny appends as a careful caller does: it follows every change, and gives
// what was not taken again.
func appendAny(ctx context.Context, log storage.Log, mark storage.Mark, line string) (storage.Mark, error) {
	for {
		next, err := log.Append(ctx, mark, [][]byte{[]byte(line)})
		var c *storage.Changed
		switch {
		case errors.As(err, &c):
			mark = c.Now
		case errors.Is(err, jetstream.ErrAway) && ctx.Err() == nil:
		default:
			return next, err
		}
	}
}

// wantEach checks that each writer's lines are there once and in order: at least
// as many as were acknowledged, and no more than were sent.
func wantEach(t testing.TB, lines []string, acked ...int) {
	t.Helper()
	next := make([]int, len(acked))
	for _, line := range lines {
		var w, i int
		if _, err := fmt.Sscanf(line, "%d-%d", &w, &i); err != nil {
			continue
		}
		if i != next[w] {
			t.Fatalf("writer %d: line %d where %d was to come", w, i, next[w])
		}
		next[w] = i + 1
	}
	for w, n := range acked {
		if next[w] < n {
			t.Errorf("writer %d: %d lines are there, %d were acknowledged", w, next[w], n)
		}
	}
}

// A writer appends in the background and tells of each line that was
// acknowledged.
type writer struct {
	acked chan int
	stop  context.CancelFunc
	done  sync.WaitGroup
	count atomic.Int64
}

// newWriter begins one. The test calls end.
func newWriter(t testing.TB, log storage.Log, mark storage.Mark, number int) *writer {
	ctx, stop := context.WithCancel(t.Context())
	w := &writer{acked: make(chan int), stop: stop}
	w.done.Go(func() {
		for i := 0; ; i++ {
			var err error
			if mark, err = appendAny(ctx, log, mark, fmt.Sprintf("%d-%d", number, i)); err != nil {
				if ctx.Err() == nil {
					t.Errorf("append %d: %v", i, err)
				}
				close(w.acked)
				return
			}
			w.count.Add(1)
			select {
			case w.acked <- i:
			default:
			}
		}
	})
	return w
}

// more waits until n more lines are acknowledged.
func (w *writer) more(t testing.TB, n int) {
	t.Helper()
	timer := time.NewTimer(deadline)
	defer timer.Stop()
	for want := w.count.Load() + int64(n); w.count.Load() < want; {
		select {
		case _, ok := <-w.acked:
			if !ok {
				t.Fatal("the writer ended")
			}
		case <-timer.C:
			t.Fatalf("the writer stands still at %d lines", w.count.Load())
		}
	}
}

// end stops the writer and returns how many lines were acknowledged.
func (w *writer) end() int {
	w.stop()
	for range w.acked { // until it has ended
	}
	w.done.Wait()
	return int(w.count.Load())
}

// A proxy stands between a client and a server.
type proxy struct {
	to    string
	l     net.Listener
	group sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn          // guarded by mu
	mute  bool                // guarded by mu: answers are swallowed
	cut   bool                // guarded by mu: nothing goes through, and nobody is told
	snip  int                 // guarded by mu: cut the connection at the word: 1 before it goes by, 2 after
	watch string              // guarded by mu: a word to look for on the way to the server
	seen  chan struct{}       // guarded by mu: closed when it went by
	bend  func([]byte) []byte // guarded by mu: changes answers
}

func newProxy(t testing.TB, port int) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{to: fmt.Sprintf("127.0.0.1:%d", port), l: l}
	p.group.Go(p.accept)
	t.Cleanup(func() {
		_ = l.Close()
		p.mu.Lock()
		for _, c := range p.conns {
			_ = c.Close()
		}
		p.mu.Unlock()
		p.group.Wait()
	})
	return p
}

func (p *proxy) port() int { return p.l.Addr().(*net.TCPAddr).Port }

func (p *proxy) accept() {
	for {
		client, err := p.l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.to)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		p.group.Go(func() { p.copy(server, client, true) })
		p.group.Go(func() { p.copy(client, server, false) })
	}
}

func (p *proxy) copy(to, from net.Conn, toServer bool) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 64<<10)
	var last []byte
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		var snip int
		var seen chan struct{}
		p.mu.Lock()
		drop, bend := p.cut || p.mute && !toServer, p.bend
		if toServer && p.watch != "" && !p.cut {
			last = append(last, buf[:n]...)
			if strings.Contains(string(last), p.watch) {
				snip, seen = p.snip, p.seen
				p.snip, p.watch = 0, ""
			}
			last = last[max(0, len(last)-100):]
		}
		p.mu.Unlock()
		if drop {
			continue
		}
		out := buf[:n]
		if bend != nil && !toServer {
			out = bend(out)
		}
		if snip != before {
			_, err = to.Write(out)
		}
		if seen != nil {
			close(seen)
		}
		if err != nil || snip != 0 {
			return
		}
	}
}

// Where the connection is cut.
const (
	before = 1 + iota
	after
)

// cutAt cuts the connection once when a word is on the way to the server: before
// or after it went by. It returns what is closed then.
func (p *proxy) cutAt(word string, where int) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watch, p.snip, p.seen = word, where, make(chan struct{})
	return p.seen
}

// set says what the proxy does. Connections that had something swallowed are of
// no use afterwards, and are closed.
func (p *proxy) set(mute, cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if (p.mute || p.cut) && !mute && !cut {
		for _, c := range p.conns {
			_ = c.Close()
		}
		p.conns = nil
	}
	p.mute, p.cut = mute, cut
}

// turn makes the proxy change what the server answers; nil for no more.
func (p *proxy) turn(bend func([]byte) []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bend = bend
}

// await returns what is closed when a word has gone to the server.
func (p *proxy) await(word string) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watch, p.seen = word, make(chan struct{})
	return p.seen
}

// A process is this test program, run as another one.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
}

// spawn runs a part of child in a process of its own.
func spawn(t testing.TB, part, url string, args ...string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CAMBIUM_TEST_CHILD="+part, "CHILD_URL="+url, "CHILD_ARGS="+strings.Join(args, "\t"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: cmd, in: in, lines: make(chan string, 10000)}
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			p.lines <- s.Text()
		}
	}()
	t.Cleanup(p.kill)
	return p
}

// kill ends the process at once. Twice does nothing.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	for range p.lines { // all that it said
	}
	_ = p.cmd.Wait()
}

// says waits until the process prints a line.
func (p *process) says(t testing.TB, want string) {
	t.Helper()
	timer := time.NewTimer(deadline)
	defer timer.Stop()
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				t.Fatalf("the process ended and did not say %q", want)
			}
			if line == want {
				return
			}
		case <-timer.C:
			t.Fatalf("the process did not say %q", want)
		}
	}
}
