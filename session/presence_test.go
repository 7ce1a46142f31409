package session_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/presence"
	"github.com/cambium-dev/cambium/session"
)

// What the child process of these tests opens.
const childFile, childState = "SESSION_TEST_FILE", "SESSION_TEST_STATE"

func TestMain(m *testing.M) {
	if os.Getenv(childFile) == "" {
		scratch.InMemory()
		scratch.CollectSeldom()
		os.Exit(m.Run())
	}
	if err := keepOpen(os.Getenv(childFile)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// keepOpen has a session open until the input ends, and says what it is told.
func keepOpen(path string) error {
	ctx := context.Background()
	s, err := session.Open(ctx, path, session.Options{
		Env: env(filepath.Dir(path)), Presence: presenceIn(os.Getenv(childState)),
		OnEvent: func(e session.Event) {
			if e.Kind == session.Busy {
				fmt.Printf("busy %d\n", len(e.Holders))
			}
		},
	})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return s.Close()
}

func presenceIn(dir string) *state.Presence {
	return state.NewPresence(state.PresenceOptions{Dir: dir})
}

// beside opens a session in a process of its own. What it said until it was
// ready is returned with what ends it.
func beside(t *testing.T, path, dir string) (pid int, said string, end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childFile+"="+path, childState+"="+dir)
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
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("child said %q: %v", said, err)
		}
		if line == "ready\n" {
			break
		}
		said += line
	}
	ended := false
	end = func() {
		if !ended {
			ended = true
			_ = in.Close()
			if err := cmd.Wait(); err != nil {
				t.Errorf("child: %v", err)
			}
		}
	}
	t.Cleanup(end)
	return cmd.Process.Pid, said, end
}

// TestC30SecondOpenerIsTold opens one session in two processes.
func TestC30SecondOpenerIsTold(t *testing.T) {
	path, dir := file(t, headerLine, userLine, answerLine), filepath.Join(t.TempDir(), "state")
	pid, said, end := beside(t, path, dir)
	if said != "" {
		t.Errorf("the first one was told %q", said)
	}
	var events []session.Event
	o := session.Options{Presence: presenceIn(dir), OnEvent: func(e session.Event) { events = append(events, e) }}
	s := open(t, path, o)
	if len(events) != 1 || events[0].Kind != session.Busy || len(events[0].Holders) != 1 {
		t.Fatalf("told %+v", events)
	}
	h := events[0].Holders[0]
	if h.PID != pid || h.Program != "cambium" || !h.Sure {
		t.Errorf("holder %+v, want pid %d", h, pid)
	}
	if want := fmt.Sprintf("open in cambium (pid %d)", pid); events[0].Text != want {
		t.Errorf("said %q, want %q", events[0].Text, want)
	}
	if _, said, _ := beside(t, path, dir); said != "busy 2\n" {
		t.Errorf("the third one was told %q", said)
	}
	end()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	// Who only looks is not told, and is nobody to be told of.
	events = nil
	o.ReadOnly = true
	open(t, path, o)
	if len(events) != 0 {
		t.Errorf("a reader was told %+v", events)
	}
}

// TestIfBusyEndsOpening refuses a session of an old version that another
// process has open: nothing of it is changed.
func TestIfBusyEndsOpening(t *testing.T) {
	path := file(t, strings.Replace(headerLine, `"version":3`, `"version":2`, 1), userLine)
	dir := filepath.Join(t.TempDir(), "state")
	p := presenceIn(dir)
	id, err := p.Enter(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	before := read(t, path)
	no := errors.New("no")
	o := session.Options{Env: env(filepath.Dir(path)), Presence: p, IfBusy: func(others []presence.Holder) error {
		if len(others) != 1 {
			t.Errorf("asked about %+v", others)
		}
		return no
	}}
	if _, err := session.Open(t.Context(), path, o); !errors.Is(err, no) {
		t.Errorf("Open: %v", err)
	}
	if read(t, path) != before {
		t.Error("the session was migrated")
	}
	if err := p.Leave(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, o)
	if read(t, path) == before || len(whoHas(t, p, path)) != 1 {
		t.Error("not opened when nobody had it")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if all := whoHas(t, p, path); len(all) != 0 {
		t.Errorf("after closing: %v", all)
	}
}

func whoHas(t *testing.T, p *state.Presence, path string) []presence.Holder {
	t.Helper()
	all, err := p.Who(t.Context(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestPresenceFollowsTheSession goes through all that makes a session another
// file.
func TestPresenceFollowsTheSession(t *testing.T) {
	root := t.TempDir()
	p := presenceIn(filepath.Join(root, "state"))
	s, err := session.Create(t.Context(), filepath.Join(root, "work"), session.Options{Env: env(root), Presence: p})
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	at := func(step string, want int) {
		t.Helper()
		if last != "" && last != s.Path() && len(whoHas(t, p, last)) != 0 {
			t.Errorf("%s: still at %q", step, last)
		}
		last = s.Path()
		if all := whoHas(t, p, last); len(all) != want {
			t.Errorf("%s: %d have it open, want %d: %v", step, len(all), want, all)
		}
	}
	at("a draft", 0)
	if _, err := s.Append(t.Context(), answer("yes")); err != nil {
		t.Fatal(err)
	}
	at("written", 1)
	if _, err := s.Rename(t.Context(), "a name", session.Title{Source: "user"}); err != nil {
		t.Fatal(err)
	}
	at("rewritten", 1)
	if err := s.Move(t.Context(), filepath.Join(root, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	at("moved", 1)
	if _, _, err := s.Fork(t.Context()); err != nil {
		t.Fatal(err)
	}
	at("forked", 1)
	if _, err := s.New(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	at("another", 0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	at("closed", 0)
}
