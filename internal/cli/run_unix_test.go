//go:build unix

package cli_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
	"golang.org/x/sys/unix"
)

// asking runs the built-in agent on a terminal, with a server that answers with
// replies.
func asking(t *testing.T, args []string, replies ...wiretest.Reply) (m *tuitest.Terminal, s *wiretest.Server, home string) {
	t.Helper()
	home = scratch.OwnDir(t)
	s = wiretest.New(t, replies...)
	write(t, filepath.Join(home, ".config/cambium/settings.json"), fmt.Appendf(nil,
		`{"model":"p/m","providers":{"p":{"baseUrl":"%s/v1","models":[{"id":"m","contextWindow":100000}]}}}`, s.URL))
	return tuitest.Start(t, tuitest.Options{Args: append([]string{"run"}, args...), Home: home, Rows: 40}), s, home
}

func commanding(id, command string) wiretest.Call {
	return wiretest.Call{ID: id, Name: "bash", Arguments: wiretest.Arguments(new(jsonedit.Object).String("command", command).Value())}
}

// Before something is changed the person is asked, with the whole command; the
// answer streams to the screen.
func TestRunAsks(t *testing.T) {
	m, _, home := asking(t, []string{"-p", "go"},
		wiretest.Calling(commanding("c1", "echo one > one\necho two > two")), wiretest.Calling(commanding("c2", "touch refused")),
		wiretest.Calling(commanding("c3", "touch three")), wiretest.Calling(commanding("c4", "touch four")), wiretest.Text("All done."))
	m.WaitFor("Run it? [y/N, a for always]")
	if screen := unwrapped(m); !strings.Contains(screen, "Run bash in "+home+"?") || !strings.Contains(screen, "  command:\n  | echo one > one\n  | echo two > two\n") {
		t.Errorf("asked:\n%s", screen)
	}
	m.Send("y", "enter")
	m.WaitFor(func(screen string) bool { return strings.Count(screen, "a for always]") == 2 })
	m.Send("enter")
	m.WaitFor(func(screen string) bool { return strings.Count(screen, "a for always]") == 3 })
	m.Send("a", "enter")
	m.WaitFor("All done.")
	if code := m.Wait(); code != 0 {
		t.Errorf("ends with %d:\n%s", code, m.Screen())
	}
	for name, want := range map[string]bool{"one": true, "two": true, "refused": false, "three": true, "four": true} {
		if _, err := os.Stat(filepath.Join(home, name)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
	if n := strings.Count(m.Screen(), "All done."); n != 1 {
		t.Errorf("the answer is there %d times:\n%s", n, m.Screen())
	}
	m.AssertRestored()
}

// Of an edit the person sees what is taken away and what comes in its place.
func TestRunAsksAboutEdits(t *testing.T) {
	edit := wiretest.Call{ID: "c1", Name: "edit", Arguments: `{"path":"a","edits":[{"oldText":"one\ntwo","newText":"1\n"},{"oldText":"\u001b[2J","newText":""}]}`}
	m, _, _ := asking(t, []string{"-p", "go"}, wiretest.Calling(edit), wiretest.Text("Well."))
	m.WaitFor("a for always]")
	if screen := m.Screen(); !strings.Contains(screen, "  path: a\n  edits = [\n    1 = {\n      oldText to newText:\n      - one\n      - two\n      + 1\n      +\n    }\n    2 = {\n      oldText to newText:\n      - \\u{1b}[2J\n      +\n    }\n  ]\n") {
		t.Errorf("asked:\n%s", screen)
	}
	m.Send("enter")
	if code := m.Wait(); code != 0 {
		t.Errorf("ends with %d:\n%s", code, m.Screen())
	}
	if foreign := m.Foreign(); len(foreign) > 0 {
		t.Errorf("the terminal was sent %q", foreign)
	}
}

// What the model says and asks for does not drive the terminal.
func TestRunOnATerminalIsSafe(t *testing.T) {
	m, _, _ := asking(t, []string{"-p", "go", "--yes"},
		wiretest.Calling(commanding("c1", "true \x1b]0;owned\x07")), wiretest.Text("clear \x1b[2J\x1b]52;c;aGk=\x07 it"))
	if code := m.Wait(); code != 0 {
		t.Errorf("ends with %d:\n%s", code, m.Screen())
	}
	if foreign := m.Foreign(); len(foreign) > 0 {
		t.Errorf("the terminal was sent %q", foreign)
	}
	if !strings.Contains(m.Screen(), "it") || !strings.Contains(m.Screen(), "→ bash") {
		t.Errorf("screen:\n%s\nreceived %q", m.Screen(), m.Received())
	}
}

// Ctrl-C at a question ends the run with 8, and nothing was run.
func TestRunInterruptedAtAQuestion(t *testing.T) {
	m, _, home := asking(t, []string{"-p", "go"}, wiretest.Calling(commanding("c1", "touch made")))
	m.WaitFor("a for always]")
	m.Send("ctrl+c")
	if code := m.Wait(); code != 8 {
		t.Errorf("ends with %d:\n%s", code, m.Screen())
	}
	if _, err := os.Stat(filepath.Join(home, "made")); err == nil {
		t.Error("it was run")
	}
	m.AssertRestored()
}

// Without a prompt on a terminal there is nothing to say.
func TestRunWithoutPrompt(t *testing.T) {
	m, _, _ := asking(t, nil)
	if code := m.Wait(); code != 2 || !strings.Contains(m.Screen(), "there is nothing to say") {
		t.Errorf("ends with %d:\n%s", code, m.Screen())
	}
}

// hang makes a pipe from which a program reads for as long as the test takes. ended
// waits until the program is gone.
func hang(t *testing.T, path string) (ended func()) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	opened := make(chan *os.File, 1)
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // it waits for the program
		if err != nil {
			t.Error(err)
		}
		opened <- f
	}()
	return func() {
		f := <-opened
		defer f.Close()
		fds := []unix.PollFd{{Fd: int32(f.Fd())}} // an error is all that is waited for
		for {
			n, err := unix.Poll(fds, int(time.Minute.Milliseconds()))
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if n != 1 || err != nil {
				t.Errorf("the program still reads from the pipe: %d, %v", n, err)
			}
			return
		}
	}
}

// Ctrl-C does not wait for a hook: before the prompt it ends the run with 8, after
// the answer it only ends the hook.
func TestRunInterruptedAtAHook(t *testing.T) {
	for event, want := range map[string]int{"session_start": 8, "session_shutdown": 0} {
		home := scratch.OwnDir(t)
		s := wiretest.NewFunc(t, func(wiretest.Request) wiretest.Reply { return wiretest.Text("All done.") })
		write(t, filepath.Join(home, ".config/cambium/settings.json"), fmt.Appendf(nil,
			`{"model":"p/m","providers":{"p":{"baseUrl":"%s/v1","models":[{"id":"m"}]}},`+
				`"hooks":{%q:[{"command":"exec 3<~/hang; echo the hook hangs >/dev/tty; exec cat <&3","timeoutMs":1000000}]}}`, s.URL, event))
		hook := hang(t, filepath.Join(home, "hang"))
		m := tuitest.Start(t, tuitest.Options{Args: []string{"run", "-p", "go"}, Home: home})
		m.WaitFor("the hook hangs")
		m.Send("ctrl+c")
		if code := m.Wait(); code != want {
			t.Errorf("%s: ends with %d, want %d:\n%s", event, code, want, m.Screen())
		}
		hook()
		if said := strings.Contains(m.Screen(), "All done."); said != (want == 0) {
			t.Errorf("%s: screen:\n%s", event, m.Screen())
		}
	}
}
