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
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// reads puts a session into a new home and shows it to be read.
func reads(t *testing.T, o tuitest.Options, args ...string) (m *tuitest.Terminal, path string, before []byte) {
	t.Helper()
	before, err := os.ReadFile(filepath.Join("testdata", "sessions", "garden.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	o.Home = scratch.OwnDir(t)
	path = filepath.Join(o.Home, ".pi", "agent", "sessions", "--work--", "2026-03-05T09-00-00-000Z_0195643c-a1c0-7c11-9d6e-3f5b8a2e4c10.jsonl")
	write(t, path, before)
	o.Args = append([]string{"show", path}, args...)
	return tuitest.Start(t, o), path, before
}

// TestShowOnTerminal: a session is read on a screen, which changes nothing and leaves the
// terminal as it was.
func TestShowOnTerminal(t *testing.T) {
	for _, leave := range []string{"q", "esc", "ctrl+c"} {
		m, path, before := reads(t, tuitest.Options{Cols: 60, Rows: 15})
		m.WaitFor("▶ The pump has two clocks")
		m.Send("g")
		m.WaitFor("· model anthropic/claude-sonnet-4-5")
		m.Send("]")
		m.WaitFor("▶ user")
		m.Send("/")
		m.WaitFor("text, or re:")
		m.Send("real clock", "enter")
		m.WaitFor("▶ It reads the real clock.")
		m.Send("n")
		m.WaitFor("▶ The valve test read the real clock.")
		m.Resize(120, 40)
		m.WaitFor("“real clock” in 2 messages")
		m.Send("B")
		m.WaitFor("▶ ── 1 other branch from here")
		m.Send("tab")
		m.WaitFor("another branch")
		m.WaitFor("✗ edit")
		m.Send("e")
		m.WaitFor("▶   ✗ edit")
		m.Send("b", "tab", "B", "tab")
		m.WaitFor("▶ ── 1 other branch from here")
		m.Send("z")
		m.WaitFor("path: valve/valve.go")
		m.Send("?")
		m.WaitFor("next branch point")
		m.Send("x", "y")
		m.WaitFor("copied the message")
		bye(t, m, 0, leave)
		unchanged(t, path, before)
	}
}

// TestShowOnTerminalEndsBySignal: a signal ends the screen, and the terminal is as it was.
func TestShowOnTerminalEndsBySignal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		m, path, before := reads(t, tuitest.Options{})
		m.WaitFor("▶ The pump")
		m.Signal(sig)
		bye(t, m, 130)
		unchanged(t, path, before)
	}
}

// TestShowWithoutAScreen: with --no-pager, and on a terminal that cannot be drawn on, it
// is text; colours are as they are asked for.
func TestShowWithoutAScreen(t *testing.T) {
	for _, test := range []struct {
		args, env []string
		colours   bool
	}{
		{[]string{"--no-pager"}, nil, true},
		{[]string{"--no-pager"}, []string{"NO_COLOR=1"}, false},
		{[]string{"--no-pager", "--color", "never"}, nil, false},
		{[]string{"--no-pager", "--color=always"}, []string{"NO_COLOR=1"}, true},
		{nil, []string{"TERM=dumb"}, false},
		{[]string{"--json"}, nil, false},
	} {
		m, _, _ := reads(t, tuitest.Options{Cols: 100, Rows: 10, Env: append(test.env, "PAGER=false")}, test.args...)
		if code := m.Wait(); code != 0 {
			t.Errorf("%v: exit code %d", test.args, code)
		}
		got := string(m.Received())
		if !strings.Contains(got, "The pump has two clocks") || strings.Contains(got, "\x1b[?1049h") {
			t.Errorf("%v %v: it is not text: %q", test.args, test.env, got)
		}
		if strings.Contains(got, "\x1b[") != test.colours {
			t.Errorf("%v %v: colours are %v: %q", test.args, test.env, !test.colours, got)
		}
	}
}

// TestShowPiped: what is piped has colours only where they are asked for.
func TestShowPiped(t *testing.T) {
	m := furnished(t)
	plain, _, _ := m.run("show", "0195643d")
	coloured, _, _ := m.run("show", "0195643d", "--color", "always")
	if strings.Contains(plain, "\x1b") || !strings.Contains(coloured, "\x1b[") {
		t.Errorf("plain %q, coloured %q", plain, coloured)
	}
	for _, seq := range term.Sequences() {
		coloured = strings.ReplaceAll(coloured, seq, "")
	}
	if coloured != plain {
		t.Errorf("with colours it says\n%s\nwithout\n%s", coloured, plain)
	}
	if _, stderr, code := m.run("show", "0195643d", "--color", "red"); code != 2 || !strings.Contains(stderr, "--color is always, auto or never") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestShowWithoutColours: a terminal that wants no colours, or has no UTF-8, gets none.
func TestShowWithoutColours(t *testing.T) {
	m, _, _ := reads(t, tuitest.Options{Env: []string{"NO_COLOR=1", "LC_ALL=C"}})
	m.WaitFor("> The pump has two clocks")
	m.Send("g")
	m.WaitFor("> bash")
	m.Send("q")
	if code := m.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, colour := range []string{"\x1b[3", "\x1b[38;", "\x1b[9"} {
		if got := string(m.Received()); strings.Contains(got, colour+"1m") || strings.Contains(got, colour+"5;") {
			t.Errorf("a colour: %q", got)
		}
	}
	for _, c := range m.Received() {
		if c >= 0x80 {
			t.Fatalf("a byte that is not ASCII: %q", m.Received())
		}
	}
}

// TestShowOfLeafAndFull: the branch that is named, and everything open.
func TestShowOfLeafAndFull(t *testing.T) {
	m, path, before := reads(t, tuitest.Options{Rows: 40}, "--leaf", "3c000003", "--full")
	m.WaitFor("another branch")
	m.WaitFor("path: valve/valve.go")
	bye(t, m, 0, "q")
	unchanged(t, path, before)
	m, _, _ = reads(t, tuitest.Options{}, "--leaf", "nothing")
	if code := m.Wait(); code != 3 {
		t.Errorf("exit code %d:\n%s", code, m.Screen())
	}
	m.AssertRestored()
}

// TestShowGoesOn: an entry is gone on from as in the tree, and the session's program has
// the terminal.
func TestShowGoesOn(t *testing.T) {
	h, paths := furnishedHouse(t)
	m := h.start(80, 24, "show", paths[1])
	m.WaitFor("▶ Beside the beans.")
	m.Send("[", "ctrl+r")
	h.ends(m, 0, "started pi --session "+paths[1]+" in "+h.garden)
	data, err := os.ReadFile(paths[1])
	if err != nil || !bytes.Contains(data, []byte(`"parentId":"aaaaaaa2"`)) || !bytes.Contains(data, []byte("cambium.leaf")) {
		t.Errorf("the session does not go on from where it was said (%v):\n%s", err, data)
	}
}

// TestBrowseReads: a session is read from the list, at what was searched for, and from its
// tree; each time it is gone back to where it was opened from.
func TestBrowseReads(t *testing.T) {
	t.Parallel()
	h, _ := furnishedHouse(t)
	m := h.start(80, 24)
	m.WaitFor("potatoes")
	m.Send("down", "alt+v")
	m.WaitFor("▶ Beside the beans.")
	m.Send("q")
	m.WaitFor("enter resume")
	m.Send("tab")
	m.WaitFor("landlord")
	m.Send("heating")
	m.WaitFor("assistant: Dear Sir, the heating")
	m.Send("alt+v")
	m.WaitFor("▶ Dear Sir, the heating")
	m.WaitFor("“heating” in 1 message")
	m.Send("q")
	m.WaitFor("1 of 3")
	m.Send("ctrl+t")
	m.WaitFor("type to search what was said")
	m.WaitFor("← leaf")
	m.Send("up", "alt+v")
	m.WaitFor("▶ user")
	m.Send("q")
	m.WaitFor("type to search what was said")
	m.Send("alt+v")
	m.WaitFor("▶ user")
	m.Send("ctrl+c")
	h.ends(m, 0)
}

// TestShowOfHostileText: stored text does not drive the terminal, nor what is copied.
func TestShowOfHostileText(t *testing.T) {
	home := scratch.OwnDir(t)
	path := filepath.Join(home, "s.jsonl")
	bad := `\u001b]0;owned\u0007\u001b[2J\u001b[31mred\u001b]52;c;aGk=\u0007\u009b5n\u202etxet`
	write(t, path, []byte(`{"type":"session","version":3,"id":"0195643c-a1c0-7c11-9d6e-3f5b8a2e4c10","timestamp":"2026-03-05T09:00:00.000Z","cwd":"/","title":"t`+bad+`"}
{"type":"message","id":"aaaa`+bad+`","parentId":null,"timestamp":"2026-03-05T09:00:00.000Z","message":{"role":"user","content":"begin `+bad+`"}}
{"type":"message","id":"aaab0001","parentId":"aaaa`+bad+`","timestamp":"2026-03-05T09:00:01.000Z","message":{"role":"assistant","model":"m`+bad+`","content":[{"type":"thinking","thinking":"t`+bad+`"},{"type":"toolCall","id":"1","name":"x`+bad+`","arguments":{"command":"c`+bad+`","k`+bad+`":"v"}}]}}
{"type":"message","id":"bbbb0001","parentId":"aaab0001","timestamp":"2026-03-05T09:00:01.000Z","message":{"role":"toolResult","toolCallId":"1","toolName":"x`+bad+`","content":[{"type":"text","text":"line `+bad+`"}],"details":{"diff":"+d`+bad+`"}}}
{"type":"message","id":"bbbb0002","parentId":"aaab0001","timestamp":"2026-03-05T09:00:01.000Z","message":{"role":"odd`+bad+`"}}
{"type":"label","id":"cccc0001","parentId":"bbbb0001","timestamp":"2026-03-05T09:00:02.000Z","targetId":"bbbb0001","label":"l`+bad+`"}
`))
	m := tuitest.Start(t, tuitest.Options{Home: home, Args: []string{"show", path}, Cols: 120, Rows: 40})
	m.WaitFor("begin red")
	m.Send("z")
	m.WaitFor("command: c\\u{1b}]0;owned")
	m.Send("/", "owned", "enter")
	m.WaitFor("no more matches below")
	m.Send("N")
	m.WaitFor("“owned” in 2 messages")
	bye(t, m, 0, "q")
	if got := string(m.Received()); strings.Contains(got, "\u202e") || strings.Contains(got, "\x1b]52") {
		t.Errorf("stored text reached the terminal as it is: %q", got)
	}
}

// TestSearchOpens: the best hit is read in its session, and gone on with from there.
func TestSearchOpens(t *testing.T) {
	t.Parallel()
	h, paths := furnishedHouse(t)
	before, err := os.ReadFile(paths[2])
	if err != nil {
		t.Fatal(err)
	}
	m := h.start(80, 24, "search", "heating role:assistant", "--open")
	m.WaitFor("▶ Dear Sir, the heating")
	m.WaitFor("“heating” in 1 message")
	bye(t, m, 0, "q")
	unchanged(t, paths[2], before)
	m = h.start(80, 24, "search", "landlord", "--open")
	m.WaitFor("▶ ▌ Write to the landlord")
	m.Send("ctrl+r")
	m.WaitFor("Work there? [y/N]")
	m.Send("y", "enter")
	h.ends(m, 0, "started pi --session "+paths[2]+" in "+h.letters)
}

// TestReadEdits: a message is opened in the person's editor, where it tells the editor nothing,
// and nothing of the session changes.
func TestReadEdits(t *testing.T) {
	t.Parallel()
	h, paths := furnishedHouse(t)
	before, err := os.ReadFile(paths[1])
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(h.home, "seen")
	h.env = []string{"VISUAL=cat >'" + out + "' <"}
	m := h.start(80, 24, "show", paths[1])
	m.WaitFor("▶ Beside the beans.")
	m.Send("ctrl+g")
	m.WaitFor("▶ Beside the beans.")
	m.Send("]")
	m.WaitFor("no prompt below")
	bye(t, m, 0, "q")
	unchanged(t, paths[1], before)
	if data, err := os.ReadFile(out); err != nil || string(data) != "\n\n\n\n\nBeside the beans.\n\n\f\n\n\n\n\n" {
		t.Errorf("the editor was given %q, %v", data, err)
	}
	h.env = nil
	m = h.start(80, 24, "show", paths[1])
	m.WaitFor("▶ Beside the beans.")
	m.Send("ctrl+g")
	m.WaitFor("set $VISUAL or $EDITOR")
	bye(t, m, 0, "q")
}

// TestBrowseCosts: from the list what sessions cost is shown, down to an answer, which is read;
// each time it is gone back to where it was opened from. Nothing is written.
func TestBrowseCosts(t *testing.T) {
	t.Parallel()
	h, paths := furnishedHouse(t)
	before := make([][]byte, len(paths))
	for i, path := range paths {
		before[i], _ = os.ReadFile(path)
	}
	m := h.start(80, 24)
	m.WaitFor("potatoes")
	m.Send("alt+c")
	m.WaitFor("the last 30 days · by model")
	m.Send("s", "s")
	m.WaitFor("all time · by model")
	m.WaitFor("▶ ")
	m.Send("enter")
	m.WaitFor("all time · by session")
	m.WaitFor("CALLS")
	m.Send("enter")
	m.WaitFor("all time · each call")
	m.WaitFor("answer")
	m.Send("enter")
	m.WaitFor("▶ assistant")
	m.Send("q")
	m.WaitFor("all time · each call")
	m.Send("esc")
	m.WaitFor("all time · by session")
	m.Send("esc")
	m.WaitFor("all time · by model")
	m.Send("esc")
	m.WaitFor("enter resume")
	m.Send("ctrl+c")
	h.ends(m, 0)
	for i, path := range paths {
		unchanged(t, path, before[i])
	}
}
