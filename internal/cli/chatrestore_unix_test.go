//go:build unix

package cli_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// However the chat is left and whatever is on the screen then, the terminal is as
// it was: the line discipline, the ordinary screen, the cursor, mouse, paste and
// keyboard.
func TestChatRestoresTheTerminal(t *testing.T) {
	t.Parallel()
	scenes := map[string]func(k *parlour, m *tuitest.Terminal){
		"at rest": func(k *parlour, m *tuitest.Terminal) {},
		"in an answer": func(k *parlour, m *tuitest.Terminal) {
			m.Send("on and on", "enter")
			m.WaitFor("I was")
		},
		"in a question": func(k *parlour, m *tuitest.Terminal) {
			m.Send("dig for it", "enter")
			m.WaitFor("y run it")
		},
		"in the list": func(k *parlour, m *tuitest.Terminal) {
			m.Send("/resume", "enter")
			m.WaitFor("enter resume")
		},
		"in the tree": func(k *parlour, m *tuitest.Terminal) {
			m.Send("/tree", "enter")
			m.WaitFor("← leaf")
		},
		"in the help": func(k *parlour, m *tuitest.Terminal) {
			m.Send("/help", "enter")
			m.WaitFor("esc goes back")
		},
		"too small": func(k *parlour, m *tuitest.Terminal) {
			m.Resize(30, 6)
			m.WaitFor("too small")
		},
	}
	for scene, set := range scenes {
		signals := []syscall.Signal{syscall.SIGTERM}
		if scene == "at rest" || scene == "in an answer" {
			signals = append(signals, syscall.SIGHUP, syscall.SIGINT)
		}
		for _, sig := range signals {
			t.Run(scene+" by "+sig.String(), func(t *testing.T) {
				k := newTalk(t, wiretest.Reply{Match: "on and on", Say: &wiretest.Say{Text: "I was about to"}, Stall: true, Events: 4},
					wiretest.Reply{Match: "dig for it", Say: &wiretest.Say{Calls: []wiretest.Call{{ID: "c1", Name: "bash", Arguments: `{"command":"dig"}`}}}},
					wiretest.Text("Two litres."))
				m := k.chat()
				say(m, "How much?", "Two litres.")
				set(k, m)
				m.Signal(sig)
				if code := m.Wait(); code != 130 {
					t.Errorf("exit code %d; the screen:\n%s", code, m.Screen())
				}
				m.AssertRestored()
				if left := holds(m.Screen(), "How much?", "test ·", "y run it", "← leaf"); len(left) > 0 {
					t.Errorf("%q stands on the ordinary screen:\n%s", left, m.Screen())
				}
				if all := k.sessions(); len(all) != 1 || !strings.Contains(all[0], "Two litres.") {
					t.Errorf("the sessions hold %q", all)
				}
			})
		}
	}
}

// The ways to leave by keys.
func TestChatIsLeft(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"command": {"/quit", "enter"},
		"ctrl+d":  {"ctrl+d"},
		"ctrl+c":  {"ctrl+c", "ctrl+c"},
		"tree":    {"/tree", "enter", "ctrl+c"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, wiretest.Text("Two litres."))
			m := k.chat()
			say(m, "How much?", "Two litres.")
			for _, key := range keys {
				m.Send(key)
				switch key {
				case "/quit", "/tree":
					m.WaitFor("› " + key)
				case "enter":
					if name == "tree" {
						m.WaitFor("← leaf")
					}
				}
			}
			k.left(m)
		})
	}
}

// Ctrl+C takes away what is typed and says how to leave; a key between takes that
// back. Ctrl+D leaves where nothing is typed only.
func TestChatIsNotLeftByChance(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two litres."))
	m := k.chat()
	m.Send("draft")
	m.WaitFor("› draft")
	m.Send("ctrl+d", "left", "left", "ctrl+d", "!")
	m.WaitFor("› dra!t")
	m.Send("ctrl+c")
	m.WaitFor("ctrl+c again leaves")
	m.Send("x")
	m.WaitFor("› x")
	m.Send("ctrl+c")
	m.WaitGone("› x")
	m.Send("How much?", "enter")
	m.WaitFor("Two litres.")
	k.leave(m)
}
