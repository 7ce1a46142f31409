//go:build unix

package cli_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

// What waited is in the editor once when the agent is stopped, and is said once.
func TestChatSaysOnceWhatWaited(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Reply{Say: &wiretest.Say{Text: "Two litres a day."}, Stall: true, Events: 2}, wiretest.Text("In May."))
	m := k.chat()
	m.Send("How much?", "enter")
	m.WaitFor("Two")
	m.Send("When?", "enter")
	m.WaitFor("steers: When?")
	m.Send("And where?", "alt+enter")
	m.WaitFor("then: And where?")
	m.Send("esc")
	m.WaitFor("Stopped by the user.")
	rests(m)
	m.WaitFor("› And where?")
	if screen := m.Screen(); strings.Count(screen, "When?") != 1 || strings.Count(screen, "And where?") != 1 {
		t.Errorf("the screen shows\n%s", screen)
	}
	m.Send("enter")
	m.WaitFor("In May.")
	k.leave(m)
	if body := string(k.server.Last().Body); strings.Count(body, `When?\n\nAnd where?`) != 1 || strings.Count(body, "When?") != 1 {
		t.Error("it was not said once")
	}
}
