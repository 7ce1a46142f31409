//go:build unix

package cli_test

import (
	"os"
	"strings"
	"testing"
)

// Of a session that cannot be written it is said when it is gone to, and what is
// said there all the same is in the editor again.
func TestChatSaysOfASessionThatItIsReadOnly(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	path := k.session(1, k.garden, "How much?", "Two litres.")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	k.write(path, strings.Replace(string(data), `"version":3`, `"version":99`, 1), 0o600)
	m := k.chat()
	m.Send("/resume "+path, "enter")
	m.WaitFor("Resumed session; it is read-only: its version 99 is newer than")
	m.WaitFor("Two litres.")
	m.Send("And where?", "enter")
	m.WaitFor("✗")
	m.WaitFor("› And where?")
	m.WaitGone("▌ And where?", "esc stops it")
	k.leave(m)
}
