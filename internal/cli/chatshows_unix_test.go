//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// The chat asks about what bash would make of a command, and in ASCII too; a paste
// and what is typed before the question answer nothing.
func TestChatShowsWhatItRuns(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string]string{
		"LC_ALL=C.UTF-8": `command: ls → \u{1b}]0;touch F;:\u{7} # done`, "LC_ALL=C": `command: ls \u{2192} \u{1b}]0;touch F;:\u{7} # done`,
	} {
		t.Run(locale, func(t *testing.T) {
			k := newTalk(t, call("c1", "bash", `{"command":"ls → \u001b]0;touch F;:\u0007 # done"}`), wiretest.Text("All done."))
			m := tuitest.Start(t, tuitest.Options{Args: []string{"chat"}, Home: k.home, Dir: k.garden, Cols: 80, Rows: 24,
				Env: []string{locale, "PATH=" + filepath.Join(k.home, "bin") + ":/usr/bin:/bin"}})
			m.WaitFor(func(screen string) bool { return len(lacks(screen, "test")) == 0 })
			m.Send("Look.", "enter", "yay")
			m.WaitFor("Run bash in ")
			m.WaitFor(want)
			m.Send("tab")
			m.WaitFor("y run it")
			m.Paste("y")
			m.Paste("y\r")
			m.Wheel(3, 3, 2)
			m.Click(3, 20)
			m.Send("n")
			m.WaitFor("All done.")
			if _, err := os.Stat(filepath.Join(k.garden, "F")); err == nil {
				t.Error("it was run")
			}
			if screen := m.Screen(); !strings.Contains(screen, strings.TrimPrefix(want, "command: ")) {
				t.Errorf("the call is shown as something else:\n%s", screen)
			}
			m.Send("ctrl+c")
			m.WaitFor("ctrl+c again leaves")
			m.Send("x", "backspace")
			k.leave(m)
			if foreign := m.Foreign("\x1b]11;?"); len(foreign) > 0 {
				t.Errorf("the terminal was sent %q", foreign)
			}
		})
	}
}
