//go:build unix

package cli_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

func TestChatResizes(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("The quick brown fox jumps over the lazy dog and then some more of it follows."))
	m := k.chat()
	m.Send("Tell.", "enter")
	m.WaitFor("some more of it")
	m.Resize(60, 15)
	m.WaitFor(func(screen string) bool { return strings.Contains(screen, "then some\nmore of it") })
	m.Resize(30, 6)
	m.WaitFor("too small")
	m.Resize(120, 40)
	m.WaitFor("some more of it follows.")
	k.leave(m)
}

// Killed in an answer, nothing of what was said before is lost.
func TestChatKilledAndContinued(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two litres."), wiretest.Reply{Say: &wiretest.Say{Text: "I was about to"}, Stall: true, Events: 4}, wiretest.Text("Here I am."))
	m := k.chat()
	m.Send("How much?", "enter")
	m.WaitFor("Two litres.")
	m.Send("And where?", "enter")
	m.WaitFor("I was")
	m.Kill() // the terminal is as it is then
	m = k.chat("--continue")
	m.WaitFor("Two litres.")
	m.WaitFor("▌ And where?")
	m.Send("Are you there?", "enter")
	m.WaitFor("Here I am.")
	k.leave(m)
}

// Killed in the first answer, what was asked is gone on with.
func TestChatKilledInTheFirstAnswer(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Reply{Say: &wiretest.Say{Text: "I was about to"}, Stall: true, Events: 4}, wiretest.Text("Here I am."))
	m := k.chat()
	m.Send("How much?", "enter")
	m.WaitFor("I was")
	m.Kill() // the terminal is as it is then
	m = k.chat("--continue")
	m.WaitFor("▌ How much?")
	m.WaitFor("is gone on with") // it is told on the screen
	m.Send("Are you there?", "enter")
	m.WaitFor("Here I am.")
	k.leave(m)
	if sent := string(k.server.Last().Body); !strings.Contains(sent, "How much?") {
		t.Errorf("the model was sent %s", sent)
	}
}

// Two chats on one session: each sees what the other says, on a branch of its own.
func TestTwoChatsOnOneSession(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two litres."), wiretest.Text("Beside the beans."), wiretest.Text("In October."))
	one := k.chat()
	one.Send("How much?", "enter")
	one.WaitFor("Two litres.")
	rests(one)
	two := k.chat("--continue")
	two.WaitFor("Two litres.")
	two.WaitFor("cambium too")
	two.Send("And where?", "enter")
	two.WaitFor("Beside the beans.")
	one.WaitFor("┊ Beside the beans.")
	one.Send("And when?", "enter")
	one.WaitFor("In October.")
	two.WaitFor("┊ In October.")
	k.leave(two)
	k.leave(one)
	all := k.sessions()
	if len(all) != 1 || !strings.Contains(all[0], "Beside the beans.") || !strings.Contains(all[0], "In October.") {
		t.Errorf("the sessions hold %q", all)
	}
}

// A panic ends the chat, wherever it is; the terminal is as it was and what was
// said is saved, that of an answer that has not ended too.
func TestChatPanics(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"Update": "\x1b[24~", "a command": "\x1b[23~", "a batch": "\x1b[21~", "View": "\x1b[20~", "a goroutine": "\x1b[19~"} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, wiretest.Text("Two litres."), wiretest.Reply{Say: &wiretest.Say{Text: "I was about to"}, Stall: true, Events: 4})
			m := k.fragile()
			say(m, "How much?", "Two litres.")
			m.Send("And where?", "enter")
			m.WaitFor("I was")
			m.Send(key)
			if code := m.Wait(); code != 1 {
				t.Errorf("exit code %d; the screen:\n%s", code, m.Screen())
			}
			m.AssertRestored()
			// All that was written: where two goroutines panic at once, the trace of the second
			// may push the hint off the screen.
			if all := string(m.Received()); !tuitest.Shows(all, "cambium chat --continue") {
				t.Errorf("the terminal was not told how to go on:\n%s", m.Screen())
			}
			if all := k.sessions(); len(all) != 1 || len(lacks(all[0], "Two litres.", "And where?", "I was")) > 0 {
				t.Errorf("the sessions hold %q", all)
			}
		})
	}
}

// fragile starts a chat that panics when a key is pressed.
func (k *parlour) fragile() *tuitest.Terminal {
	m := tuitest.Start(k.t, tuitest.Options{Args: []string{"chat"}, Home: k.home, Dir: k.garden, Env: []string{"FRAGILE=1"}})
	m.WaitFor("test ·")
	return m
}
