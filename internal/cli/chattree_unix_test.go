//go:build unix

package cli_test

import (
	"os"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

// Going to an entry moves a pointer: nothing is written until something is said,
// and what is said then is kept there.
func TestChatGoingToAnEntryWritesNothing(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Beside the beans."), wiretest.Text("In October."))
	path := k.session(1, k.garden, "How much water do tomatoes need?", "Two litres a day.")
	m := k.chat(path)
	say(m, "And where?", "Beside the beans.")
	k.leave(m)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	goes := func() {
		m := k.chat(path)
		m.WaitFor("Beside the beans.") // it stands where it was written last
		m.Send("/tree", "enter")
		m.WaitFor("← leaf")
		m.Send("up", "enter")
		m.WaitFor("› And where?")
		m.WaitGone("Beside")
		k.leave(m)
	}
	goes()
	goes()
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the session holds %s, %v", after, err)
	}
	m = k.chat(path)
	m.WaitFor("Beside the beans.")
	m.Send("/tree", "enter")
	m.WaitFor("← leaf")
	m.Send("up", "enter")
	m.WaitFor("› And where?")
	m.Send("ctrl+c")
	say(m, "And when?", "In October.")
	k.leave(m)
	m = k.chat(path)
	m.WaitFor("In October.")
	if left := holds(m.Screen(), "Beside the beans."); len(left) > 0 {
		t.Errorf("opened again there is %q:\n%s", left, m.Screen())
	}
	k.leave(m)
}

// TestChatReads: from its tree and from its list of sessions a chat has a session be read,
// and goes on from there.
func TestChatReads(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Beside the beans."))
	path := k.session(1, k.garden, "How much water do tomatoes need?", "Two litres a day.")
	m := k.chat(path)
	say(m, "And where?", "Beside the beans.")
	m.Send("/resume", "enter")
	m.WaitFor("ctrl+s sort")
	m.WaitFor("● How much water") // the list is there before what is in it
	m.Send("alt+v")
	m.WaitFor("▶ Beside the beans.")
	m.Send("q")
	m.WaitFor("ctrl+s sort")
	m.Send("esc")
	m.WaitGone("ctrl+s sort")
	m.Send("/tree", "enter")
	m.WaitFor("← leaf")
	m.Send("alt+v")
	m.WaitFor("▶ assistant")
	m.Send("q")
	m.WaitFor("← leaf")
	m.Send("alt+v")
	m.WaitFor("▶ assistant")
	m.Send("[", "ctrl+r")
	m.WaitFor("› And where?")
	m.WaitGone("Beside")
	k.leave(m)
}
