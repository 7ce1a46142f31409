//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

// Entries that another program appends to the file appear, on a branch of their
// own: the model is not told them, and the tree has them. From there one can go
// on.
func TestChatShowsWhatOthersAppend(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Beside the beans."), wiretest.Text("In October."))
	path := k.session(1, k.garden, "How much water do tomatoes need?", "Two litres a day.")
	m := k.chat(path)
	m.WaitFor("Two litres a day.")
	say(m, "And where?", "Beside the beans.")
	k.add(path, `{"type":"message","id":"eeeeeee1","parentId":"bbbbbbb1","timestamp":"2026-11-20T10:00:05.000Z","message":{"role":"user","content":"And on Sundays?","timestamp":1763632805000}}`)
	m.WaitFor("┊ ▌ And on Sundays?")
	k.add(path, `{"type":"message","id":"eeeeeee2","parentId":"eeeeeee1","timestamp":"2026-11-20T10:00:06.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Nothing on Sundays."}],"api":"x","provider":"anthropic","model":"opus","stopReason":"stop","timestamp":1763632806000}}`)
	m.WaitFor("┊ Nothing on Sundays.")
	m.Send("/tree", "enter")
	m.WaitFor("← leaf")
	m.WaitFor("And on Sundays?")
	m.Send("Sundays?")
	m.WaitFor("> Sundays?")
	m.WaitFor("1 match")
	m.Send("enter") // the prompt: its text goes to the editor
	m.WaitFor("› And on Sundays?")
	m.WaitFor(func(screen string) bool {
		return len(holds(screen, "Beside the beans.")) == 0 && len(lacks(screen, "Two litres a day.")) == 0
	})
	m.Send(" In the rain?", "enter")
	m.WaitFor("In October.")
	rests(m)
	if sent := k.sent(); len(lacks(sent, "Two litres", "And on Sundays? In the rain?")) > 0 || len(holds(sent, "Nothing on", "Beside")) > 0 {
		t.Errorf("the model was sent %s", sent)
	}
	k.leave(m)
}

// Two chats that are answered at the same time: nothing is lost, each model is told
// its own branch.
func TestTwoChatsAtOnce(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	stalled := func(match, text string) wiretest.Reply {
		return wiretest.Reply{Match: match, Say: &wiretest.Say{Text: text}, Stall: true, Events: 2, Release: gate}
	}
	k := newTalk(t, stalled("And where?", "Beside the beans."), stalled("And when?", "In October."), wiretest.Text("Two litres."))
	one := k.chat()
	say(one, "How much?", "Two litres.")
	two := k.chat("--continue")
	two.WaitFor("Two litres.")
	one.Send("And where?", "enter")
	one.WaitFor("Beside")
	two.Send("And when?", "enter")
	two.WaitFor("In")
	two.WaitFor("┊ ▌ And where?")
	one.WaitFor("┊ ▌ And when?")
	close(gate)
	one.WaitFor("Beside the beans.")
	one.WaitFor("┊ In October.")
	two.WaitFor("In October.")
	two.WaitFor("┊ Beside the beans.")
	rests(one)
	rests(two)
	for _, r := range k.server.Requests() {
		if body := string(r.Body); strings.Contains(body, "And where?") && strings.Contains(body, "And when?") {
			t.Errorf("a model was told what the other was asked: %s", body)
		}
	}
	if missing := lacks(one.Screen(), "cambium too"); len(missing) > 0 {
		t.Errorf("the first does not say that there is another:\n%s", one.Screen())
	}
	k.leave(two)
	one.WaitGone("cambium too")
	k.leave(one)
	if all := k.sessions(); len(all) != 1 || len(lacks(all[0], "And where?", "Beside the beans.", "And when?", "In October.")) > 0 {
		t.Errorf("the sessions hold %q", all)
	}
}

// pid reads the number of a process that a command wrote down, which is there when
// the command has said so.
func (k *parlour) pid(name string) int {
	k.t.Helper()
	text, err := os.ReadFile(filepath.Join(k.garden, name))
	if err != nil {
		k.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		k.t.Fatal(err)
	}
	return pid
}

// Esc in a tool ends what it runs; the model is told when it goes on, and what was
// queued is in the editor.
func TestChatStopsATool(t *testing.T) {
	t.Parallel()
	k := newTalk(t, call("c1", "bash", `{"command":"echo $$ > pid; echo digging; cat pipe"}`), wiretest.Text("Here I am."))
	k.fifo("pipe")
	m := k.chat("--yes")
	m.Send("Dig.", "enter")
	m.WaitFor("digging\n")
	m.Send("faster", "enter")
	m.WaitFor("steers: faster")
	m.Send("esc")
	rests(m)
	m.WaitFor("› faster")
	if err := syscall.Kill(k.pid("pid"), 0); err != syscall.ESRCH {
		t.Errorf("the command still runs: %v", err)
	}
	m.Send("enter")
	m.WaitFor("Here I am.")
	rests(m)
	if sent := k.sent(); len(lacks(sent, `"tool_call_id":"c1"`, "digging", "faster")) > 0 {
		t.Errorf("the model was sent %s", sent)
	}
	k.leave(m)
}

// A question is answered with no, and the model goes on; esc stops the agent then.
func TestChatStopsAfterAQuestion(t *testing.T) {
	t.Parallel()
	k := newTalk(t, call("c1", "bash", `{"command":"echo wet > soil"}`),
		wiretest.Reply{Say: &wiretest.Say{Text: "Then I will"}, Stall: true, Events: 3})
	m := k.chat()
	m.Send("Dig.", "enter")
	m.WaitFor("y run it")
	m.Send("n")
	m.WaitFor("Then I")
	m.Send("esc")
	m.WaitFor("Stopped by the user.")
	rests(m)
	k.leave(m)
	if _, err := os.Stat(filepath.Join(k.garden, "soil")); err == nil {
		t.Error("a refused command was run")
	}
}

// Killed while a tool runs: the chat that goes on tells the model that the call
// has no result, is not said to be two, and keeps what was said.
func TestChatKilledInATool(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two litres."), call("c1", "bash", `{"command":"echo $$ > pid; echo digging; cat pipe"}`), wiretest.Text("Here I am."))
	pipe := k.fifo("pipe")
	m := k.chat("--yes")
	say(m, "How much?", "Two litres.")
	m.Send("Dig.", "enter")
	m.WaitFor("digging\n")
	m.Kill()
	end, err := os.OpenFile(pipe, os.O_RDWR, 0) // the command may end now
	if err != nil {
		t.Fatal(err)
	}
	m = k.chat("--continue")
	m.WaitFor("▌ Dig.")
	m.WaitFor("→ bash")
	if more := holds(m.Screen(), "cambium too", "esc stops it"); len(more) > 0 {
		t.Errorf("there is %q:\n%s", more, m.Screen())
	}
	say(m, "Are you there?", "Here I am.")
	if sent := k.sent(); len(lacks(sent, "How much?", "Dig.", `"tool_call_id":"c1"`, "Are you there?")) > 0 {
		t.Errorf("the model was sent %s", sent)
	}
	k.leave(m)
	if err := end.Close(); err != nil {
		t.Error(err)
	}
}

// What waits is said in its order: what steers after the tools that run, what
// follows when the agent would end; each goes out on its own.
func TestChatSaysWhatWaitsInOrder(t *testing.T) {
	t.Parallel()
	k := newTalk(t, call("c1", "bash", `{"command":"echo digging; head -n 1 pipe"}`), wiretest.Text("I stop digging."), wiretest.Text("I rest."))
	pipe := k.fifo("pipe")
	m := k.chat("--yes")
	m.Send("Dig.", "enter")
	m.WaitFor("digging\n")
	m.Send("then rest", "\x1b\r")
	m.WaitFor("then: then rest")
	m.Send("not so deep", "enter")
	m.WaitFor("steers: not so deep")
	end, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := end.WriteString("dug\n"); err != nil {
		t.Fatal(err)
	}
	m.WaitFor("I rest.")
	if err := end.Close(); err != nil { // not before the command has opened it
		t.Fatal(err)
	}
	m.WaitFor(func(screen string) bool { // in this order, each once
		last := -1
		for _, text := range []string{"▌ Dig.", "→ bash", "▌ not so deep", "I stop digging.", "▌ then rest", "I rest."} {
			at := strings.Index(screen, text)
			if at <= last || strings.Count(screen, text) != 1 {
				return false
			}
			last = at
		}
		return len(holds(screen, "steers:", "then: ", "esc stops it")) == 0
	})
	requests := k.server.Requests()
	if len(requests) != 3 || strings.Contains(string(requests[1].Body), "then rest") || !strings.Contains(string(requests[1].Body), "not so deep") {
		t.Errorf("there were %d requests", len(requests))
	}
	k.leave(m)
}

// Whoever joins another program has what it said once, without the mark that it is
// beside; whoever comes back from another session has no marks at all.
func TestChatJoinsAndComesBack(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"/join", "/resume"} {
		t.Run(command, func(t *testing.T) {
			k := newTalk(t, wiretest.Text("Beside the beans."), wiretest.Text("In October."))
			path := k.session(1, k.garden, "How much water do tomatoes need?", "Two litres a day.")
			other := k.planned()
			m := k.chat(path)
			m.WaitFor("Two litres a day.")
			k.add(path, `{"type":"message","id":"eeeeeee1","parentId":"bbbbbbb1","timestamp":"2026-11-20T10:00:05.000Z","message":{"role":"user","content":"And on Sundays?","timestamp":1763632805000}}`)
			m.WaitFor("And on Sundays?")
			say(m, "And where?", "Beside the beans.")
			m.WaitFor("┊ ▌ And on Sundays?")
			want := 1 // on the branch
			if command == "/join" {
				m.Send("/join", "enter")
				m.WaitFor("Joined")
			} else {
				want = 0 // on one that is not shown
				m.Send("/resume "+other, "enter")
				m.WaitFor("Dig here.")
				m.Send("/resume "+path, "enter")
				m.WaitFor("Beside the beans.")
			}
			say(m, "And when?", "In October.")
			if screen := m.Screen(); strings.Contains(screen, "┊") || strings.Count(screen, "And on Sundays?") != want {
				t.Errorf("the screen shows\n%s", screen)
			}
			k.leave(m)
		})
	}
}
