//go:build unix

package cli_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

const (
	summary   = "The garden has tomatoes; they get two litres."
	small     = `"compaction":{"reserveTokens":2000,"keepRecentTokens":1}`
	summingUp = "compacting 1/3"
)

// /compact has the model sum up what is old: the transcript begins with the
// summary then, the entries before it are in the tree, and the model is told the
// summary in their place.
func TestChatSumsUp(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	k := newTalkWith(t, small, wiretest.Text("Two litres a day."), wiretest.Text("Beside the beans."),
		wiretest.Reply{Match: "<conversation>", Always: true, Say: &wiretest.Say{Text: summary}, Stall: true, Events: 1, Release: gate}, wiretest.Text("In October."))
	m := k.chat()
	say(m, "How much do tomatoes need?", "Two litres a day.")
	say(m, "And where?", "Beside the beans.")
	m.Send("/compact mind the tomatoes", "enter")
	m.WaitFor(summingUp + " · esc stops it")
	close(gate)
	m.WaitFor("Summed up: ")
	rests(m)
	m.WaitFor("tomatoes; they get two litres.")
	if left := holds(m.Screen(), "How much do tomatoes need?", "Two litres a day."); len(left) > 0 {
		t.Errorf("after the compaction there is %q:\n%s", left, m.Screen())
	}
	asked := ""
	for _, r := range k.server.Requests() {
		if strings.Contains(string(r.Body), "<conversation>") {
			asked += string(r.Body)
		}
	}
	if missing := lacks(asked, "mind the tomatoes", "Two litres a day."); len(missing) > 0 {
		t.Errorf("the model that sums up was not sent %q", missing)
	}
	m.Send("/tree", "enter")
	m.WaitFor("← leaf")
	m.WaitFor("How much do tomatoes need?")
	m.Send("esc")
	m.WaitFor("tomatoes; they get two litres.")
	say(m, "And when?", "In October.")
	if sent := k.sent(); len(lacks(sent, summary, "And when?")) > 0 || strings.Contains(sent, "Two litres a day.") {
		t.Errorf("the model was sent %s", sent)
	}
	k.leave(m)
	m = k.chat("--continue")
	m.WaitFor("tomatoes; they get two litres.")
	m.WaitFor("In October.")
	if left := holds(m.Screen(), "How much do tomatoes need?", "Two litres a day."); len(left) > 0 {
		t.Errorf("opened again there is %q:\n%s", left, m.Screen())
	}
	k.leave(m)
}

// A compaction is stopped with Esc, and cancelled by a hook; the conversation is
// as it was.
func TestChatSumsNothingUp(t *testing.T) {
	t.Parallel()
	k := newTalkWith(t, small, wiretest.Text("Two litres a day."), wiretest.Text("Beside the beans."),
		wiretest.Reply{Match: "<conversation>", Say: &wiretest.Say{Text: summary}, Stall: true, Events: 1}, wiretest.Text("In October."))
	m := k.chat()
	say(m, "How much do tomatoes need?", "Two litres a day.")
	say(m, "And where?", "Beside the beans.")
	m.Send("/compact", "enter")
	m.WaitFor(summingUp)
	m.Send("esc")
	m.WaitFor("The conversation stays as it is.")
	rests(m)
	if missing := lacks(m.Screen(), "▌ How much do tomatoes need?", "Two litres a day.", "Beside the beans."); len(missing) > 0 {
		t.Errorf("after the stopped compaction there is no %q:\n%s", missing, m.Screen())
	}
	say(m, "And when?", "In October.")
	k.leave(m)
	if all := k.sessions(); len(all) != 1 || strings.Contains(all[0], `"type":"compaction"`) {
		t.Errorf("the sessions hold %q", all)
	}
}

func TestChatCompactionIsCancelledByAHook(t *testing.T) {
	t.Parallel()
	k := newTalkWith(t, small+`,"hooks":{"session_before_compact":[{"command":"echo '{\"cancel\":true}'"}]}`, wiretest.Text("Two litres a day."), wiretest.Text("Beside the beans."))
	m := k.chat()
	say(m, "How much do tomatoes need?", "Two litres a day.")
	say(m, "And where?", "Beside the beans.")
	m.Send("/compact", "enter")
	m.WaitFor("compact: a hook cancelled it")
	rests(m)
	if missing := lacks(m.Screen(), "▌ How much do tomatoes need?", "Two litres a day."); len(missing) > 0 {
		t.Errorf("after the cancelled compaction there is no %q:\n%s", missing, m.Screen())
	}
	k.leave(m)
}

// A conversation that has grown too long is summed up by itself.
func TestChatSumsUpByItself(t *testing.T) {
	t.Parallel()
	k := newTalkWith(t, small, wiretest.Answer(wiretest.Say{Text: "Two litres a day.", Usage: wiretest.Usage{Input: 99000, Output: 10}}),
		wiretest.Reply{Match: "<conversation>", Always: true, Say: &wiretest.Say{Text: summary}}, wiretest.Text("Beside the beans."))
	m := k.chat()
	say(m, "How much do tomatoes need?", "Two litres a day.")
	say(m, "And where?", "Beside the beans.")
	m.WaitFor("the conversation was summed up: ")
	m.WaitFor("tomatoes; they get two litres.")
	if sent := k.sent(); len(lacks(sent, summary, "And where?")) > 0 || strings.Contains(sent, "Two litres a day.") {
		t.Errorf("the model was sent %s", sent)
	}
	k.leave(m)
}
