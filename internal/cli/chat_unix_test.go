//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// A parlour is a home with a server to talk to.
type parlour struct {
	*house
	server *wiretest.Server
}

func newTalk(t *testing.T, replies ...wiretest.Reply) *parlour {
	return newTalkWith(t, `"hooks":{}`, replies...)
}

// newTalkWith is newTalk with further members of the settings.
func newTalkWith(t *testing.T, more string, replies ...wiretest.Reply) *parlour {
	t.Helper()
	k := &parlour{house: newHouse(t), server: wiretest.New(t, replies...)}
	k.write(filepath.Join(k.home, ".config/cambium/settings.json"), fmt.Sprintf(`{"model":"chat/test",
		"retry":{"maxTries":3,"baseDelayMs":0,"maxDelayMs":0},"providers":{"chat":{"api":"openai-completions","baseUrl":"%s/v1","keyEnv":"",
		"models":[{"id":"test","contextWindow":100000,"maxTokens":4000,"thinkingLevels":["off","high"],"images":true,
		"price":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0}},{"id":"other","contextWindow":50000,"maxTokens":4000}]}},%s}`, k.server.URL, more), 0o600)
	return k
}

// chat starts the chat on a terminal in the garden and waits until it hears keys.
func (k *parlour) chat(args ...string) *tuitest.Terminal {
	m := k.start(80, 24, append([]string{"chat"}, args...)...)
	m.WaitFor("test ·")
	return m
}

// sessions returns what the sessions of Cambium hold.
func (k *parlour) sessions() []string {
	k.t.Helper()
	paths, err := filepath.Glob(filepath.Join(k.home, ".cambium/agent/sessions/*/*.jsonl"))
	if err != nil {
		k.t.Fatal(err)
	}
	var all []string
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			k.t.Fatal(err)
		}
		all = append(all, string(data))
	}
	return all
}

// leave ends the chat.
func (k *parlour) leave(m *tuitest.Terminal) {
	k.t.Helper()
	m.Send("ctrl+c")
	m.WaitFor("ctrl+c again leaves")
	m.Send("ctrl+c")
	k.left(m)
}

// left waits until the chat has ended well: how to go on is all that it may print.
func (k *parlour) left(m *tuitest.Terminal) {
	k.t.Helper()
	if got := m.Wait(); got != 0 {
		k.t.Errorf("exit code %d; the screen:\n%s", got, m.Screen())
	}
	m.AssertRestored()
	if text := strings.TrimSpace(m.Flow()); text != "" && (!strings.HasPrefix(text, "cambium: to go on: `cambium chat ") || strings.Count(text, "cambium: ") > 1) {
		k.t.Errorf("there was printed:\n%s", text)
	}
}

func TestChatSaysAndAnswers(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two **litres** a day.\n\n- in the morning\n- at night"), wiretest.Text("Beside the beans."))
	m := k.chat()
	m.WaitFor("test")
	m.Send("How much water?", "enter")
	m.WaitFor("• at night")
	m.WaitFor("Two litres a day.")
	m.WaitFor("▌ How much water?")
	m.Send("And where?", "ctrl+j", "Say it.", "enter")
	m.WaitFor("Beside the beans.")
	m.WaitFor("▌ Say it.")
	m.Send("up")
	m.WaitFor("› And where?")
	k.leave(m)
	all := k.sessions()
	if len(all) != 1 || !strings.Contains(all[0], `And where?\nSay it.`) || !strings.Contains(all[0], "Beside the beans.") {
		t.Errorf("the sessions hold %q", all)
	}
}

func TestChatEndsBySignal(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		k := newTalk(t, wiretest.Text("Two litres."))
		m := k.chat()
		m.WaitFor("test")
		m.Send("How much?", "enter")
		m.WaitFor("Two litres.")
		m.Signal(sig)
		k.ends(m, 130, "interrupted")
		if all := k.sessions(); len(all) != 1 || !strings.Contains(all[0], "Two litres.") {
			t.Errorf("the sessions hold %q", all)
		}
	}
}

// call is a reply that calls a tool.
func call(id, name, arguments string) wiretest.Reply {
	return wiretest.Calling(wiretest.Call{ID: id, Name: name, Arguments: wiretest.Arguments(arguments)})
}

func TestChatAsksBeforeItChanges(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	waters := call("c2", "bash", `{"command":"echo wet > soil"}`)
	waters.Stall, waters.Events, waters.Release = true, 1, gate
	k := newTalk(t,
		call("c1", "bash", `{"command":"echo wet > soil"}`), wiretest.Text("I leave it dry."), waters, wiretest.Text("It is wet now."),
		call("c3", "edit", `{"path":"soil","oldText":"wet","newText":"moist"}`), wiretest.Text("It is moist."),
		call("c4", "edit", `{"path":"soil","oldText":"moist","newText":"dry"}`), wiretest.Text("It is dry."))
	soil := filepath.Join(k.garden, "soil")
	m := k.chat()
	m.Send("Water it.", "enter")
	m.WaitFor("command: echo wet > soil")
	m.WaitFor("y run it")
	m.Send("n")
	m.WaitFor("I leave it dry.")
	if _, err := os.Stat(soil); err == nil {
		t.Error("a refused command was run")
	}
	m.Send("Do.", "enter")
	m.WaitFor("esc stops it")
	m.Send("yay") // whoever types does not answer
	m.WaitFor("› yay")
	close(gate)
	m.WaitFor("tab to answer")
	m.Send("yay")
	m.WaitFor("› yayyay")
	m.Send("tab")
	m.WaitFor("y run it")
	if _, err := os.Stat(soil); err == nil {
		t.Error("a command was run while somebody typed")
	}
	m.Send("y")
	m.WaitFor("It is wet now.")
	m.WaitFor("› yayyay")
	m.Send("ctrl+c", "Less.", "enter")
	m.WaitFor("- wet")
	m.WaitFor("+ moist")
	m.WaitFor("y run it")
	m.Send("a")
	m.WaitFor("It is moist.")
	m.WaitFor("⎿ +1 -1")
	m.Send("Less still.", "enter") // unasked now
	m.WaitFor("It is dry.")
	m.Send("ctrl+o")
	m.WaitFor("+dry")
	k.leave(m)
	if data, err := os.ReadFile(soil); err != nil || string(data) != "dry\n" {
		t.Errorf("the file holds %q, %v", data, err)
	}
}

func TestChatPlans(t *testing.T) {
	t.Parallel()
	k := newTalk(t, call("c1", "bash", `{"command":"echo wet > soil"}`), wiretest.Text("I would water it."), wiretest.Text("Hello."))
	m := k.chat("--yes")
	m.WaitFor("test ·")
	m.Send("/mode plan", "enter")
	m.WaitFor("mode plan")
	m.Send("Water it.", "enter")
	m.WaitFor("I would water it.")
	k.leave(m)
	if _, err := os.Stat(filepath.Join(k.garden, "soil")); err == nil {
		t.Error("a command was run in plan mode")
	}
	m = k.chat("--continue") // the mode is restored
	m.WaitFor("· plan ·")
	m.WaitFor("I would water it.")
	m.Send("/mode none", "enter")
	m.WaitGone("· plan ·")
	k.leave(m)
}

func TestChatSwitches(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Reply{Say: &wiretest.Say{Text: "I was about to say"}, Stall: true, Events: 4}, wiretest.Text("Half as much."))
	path := k.session(1, k.garden, "How much water do tomatoes need?", "Two litres a day.")
	m := k.chat()
	m.Send("Hello?", "enter")
	m.WaitFor("I was")
	m.Send("draft")
	m.WaitFor("› draft")
	m.Send("ctrl+c", "/resume", "enter")
	m.WaitFor("How much water do tomatoes need?")
	m.WaitFor("enter resume")
	m.Send("esc") // the editor is as it was
	m.WaitFor("I was")
	m.Send("/resume", "enter")
	m.WaitFor("How much water do tomatoes need?")
	m.Send("enter")
	m.WaitFor("Resumed session")
	m.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "▌ How much water") && strings.Contains(screen, "Two litres a day.") &&
			!strings.Contains(screen, "Hello?") && !strings.Contains(screen, "esc stops it") && !strings.Contains(screen, "I was")
	})
	m.Send("And beans?", "enter")
	m.WaitFor("Half as much.")
	k.leave(m)
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "Half as much.") {
		t.Errorf("the session holds %s, %v", data, err)
	}
}

func TestChatPickerExits(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.session(1, k.garden, "How much water do tomatoes need?", "Two litres a day.")
	m := k.chat()
	m.Send("/resume", "enter")
	m.WaitFor("How much water do tomatoes need?")
	m.Send("ctrl+c")
	k.ends(m, 0)
}

// A hook that cancels the switch leaves everything as it is.
func TestChatSwitchIsCancelledByAHook(t *testing.T) {
	t.Parallel()
	k := newTalkWith(t, `"hooks":{"session_before_switch":[{"command":"echo '{\"cancel\":true}'"}]}`, wiretest.Text("Hello."))
	path := k.session(1, k.garden, "How much water do tomatoes need?", "Two litres a day.")
	m := k.chat()
	m.Send("Hello?", "enter")
	m.WaitFor("Hello.")
	m.Send("/resume "+path, "enter")
	m.WaitFor("a hook cancelled it")
	if screen := m.Screen(); !strings.Contains(screen, "▌ Hello?") || strings.Contains(screen, "Resumed") || strings.Contains(screen, "Two litres") {
		t.Errorf("the screen shows\n%s", screen)
	}
	k.leave(m)
}

func TestChatGoesBackInTheTree(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two litres."), wiretest.Text("Beside the beans."), wiretest.Text("In October."))
	m := k.chat()
	m.Send("How much?", "enter")
	m.WaitFor("Two litres.")
	m.Send("And where?", "enter")
	m.WaitFor("Beside the beans.")
	rests(m)
	m.Send("/tree", "enter")
	m.WaitFor("← leaf")
	m.Send("up", "enter") // the prompt
	m.WaitFor("› And where?")
	m.WaitFor(func(screen string) bool {
		return !strings.Contains(screen, "Beside") && strings.Contains(screen, "Two litres.")
	})
	m.Send("ctrl+c", "And when?", "enter")
	m.WaitFor("In October.")
	k.leave(m)
	if all := k.sessions(); len(all) != 1 || !strings.Contains(all[0], "Beside") || !strings.Contains(all[0], "October") {
		t.Errorf("the sessions hold %q", all)
	}
}

func TestChatEscapeTwiceShowsTheTree(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two litres."))
	m := k.chat()
	m.Send("How much?", "enter")
	m.WaitFor("Two litres.")
	rests(m)
	m.Send("esc")
	m.WaitFor("esc again shows the tree")
	m.Send("esc")
	m.WaitFor("← leaf")
	m.Send("esc")
	m.WaitFor("▌ How much?")
	k.leave(m)
}

func TestChatRunsCommandsOfThePerson(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("I see."))
	m := k.chat()
	m.Send("!echo wet && echo soil", "enter")
	m.WaitFor("▌ $ echo wet")
	m.WaitFor("⎿ wet (+1 line)")
	m.Send("!!echo secret", "enter")
	m.WaitFor("⎿ secret")
	m.Send("See?", "enter")
	m.WaitFor("I see.")
	k.leave(m)
	if sent := string(k.server.Last().Body); !strings.Contains(sent, "soil") || strings.Contains(sent, "secret") {
		t.Errorf("the model was told %s", sent)
	}
}

func TestChatCommands(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two litres."))
	k.write(filepath.Join(k.garden, "beds/tomatoes.txt"), "red", 0o600)
	m := k.chat()
	m.Send("/nam")
	m.WaitFor("/name")
	m.Send("tab")
	m.WaitFor("› /name")
	m.Send("The beds", "enter")
	m.WaitFor("Session renamed to")
	m.WaitFor("· The beds")
	m.Send("/model ")
	m.WaitFor("chat/other")
	m.Send("oth")
	m.WaitGone("chat/test")
	m.Send("tab", "enter")
	m.WaitFor("model chat/other")
	m.WaitFor("other ·")
	m.Send("/model chat/test", "enter")
	m.WaitFor("test ·")
	m.Send("/todo weed", "enter")
	m.WaitFor("0 of 1 todo done")
	m.WaitFor("☐ weed")
	m.Send("/todo done 1", "enter")
	m.WaitFor("1 of 1 todo done")
	m.Send("Look at @tom")
	m.WaitFor(func(screen string) bool { // what matched "@" alone is gone
		return strings.Contains(screen, "  @beds/tomatoes.txt") && !strings.Contains(screen, "  @beds/\n")
	})
	m.Send("tab")
	m.WaitFor("› Look at @beds/tomatoes.txt")
	m.Send("enter")
	m.WaitFor("Two litres.")
	rests(m)
	m.Send("/session", "enter")
	m.WaitFor("esc goes back")
	m.WaitFor("cambium")
	m.Send("q")
	m.WaitFor("▌ Look at")
	m.Send("/help", "enter")
	m.WaitFor("Commands and keys")
	m.WaitFor("/resume [SESSION]")
	m.Send("pgdown")
	m.WaitFor("ctrl+c")
	m.Send("esc")
	m.WaitFor("▌ Look at")
	m.Send("/fork", "enter")
	m.WaitFor("Forked; this is")
	m.Send("/label key", "enter")
	m.WaitFor("labelled")
	m.Send("/new", "enter")
	m.WaitFor("New session")
	m.WaitGone("Two litres.", "todo done")
	m.Send("/nothing", "enter")
	m.WaitFor("there is no command /nothing")
	m.Send("ctrl+c", "/quit", "enter")
	k.ends(m, 0)
	if all := k.sessions(); len(all) != 2 {
		t.Errorf("there are %d sessions", len(all))
	}
}

func TestChatEditsOutside(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.write(filepath.Join(k.home, "bin/ed1"), "#!/bin/sh\nprintf ' and more' >> \"$1\"\n", 0o755)
	m := tuitest.Start(t, tuitest.Options{Args: []string{"chat"}, Home: k.home, Dir: k.garden,
		Env: []string{"EDITOR=ed1", "PATH=" + filepath.Join(k.home, "bin") + ":/usr/bin:/bin"}})
	m.WaitFor("test ·")
	m.Send("Some")
	m.WaitFor("› Some")
	m.Send("ctrl+g")
	m.WaitFor("› Some and more")
	m.Paste("\nof it\x1b[31m")
	m.WaitFor("of it")
	k.leave(m)
}

func TestChatPlainly(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("# Water\n\nTwo **litres** `a day` \x1b]0;title\x07."))
	m := k.chat("--no-color")
	m.Send("How much?", "enter")
	m.WaitFor("Two litres a day")
	for y := range 24 {
		for x := range 80 {
			if c := m.Cell(x, y); c.Fg != "" || c.Bg != "" {
				t.Fatalf("cell %d, %d has a colour: %+v", x, y, c)
			}
		}
	}
	for _, name := range m.Foreign() {
		t.Errorf("foreign sequence %q", name)
	}
	k.leave(m)
}

func TestChatNeedsATerminal(t *testing.T) {
	m := furnished(t)
	_, stderr, code := m.run("chat")
	if code != 2 || !strings.Contains(stderr, "needs a terminal") {
		t.Errorf("without a terminal chat ends with %d: %s", code, stderr)
	}
}

// Resume and continue go on with sessions of Cambium in the chat.
func TestResumeStartsTheChat(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two litres."))
	m := k.chat()
	m.Send("How much?", "enter")
	m.WaitFor("Two litres.")
	k.leave(m)
	for _, args := range [][]string{{"chat", "--resume"}, {"resume"}} {
		m = k.start(80, 24, args...)
		m.WaitFor("enter resume")
		m.WaitFor("How much?")
		if args[0] == "resume" {
			m.Send("esc")
			k.ends(m, 0, "No session selected")
			continue
		}
		m.Send("enter")
		m.WaitFor("test ·")
		m.WaitFor("▌ How much?")
		k.leave(m)
	}
}

func TestChatBranchesAndMoves(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two litres."), wiretest.Text("Beside the beans."), wiretest.Text("In May."), wiretest.Text("They were asked about."))
	m := k.chat()
	say(m, "How much?", "Two litres.")
	say(m, "And where?", "Beside the beans.")
	m.Send("/branch", "enter")
	m.WaitFor("← leaf")
	m.Send("enter") // an answer
	m.WaitFor("branch from a prompt of yours")
	m.Send("/branch", "enter")
	m.WaitFor("← leaf")
	m.Send("up", "enter")
	m.WaitFor("Branched to a new session")
	m.WaitFor("› And where?")
	m.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "Two litres.") && !strings.Contains(screen, "Beside")
	})
	m.Send("ctrl+c")
	say(m, "And when?", "In May.")
	m.Send("/thinking off", "enter")
	m.WaitFor("thinking off")
	m.WaitFor("test · off ·")
	m.Send("/move "+k.letters, "enter")
	m.WaitFor("moved to ~/work/letters")
	m.Send("/compact what was asked", "enter")
	m.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "Summed up:") || strings.Contains(screen, "There is nothing to sum up.")
	})
	k.leave(m)
	all := k.sessions()
	if len(all) != 2 || !strings.Contains(strings.Join(all, ""), `"cwd":"`+k.letters+`"`) {
		t.Errorf("the sessions hold %q", all)
	}
}
