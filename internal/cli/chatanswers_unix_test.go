//go:build unix

package cli_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

func TestChatIsStopped(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Reply{Say: &wiretest.Say{Text: "I was about to say"}, Stall: true, Events: 4}, wiretest.Text("Here I am."))
	m := k.chat()
	m.Send("Hello?", "enter")
	m.WaitFor("esc stops it")
	m.WaitFor("I was")
	m.Send("And more", "enter")
	m.WaitFor("steers: And more")
	m.Send("esc")
	m.WaitFor("Stopped by the user.")
	m.WaitFor("› And more") // it was not said: it is in the editor again
	rests(m)
	m.Send("enter")
	m.WaitFor("Here I am.")
	k.leave(m)
}

func TestChatQueues(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	k := newTalk(t, wiretest.Reply{Say: &wiretest.Say{Text: "First."}, Stall: true, Events: 1, Release: gate},
		wiretest.Text("Second."), wiretest.Text("Third."))
	m := k.chat()
	m.Send("one", "enter")
	m.WaitFor("esc stops it")
	m.Send("three", "\x1b\r")
	m.WaitFor("then: three")
	m.Send("two", "enter")
	m.WaitFor("steers: two")
	close(gate)
	m.WaitFor("Third.")
	m.WaitFor(func(screen string) bool {
		two, three := strings.Index(screen, "▌ two"), strings.Index(screen, "▌ three")
		return two > 0 && three > two && !strings.Contains(screen, "then: ") && !strings.Contains(screen, "steers: ")
	})
	k.leave(m)
}

// No key is lost while an answer comes as fast as it can.
func TestChatTypesWhileItStreams(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	say := wiretest.Many(600)
	k := newTalk(t, wiretest.Reply{Say: &say, Gate: gate})
	m := k.chat()
	m.Send("Tell.", "enter")
	m.WaitFor("esc stops it")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range 500 {
			gate <- struct{}{}
		}
	}()
	const typed = "every key that is pressed while the answer comes is there"
	for _, key := range typed {
		m.Send(string(key))
	}
	m.WaitFor("› " + typed)
	<-ended
	close(gate)
	rests(m)
	if !strings.Contains(m.Screen(), "› "+typed) {
		t.Errorf("the editor does not hold it:\n%s", m.Screen())
	}
	k.leave(m)
}

// Whoever hangs up while the model answers has what came until then.
func TestChatHangsUpInAnAnswer(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two litres."), wiretest.Reply{Say: &wiretest.Say{Text: "I was about to say"}, Stall: true, Events: 4})
	m := k.chat()
	m.Send("How much?", "enter")
	m.WaitFor("Two litres.")
	rests(m)
	m.Send("And where?", "enter")
	m.WaitFor("I was")
	m.Signal(syscall.SIGHUP)
	k.ends(m, 130, "interrupted")
	all := k.sessions()
	if len(all) != 1 || !strings.Contains(all[0], "And where?") || !strings.Contains(all[0], `"stopReason":"aborted"`) {
		t.Errorf("the sessions hold %q", all)
	}
}

func TestChatScrolls(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for n := range 60 {
		fmt.Fprintf(&text, "- line %d.\n", n)
	}
	k := newTalk(t, wiretest.Text(text.String()))
	m := k.chat()
	m.Send("Tell.", "enter")
	m.WaitFor("line 59.")
	rests(m)
	m.Wheel(10, 5, -30)
	m.WaitFor("▌ Tell.")
	m.WaitFor("ctrl+end to the end")
	m.Wheel(10, 5, 30)
	m.WaitFor("line 59.")
	m.Send("pgup")
	m.WaitFor("ctrl+end to the end")
	m.Send("pgdown")
	m.WaitFor("line 59.")
	k.leave(m)
}

// Errors of the model are told once, and the next prompt is possible.
func TestChatTellsErrorsOnce(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Failing(wiretest.Unauthorized), wiretest.Text("Here I am."))
	m := k.chat()
	m.Send("Hello?", "enter")
	m.WaitFor("✗")
	rests(m)
	m.Send("esc")
	m.WaitGone("✗")
	m.Send("Again?", "enter")
	m.WaitFor("Here I am.")
	k.leave(m)
}

// What waits when the model fails is in the editor again.
func TestChatTypesAgainWhatWasNotSaid(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	k := newTalk(t, wiretest.Reply{Say: &wiretest.Say{Text: "I was about"}, Stall: true, Events: 2, Release: gate, FailAfter: wiretest.Unauthorized})
	m := k.chat()
	m.Send("Hello?", "enter")
	m.WaitFor("esc stops it")
	m.Send("and there", "enter")
	m.WaitFor("steers: and there")
	close(gate)
	m.WaitFor("✗")
	m.WaitFor("› and there")
	m.WaitGone("steers:", "esc stops it")
	k.leave(m)
}

// TestChatRestsAfterEachAnswer: however soon an answer ends, the screen does not
// say that the agent works.
func TestChatRestsAfterEachAnswer(t *testing.T) {
	t.Parallel()
	var replies []wiretest.Reply
	for i := range 25 {
		replies = append(replies, wiretest.Text(fmt.Sprintf("Answer %d.", i)))
	}
	k := newTalk(t, replies...)
	m := k.chat()
	for i := range replies {
		m.Send(fmt.Sprintf("Question %d?", i), "enter")
		m.WaitFor(fmt.Sprintf("Answer %d.", i))
		rests(m)
	}
	k.leave(m)
}

// A failure that is tried again is told as long as it waits, where it says what is
// going on, and is no notice that somebody has to dismiss.
func TestChatTriesAgain(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Reply{Status: 503, Header: wiretest.Header{"Retry-After": "1"}, Text: "come later"}, wiretest.Text("Here I am."))
	m := k.chat()
	m.Send("Hello?", "enter")
	m.WaitFor("try 2 of 3 in 1s: ")
	m.WaitFor("Here I am.")
	rests(m)
	if screen := m.Screen(); strings.Contains(screen, "try 2") || strings.Contains(screen, "503") {
		t.Errorf("a failure that is over is still told:\n%s", screen)
	}
	k.leave(m)
}
