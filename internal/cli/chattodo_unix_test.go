//go:build unix

package cli_test

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

// The todos that were written here are there after a fork, a branch and a
// compaction, too.
func TestChatTodosStay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ command, told string }{
		"fork":    {"/fork", "Forked; this is"},
		"compact": {"/compact", "There is nothing to sum up."},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, wiretest.Text("Two litres."))
			m := k.chat()
			say(m, "How much?", "Two litres.")
			for _, todo := range []string{"weed", "rake", "done 1"} {
				m.Send("/todo "+todo, "enter")
				m.WaitFor("kept the todos")
				m.Send("esc")
				m.WaitGone("kept the todos")
			}
			m.WaitFor("1 of 2 todos done")
			m.Send(c.command, "enter")
			m.WaitFor(c.told)
			m.Send("/todo", "enter")
			m.WaitFor("1  completed    weed")
			m.WaitFor("2  pending      rake")
			m.Send("esc")
			m.WaitFor("1 of 2 todos done")
			k.leave(m)
		})
	}
}
