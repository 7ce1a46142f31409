package cli_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// holdVariable makes the test program one that takes the lock of a file and stops.
const holdVariable = "CAMBIUM_TEST_HOLD"

// hold takes the lock of a file, says so, and does nothing more.
func hold(path string) {
	f, err := vfs.OS().Open(path, os.O_RDONLY) // not as who writes to it
	if err == nil {
		err = f.Lock(context.Background())
	}
	fmt.Println(errors.Join(err))
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
	os.Exit(0)
}

// stoppedHolder starts a process that holds the lock of a file and is stopped. It
// goes on, and gives the lock back, when resume is called.
func stoppedHolder(t *testing.T, path string) (pid int, resume func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdVariable+"="+path)
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
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "<nil>\n" {
		t.Fatalf("take the lock: %q, %v", line, err)
	}
	pid = cmd.Process.Pid
	if err := halt(cmd.Process); err != nil {
		t.Fatalf("stop: %v", err)
	}
	resumed := false
	resume = func() {
		if resumed {
			return
		}
		resumed = true
		_ = stdin.Close()
		goOn(cmd.Process)
		_ = cmd.Wait()
	}
	t.Cleanup(resume)
	return pid, resume
}

// stoppedCase is a command of which another process holds a lock.
type stoppedCase struct {
	name  string
	args  []string // PATH and OTHER stand for two files
	text  string   // what is locked; aSession when empty
	stdin string
	// before is a command that comes first, while nobody holds anything.
	before []string
	// lock is the file below home that is held instead of the session.
	lock string
	// reads says that the command needs no lock.
	reads bool
}

func (c stoppedCase) words(words []string, path string) []string {
	var out []string
	for _, w := range words {
		w = strings.ReplaceAll(w, "PATH", path)
		out = append(out, strings.ReplaceAll(w, "OTHER", filepath.Join(filepath.Dir(path), "other")))
	}
	return out
}

// aVersion1 is a session of version 1.
const aVersion1 = `{"type":"session","id":"19c0b2f4a1400001","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/work","provider":"p","modelId":"m","thinkingLevel":"off"}
{"type":"message","timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"hi","timestamp":1}}
`

var stoppedCases = []stoppedCase{
	{name: "append", args: []string{"append", "PATH"}, stdin: hello("new")},
	{name: "label", args: []string{"label", "PATH", "aaaaaaaa", "good"}},
	{name: "branch", args: []string{"branch", "PATH", "aaaaaaaa"}},
	{name: "rename", args: []string{"rename", "PATH", "name"}},
	{name: "move", args: []string{"move", "PATH", "OTHER", "--if-busy", "go"}},
	{name: "rm", args: []string{"rm", "PATH", "--if-busy", "go"}},
	{name: "undo", before: []string{"rename", "PATH", "name"}, args: []string{"undo"}},
	{name: "undo beside undo", before: []string{"rename", "PATH", "name"}, args: []string{"undo"}, lock: ".local/state/cambium/operations.lock"},
	{name: "migrate", args: []string{"migrate", "PATH"}, text: aVersion1},
	{name: "doctor --fix", args: []string{"doctor", "--fix", "PATH"}, text: aSession + "{\"type\":\n"},
	{name: "fork", args: []string{"fork", "PATH"}, reads: true},
	{name: "convert", args: []string{"convert", "PATH", "--to", "pi"}, reads: true},
	{name: "show", args: []string{"show", "PATH"}, reads: true},
	{name: "ls", args: []string{"ls"}, reads: true},
}

// TestStoppedHolder: of every command that needs a lock which a stopped process
// holds, one line says who that is; the session stays as it is, and the same
// command succeeds when the other goes on. What only reads does not notice.
func TestStoppedHolder(t *testing.T) {
	for _, c := range stoppedCases {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			path := filepath.Join(m.dir, "s.jsonl")
			if c.text == "" {
				c.text = aSession
			}
			write(t, path, []byte(c.text))
			if err := os.MkdirAll(filepath.Join(m.dir, "other"), 0o700); err != nil {
				t.Fatal(err)
			}
			if c.before != nil {
				if _, stderr, code := m.run(c.words(c.before, path)...); code != 0 {
					t.Fatal(stderr)
				}
			}
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lock := path
			if c.lock != "" {
				lock = filepath.Join(m.home, c.lock)
				write(t, lock, nil)
			}
			pid, resume := stoppedHolder(t, lock)
			m.stdin = c.stdin
			_, stderr, code := m.runIn(vfs.WithPatience(t.Context(), 50*time.Millisecond), c.words(c.args, path)...)
			if c.reads {
				if code != 0 {
					t.Errorf("exit code %d: %s", code, stderr)
				}
				return
			}
			says := regexp.MustCompile(fmt.Sprintf(`pid %d \([^)]+\), which is stopped, holds the lock`, pid))
			if code != 6 || !says.MatchString(stderr) || !strings.Contains(stderr, fmt.Sprintf("kill -CONT %d", pid)) {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Errorf("the session is\n%s, %v, and was\n%s", after, err, before)
			}
			resume()
			if _, stderr, code := m.run(c.words(c.args, path)...); code != 0 && code != 10 {
				t.Errorf("when the other goes on: exit code %d: %s", code, stderr)
			}
		})
	}
}

// TestStoppedHolderInterrupted: a command that waits for a lock ends when it is
// interrupted.
func TestStoppedHolderInterrupted(t *testing.T) {
	for _, c := range stoppedCases {
		if c.reads {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			path := filepath.Join(m.dir, "s.jsonl")
			if c.text == "" {
				c.text = aSession
			}
			write(t, path, []byte(c.text))
			if c.before != nil {
				if _, stderr, code := m.run(c.words(c.before, path)...); code != 0 {
					t.Fatal(stderr)
				}
			}
			lock := path
			if c.lock != "" {
				lock = filepath.Join(m.home, c.lock)
				write(t, lock, nil)
			}
			stoppedHolder(t, lock)
			ctx, cancel := context.WithCancel(t.Context())
			defer time.AfterFunc(20*time.Millisecond, cancel).Stop()
			m.stdin = c.stdin
			if _, stderr, code := m.runIn(vfs.WithPatience(ctx, time.Hour), c.words(c.args, path)...); code != 130 {
				t.Errorf("exit code %d: %s", code, stderr)
			}
		})
	}
}

// TestStoppedHolderOfSync: one session of two that a sync brings together is held by a
// process that is stopped; the other is brought, and the one is named.
func TestStoppedHolderOfSync(t *testing.T) {
	m := newMachine(t)
	dir := filepath.Join(m.home, ".pi/agent/sessions/--work--")
	here := filepath.Join(dir, "2026-03-01T09-00-00-000Z_19c0b2f4a1400001.jsonl")
	free := filepath.Join(dir, "2026-03-01T09-00-00-000Z_19c0b2f4a1400002.jsonl")
	write(t, here, []byte(aSession))
	write(t, free, []byte(strings.ReplaceAll(aSession, "19c0b2f4a1400001", "19c0b2f4a1400002")))
	share := filepath.Join(m.dir, "share")
	if err := os.Mkdir(share, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := m.run("sync", share); code != 0 {
		t.Fatal(stderr)
	}
	for _, path := range []string{here, free} {
		var there string
		err := filepath.WalkDir(share, func(p string, _ os.DirEntry, err error) error {
			if filepath.Base(p) == filepath.Base(path) {
				there = p
			}
			return err
		})
		if err != nil || there == "" {
			t.Fatalf("%s was not copied: %v", path, err)
		}
		m.stdin = hello("from there")
		if _, stderr, code := m.run("append", there); code != 0 {
			t.Fatal(stderr)
		}
	}
	pid, resume := stoppedHolder(t, here)
	_, stderr, code := m.runIn(vfs.WithPatience(t.Context(), 50*time.Millisecond), "sync", share)
	if code != 7 || !strings.Contains(stderr, fmt.Sprintf("pid %d (", pid)) || !strings.Contains(stderr, "which is stopped") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	for path, want := range map[string]bool{here: false, free: true} {
		data, err := os.ReadFile(path)
		if got := strings.Contains(string(data), "from there"); got != want || err != nil {
			t.Errorf("%s has what was said there: %v, %v", path, got, err)
		}
	}
	resume()
	if _, stderr, code := m.run("sync", share); code != 0 {
		t.Errorf("when the other goes on: exit code %d: %s", code, stderr)
	}
	if data, err := os.ReadFile(here); err != nil || !strings.Contains(string(data), "from there") {
		t.Errorf("%s, %v", data, err)
	}
}
