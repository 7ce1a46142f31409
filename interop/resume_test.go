//go:build peers

package interop_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/creack/pty"
)

// A terminal is a pseudo-terminal on which programs are run one after the other,
// and what they wrote.
type terminal struct {
	t             *testing.T
	master, slave *os.File

	mu    sync.Mutex
	text  bytes.Buffer // guarded by mu
	woken chan struct{}
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(slave, &pty.Winsize{Rows: 40, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, master: master, slave: slave, woken: make(chan struct{}, 1)}
	go func() { _, _ = io.Copy(x, master) }() // ends when the terminal is closed
	t.Cleanup(func() {
		_ = slave.Close()
		_ = master.Close()
	})
	return x
}

// Write takes what a program wrote.
func (x *terminal) Write(b []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.text.Write(b)
	select {
	case x.woken <- struct{}{}:
	default:
	}
	return len(b), nil
}

var sequences = regexp.MustCompile(`\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b[\]_P][^\x07\x1b]*(\x07|\x1b\\)|\x1b[()][A-Z0-9]`)

// shown is what was written without what steers the terminal, blanks as one.
func (x *terminal) shown() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return strings.Join(strings.Fields(string(sequences.ReplaceAll(x.text.Bytes(), []byte(" ")))), " ")
}

// await waits until the screen showed a text.
func (x *terminal) await(text string) {
	x.t.Helper()
	late := time.After(3 * time.Minute)
	for !strings.Contains(x.shown(), text) {
		select {
		case <-x.woken:
		case <-late:
			x.t.Fatalf("the screen never showed %q: %s", text, x.shown())
		}
	}
}

// start runs a program with the terminal as its own.
func (x *terminal) start(dir string, env []string, args ...string) *exec.Cmd {
	x.t.Helper()
	path := args[0]
	if !filepath.IsAbs(path) {
		for _, kv := range env {
			if bin, ok := strings.CutPrefix(kv, "PATH="); ok {
				path = filepath.Join(strings.Split(bin, ":")[0], path)
			}
		}
	}
	cmd := &exec.Cmd{
		Path: path, Args: args, Dir: dir, Env: env, Stdin: x.slave, Stdout: x.slave, Stderr: x.slave,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true},
	}
	if err := cmd.Start(); err != nil {
		x.t.Fatal(err)
	}
	return cmd
}

// end ends a program that was started, and what it started.
func end(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // a session of its own
	_ = cmd.Wait()
}

// An office is a private home with both programs on the PATH and the command.
type office struct {
	home, work, cambium string
	env                 []string
}

func newOffice(t *testing.T) *office {
	t.Helper()
	root, err := peers.Root()
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := &office{home: filepath.Join(top, "home"), work: filepath.Join(top, "garden"), cambium: filepath.Join(top, "bin", "cambium")}
	bin := filepath.Dir(o.cambium)
	for _, dir := range []string{o.home, o.work, bin, filepath.Join(o.home, ".omp/agent")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []peers.Program{peers.Pi, peers.Omp} {
		if err := p.Check(root); err != nil {
			t.Fatal(err)
		}
		script := fmt.Sprintf("#!/bin/sh\nexec '%s' '%s' \"$@\"\n", p.Runtime(root), filepath.Join(root, "interop", string(p), "node_modules/.bin", string(p)))
		if err := os.WriteFile(filepath.Join(bin, string(p)), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(o.home, ".omp/agent/config.yml"), []byte("startup:\n  checkUpdate: false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(context.Background(), "go", "build", "-o", o.cambium, "./cmd/cambium")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	o.env = append(slices.DeleteFunc(peers.Env(o.home), func(kv string) bool { return strings.HasPrefix(kv, "PATH=") }),
		"PATH="+bin+":/usr/bin:/bin", "TERM=xterm-256color", "PI_OFFLINE=1")
	return o
}

// session writes a session of the work directory in which a question is
// answered.
func (o *office) session(t *testing.T, dir, id, answer string) string {
	t.Helper()
	path := filepath.Join(o.home, dir, "2026-03-01T09-00-00-000Z_"+id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-03-01T09:00:00.000Z","cwd":%q}
{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"where do the snowdrops grow"}],"timestamp":1772355601000}}
{"type":"message","id":"bbbbbbbb","parentId":"aaaaaaaa","timestamp":"2026-03-01T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":%q}],"api":"messages","provider":"prov-a","model":"model-1","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1772355602000}}
`, id, o.work, answer)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestResumeStartsTheProgram hands sessions to the real programs, up to the
// screen that shows what was said, and sees that the program has taken the
// command's place.
func TestResumeStartsTheProgram(t *testing.T) {
	o := newOffice(t)
	o.session(t, ".pi/agent/sessions/--garden--", "0198c2a1-0000-7000-8000-000000000001", "under the hornbeam")
	o.session(t, ".omp/agent/sessions/-garden", "0298c2a1-0000-7000-8000-000000000002", "behind the well")
	for _, tt := range []struct{ name, id, answer string }{
		{"pi", "0198c2a1", "under the hornbeam"},
		{"omp", "0298c2a1", "behind the well"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := newTerminal(t)
			cmd := x.start(o.work, o.env, o.cambium, "resume", tt.id)
			defer end(cmd)
			x.await("where do the snowdrops grow")
			x.await(tt.answer)
			exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", cmd.Process.Pid))
			if err != nil || exe == o.cambium {
				t.Errorf("process %d is %q, %v", cmd.Process.Pid, exe, err)
			}
			if dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", cmd.Process.Pid)); err != nil || dir != o.work {
				t.Errorf("it works in %q, %v; want %q", dir, err, o.work)
			}
		})
	}
}

// TestOmpContinuesWhatCambiumUsed uses a session in a terminal; then omp goes on
// with it there by its own --continue, though another one is newer.
func TestOmpContinuesWhatCambiumUsed(t *testing.T) {
	o := newOffice(t)
	o.session(t, ".omp/agent/sessions/-garden", "0298c2a1-0000-7000-8000-000000000002", "behind the well")
	newer := o.session(t, ".omp/agent/sessions/-garden", "0398c2a1-0000-7000-8000-000000000003", "in the shop")
	x := newTerminal(t)
	use := x.start(o.work, o.env, o.cambium, "branch", "0298c2a1", "bbbbbbbb")
	if err := use.Wait(); err != nil {
		t.Fatalf("%v: %s", err, x.shown())
	}
	soon := time.Now().Add(time.Hour)
	if err := os.Chtimes(newer, soon, soon); err != nil {
		t.Fatal(err)
	}
	cmd := x.start(o.work, o.env, "omp", "--continue")
	defer end(cmd)
	x.await("behind the well")
}

// TestCambiumContinuesWhatOmpUsed is the other way round: omp opens the older
// session in a terminal, cambium continues it there.
func TestCambiumContinuesWhatOmpUsed(t *testing.T) {
	o := newOffice(t)
	older := o.session(t, ".omp/agent/sessions/-garden", "0298c2a1-0000-7000-8000-000000000002", "behind the well")
	newer := o.session(t, ".omp/agent/sessions/-garden", "0398c2a1-0000-7000-8000-000000000003", "in the shop")
	soon := time.Now().Add(time.Hour)
	if err := os.Chtimes(newer, soon, soon); err != nil {
		t.Fatal(err)
	}
	x := newTerminal(t)
	cmd := x.start(o.work, o.env, "omp", "--resume", older)
	x.await("behind the well")
	end(cmd)
	out := newTerminal(t)
	other := out.start(o.work, o.env, o.cambium, "continue", "--print")
	if err := other.Wait(); err != nil {
		t.Fatalf("%v: %s", err, out.shown())
	}
	out.await(filepath.Base(newer)) // another terminal: the newest
	again := x.start(o.work, o.env, o.cambium, "continue", "--print")
	if err := again.Wait(); err != nil {
		t.Fatalf("%v: %s", err, x.shown())
	}
	x.await(filepath.Base(older))
}
