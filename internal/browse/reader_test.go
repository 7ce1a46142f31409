package browse_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/browse"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/readview"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/layout"
)

// noon is the clock of the tests.
func noon() time.Time { return time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC) }

// library is that of an empty home.
func library(t testing.TB) *work.Library {
	home := t.TempDir()
	l := work.New(work.Machine{Env: layout.Env{Home: home, Cwd: "/", Getenv: func(string) string { return "" },
		LookupEnv: func(string) (string, bool) { return "", false }, Exists: func(string) bool { return false },
		Real: func(p string) (string, bool) { return p, false }}, Now: noon}, work.Front{})
	t.Cleanup(l.CloseIndex)
	return l
}

// branched is a session of three branches behind its second entry, and a second root.
const branched = `{"type":"session","version":3,"id":"19c0b2f4a1400001","timestamp":"2026-03-10T09:00:00.000Z","cwd":"/work"}
{"type":"model_change","id":"m1","parentId":null,"timestamp":"2026-03-10T09:00:01.000Z","provider":"anthropic","modelId":"opus"}
{"type":"message","id":"a1","parentId":"m1","timestamp":"2026-03-10T09:00:02.000Z","message":{"role":"user","content":"Water the garden"}}
{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-03-10T09:00:03.000Z","message":{"role":"assistant","model":"opus","content":[{"type":"text","text":"Three ways."}]}}
{"type":"message","id":"b1","parentId":"a2","timestamp":"2026-03-10T09:00:04.000Z","message":{"role":"user","content":"Ollas"}}
{"type":"message","id":"b2","parentId":"b1","timestamp":"2026-03-10T09:00:05.000Z","message":{"role":"toolResult","toolCallId":"x","toolName":"bash","isError":true,"content":[{"type":"text","text":"no clay"}]}}
{"type":"message","id":"c1","parentId":"a2","timestamp":"2026-03-10T09:00:06.000Z","message":{"role":"user","content":"Drip lines"}}
{"type":"custom","id":"s1","parentId":"a2","timestamp":"2026-03-10T09:00:06.000Z","customType":"state","data":{}}
{"type":"message","id":"r1","parentId":null,"timestamp":"2026-03-10T09:00:07.000Z","message":{"role":"user","content":"Another beginning"}}
{"type":"message","id":"d1","parentId":"a2","timestamp":"2026-03-10T09:00:08.000Z","message":{"role":"user","content":"A neighbour"}}
{"type":"custom_message","id":"d2","parentId":"d1","timestamp":"2026-03-10T09:00:09.000Z","customType":"lint","content":"hidden finding","display":false}
{"type":"message","id":"d3","parentId":"d2","timestamp":"2026-03-10T09:00:10.000Z","message":{"role":"assistant","model":"opus","content":[{"type":"toolCall","id":"1","name":"bash","arguments":{"command":"ls pumps"}},{"type":"toolCall","id":"2","name":"read","arguments":{"path":"notes.md"}}]}}
{"type":"message","id":"d4","parentId":"d3","timestamp":"2026-03-10T09:00:11.000Z","message":{"role":"toolResult","toolCallId":"2","toolName":"read","content":[{"type":"text","text":"read me"}]}}
{"type":"compaction","id":"d5","parentId":"d4","timestamp":"2026-03-10T09:00:12.000Z","summary":"A neighbour waters.","firstKeptEntryId":"d3","tokensBefore":18000}
{"type":"message","id":"d6","parentId":"d5","timestamp":"2026-03-09T09:00:13.000Z","message":{"role":"user","content":"Thank you"}}
`

// A sitting runs a reader as a program does.
type sitting struct {
	t      *testing.T
	r      *browse.Reader
	left   []tea.Msg // what is for whoever shows it
	copied bool
}

func sit(t *testing.T, text string, what browse.Reading) *sitting {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := browse.Options{Library: library(t), Explain: func(err error) browse.Explanation { return browse.Explanation{Text: err.Error()} }}
	s := &sitting{t: t, r: browse.NewReader(t.Context(), o, path, what)}
	t.Cleanup(func() { s.run(s.r.Close()) })
	s.send(tea.WindowSizeMsg{Width: 80, Height: 40})
	s.send(s.r.Open())
	return s
}

func (s *sitting) send(msg tea.Msg) { s.run(s.r.Update(msg)) }

func (s *sitting) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			s.run(cmd)
		}
	case readview.Back, readview.Exit, treeview.Resume:
		s.left = append(s.left, msg)
	default:
		s.copied = s.copied || strings.Contains(fmt.Sprintf("%T", msg), "lipboard")
		s.send(msg)
	}
}

func (s *sitting) press(keys ...string) {
	for _, name := range keys {
		k := tea.KeyPressMsg{Code: rune(name[0]), Text: name}
		switch name {
		case "tab":
			k = tea.KeyPressMsg{Code: tea.KeyTab}
		case "enter":
			k = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "ctrl+r":
			k = tea.KeyPressMsg{Code: 'r', Mod: tea.ModCtrl}
		}
		s.send(k)
	}
}

// shows reports what of some texts is not on the screen, and what of others is, which
// begin with "!".
func (s *sitting) shows(texts ...string) {
	s.t.Helper()
	screen := term.Safe(s.r.View().Content)
	for _, text := range texts {
		not, wanted := strings.CutPrefix(text, "!")
		if strings.Contains(screen, not) == wanted {
			s.t.Errorf("the screen has, or lacks, %q:\n%s", text, screen)
		}
	}
}

// TestReaderShowsABranch: the active branch with all that it says, and nothing of others
// but their names.
func TestReaderShowsABranch(t *testing.T) {
	s := sit(t, branched, browse.Reading{})
	s.shows("▶ ▌ Thank you", "! no clay", "Water the garden", "model anthropic/opus", "1 other branch from here", "user Another beginning",
		"2 other branches from here", "↳ user Ollas", "2 entries  b1", "↳ user Drip lines", "hidden: hidden finding", "→ bash  ls pumps",
		"⎿ read notes.md · 1 line", "compaction of 18k tokens: 4 messages above summed up, 2 kept", "A neighbour waters.", "d3  09:00", "d6  9 Mar 09:00", "!state of")
	full := sit(t, strings.Replace(branched, `"id":"d1","parentId":"a2"`, `"id":"d1","parentId":"s1"`, 1), browse.Reading{Full: true})
	full.shows("state of state", "!hidden: ", "command: ls pumps")
}

// TestReaderTurns: at a branch point each key press shows the next branch, and in the end
// the first again; an entry of another branch is begun at on that.
func TestReaderTurns(t *testing.T) {
	s := sit(t, branched, browse.Reading{})
	s.press("B")
	for _, want := range []string{"no clay", "▌ Drip lines", "▌ A neighbour", "no clay"} {
		s.press("tab")
		s.shows(want, "2 other branches from here", "▶ ── 2 other")
	}
	s.shows("another branch")
	s.press("B", "tab")
	s.shows("▌ Another beginning", "!Water the garden\n", "▶ ── 1 other branch from here")
	s.press("j", "enter")
	s.shows("▌ Water the garden", "▌ Thank you")

	at := sit(t, branched, browse.Reading{At: "b1"})
	at.shows("no clay", "▶ user", "b1  09:00", "another branch", "!Thank you")
	leaf := sit(t, branched, browse.Reading{Leaf: "a2"})
	leaf.shows("3 other branches from here", "!no clay", "▌ Water")
}

// TestReaderSearches: matches on the branch that is read, and errors.
func TestReaderSearches(t *testing.T) {
	what := browse.MarksOf([]picker.Term{{Text: "neighbour"}})
	s := sit(t, branched, what)
	s.shows("“neighbour” in 2 messages")
	s.press("g", "n")
	s.shows("▶ ▌ A neighbour")
	s.press("n")
	s.shows("▶ A neighbour waters.")
	s.press("/", "h", "i", "d", "d", "e", "n", " ", "f", "enter", "N")
	s.shows("▶ · hidden: hidden finding")
	s.press("E")
	s.shows("no error above")
	s.press("B", "tab", "e")
	s.shows("▶   ✗ bash")
}

// TestReaderHandsOver: what is gone on from, and what cannot be.
func TestReaderHandsOver(t *testing.T) {
	s := sit(t, branched, browse.Reading{})
	s.press("ctrl+r", "[", "ctrl+r", "y")
	if s.shows("copied the message"); !s.copied {
		t.Error("nothing was copied")
	}
	s.press("q")
	if got := fmt.Sprintf("%+v", s.left); got != "[{ID:d6 Leaf:true} {ID:d1 Leaf:false} {}]" {
		t.Errorf("what is left: %s", got)
	}
	twin := sit(t, strings.Replace(branched, `"id":"b1"`, `"id":"a1"`, 1), browse.Reading{})
	twin.press("g", "c", "[", "[", "ctrl+r")
	twin.shows("a later entry has the same id: nothing can name this one")
	newer := sit(t, strings.Replace(branched, `"version":3`, `"version":99`, 1), browse.Reading{})
	newer.shows("its version 99 is newer than 3")
	newer.press("ctrl+r")
	if newer.shows("it can be read, not appended to"); len(twin.left)+len(newer.left) > 0 {
		t.Errorf("it went on: %v %v", twin.left, newer.left)
	}
}

// TestReaderOfDamage: a session that is damaged, or not there, is said to be.
func TestReaderOfDamage(t *testing.T) {
	s := sit(t, branched+"{\"type\":\"mess\n", browse.Reading{})
	s.shows("▌ Thank you", "1 damaged line")
	o := browse.Options{Library: library(t), Explain: func(err error) browse.Explanation { return browse.Explanation{Text: "explained: " + err.Error()} }}
	r := browse.NewReader(t.Context(), o, t.TempDir(), browse.Reading{})
	r.Update(tea.WindowSizeMsg{Width: 80, Height: 20})
	r.Update(r.Open())
	if got := r.View().Content; !strings.Contains(got, "explained: ") {
		t.Errorf("a directory:\n%s", got)
	}
	empty := sit(t, "", browse.Reading{})
	empty.shows("nothing was said")
	empty.press("n", "tab", "enter", "z", "y", "e", "j", "G", "q")
}

// TestMarksOf: what is marked of what was searched for.
func TestMarksOf(t *testing.T) {
	for _, test := range []struct {
		terms []picker.Term
		words string
		marks string
	}{
		{nil, "", "[]"},
		{[]picker.Term{{Text: "pump"}, {Text: "two clocks"}}, "pump two clocks", `[(?i)pump (?i)two\s+clocks]`},
		{[]picker.Term{{Text: "a.*b", Pattern: true}}, "re:a.*b", "[(?im)a.*b]"},
		{[]picker.Term{{Text: `role:assistant -beans heat* "Dear  Sir" re:x+ after:3d http://a.b`, Query: true}}, "heat Dear  Sir re:x+", `[(?i)heat (?i)Dear\s+Sir (?im)x+]`},
		{[]picker.Term{{Text: "(", Pattern: true}, {Text: "x*", Pattern: true}}, "", "[]"},
	} {
		got := browse.MarksOf(test.terms)
		if got.Words != test.words || fmt.Sprint(got.Marks) != test.marks {
			t.Errorf("%v: %q, %v", test.terms, got.Words, got.Marks)
		}
	}
}
