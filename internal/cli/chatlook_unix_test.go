//go:build unix

package cli_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// chatIn starts the chat on a terminal of a size, with more in its environment.
func (k *parlour) chatIn(cols, rows int, env ...string) *tuitest.Terminal {
	m := tuitest.Start(k.t, tuitest.Options{Args: []string{"chat"}, Home: k.home, Dir: k.garden, Cols: cols, Rows: rows, Env: env})
	m.WaitFor("test ·")
	return m
}

// coloured returns the colours that stand on the screen, as the terminal got
// them.
func coloured(m *tuitest.Terminal, cols, rows int) map[string]bool {
	all := map[string]bool{}
	for y := range rows {
		for x := range cols {
			c := m.Cell(x, y)
			all[c.Fg], all[c.Bg] = true, true
		}
	}
	delete(all, "")
	return all
}

// On 60 columns everything that a person has to see is there: the question with
// its keys, the line at the bottom, lists and pages.
func TestChatOnSixtyColumns(t *testing.T) {
	t.Parallel()
	const cols, rows = 60, 20
	long := "Water the tomatoes in the morning, the beans at night, and let the potatoes wait until it rains again."
	k := newTalk(t, wiretest.Text(long), call("c1", "bash", `{"command":"echo one two three four five six seven eight nine ten eleven twelve > soil"}`), wiretest.Text("Done."))
	k.session(1, k.garden, "How much water do tomatoes need in a summer without any rain at all?", "Two litres a day.")
	m := k.chatIn(cols, rows)
	say(m, "How much?", "rains")
	if flow := strings.Join(strings.Fields(m.Screen()), " "); !strings.Contains(flow, long) {
		t.Errorf("the answer is not there:\n%s", m.Screen())
	}
	m.Send("Do.", "enter")
	m.WaitFor("y run it")
	if missing := lacks(m.Screen(), "Run bash in", "n do not", "a always run this tool", "eleven", "twelve", "> soil", "test · high"); len(missing) > 0 {
		t.Errorf("the question lacks %q:\n%s", missing, m.Screen())
	}
	m.Send("y")
	m.WaitFor("Done.")
	rests(m)
	m.Send("/h")
	m.WaitFor("keys and commands")
	m.Send("elp", "enter")
	m.WaitFor("esc goes back")
	m.Send("q", "/tree", "enter")
	m.WaitFor("← leaf")
	m.Send("esc")
	m.WaitFor("Done.")
	m.WaitGone("← leaf")
	m.Send("/resume", "enter")
	m.WaitFor("How much water do tomatoes")
	m.WaitFor("enter resume")
	m.Send("esc")
	m.WaitGone("enter resume")
	typed := strings.Repeat("word ", 20)
	m.Send(typed)
	m.WaitFor(func(screen string) bool {
		x, y, shown := m.Cursor()
		return strings.Count(screen, "word") == 20 && shown && x < cols && y == rows-2
	})
	k.leave(m)
}

// Sixteen colours are those of the terminal's palette.
func TestChatInSixteenColours(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("# Water\n\nTwo **litres** `a day`.\n\n```go\nwater(2)\n```"), call("c1", "edit", `{"path":"soil","oldText":"dry","newText":"wet"}`), wiretest.Text("No."))
	m := k.chatIn(80, 24, "TERM=xterm-16color")
	say(m, "How much?", "water(2)")
	all := coloured(m, 80, 24)
	m.Send("Do.", "enter")
	m.WaitFor("+ wet")
	m.WaitFor("y run it")
	for name := range coloured(m, 80, 24) {
		all[name] = true
	}
	if len(all) < 3 {
		t.Errorf("the colours are %v", all)
	}
	for name := range all {
		if n, err := strconv.Atoi(name); err != nil || n > 15 {
			t.Errorf("%q is none of sixteen colours", name)
		}
	}
	m.Send("n")
	m.WaitFor("No.")
	rests(m)
	k.leave(m)
}

// Without colours what is chosen, refused and asked is still told apart.
func TestChatWithoutColours(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two **litres**."), wiretest.Failing(wiretest.Unauthorized))
	m := k.chatIn(80, 24, "NO_COLOR=1", "COLORTERM=truecolor")
	say(m, "How much?", "Two litres.")
	m.Send("And?", "enter")
	m.WaitFor("✗")
	rests(m)
	m.Send("esc")
	m.WaitGone("✗")
	m.Send("/m")
	m.WaitFor("/mode")
	if all := coloured(m, 80, 24); len(all) > 0 {
		t.Errorf("there are colours: %v", all)
	}
	k.leave(m)
	if received := string(m.Received()); strings.Contains(received, "\x1b[38;") || strings.Contains(received, "\x1b[48;") {
		t.Error("colours were sent")
	}
}

// A terminal that gets too small and grows again has everything, what was typed
// and asked too, and what came meanwhile.
func TestChatTooSmallAndGrown(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	k := newTalk(t, wiretest.Reply{Say: &wiretest.Say{Text: "Two litres a day."}, Stall: true, Events: 2, Release: gate}, call("c1", "bash", `{"command":"echo wet"}`), wiretest.Text("It is wet."))
	m := k.chat()
	m.Send("How much?", "enter")
	m.WaitFor("Two")
	m.Send("draft")
	m.WaitFor("› draft")
	m.Resize(39, 24)
	m.WaitFor("too small")
	m.Resize(80, 7)
	m.WaitFor("make it 40 columns by 8 rows, or press ctrl+c twice.") // esc would stop the agent
	close(gate)
	m.Send(" and more")
	m.Resize(40, 8)
	m.WaitFor("› draft and more")
	m.WaitFor("Two litres a day.")
	rests(m)
	m.Resize(80, 24)
	m.WaitFor("▌ How much?")
	m.Send("enter")
	m.WaitFor("y run it")
	m.Resize(20, 3)
	m.WaitGone("y run it")
	m.Resize(100, 30)
	m.WaitFor("y run it")
	m.WaitFor("command: echo wet")
	m.Send("y")
	m.WaitFor("It is wet.")
	rests(m)
	m.Send("/tree", "enter")
	m.WaitFor("← leaf")
	m.Resize(30, 6)
	m.WaitFor("too small")
	m.Resize(60, 15)
	m.WaitFor("← leaf")
	m.Send("esc")
	m.WaitFor("\ntest · ")
	if rows := strings.Split(m.Screen(), "\n"); len(rows) != 16 || !strings.HasPrefix(rows[14], "test ·") {
		t.Errorf("the line at the bottom is not there:\n%s", m.Screen())
	}
	k.leave(m)
}
