//go:build unix

package cli_test

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

// What waits when the chat is left is printed: it is not lost.
func TestChatPrintsWhatWaited(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string][]string{"ctrl+d": {"ctrl+d"}, "quit": {"/quit", "enter"}} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, wiretest.Reply{Say: &wiretest.Say{Text: "I was about to say"}, Stall: true, Events: 4})
			m := k.chat()
			m.Send("Hello?", "enter")
			m.WaitFor("I was")
			m.Send("and there", "enter")
			m.WaitFor("steers: and there")
			m.Send("then rest", "\x1b\r")
			m.WaitFor("then: then rest")
			m.Send(leave...)
			k.ends(m, 0, "this waited and was not said: and there", "then rest")
		})
	}
}
