//go:build unix

package cli_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

// A hook that takes its time is told, and one need not wait for it: the session
// stays as it is then, and goes on.
func TestChatStaysWhereAHookTakesLong(t *testing.T) {
	gate := make(chan struct{})
	k := newTalkWith(t, `"hooks":{"session_before_switch":[{"command":"sleep 600","timeoutMs":600000}]}`,
		wiretest.Text("Two litres."), wiretest.Reply{Say: &wiretest.Say{Text: "Beside the beans."}, Stall: true, Events: 2, Release: gate}, wiretest.Text("In May."))
	path := k.session(1, k.garden, "How much water do tomatoes need?", "As much as beans.")
	m := k.chat()
	say(m, "How much?", "Two litres.")
	for _, command := range []string{"/new", "/resume " + path} {
		m.Send(command, "enter")
		m.WaitFor("going there… · esc leaves it")
		m.Send("draft")
		m.WaitFor("› draft")
		m.Send("esc")
		m.WaitFor("the session stays as it is")
		m.WaitFor(func(screen string) bool {
			return strings.Contains(screen, "▌ How much?") && !strings.Contains(screen, "going there")
		})
		m.Send("ctrl+c")
	}
	m.Send("And where?", "enter")
	m.WaitFor("Beside")
	m.Send("/new", "enter")
	m.WaitFor("going there")
	m.Send("When?", "enter")
	m.WaitFor("steers: When?")
	close(gate)
	m.WaitFor("In May.") // it is said where it was to be said
	m.Send("esc")
	m.WaitFor("the session stays as it is")
	k.leave(m)
	if all := k.sessions(); len(all) != 1 {
		t.Errorf("there are %d sessions", len(all))
	}
}
