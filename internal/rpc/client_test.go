package rpc_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/rpc"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/prompts"
	"github.com/cambium-dev/cambium/session"
)

// The test binary is the server too: with this variable set it serves its
// standard input, for a home of that name.
const homeVariable = "CAMBIUM_RPC_TEST_HOME"

func TestMain(m *testing.M) {
	if home := os.Getenv(homeVariable); home != "" {
		os.Exit(child(home))
	}
	scratch.InMemory()
	scratch.CollectSeldom()
	os.Exit(m.Run())
}

func child(home string) int {
	o := rpc.Options{
		Env: environment(home), Agent: dialect.Name(os.Getenv("CAMBIUM_RPC_TEST_AGENT")), Poll: -1,
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	if os.Getenv("CAMBIUM_RPC_TEST_POLL") != "" {
		o.Poll = time.Millisecond
	}
	if os.Getenv("CAMBIUM_RPC_TEST_FIXED") != "" {
		o.Now, o.Random = fixedClock(), &fixedRandom{}
	}
	place := func(agent string) prompts.Source {
		return prompts.Source{Agent: agent, Path: places.For(agent, o.Env, layout.Overrides{}).History, Parts: agent == "omp"}
	}
	o.Undo = state.New(state.Options{Dir: places.Own(o.Env).State, Now: now(o), Random: random(o)})
	history, err := prompts.Open(context.Background(), prompts.Options{
		Own: place("cambium"), Others: []prompts.Source{place("omp"), place("xcsh")}, Now: o.Now,
		Trouble: func(err error) { fmt.Fprintln(os.Stderr, err) },
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	o.History = history
	if os.Getenv(overVariable) != "" {
		if err := errors.Join(childServer(home, o), history.Close()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	if err := errors.Join(rpc.Serve(context.Background(), os.Stdin, os.Stdout, o), history.Close()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// now and random are those of the options, or of the machine.
func now(o rpc.Options) func() time.Time {
	if o.Now == nil {
		return time.Now
	}
	return o.Now
}

func random(o rpc.Options) io.Reader {
	if o.Random == nil {
		return rand.Reader
	}
	return o.Random
}

// environment is that of a machine with nothing but a home.
func environment(home string) layout.Env {
	return layout.Env{
		Home: home, TempDir: "/tmp", Cwd: filepath.Join(home, "work"),
		Getenv: func(name string) string {
			if name == "TMUX_PANE" {
				return "%7"
			}
			return ""
		},
	}
}

// fixedClock is a second later each time it is asked.
func fixedClock() func() time.Time {
	var mu sync.Mutex
	now := time.Date(2025, 6, 1, 9, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

// fixedRandom is the same in every run.
type fixedRandom struct {
	mu sync.Mutex
	n  uint64
}

func (r *fixedRandom) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for at := 0; at < len(p); {
		r.n++
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, r.n))
		at += copy(p[at:], sum[:])
	}
	return len(p), nil
}

// A client talks to a server in another process.
type client struct {
	t    *testing.T
	home string
	over string // "", "socket" or "http"
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	ids  int
	told []entry.JSON // notifications that came while waiting for an answer
	stop func()       // ends the server, which for stdio the end of the input does
}

func start(t *testing.T, env ...string) *client {
	t.Helper()
	return startIn(t, t.TempDir(), env...)
}

func startIn(t *testing.T, home string, env ...string) *client {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(home, "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, home: home, cmd: exec.Command(os.Args[0]), stop: func() {}}
	// Under the race detector each process would sleep a second at its end.
	c.cmd.Env = append([]string{homeVariable + "=" + home, "GORACE=atexit_sleep_ms=0"}, env...)
	c.cmd.Stderr = os.Stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.in.Close()
		c.stop()
		_ = c.cmd.Wait()
	})
	return c
}

// end closes the input and returns the exit code.
func (c *client) end() int {
	c.t.Helper()
	if err := c.in.Close(); err != nil {
		c.t.Fatal(err)
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if len(line) > 0 {
			c.told = append(c.told, line)
		}
		if err != nil {
			break
		}
	}
	c.stop()
	err := c.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatal(err)
	}
	return c.cmd.ProcessState.ExitCode()
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) read() entry.JSON {
	c.t.Helper()
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("read answer: %v (%q)", err, line)
	}
	if err := jsonl.Valid(line); err != nil {
		c.t.Errorf("not JSON: %v: %q", err, line)
	}
	return entry.JSON(strings.TrimSuffix(string(line), "\n"))
}

// answer reads up to the next message that is no notification.
func (c *client) answer() entry.JSON {
	c.t.Helper()
	for {
		m := c.read()
		if _, ok := jsonedit.Get(m, "method"); !ok {
			return m
		}
		c.told = append(c.told, m)
	}
}

// request writes a call and returns its id.
func (c *client) request(method, params string) string {
	c.t.Helper()
	c.ids++
	id := fmt.Sprint(c.ids)
	c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":` + quoted(method) + `,"params":` + params + `}`)
	return id
}

// try calls a method and returns the result or the error.
func (c *client) try(method, params string) (result, fault entry.JSON) {
	c.t.Helper()
	id := c.request(method, params)
	m := c.answer()
	if got, _ := jsonedit.Get(m, "id"); string(got) != id {
		c.t.Fatalf("%s: answer %.200s, want one with id %s", method, m, id)
	}
	result, ok := jsonedit.Get(m, "result")
	fault, bad := jsonedit.Get(m, "error")
	if ok == bad {
		c.t.Fatalf("%s: answer %.200s, want either result or error", method, m)
	}
	if err := conform(method, entry.JSON(params), result, fault); err != nil {
		c.t.Errorf("not as described: %v", err)
	}
	return result, fault
}

// call calls a method that must succeed.
func (c *client) call(method, params string) entry.JSON {
	c.t.Helper()
	result, fault := c.try(method, params)
	if fault != nil {
		c.t.Fatalf("%s %s: %s", method, params, fault)
	}
	return result
}

// refused calls a method that must fail with a code and returns the error.
func (c *client) refused(code int, method, params string) entry.JSON {
	c.t.Helper()
	result, fault := c.try(method, params)
	if got, _ := jsonedit.Get(fault, "code"); string(got) != fmt.Sprint(code) {
		c.t.Fatalf("%s %s = %s, error %s; want code %d", method, params, result, fault, code)
	}
	return fault
}

// open opens a session and returns its handle, quoted.
func (c *client) open(method, params string) string {
	c.t.Helper()
	handle, ok := jsonedit.Get(c.call(method, params), "handle")
	if !ok || jsonedit.Kind(handle) != '"' {
		c.t.Fatalf("%s %s: no handle", method, params)
	}
	return string(handle)
}

// on calls a method on a handle; params are the further members.
func (c *client) on(handle, method, params string) entry.JSON {
	c.t.Helper()
	return c.call(method, onHandle(handle, params))
}

func onHandle(handle, params string) string {
	if params != "" {
		params = "," + params
	}
	return `{"handle":` + handle + params + `}`
}

// options are those of the library for the same machine.
func (c *client) options() session.Options { return session.Options{Env: environment(c.home)} }

// write writes a file in the home and returns its path.
func (c *client) write(name, data string) string {
	c.t.Helper()
	path := filepath.Join(c.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return path
}

func quoted(s string) string { return string(jsonedit.Quoted(s)) }

func unquoted(v entry.JSON) string {
	s, _ := jsonedit.String(v)
	return s
}
