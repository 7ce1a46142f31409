package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/scratch"
)

// A world is a home and a working directory with a server to ask.
type world struct {
	home, dir string
	server    *wiretest.Server
}

func newWorld(t *testing.T, replies ...wiretest.Reply) *world {
	t.Helper()
	root := scratch.OwnDir(t)
	w := &world{home: filepath.Join(root, "home"), dir: filepath.Join(root, "work"), server: wiretest.New(t, replies...)}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeSettings(w.home, w.server.URL, "100000", ""); err != nil {
		t.Fatal(err)
	}
	return w
}

// command is the command with arguments, and what it will have written.
func (w *world) command(args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	cmd = exec.Command("cambium", args...)
	cmd.Dir, cmd.Env = w.dir, []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "TEST_KEY=sesame"}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd, stdout, stderr
}

// run runs the command to its end.
func (w *world) run(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd, out, errs := w.command(args...)
	_ = cmd.Run() // its code says it
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("%q ends with %d, want %d\nstdout: %s\nstderr: %s", args, got, code, out, errs)
	}
	return out.String(), errs.String()
}

// A prompt whose first answer a kill cut short is not lost, and does not keep the
// next one from being said.
func TestRunKilledInTheFirstAnswer(t *testing.T) {
	w := newWorld(t, wiretest.Reply{Say: &wiretest.Say{Text: "I was about to"}, Stall: true, Events: 2}, wiretest.Text("Here I am."))
	cmd, _, _ := w.command("run", "-p", "water the beans")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-w.server.Arrived(1)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if out, _ := w.run(t, 0, "drafts", "--json"); !strings.Contains(out, "water the beans") {
		t.Errorf("drafts: %q", out)
	}
	out, stderr := w.run(t, 0, "run", "--continue", "-p", "and now?")
	if out != "Here I am.\n" || !strings.Contains(stderr, "what was begun here, and not answered, is gone on with") || strings.Contains(stderr, "open in") {
		t.Errorf("then %q, %q", out, stderr)
	}
	if sent := string(w.server.Last().Body); !strings.Contains(sent, "water the beans") {
		t.Errorf("asked %s", sent)
	}
	if out, _ := w.run(t, 0, "drafts", "--json"); out != "" {
		t.Errorf("drafts: %s", out)
	}
}

// Killed in the middle of an answer of a session that is there, nothing of the
// answer is in it, all else is, and the next prompt is said.
func TestRunKilledInAnAnswer(t *testing.T) {
	for _, model := range []string{"chat/test", "responses/test", "claude/test"} {
		t.Run(model, func(t *testing.T) {
			w := newWorld(t, wiretest.Text("Hello."),
				wiretest.Reply{Say: &wiretest.Say{Text: "I was about to say"}, Stall: true, Events: 4}, wiretest.Text("Here I am."))
			w.run(t, 0, "run", "--model", model, "-p", "hi")
			path, _ := w.run(t, 0, "continue", "--print")
			path = strings.TrimSpace(path)
			cmd, _, _ := w.command("run", "-c", "-p", "water the beans")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-w.server.Arrived(2)
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // it was killed
			before, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(before), "water the beans") || strings.Contains(string(before), "about to") {
				t.Fatalf("%v: %s", err, before)
			}
			if out, _ := w.run(t, 0, "run", "-c", "-p", "are you there?"); out != "Here I am.\n" {
				t.Errorf("then %q", out)
			}
			after, err := os.ReadFile(path)
			if err != nil || !bytes.HasPrefix(after, before) {
				t.Errorf("%v: %s", err, after)
			}
			if sent := string(w.server.Last().Body); !strings.Contains(sent, "water the beans") || !strings.Contains(sent, "are you there?") {
				t.Errorf("asked %s", sent)
			}
			if out, stderr := w.run(t, 0, "doctor", path); out != "" {
				t.Errorf("doctor: %s%s", out, stderr)
			}
		})
	}
}

// Interrupted, it ends at once with 8; what had come is in the session.
func TestRunInterrupted(t *testing.T) {
	t.Run("answer", func(t *testing.T) {
		w := newWorld(t, wiretest.Reply{Say: &wiretest.Say{Text: "I was about to say"}, Stall: true, Events: 4}, wiretest.Text("Here I am."))
		cmd, stdout, stderr := w.command("run", "-p", "hi", "--json")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-w.server.Arrived(1)
		w.interrupt(t, cmd)
		if !strings.Contains(stdout.String(), `"stopReason":"aborted"`) || !strings.Contains(stderr.String(), `"code":"aborted"`) {
			t.Errorf("stdout: %s\nstderr: %s", stdout, stderr)
		}
		if out, _ := w.run(t, 0, "run", "-c", "-p", "go on"); out != "Here I am.\n" {
			t.Errorf("then %q", out)
		}
	})
	t.Run("tool", func(t *testing.T) {
		w := newWorld(t, wiretest.Calling(wiretest.Call{ID: "c1", Name: "bash", Arguments: `{"command":"kill -INT $PPID; while :; do :; done"}`}),
			wiretest.Text("Here I am."))
		cmd, _, stderr := w.command("run", "--yes", "-p", "hi")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 8 || !strings.Contains(stderr.String(), "`cambium run --continue` goes on with it") {
			t.Errorf("ends with %d: %s", code, stderr)
		}
		if out, _ := w.run(t, 0, "run", "-c", "-p", "go on"); out != "Here I am.\n" {
			t.Errorf("then %q", out)
		}
		if sent := string(w.server.Last().Body); !strings.Contains(sent, "stopped before it had ended") {
			t.Errorf("asked %s", sent)
		}
	})
}

// interrupt interrupts a command and waits for its end with 8.
func (w *world) interrupt(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its code says it
	if code := cmd.ProcessState.ExitCode(); code != 8 {
		t.Errorf("ends with %d, want 8", code)
	}
}
