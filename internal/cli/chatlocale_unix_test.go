//go:build unix

package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// A terminal whose locale is not UTF-8 is sent nothing but ASCII.
func TestChatOnATerminalWithoutUTF8(t *testing.T) {
	t.Parallel()
	for _, locale := range []string{"LC_ALL=C", "LANG=de_DE.ISO-8859-1"} {
		k := newTalk(t, wiretest.Text("Größe: 日本\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- eins"))
		m := tuitest.Start(t, tuitest.Options{Args: []string{"chat"}, Home: k.home, Dir: k.garden, Cols: 80, Rows: 24,
			Env: []string{locale, "PATH=" + filepath.Join(k.home, "bin") + ":/usr/bin:/bin"}})
		m.WaitFor("test -")
		m.Send("How much?", "enter")
		m.WaitFor("Gr??e: ????")
		m.WaitFor("* eins")
		m.WaitFor("| How much?")
		m.Send("/tree", "enter")
		m.WaitFor("< leaf")
		m.Send("esc")
		m.WaitFor("test -")
		m.Send("/resume", "enter")
		m.WaitFor("enter resume")
		m.Send("esc")
		m.WaitFor("test -")
		k.leave(m)
		if i := strings.IndexFunc(string(m.Received()), func(r rune) bool { return r > 0x7e }); i >= 0 {
			t.Errorf("%s: the terminal was sent %q", locale, string(m.Received())[i:min(i+40, len(m.Received()))])
		}
	}
}
