//go:build unix

package cli_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// A house is a home with sessions of two projects, and programs that only say
// how they were started.
type house struct {
	t                     *testing.T
	home, garden, letters string
	env                   []string // beside the PATH
}

func newHouse(t *testing.T) *house {
	h := &house{t: t, home: scratch.OwnDir(t)}
	h.garden, h.letters = filepath.Join(h.home, "work/garden"), filepath.Join(h.home, "work/letters")
	for _, dir := range []string{h.garden, h.letters, filepath.Join(h.home, "bin")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"pi", "omp"} {
		h.write(filepath.Join(h.home, "bin", name), "#!/bin/sh\necho \"started $(basename \"$0\") $* in $PWD\"\n", 0o755)
	}
	return h
}

func (h *house) write(path, text string, mode os.FileMode) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		h.t.Fatal(err)
	}
}

// session writes a session of pi that is n hours old, with a prompt and an
// answer, and returns its path.
func (h *house) session(n int, cwd, prompt, answer string) string {
	id := fmt.Sprintf("0198c2a%d-77aa-7000-8000-000000000001", n)
	path := filepath.Join(h.home, ".pi/agent/sessions", "--"+filepath.Base(cwd)+"--", "2026-11-20T10-00-00-000Z_"+id+".jsonl")
	text := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-11-20T10:00:00.000Z","cwd":%q}
{"type":"message","id":"aaaaaaa%d","parentId":null,"timestamp":"2026-11-20T10:00:01.000Z","message":{"role":"user","content":%q,"timestamp":%d}}
{"type":"message","id":"bbbbbbb%d","parentId":"aaaaaaa%d","timestamp":"2026-11-20T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":%q}],"api":"x","provider":"anthropic","model":"opus","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.25}},"stopReason":"stop","timestamp":%d}}
`, id, cwd, n, prompt, 1763632801000-int64(n)*3600000, n, n, answer, 1763632802000-int64(n)*3600000)
	h.write(path, text, 0o600)
	old := time.UnixMilli(1763632802000 - int64(n)*3600000)
	if err := os.Chtimes(path, old, old); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// start runs the command on a terminal in the garden.
func (h *house) start(cols, rows int, args ...string) *tuitest.Terminal {
	return tuitest.Start(h.t, tuitest.Options{
		Args: args, Home: h.home, Dir: h.garden, Cols: cols, Rows: rows,
		Env: append([]string{"PATH=" + filepath.Join(h.home, "bin") + ":/usr/bin:/bin"}, h.env...),
	})
}

// ends waits for the end of the command: its exit code, what stands on the
// terminal then, and that the terminal is as it was.
func (h *house) ends(m *tuitest.Terminal, code int, texts ...string) {
	h.t.Helper()
	if got := m.Wait(); got != code {
		h.t.Errorf("exit code %d, want %d; the screen:\n%s", got, code, m.Screen())
	}
	m.AssertRestored()
	screen := m.Screen()
	if missing := lacks(screen, texts...); len(missing) > 0 {
		h.t.Errorf("the terminal does not show %q:\n%s", missing, screen)
	}
	if len(texts) == 0 && strings.TrimSpace(screen) != "" {
		h.t.Errorf("something was printed:\n%s", screen)
	}
}

func furnishedHouse(t *testing.T) (h *house, paths []string) {
	h = newHouse(t)
	return h, []string{
		h.session(1, h.garden, "How much water do tomatoes need?", "Two litres a day."),
		h.session(2, h.garden, "Where do the potatoes go?", "Beside the beans."),
		h.session(3, h.letters, "Write to the landlord", "Dear Sir, the heating"),
	}
}

func TestBrowseResumes(t *testing.T) {
	t.Parallel()
	h, paths := furnishedHouse(t)
	m := h.start(120, 40)
	m.WaitFor("Two litres a day.") // the preview of the first
	m.Send("down")
	m.WaitFor("Beside the beans.")
	m.Send("enter")
	h.ends(m, 0, "started pi --session "+paths[1]+" in "+h.garden)
}

func TestBrowseAllProjectsAndSearchesTexts(t *testing.T) {
	t.Parallel()
	h, paths := furnishedHouse(t)
	m := h.start(80, 24)
	m.WaitFor("potatoes")
	m.Send("tab")
	m.WaitFor("landlord")
	m.Send("h", "e", "a", "t", "i", "n")
	m.WaitFor("assistant: Dear Sir, the heating") // within a word, said by the model
	m.WaitFor("1 of 3")
	m.Send("enter")
	m.WaitFor("Session was recorded in another directory, \"" + h.letters + "\". Work there? [y/N]")
	m.Send("y", "enter")
	h.ends(m, 0, "started pi --session "+paths[2]+" in "+h.letters)
}

// TestBrowseTakesQueries: filters are those of search.
func TestBrowseTakesQueries(t *testing.T) {
	t.Parallel()
	h, paths := furnishedHouse(t)
	m := h.start(80, 24)
	m.WaitFor("potatoes")
	m.Send("tab")
	m.WaitFor("landlord")
	m.Send("roel:assistant the")
	m.WaitFor("This search cannot be read: no filter is called roel (is role: meant?)")
	m.Send("ctrl+u")
	m.Send("role:assistant -beans the")
	m.WaitFor("assistant: Dear Sir, the heating")
	m.WaitFor("1 of 3")
	m.Send("enter")
	m.WaitFor("Work there? [y/N]")
	m.Send("y", "enter")
	h.ends(m, 0, "started pi --session "+paths[2]+" in "+h.letters)
}

func TestBrowseShowsTheTree(t *testing.T) {
	t.Parallel()
	h, paths := furnishedHouse(t)
	for _, args := range [][]string{nil, {"resume"}} {
		m := h.start(80, 24, args...)
		m.WaitFor("potatoes")
		m.Send("down", "ctrl+t")
		m.WaitFor("Beside the beans.")
		m.Send("esc")
		m.WaitFor("enter resume  tab")
		m.Send("ctrl+t")
		m.WaitFor("Beside the beans.")
		m.Send("up", "enter")
		h.ends(m, 0, "started pi --session "+paths[1]+" in "+h.garden)
		data, err := os.ReadFile(paths[1])
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), `"parentId":"aaaaaaa2"`) || !strings.Contains(string(data), "cambium.leaf") {
			t.Errorf("the session does not go on from where it was said:\n%s", data)
		}
	}
}

func TestBrowseIsLeft(t *testing.T) {
	t.Parallel()
	for key, code := range map[string]int{"esc": 0, "ctrl+c": 0} {
		h, _ := furnishedHouse(t)
		m := h.start(80, 24)
		m.WaitFor("potatoes")
		m.Send(key)
		h.ends(m, code)
	}
}

func TestResumeChooses(t *testing.T) {
	t.Parallel()
	h, paths := furnishedHouse(t)
	m := h.start(60, 60, "resume")
	m.WaitFor("potatoes")
	m.Send("tab")
	m.WaitFor("landlord")
	m.Send("end", "enter")
	m.WaitFor("Work there? [y/N]")
	m.Send("n", "enter")
	h.ends(m, 6, "it was recorded in another directory")

	m = h.start(60, 60, "resume")
	m.WaitFor("potatoes")
	m.Send("tab")
	m.WaitFor("landlord")
	m.Send("end", "enter")
	m.WaitFor("Work there? [y/N]")
	m.Send("y", "enter")
	h.ends(m, 0, "started pi --session "+paths[2]+" in "+h.letters)

	m = h.start(80, 24, "resume")
	m.WaitFor("potatoes")
	m.Send("esc")
	h.ends(m, 0, "No session selected")

	m = h.start(80, 24, "resume")
	m.WaitFor("potatoes")
	m.Send("ctrl+c")
	h.ends(m, 0)

	m = h.start(80, 24, "resume", "--print")
	m.WaitFor("potatoes")
	m.Send("down", "enter")
	h.ends(m, 0, paths[1])
}

func TestResumeWithoutSessions(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.session(3, h.letters, "Write to the landlord", "Dear Sir")
	h.ends(h.start(80, 24, "resume"), 0, "No sessions found")
}

func TestBrowseTheEmptyList(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"esc", "ctrl+c"} {
		h := newHouse(t)
		m := h.start(80, 24)
		m.WaitFor("No sessions in this project")
		m.Send("enter", "down", "ctrl+d", "tab")
		m.WaitFor("No sessions found")
		m.Send(key)
		h.ends(m, 0)
	}
}

func TestBrowseResizes(t *testing.T) {
	t.Parallel()
	h, _ := furnishedHouse(t)
	m := h.start(120, 40)
	m.WaitFor("Two litres a day.")
	m.Resize(30, 5)
	m.WaitFor("too small")
	m.Resize(60, 15)
	m.WaitFor("How much water")
	m.Send("ctrl+v")
	m.WaitFor("Two litres a day.")
	m.Resize(20, 2)
	m.Resize(100, 24)
	m.WaitFor("│")
	m.Send("esc")
	h.ends(m, 0)
}

func TestBrowseChangesSessions(t *testing.T) {
	t.Parallel()
	h, paths := furnishedHouse(t)
	m := h.start(80, 24)
	m.WaitFor("potatoes")
	m.Send("ctrl+r", "b", "e", "d", "s", "enter")
	m.WaitFor("renamed to “beds”")
	m.WaitFor("›  beds")
	m.Send("ctrl+l", "k", "e", "y", "enter")
	m.WaitFor("labelled “key”")
	m.Send("ctrl+b")
	m.WaitFor("★ beds")
	m.Send("down", "ctrl+d")
	m.WaitFor("Move “Where do the potatoes go?” to the trash?")
	m.Send("enter")
	m.WaitFor("u takes it back")
	m.WaitGone("potatoes")
	if _, err := os.Stat(paths[1]); err == nil {
		t.Error("what was deleted is there")
	}
	m.Send("u")
	m.WaitFor("taken back")
	m.WaitFor("potatoes")
	m.Send("ctrl+f")
	m.WaitFor("forked")
	m.WaitFor("↳ ")
	m.Send("home", "ctrl+x", "ctrl+u", h.letters, "enter")
	m.WaitFor("moved to ~/work/letters")
	m.WaitFor(" 2 · newest first")
	m.Send("ctrl+y")
	m.WaitFor("copied 1 path")
	m.Send("esc")
	h.ends(m, 0)

	moved, err := filepath.Glob(filepath.Join(h.home, ".pi/agent/sessions/*/*0198c2a1-*.jsonl"))
	if err != nil || len(moved) != 1 {
		t.Fatalf("of the session that was moved there are %v, %v", moved, err)
	}
	data, err := os.ReadFile(moved[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"cwd":"` + h.letters + `"`, `"name":"beds"`, `"targetId":"bbbbbbb1"`, `"label":"key"`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is not in the session:\n%s", want, data)
		}
	}
	pins, err := filepath.Glob(filepath.Join(h.home, ".local/state/cambium/pins.json"))
	if err != nil || len(pins) != 1 {
		t.Errorf("the pins are %v, %v", pins, err)
	}
	_, rest, _ := strings.Cut(string(m.Received()), "\x1b]52;c;")
	copied, _, _ := strings.Cut(rest, "\a")
	path, err := base64.StdEncoding.DecodeString(copied)
	if _, missing := os.Stat(string(path)); err != nil || missing != nil || filepath.Ext(string(path)) != ".jsonl" {
		t.Errorf("%q was copied: %v, %v", path, err, missing)
	}
}

// TestBrowseSeesWhatOthersDo writes and removes sessions while the list is shown.
func TestBrowseSeesWhatOthersDo(t *testing.T) {
	t.Parallel()
	h, paths := furnishedHouse(t)
	m := h.start(80, 24)
	m.WaitFor("potatoes")
	h.session(4, h.garden, "When does the frost come?", "In October.")
	m.WaitFor("When does the frost come?")
	if err := os.Remove(paths[1]); err != nil {
		t.Fatal(err)
	}
	m.WaitGone("potatoes")
	m.Send("esc")
	h.ends(m, 0)
}

func TestBrowseIsEnded(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		h, _ := furnishedHouse(t)
		m := h.start(80, 24)
		m.WaitFor("potatoes")
		m.Signal(sig)
		h.ends(m, 130, "interrupted")
	}
}

// TestBrowsePlainly looks at the colours that reach the terminal.
func TestBrowsePlainly(t *testing.T) {
	for _, args := range [][]string{{"--no-color"}, nil} {
		h, _ := furnishedHouse(t)
		o := tuitest.Options{Args: args, Home: h.home, Dir: h.garden}
		if args == nil {
			o.Env = []string{"NO_COLOR=1"}
		}
		m := tuitest.Start(t, o)
		m.WaitFor("potatoes")
		for y := range 24 {
			for x := range 80 {
				if c := m.Cell(x, y); c.Fg != "" || c.Bg != "" {
					t.Fatalf("%v: cell %d, %d has a colour: %+v", args, x, y, c)
				}
			}
		}
		m.Send("esc")
		h.ends(m, 0)
	}
	h, _ := furnishedHouse(t)
	m := tuitest.Start(t, tuitest.Options{Home: h.home, Dir: h.garden, Env: []string{"TERM=xterm"}})
	m.WaitFor("potatoes")
	for _, name := range m.Foreign() {
		t.Errorf("foreign sequence %q", name)
	}
	m.Send("esc")
	h.ends(m, 0)
}

func TestBrowseNeedsATerminal(t *testing.T) {
	m := furnished(t)
	stdout, stderr, code := m.run()
	if code != 0 || !strings.Contains(stdout, "AGE") {
		t.Errorf("without a terminal cambium ends with %d: %s%s", code, stdout, stderr)
	}
}
