//go:build unix

package cli_test

import (
	"path/filepath"
	"testing"
)

// A session of another directory is asked about on the screen before the agent
// works there, and the agent stays where it is if that is not wanted.
func TestChatAsksWhereToWork(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	path := k.session(3, k.letters, "Write to the landlord", "Dear Sir, the heating")
	where := func(dir string) {
		t.Helper()
		m := k.chat()
		m.Send("/resume "+path, "enter")
		m.WaitFor("directory: " + k.letters)
		if dir == k.letters {
			m.WaitFor("y run it")
			m.Send("y")
			m.WaitFor("Resumed session")
		} else {
			m.WaitFor("n do not")
			m.Send("n")
			m.WaitFor("you did not agree to work there")
		}
		m.Send(`!basename "$PWD"`, "enter") // the whole of it may be too long for its row
		m.WaitFor("⎿ " + filepath.Base(dir))
		k.leave(m)
	}
	where(k.garden)
	where(k.letters)
}

// A place where nothing is run is not even asked about.
func TestChatGoesToNoWidePlace(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	for n, place := range []struct{ dir, why string }{{"/", "it is the root of the file system"}, {k.home, "it is a home directory"}, {"../garden", "it is not absolute"}} {
		path := k.session(n+1, place.dir, "Look at everything", "With pleasure.")
		m := k.chat()
		m.Send("/resume "+path, "enter")
		m.WaitFor(place.why)
		if more := holds(m.Screen(), "With pleasure.", "Resumed"); len(more) > 0 {
			t.Errorf("it went there: %q", more)
		}
		k.leave(m)
	}
}
