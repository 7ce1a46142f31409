//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// rests waits until the agent works no more.
func rests(m *tuitest.Terminal) {
	m.WaitGone("esc stops it")
}

// say says something and waits for the end of the answer.
func say(m *tuitest.Terminal, text, answer string) {
	m.Send(text, "enter")
	m.WaitFor(answer)
	rests(m)
}

// busy has the agent at work until a text is there, something said in both ways
// meanwhile, and something told.
func busy(m *tuitest.Terminal, sign string) {
	m.Send("Look around.", "enter")
	m.WaitFor(sign)
	m.Send("and there", "enter")
	m.WaitFor("steers: and there")
	m.Send("then rest", "\x1b\r")
	m.WaitFor("then: then rest")
	m.Send("/thinking", "enter")
	m.WaitFor("· thinking is")
}

// lacks returns those of the texts that a screen does not show.
func lacks(screen string, texts ...string) []string {
	var all []string
	for _, text := range texts {
		if !tuitest.Shows(screen, text) {
			all = append(all, text)
		}
	}
	return all
}

// holds returns those of the texts that a screen shows.
func holds(screen string, texts ...string) []string {
	var all []string
	for _, text := range texts {
		if tuitest.Shows(screen, text) {
			all = append(all, text)
		}
	}
	return all
}

// sent returns what the model was sent last, but for the first message, which is
// not a person's, and the tools.
func (k *parlour) sent() string {
	k.t.Helper()
	_, said, ok := strings.Cut(string(k.server.Last().Body), `"role":"system"`)
	_, said, found := strings.Cut(said, "},{")
	said, _, ended := strings.Cut(said, `"stream":true`)
	if !ok || !found || !ended {
		k.t.Fatalf("the model was sent %s", k.server.Last().Body)
	}
	return said
}

// fifo makes a pipe in the garden that a command can wait at.
func (k *parlour) fifo(name string) string {
	k.t.Helper()
	path := filepath.Join(k.garden, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		k.t.Fatal(err)
	}
	return path
}

// planted writes a session of pi with a todo and a name.
func (k *parlour) planted() string {
	k.t.Helper()
	path := k.session(1, k.garden, "How much water do tomatoes need?", "Two litres a day.")
	k.add(path, `{"type":"custom","id":"ccccccc1","parentId":"bbbbbbb1","timestamp":"2026-11-20T10:00:03.000Z","customType":"cambium.todos","data":[{"content":"buy a hose","status":"pending"}]}`,
		`{"type":"session_info","id":"ddddddd1","parentId":"ccccccc1","timestamp":"2026-11-20T10:00:04.000Z","name":"Tomatoes"}`)
	return path
}

// add appends lines to a file as another program does.
func (k *parlour) add(path string, lines ...string) {
	k.t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		k.t.Fatal(err)
	}
	_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
	if err := f.Close(); err != nil {
		k.t.Fatal(err)
	}
	if err != nil {
		k.t.Fatal(err)
	}
}

// After a switch the screen is that of the other session, whatever was going on
// (published P3): loader, status, what waits, tools and what is being said are
// gone before the word that it is done is there, and nothing of it comes back.
func TestChatSwitchRebuildsTheScreen(t *testing.T) {
	t.Parallel()
	for name, going := range map[string]struct {
		reply wiretest.Reply
		sign  string
	}{
		"in an answer": {wiretest.Reply{Say: &wiretest.Say{Text: "I was about to say"}, Stall: true, Events: 4}, "I was"},
		"in a tool": {wiretest.Answer(wiretest.Say{Text: "I look.", Calls: []wiretest.Call{
			{ID: "c1", Name: "bash", Arguments: `{"command":"echo digging; cat pipe"}`}}}), "digging\n"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, going.reply, wiretest.Text("Half as much."))
			path := k.planted()
			k.fifo("pipe")
			m := k.chat("--yes")
			m.Send("/name The beds", "enter")
			m.WaitFor("· The beds")
			m.Send("/todo weed", "enter")
			m.WaitFor("☐ weed")
			busy(m, going.sign)
			old := []string{"esc stops it", "steers:", "then:", "· thinking is", "The beds", "weed", "Look around.", "I look", "I was", "digging"}
			if missing := holds(m.Screen(), "Tomatoes", "hose"); len(missing) > 0 {
				t.Fatalf("%q before the switch", missing)
			}
			m.Send("/resume "+path, "enter")
			m.WaitFor("Resumed session")
			screen := m.Screen()
			if left := holds(screen, old...); len(left) > 0 {
				t.Errorf("after the switch there is %q:\n%s", left, screen)
			}
			if missing := lacks(screen, "▌ How much water do tomatoes need?", "Two litres a day.", "0 of 1 todo done", "☐ buy a hose", "\n›\n"); len(missing) > 0 {
				t.Errorf("after the switch there is no %q:\n%s", missing, screen)
			}
			m.WaitFor("· Tomatoes")
			say(m, "And beans?", "Half as much.")
			if left := holds(m.Screen(), old...); len(left) > 0 {
				t.Errorf("after the answer there is %q:\n%s", left, m.Screen())
			}
			if n := strings.Count(m.Screen(), "Half as much."); n != 1 {
				t.Errorf("the answer is there %d times", n)
			}
			k.leave(m)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if left := holds(string(data), "and there", "then rest", "Look around", "weed"); len(left) > 0 {
				t.Errorf("%q is in the other session", left)
			}
			if sent := k.sent(); len(lacks(sent, "tomatoes", "Two litres", "And beans?")) > 0 || len(holds(sent, "Look around", "and there", "then rest")) > 0 {
				t.Errorf("the model was sent %s", sent)
			}
		})
	}
}

// A hook that cancels the switch leaves everything as it is, and the answer goes
// on.
func TestChatSwitchCancelledInAnAnswer(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	k := newTalkWith(t, `"hooks":{"session_before_switch":[{"command":"echo '{\"cancel\":true}'"}]}`,
		wiretest.Reply{Say: &wiretest.Say{Text: "I was about to say it."}, Stall: true, Events: 4, Release: gate}, wiretest.Text("There too."))
	path := k.planted()
	m := k.chat()
	m.Send("/name The beds", "enter")
	m.WaitFor("· The beds")
	m.Send("/todo weed", "enter")
	m.WaitFor("☐ weed")
	m.Send("Look around.", "enter")
	m.WaitFor("I was")
	m.Send("and there", "enter")
	m.WaitFor("steers: and there")
	m.Send("/resume "+path, "enter")
	m.WaitFor("a hook cancelled it")
	screen := m.Screen()
	if missing := lacks(screen, "esc stops it", "steers: and there", "☐ weed", "· The beds", "▌ Look around.", "I was"); len(missing) > 0 {
		t.Errorf("after the cancelled switch there is no %q:\n%s", missing, screen)
	}
	if more := holds(screen, "Resumed", "Two litres", "hose", "Tomatoes"); len(more) > 0 {
		t.Errorf("after the cancelled switch there is %q:\n%s", more, screen)
	}
	close(gate)
	m.WaitFor("I was about to say it.")
	m.WaitFor("There too.")
	m.WaitFor("▌ and there")
	rests(m)
	k.leave(m)
	if all := k.sessions(); len(all) != 1 || len(lacks(all[0], "about to say it.", "and there", "There too.")) > 0 {
		t.Errorf("the sessions hold %q", all)
	}
}

// The list of sessions is left with Esc: the editor takes keys again, at its
// place, and the answer goes on; with Ctrl+C: the agent is told that it ends.
func TestChatPickerIsLeft(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	k := newTalkWith(t, `"hooks":{"session_shutdown":[{"command":"echo ended > ended"}],"session_switch":[{"command":"echo gone > gone"}]}`,
		wiretest.Reply{Say: &wiretest.Say{Text: "I was about to say it."}, Stall: true, Events: 4, Release: gate})
	k.session(1, k.garden, "How much water do tomatoes need?", "Two litres a day.")
	m := k.chat()
	m.Send("Hello?", "enter")
	m.WaitFor("I was")
	m.Send("and there", "enter")
	m.WaitFor("steers: and there")
	m.Send("/resume", "enter")
	m.WaitFor("How much water do tomatoes need?")
	m.Send("esc")
	m.WaitFor("steers: and there")
	m.Send("more")
	m.WaitFor("› more")
	m.WaitFor(func(screen string) bool {
		x, y, shown := m.Cursor()
		return shown && strings.Split(screen, "\n")[y] == "› more" && x == len("> more")
	})
	if missing := lacks(m.Screen(), "esc stops it", "▌ Hello?", "I was"); len(missing) > 0 {
		t.Errorf("after the list there is no %q:\n%s", missing, m.Screen())
	}
	m.Send("ctrl+c", "/resume", "enter")
	m.WaitFor("How much water do tomatoes need?")
	m.Send("ctrl+c")
	k.ends(m, 0, "this waited and was not said: and there")
	if text, err := os.ReadFile(filepath.Join(k.garden, "ended")); string(text) != "ended\n" {
		t.Errorf("the agent was not told that it ends: %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(k.garden, "gone")); err == nil {
		t.Error("the session was switched")
	}
	if all := k.sessions(); len(all) != 1 || !strings.Contains(all[0], "I was") {
		t.Errorf("the sessions hold %q", all)
	}
}

// A list in which there is nothing can be left.
func TestChatPickerIsEmpty(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	m := k.chat()
	m.Send("/resume", "enter")
	m.WaitFor("No sessions in this project")
	m.Send("enter", "down", "esc")
	m.WaitFor("test ·")
	m.Send("draft")
	m.WaitFor("› draft")
	k.leave(m)
}

// The mode of a session is entered at the start and after a switch: in plan no
// tool changes anything.
func TestChatEntersTheModeOfASession(t *testing.T) {
	t.Parallel()
	wet := call("c1", "bash", `{"command":"echo wet > soil"}`)
	k := newTalk(t, wet, wiretest.Text("I would water it."), wet, wiretest.Text("I still would."), wet, wiretest.Text("It is wet."))
	path := k.planned()
	other := k.planted()
	m := k.chat("--yes", path)
	m.WaitFor("test · plan ·")
	m.WaitFor("Dig here.")
	say(m, "Water it.", "I would water it.")
	m.Send("/resume "+other, "enter")
	m.WaitFor("Resumed session")
	m.WaitGone("· plan ·")
	m.Send("/resume "+path, "enter")
	m.WaitFor("· plan ·")
	say(m, "Water it now.", "I still would.")
	if _, err := os.Stat(filepath.Join(k.garden, "soil")); err == nil {
		t.Error("a command was run in plan mode")
	}
	m.Send("/mode none", "enter")
	m.WaitGone("· plan ·")
	say(m, "Do.", "It is wet.")
	if _, err := os.Stat(filepath.Join(k.garden, "soil")); err != nil {
		t.Error("no command was run after plan mode")
	}
	k.leave(m)
}

// planned writes a session of omp that is in plan mode.
func (k *parlour) planned() string {
	k.t.Helper()
	path := filepath.Join(k.home, ".omp/agent/sessions/-work-garden/2026-11-20T10-00-00-000Z_0198c2b1-77aa-7000-8000-000000000009.jsonl")
	k.write(path, fmt.Sprintf(`{"type":"session","version":3,"id":"0198c2b1-77aa-7000-8000-000000000009","timestamp":"2026-11-20T10:00:00.000Z","cwd":%q}
{"type":"message","id":"aaaaaaa9","parentId":null,"timestamp":"2026-11-20T10:00:01.000Z","message":{"role":"user","content":"Where do we dig?","timestamp":1763632801000}}
{"type":"message","id":"bbbbbbb9","parentId":"aaaaaaa9","timestamp":"2026-11-20T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Dig here."}],"api":"x","provider":"anthropic","model":"opus","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1763632802000}}
{"type":"mode_change","id":"ccccccc9","parentId":"bbbbbbb9","timestamp":"2026-11-20T10:00:03.000Z","mode":"plan"}
`, k.garden), 0o600)
	return path
}

// Double Esc shows the tree; a prompt that is chosen there is in the editor, and
// what was typed before stays when nothing is chosen.
func TestChatTreeByDoubleEscape(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two litres."), wiretest.Text("Beside the beans."), wiretest.Text("In October."))
	m := k.chat()
	say(m, "How much?", "Two litres.")
	say(m, "And where?", "Beside the beans.")
	m.Send("/todo weed", "enter") // on this branch
	m.WaitFor("kept the todos")
	m.Send("esc") // is told no more
	m.WaitGone("kept the todos")
	m.Send("draft")
	m.WaitFor("› draft")
	m.Send("esc")
	m.WaitFor("esc again shows the tree")
	m.Send("esc")
	m.WaitFor("← leaf")
	m.Send("esc")
	m.WaitFor("› draft")
	m.Send("esc")
	m.WaitFor("esc again shows the tree")
	m.Send("esc")
	m.WaitFor("← leaf")
	m.Send("And where")
	m.WaitFor("1 match")
	m.Send("enter")
	m.WaitFor("› And where?")
	m.WaitGone("Beside the beans.", "weed")
	m.Send(" Exactly.", "enter")
	m.WaitFor("In October.")
	m.WaitFor("▌ And where? Exactly.")
	rests(m)
	k.leave(m)
	sent := k.sent()
	if len(lacks(sent, "How much?", "Two litres.", "And where? Exactly.")) > 0 || strings.Contains(sent, "Beside the beans.") {
		t.Errorf("the model was sent %s", sent)
	}
}
