package cli_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// openIn has a program of that name open a session, until close is called.
func openIn(t *testing.T, program, path string) (done func()) {
	t.Helper()
	cmd := exec.Command("/bin/sh")
	cmd.Args = []string{program, "-c", `exec 3>>"$SESSION"; echo open; read end`}
	cmd.Env = []string{"SESSION=" + path}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return func() {
		_, _ = io.WriteString(stdin, "\n") // it may be gone
		_ = cmd.Wait()
	}
}

// TestLeavingWhatIsOpen: rm and move refuse what another program has open, unless it is
// to be so; what that program then appends at the old place is united with the session
// by undo, and by doctor.
func TestLeavingWhatIsOpen(t *testing.T) {
	for _, op := range []string{"rm", "move"} {
		for _, by := range []string{"undo", "doctor"} {
			t.Run(op+"/"+by, func(t *testing.T) {
				m := newMachine(t)
				path := filepath.Join(m.dir, "s.jsonl")
				write(t, path, []byte(aSession))
				line := []string{op, "./s.jsonl"}
				if op == "move" {
					line = append(line, m.home, "--session-dir", filepath.Join(m.dir, "moved"))
				}
				done := openIn(t, "pi", path)
				defer done()
				_, stderr, code := m.run(line...)
				if code != 6 || !strings.Contains(stderr, "open in pi (pid ") || !strings.Contains(stderr, "--if-busy go") {
					t.Fatalf("exit code %d: %s", code, stderr)
				}
				if got, err := os.ReadFile(path); string(got) != aSession {
					t.Fatalf("%q, %v", got, err)
				}
				_, stderr, code = m.run(append(line, "--if-busy", "go")...)
				if code != 0 || !strings.Contains(stderr, "open in pi (pid ") {
					t.Fatalf("exit code %d: %s", code, stderr)
				}
				write(t, path, []byte(goneOn))
				now := path
				switch by {
				case "undo":
					if _, stderr, code := m.run("undo"); code != 0 {
						t.Fatalf("exit code %d: %s", code, stderr)
					}
				case "doctor":
					out, _, code := m.run("doctor", path)
					if code != 5 || !strings.Contains(out, "a program went on here") {
						t.Errorf("doctor: exit code %d: %s", code, out)
					}
					if _, stderr, code := m.run("doctor", path, "--fix", "--if-busy", "go"); code != 10 {
						t.Fatalf("exit code %d: %s", code, stderr)
					}
					if op == "move" {
						now = filepath.Join(m.dir, "moved", "s.jsonl")
					}
				}
				got, err := os.ReadFile(now)
				if err != nil || !strings.HasSuffix(string(got), goneOn) || strings.Count(string(got), "\n") != strings.Count(aSession, "\n")+1 {
					t.Errorf("%s is %q, %v", now, got, err)
				}
				left, err := filepath.Glob(filepath.Join(m.dir, "*.jsonl"))
				if err != nil || len(left) > 1 || len(left) == 1 && now != path {
					t.Errorf("left: %v, %v", left, err)
				}
			})
		}
	}
}
