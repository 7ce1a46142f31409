//go:build unix

package cli_test

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

// "Always" is said of a session: in the next one it is asked again.
func TestChatAsksAgainInAnotherSession(t *testing.T) {
	t.Parallel()
	k := newTalk(t, call("c1", "bash", `{"command":"echo one"}`), call("c2", "bash", `{"command":"echo two"}`), wiretest.Text("Both."),
		call("c3", "bash", `{"command":"echo three"}`), wiretest.Text("No."))
	m := k.chat()
	m.Send("Dig.", "enter")
	m.WaitFor("a always run this tool")
	m.Send("a")
	m.WaitFor("Both.")
	rests(m)
	m.Send("/new", "enter")
	m.WaitFor("New session")
	m.Send("Dig again.", "enter")
	m.WaitFor("a always run this tool")
	m.Send("n")
	m.WaitFor("No.")
	rests(m)
	k.leave(m)
}
