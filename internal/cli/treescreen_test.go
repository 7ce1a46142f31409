//go:build unix

package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// onScreen puts a session into a new home and shows its tree.
func onScreen(t *testing.T, name string, o tuitest.Options, args ...string) (m *tuitest.Terminal, path string, before []byte) {
	t.Helper()
	before, err := os.ReadFile(filepath.Join("testdata", "sessions", name))
	if err != nil {
		t.Fatal(err)
	}
	o.Home = scratch.OwnDir(t)
	path = filepath.Join(o.Home, ".pi", "agent", "sessions", "--work--", "2026-03-05T09-00-00-000Z_0195643c-a1c0-7c11-9d6e-3f5b8a2e4c10.jsonl")
	write(t, path, before)
	o.Args = append([]string{"tree", "-i", path}, args...)
	return tuitest.Start(t, o), path, before
}

// bye ends a screen and sees that the terminal is as it was.
func bye(t *testing.T, m *tuitest.Terminal, code int, keys ...string) {
	t.Helper()
	m.Send(keys...)
	if got := m.Wait(); got != code {
		t.Errorf("exit code %d, want %d; the screen:\n%s", got, code, m.Screen())
	}
	m.AssertRestored()
	if foreign := m.Foreign("\x1b]11;?", "\x1b]52;c;"); len(foreign) > 0 {
		t.Errorf("sequences that no screen needs: %q", foreign)
	}
}

// unchanged sees that a session is as it was.
func unchanged(t *testing.T, path string, before []byte) {
	t.Helper()
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, before) {
		t.Errorf("looking at the session changed it (%v)", err)
	}
}

func TestTreeOnTerminal(t *testing.T) {
	for _, leave := range []string{"esc", "ctrl+c"} {
		m, path, before := onScreen(t, "garden.jsonl", tuitest.Options{Cols: 60, Rows: 15})
		m.WaitFor("← leaf")
		m.WaitFor("The pump has two")
		m.Send("reading")
		m.WaitFor("2 matches")
		m.Resize(120, 40)
		m.WaitFor("of 22 entries")
		m.Send("ctrl+w")
		m.WaitFor("18 of 22")
		m.Send("ctrl+v")
		m.WaitFor("│ assistant · ")
		m.Send("ctrl+a")
		m.WaitFor("22 of 22")
		m.Send("L")
		m.WaitFor("label:")
		m.Send("esc")
		m.WaitFor("type to search")
		bye(t, m, 0, leave)
		unchanged(t, path, before)
	}
}

func TestTreeEndsBySignal(t *testing.T) {
	m, path, before := onScreen(t, "garden.jsonl", tuitest.Options{})
	m.WaitFor("← leaf")
	m.Signal(syscall.SIGTERM)
	bye(t, m, 130)
	unchanged(t, path, before)
}

func TestTreeLabels(t *testing.T) {
	m, path, before := onScreen(t, "garden.jsonl", tuitest.Options{})
	m.WaitFor("← leaf")
	m.Send("home", "L")
	m.WaitFor("label:")
	m.Send("the beginning", "enter")
	m.WaitFor(`labelled "the beginning"`)
	m.WaitFor("[the beginning] user")
	bye(t, m, 0, "esc")
	now, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	added, ok := bytes.CutPrefix(now, before)
	if !ok || bytes.Count(added, []byte("\n")) != 1 || !bytes.Contains(added, []byte(`"label":"the beginning"`)) {
		t.Errorf("appended: %s", added)
	}
}

func TestTreeForks(t *testing.T) {
	m, path, before := onScreen(t, "garden.jsonl", tuitest.Options{})
	m.WaitFor("← leaf")
	m.Send("home", "down", "ctrl+f")
	m.WaitFor("new session ")
	bye(t, m, 0, "esc")
	unchanged(t, path, before)
	printed := strings.TrimSpace(strings.ReplaceAll(m.Screen(), "\n", ""))
	data, err := os.ReadFile(printed)
	if err != nil || bytes.Count(data, []byte("\n")) < 2 || bytes.Contains(data, []byte("leave the interface alone")) {
		t.Errorf("the fork %q (%v): %s", printed, err, data)
	}
}

// TestTreeResumes sees that an entry is gone on from: the move is in the file,
// and the session's program has the terminal.
func TestTreeResumes(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	write(t, filepath.Join(bin, "pi"), []byte("#!/bin/sh\necho pi was given $2\nread answer\n"))
	if err := os.Chmod(filepath.Join(bin, "pi"), 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join("testdata", "sessions", "garden.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s.jsonl")
	data = bytes.Replace(data, []byte(`"cwd":"/work/garden"`), []byte(`"cwd":"`+dir+`"`), 1)
	write(t, path, data)
	m := tuitest.Start(t, tuitest.Options{Args: []string{"--agent", "pi", "tree", "-i", path}, Env: []string{"PATH=" + bin + ":/bin:/usr/bin"}, Cols: 200, Rows: 20})
	m.WaitFor("← leaf")
	m.Send("home", "enter")
	m.WaitFor("Work there? [y/N]")
	m.Send("y", "enter")
	m.WaitFor("pi was given " + path)
	bye(t, m, 0, "enter")
	now, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	added, ok := bytes.CutPrefix(now, data)
	if !ok || bytes.Count(added, []byte("\n")) != 1 || !bytes.Contains(added, []byte("cambium.leaf")) {
		t.Errorf("appended: %s", added)
	}
}

// TestTreeOfHostileText sees that stored text does not drive the terminal.
func TestTreeOfHostileText(t *testing.T) {
	home := scratch.OwnDir(t)
	path := filepath.Join(home, "s.jsonl")
	bad := `\u001b]0;owned\u0007\u001b[2J\u001b[31mred\u001b]52;c;aGk=\u0007\u009b5n\u202etxet`
	write(t, path, []byte(`{"type":"session","version":3,"id":"0195643c-a1c0-7c11-9d6e-3f5b8a2e4c10","timestamp":"2026-03-05T09:00:00.000Z","cwd":"/","title":"t`+bad+`"}
{"type":"message","id":"aaaa`+bad+`","parentId":null,"timestamp":"2026-03-05T09:00:00.000Z","message":{"role":"user","content":"begin `+bad+`"}}
{"type":"message","id":"bbbb0001","parentId":"aaaa`+bad+`","timestamp":"2026-03-05T09:00:01.000Z","message":{"role":"tool`+bad+`","toolName":"x`+bad+`","content":[{"type":"text","text":"line `+bad+`"}]}}
{"type":"label","id":"cccc0001","parentId":"bbbb0001","timestamp":"2026-03-05T09:00:02.000Z","targetId":"bbbb0001","label":"l`+bad+`"}
`))
	m := tuitest.Start(t, tuitest.Options{Home: home, Args: []string{"tree", "-i", path}, Cols: 120, Rows: 30})
	m.WaitFor("begin red")
	m.Send("ctrl+a", "home")
	m.WaitFor("1/3")
	m.Send("ctrl+v", "L")
	m.WaitFor("label:")
	m.Send("esc")
	m.WaitFor("type to search")
	m.Send("ctrl+c")
	if code := m.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	m.AssertRestored()
	if foreign := m.Foreign("\x1b]11;?"); len(foreign) > 0 {
		t.Errorf("sequences of stored text: %q", foreign)
	}
	// As JSON it may be spelt out: \u001b.
	if got := string(m.Received()); strings.Contains(got, "\u202e") || strings.Contains(got, "\x1b]52") {
		t.Errorf("stored text reached the terminal as it is: %q", got)
	}
}

func TestTreeNeedsTerminal(t *testing.T) {
	m := furnished(t)
	_, stderr, code := m.run("tree", "-i", "0195643c")
	if code != 2 || !strings.Contains(stderr, "needs a terminal") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
