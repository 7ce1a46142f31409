package state_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

// What a child process of these tests does, in which state directory, with
// which session.
const roleOf, dirOf, fileOf = "STATE_ROLE", "STATE_DIR", "STATE_FILE"

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(roleOf) {
	case "":
		scratch.InMemory()
		scratch.CollectSeldom()
		os.Exit(m.Run())
	case "enter":
		err = enter()
	case "open":
		err = hold()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// enter has a session open until its input ends.
func enter() error {
	p := state.NewPresence(state.PresenceOptions{Dir: os.Getenv(dirOf), Terminal: "/dev/pts/77"})
	id, err := p.Enter(context.Background(), os.Getenv(fileOf))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return p.Leave(context.Background(), id)
}

// hold is a program that knows nothing of presence: it has the file open.
func hold() error {
	f, err := os.OpenFile(os.Getenv(fileOf), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return f.Close()
}

// A child is a process of these tests that has something open.
type child struct {
	*exec.Cmd
	in io.Closer
}

// start runs a child and waits until it is ready.
func start(t *testing.T, role, dir, file string) child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleOf+"="+role, dirOf+"="+dir, fileOf+"="+file)
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
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("child said %q: %v", line, err)
	}
	return child{cmd, in}
}

// end lets the child finish; kill does not.
func (c child) end(t *testing.T) {
	t.Helper()
	_ = c.in.Close()
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
}

func (c child) kill(t *testing.T) {
	t.Helper()
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
}

// who returns who has a session open, as text.
func who(t *testing.T, p *state.Presence, path, own string) string {
	t.Helper()
	all, err := p.Who(t.Context(), path, own)
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, h := range all {
		text = append(text, h.String())
	}
	if own == "" && len(all) > 0 && idle(p.View(t.Context()), path) {
		t.Errorf("%s is idle, and %v have it open", path, text)
	}
	return strings.Join(text, "; ")
}

// idle reports what a view says of a file as a listing sees it.
func idle(v *state.View, path string) bool {
	var found vfs.Roll
	if err := vfs.Survey(vfs.OS(), filepath.Dir(path), "", &found); err != nil {
		return false
	}
	for n := range found.Len() {
		if f := found.At(n); string(found.Name(n)) == filepath.Base(path) && f.Mode.IsRegular() {
			return v.Idle(&state.Glance{Path: path, Dev: f.Dev, Ino: f.Ino, ModTime: f.ModTime, Beside: found.Hidden()})
		}
	}
	return false // links are looked at
}

// oldSession makes a session file that nobody wrote lately.
func oldSession(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	writeSession(t, path, time.Now().Add(-time.Hour))
	return path
}

// writeSession writes a session whose last entry is of a time.
func writeSession(t *testing.T, path string, at time.Time) {
	t.Helper()
	text := fmt.Sprintf("{\"type\":\"session\",\"timestamp\":\"2026-01-01T00:00:00.000Z\"}\n{\"timestamp\":\"%s\"}\n",
		at.UTC().Format("2006-01-02T15:04:05.000Z"))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestPresenceOfAnotherProcess(t *testing.T) {
	dir, path := filepath.Join(t.TempDir(), "state"), oldSession(t)
	p := state.NewPresence(state.PresenceOptions{Dir: dir})
	if got := who(t, p, path, ""); got != "" {
		t.Errorf("nobody there, but %s", got)
	}
	c := start(t, "enter", dir, path)
	want := fmt.Sprintf("open in cambium (pid %d, pts/77)", c.Process.Pid)
	if got := who(t, p, path, ""); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	all, err := p.Who(t.Context(), path, "")
	if err != nil || len(all) != 1 || !all[0].Sure || all[0].Host == "" || time.Since(all[0].Since) > time.Hour {
		t.Errorf("Who = %+v, %v", all, err)
	}
	if got := who(t, p, path+"x", ""); got != "" {
		t.Errorf("another session: %s", got)
	}

	// Through a link, and after the file was moved or written anew.
	link := path + ".link"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if got := who(t, p, link, ""); got != want {
		t.Errorf("through a link: %q", got)
	}
	moved := path + ".moved"
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	if got := who(t, p, moved, ""); got != want {
		t.Errorf("moved: %q", got)
	}
	writeSession(t, path, time.Now().Add(-time.Hour))
	if got := who(t, p, path, ""); got != want {
		t.Errorf("replaced: %q", got)
	}
	if got := who(t, p, moved, ""); got != "" {
		t.Errorf("the file that was replaced: %q", got)
	}
	c.end(t)
	if got := who(t, p, path, ""); got != "" {
		t.Errorf("after it left: %s", got)
	}
}

func TestPresenceDiesWithItsProcess(t *testing.T) {
	dir, path := filepath.Join(t.TempDir(), "state"), oldSession(t)
	c := start(t, "enter", dir, path)
	c.kill(t)
	p := state.NewPresence(state.PresenceOptions{Dir: dir})
	if got := who(t, p, path, ""); got != "" {
		t.Errorf("killed, but %s", got)
	}
	// A minute later its file is of no use, and removed.
	later := state.NewPresence(state.PresenceOptions{Dir: dir, Now: func() time.Time { return time.Now().Add(2 * time.Minute) }})
	if got := who(t, later, path, ""); got != "" {
		t.Errorf("later: %s", got)
	}
	names, err := filepath.Glob(filepath.Join(dir, "presence", "*", "*"))
	if err != nil || len(names) != 0 {
		t.Errorf("%d files are left: %v", len(names), err)
	}
}

func TestPresenceIsPrivate(t *testing.T) {
	dir, path := filepath.Join(t.TempDir(), "state"), oldSession(t)
	p := state.NewPresence(state.PresenceOptions{Dir: dir})
	one, err := p.Enter(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	two, err := p.Enter(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "presence", "*", "*"))
	if err != nil || len(names) != 4 {
		t.Fatalf("%d names of 2 files: %v", len(names), err)
	}
	for name, want := range map[string]os.FileMode{
		dir: 0o700, filepath.Join(dir, "presence"): 0o700, names[0]: 0o600,
	} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, want %v (%v)", name, info.Mode().Perm(), want, err)
		}
	}
	// The other session of this process counts, one's own does not.
	if got := who(t, p, path, one); !strings.Contains(got, fmt.Sprintf("open in cambium (pid %d", os.Getpid())) || strings.Contains(got, ";") {
		t.Errorf("beside one's own: %q", got)
	}
	for _, id := range []string{one, two, two} {
		if err := p.Leave(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	if got := who(t, p, path, ""); got != "" {
		t.Errorf("after both left: %s", got)
	}
}

func TestDescriptorsOfAnotherProgram(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		return // not known here
	}
	dir, path := filepath.Join(t.TempDir(), "state"), oldSession(t)
	c := start(t, "open", dir, path)
	defer c.end(t)
	p := state.NewPresence(state.PresenceOptions{Dir: dir})
	all, err := p.Who(t.Context(), path, "")
	if err != nil || len(all) != 1 || all[0].PID != c.Process.Pid || all[0].Sure {
		t.Fatalf("Who = %+v, %v", all, err)
	}
	if got := all[0].String(); !strings.HasPrefix(got, "seems open in "+filepath.Base(os.Args[0])+" (pid ") ||
		!strings.HasSuffix(got, "): it has the file open to write to it") {
		t.Errorf("said as %q", got)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("looking made the state directory")
	}
}

func TestLockFileOfAnotherProgram(t *testing.T) {
	path := oldSession(t)
	p := state.NewPresence(state.PresenceOptions{Dir: t.TempDir()})
	lock := filepath.Join(filepath.Dir(path), ".s.jsonl.lock")
	parent := os.Getppid()
	for text, want := range map[string]int{
		fmt.Sprintf("%d:1700000000000\n", parent): parent, "999999999:1700000000000": 0, "nobody": 0, "": 0, "-1:5": 0,
	} {
		if err := os.WriteFile(lock, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := p.Who(t.Context(), path, "")
		pid := 0
		if len(all) > 0 {
			pid = all[0].PID
		}
		if err != nil || pid != want || len(all) > 1 || pid > 0 && (all[0].Sure || all[0].Since.UnixMilli() != 1700000000000) {
			t.Errorf("%q: Who = %+v, %v", text, all, err)
		}
	}
}

func TestGrowthOfTheLastMinute(t *testing.T) {
	dir, now := filepath.Join(t.TempDir(), "state"), time.Now()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	p := state.NewPresence(state.PresenceOptions{Dir: dir, Now: func() time.Time { return now }})
	writeSession(t, path, now.Add(-5*time.Second))
	if got := who(t, p, path, ""); got != "seems open in another program: it wrote to it 5 s ago" {
		t.Errorf("5 s: %q", got)
	}
	writeSession(t, path, now.Add(-61*time.Second))
	if got := who(t, p, path, ""); got != "" {
		t.Errorf("61 s: %q", got)
	}
	// Copied lately, written long ago.
	writeSession(t, path, now.Add(-time.Hour))
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	if got := who(t, p, path, ""); got != "" {
		t.Errorf("a copy: %q", got)
	}
	// What this program wrote is no sign of another, until that writes.
	id, err := p.Enter(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	writeSession(t, path, now.Add(-time.Second))
	if err := p.Leave(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got := who(t, p, path, ""); got != "" {
		t.Errorf("our own: %q", got)
	}
	writeSession(t, path, now)
	if got := who(t, p, path, ""); got != "seems open in another program: it wrote to it 0 s ago" {
		t.Errorf("after ours: %q", got)
	}
}

// TestNotesOfTerminals looks for a note whose terminal runs no such program: a
// note alone says nothing.
func TestNotesOfTerminals(t *testing.T) {
	path, home := oldSession(t), t.TempDir()
	env := layout.Env{Home: home}
	dir := places.For("omp", env, layout.Overrides{}).Breadcrumbs
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pts-9999"), []byte("/w\n"+path+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := state.NewPresence(state.PresenceOptions{Dir: t.TempDir(), Env: env})
	if got := who(t, p, path, ""); got != "" {
		t.Errorf("a note of nobody: %q", got)
	}
}

func TestViewOfManySessionsOfOneDirectory(t *testing.T) {
	dir := t.TempDir()
	p := state.NewPresence(state.PresenceOptions{Dir: t.TempDir()})
	paths := make([]string, 4)
	for i := range paths {
		paths[i] = filepath.Join(dir, fmt.Sprintf("%d.jsonl", i))
		writeSession(t, paths[i], time.Now().Add(-time.Hour))
		if err := os.Chtimes(paths[i], time.Unix(1, 0), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	parent := os.Getppid()
	for _, i := range []int{0, 2} {
		lock := filepath.Join(dir, fmt.Sprintf(".%d.jsonl.lock", i))
		if err := os.WriteFile(lock, fmt.Appendf(nil, "%d:1700000000000\n", parent), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "link.jsonl")
	if err := os.Symlink(paths[2], link); err != nil {
		t.Fatal(err)
	}
	v := p.View(t.Context())
	quiet := filepath.Join(t.TempDir(), "quiet.jsonl")
	writeSession(t, quiet, time.Now().Add(-time.Hour))
	if err := os.Chtimes(quiet, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if !idle(v, quiet) || idle(v, paths[0]) || idle(v, paths[1]) {
		t.Error("idle is what is alone, and not what has locks beside it")
	}
	for i, path := range append(paths, link) {
		got := len(v.Who(path))
		if want := map[int]int{0: 1, 2: 1, 4: 1}[i]; got != want {
			t.Errorf("%s: %d have it open, want %d", path, got, want)
		}
	}
}
