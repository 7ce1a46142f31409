//go:build unix

package cli_test

import (
	"os"
	"testing"

	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// What goes wrong is said by the name of what did.
func TestChatNamesWhatGoesWrong(t *testing.T) {
	k := newTalk(t)
	start := func(env []string, args ...string) *tuitest.Terminal {
		return tuitest.Start(t, tuitest.Options{Args: append([]string{"chat"}, args...), Home: k.home, Dir: k.garden, Cols: 120, Rows: 24,
			Env: append([]string{"PATH=/usr/bin:/bin"}, env...)})
	}

	m := start([]string{"EDITOR=/nonexistent"})
	m.WaitFor("test ·")
	m.Send("ctrl+g")
	m.WaitFor(`edit prompt with "/nonexistent": exit status`)
	m.Send("/thinking", "enter")
	m.WaitFor("levels: off, high")
	m.Send("/thinking low", "enter")
	m.WaitFor("thinking high; chat/test has no low")
	m.Send("/model other", "enter")
	m.WaitFor("model chat/other")
	m.Send("/thinking", "enter")
	m.WaitFor("chat/other has no thinking levels")
	m.Send("ctrl+d")
	k.ends(m, 0, "/nonexistent") // which the shell says

	m = start([]string{"TERM=dumb"})
	k.ends(m, 2, "TERM says that this one is dumb")

	path := k.session(1, k.letters, "How much?", "Two litres.")
	if err := os.RemoveAll(k.letters); err != nil {
		t.Fatal(err)
	}
	m = start(nil, path)
	m.WaitFor("[y/N]")
	m.Send("n", "enter")
	k.ends(m, 6, "chat: the directory of session")
}
