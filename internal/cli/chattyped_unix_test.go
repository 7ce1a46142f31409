//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
	"github.com/cambium-dev/cambium/prompts"
)

// A bringer has a text come into the editor of a chat by other ways than the keys
// that type it.
type bringer func(k *parlour, text string) *tuitest.Terminal

// bringers are these ways. A long one shows the text by a name.
func bringers() map[string]bringer {
	typed := func(keys func(m *tuitest.Terminal, text string)) bringer {
		return func(k *parlour, text string) *tuitest.Terminal {
			m := k.chat()
			keys(m, text)
			return m
		}
	}
	return map[string]bringer{
		"paste": typed(func(m *tuitest.Terminal, text string) { m.Paste(text) }),
		"pastes": typed(func(m *tuitest.Terminal, text string) {
			for _, r := range text {
				m.Paste(string(r))
			}
		}),
		"paste and keys": typed(func(m *tuitest.Terminal, text string) {
			m.Paste(text[:len(text)-2])
			m.Send(text[len(text)-2:])
		}),
		"long paste": typed(func(m *tuitest.Terminal, text string) {
			m.Paste(text + strings.Repeat("\ntrue", 300))
			m.WaitFor("› [long text 1: 301 lines]")
		}),
		"prompt before": func(k *parlour, text string) *tuitest.Terminal {
			m := k.chat()
			m.Send(text, "ctrl+c") // it is behind ↑ then
			m.WaitFor("ctrl+c again leaves")
			m.Send("x", "backspace", "up")
			return m
		},
		"search": func(k *parlour, text string) *tuitest.Terminal {
			k.remember(text)
			m := k.chat()
			m.Send("ctrl+r", "mark")
			m.WaitFor("enter takes it")
			m.WaitFor(strings.TrimSpace(text))
			m.Send("enter")
			return m
		},
		"tree": func(k *parlour, text string) *tuitest.Terminal {
			m := k.chat(k.session(1, k.garden, text, "It stands there."))
			m.WaitFor("It stands there.")
			m.Send("/tree", "enter")
			m.WaitFor("← leaf")
			m.Send("up", "up", "enter")
			return m
		},
		"branch": func(k *parlour, text string) *tuitest.Terminal {
			m := k.chat(k.session(1, k.garden, text, "It stands there."))
			m.WaitFor("It stands there.")
			m.Send("/branch aaaaaaa1", "enter")
			m.WaitFor("Branched to a new session")
			return m
		},
		"editor": func(k *parlour, text string) *tuitest.Terminal {
			k.write(filepath.Join(k.home, "bin/ed1"), "#!/bin/sh\nprintf '%s\\n' '"+text+"' >\"$1\"\n", 0o755)
			m := tuitest.Start(k.t, tuitest.Options{Args: []string{"chat"}, Home: k.home, Dir: k.garden,
				Env: []string{"EDITOR=ed1", "PATH=" + filepath.Join(k.home, "bin") + ":/usr/bin:/bin"}})
			m.WaitFor("test ·")
			m.Send("ctrl+g")
			return m
		},
	}
}

// Whatever the way: nothing of it runs before its sign is typed, and Enter twice says
// it to the model.
func TestChatRunsWhatIsTypedAlone(t *testing.T) {
	t.Parallel()
	for way, bring := range bringers() {
		for _, text := range []string{"!touch mark", "!!touch mark", " !touch mark"} {
			t.Run(way+" of "+text, func(t *testing.T) {
				t.Parallel()
				k := newTalk(t, wiretest.Text("I only read it."))
				m := bring(k, text)
				if way != "long paste" {
					m.WaitFor(inEditor(text))
					m.Send("enter")
					m.WaitFor("was not typed here")
				}
				if k.marked() {
					t.Fatal("it ran")
				}
				m.Send("enter")
				m.WaitFor("I only read it.")
				rests(m)
				k.leave(m)
				if k.marked() {
					t.Error("it ran")
				}
				if body := string(k.server.Last().Body); !strings.Contains(body, strings.TrimSpace(text)) {
					t.Errorf("the model was told %s", body)
				}
			})
		}
	}
}

// inEditor is a screen whose editor holds a line, whatever blanks are around it.
func inEditor(text string) func(screen string) bool {
	return func(screen string) bool {
		for row := range strings.Lines(screen) {
			if rest, ok := strings.CutPrefix(row, "› "); ok && strings.TrimSpace(rest) == strings.TrimSpace(text) {
				return true
			}
		}
		return false
	}
}

// marked reports whether the mark is there that commands of these tests make.
func (k *parlour) marked() bool {
	_, err := os.Lstat(filepath.Join(k.garden, "mark"))
	return err == nil
}

// remember puts a prompt among those that were typed before.
func (k *parlour) remember(text string) {
	k.t.Helper()
	h, err := prompts.Open(k.t.Context(), prompts.Options{Own: prompts.Source{Agent: "cambium", Path: filepath.Join(k.home, ".cambium/agent/history.db")}})
	if err != nil {
		k.t.Fatal(err)
	}
	h.Add(text, k.garden, "")
	if err := h.Close(); err != nil {
		k.t.Fatal(err)
	}
}

// The prompt of the flag is one, whatever it begins with.
func TestChatNeverRunsTheFlag(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("I only read it."))
	m := k.chat("-p", "!touch mark")
	m.WaitFor("I only read it.")
	rests(m)
	k.leave(m)
	if k.marked() {
		t.Error("it ran")
	}
}

// What waited, or what was stopped, is typed again by nobody.
func TestChatNeverRunsWhatWaited(t *testing.T) {
	t.Parallel()
	for _, back := range []string{"alt+up", "esc"} {
		t.Run(back, func(t *testing.T) {
			t.Parallel()
			gate := make(chan struct{})
			k := newTalk(t, wiretest.Reply{Say: &wiretest.Say{Text: "Digging."}, Stall: true, Events: 1, Release: gate}, wiretest.Text("I only read it."))
			m := k.chat()
			m.Send("Dig.", "enter")
			m.WaitFor("esc stops it")
			m.Paste("!touch mark")
			m.WaitFor("› !touch mark")
			m.Send("enter")
			m.WaitFor("was not typed here")
			m.Send("enter")
			m.WaitFor("steers: !touch mark")
			if back == "esc" {
				m.Send("esc")
			} else {
				m.Send("\x1b[1;3A")
			}
			m.WaitFor("› !touch mark")
			close(gate)
			rests(m)
			m.Send("enter")
			m.WaitFor("was not typed here")
			k.leave(m)
			if k.marked() {
				t.Error("it ran")
			}
		})
	}
}

// Whoever types the sign runs the command, what is behind it may be pasted; but of
// what is not in sight they are asked first.
func TestChatAsksBeforeWhatIsNotInSight(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("I only read it."))
	m := k.chat()
	m.Send("!")
	m.Paste("touch short")
	m.WaitFor("› !touch short")
	m.Send("enter")
	m.WaitFor("▌ $ touch short")
	rests(m)
	if _, err := os.Lstat(filepath.Join(k.garden, "short")); err != nil {
		t.Error("a command whose sign was typed did not run")
	}
	for _, answer := range []string{"n", "esc", "y"} {
		m.Send("!")
		m.Paste("touch mark" + strings.Repeat("\ntrue", 300))
		m.WaitFor("› ![long text 1: 301 lines]")
		m.Send("enter")
		m.WaitFor("Run bash in")
		m.WaitFor("touch mark")
		m.WaitFor("n do not")
		if answer == "y" { // counts where the end was in sight
			m.Send("y", "y")
			for range 40 {
				m.Send("pgdown")
			}
			m.WaitFor("y run it")
		}
		if k.marked() {
			t.Fatal("it ran before it was asked about")
		}
		m.Send(answer)
		if answer == "y" {
			m.WaitFor("⎿ (nothing)")
			break
		}
		m.WaitFor("› [long text 1: 301 lines]")
		rests(m)
		m.Send("ctrl+c")
		m.WaitFor("ctrl+c again leaves")
		m.Send("x", "backspace")
		m.WaitFor(func(screen string) bool { return !strings.Contains(screen, "again leaves") })
	}
	rests(m)
	if !k.marked() {
		t.Error("agreed to, it did not run")
	}
	k.leave(m)
}

// A picture is sent where somebody typed its "@". Of another one it is said that it
// is not.
func TestChatSendsPicturesThatAreMeant(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("A text."), wiretest.Text("A bed."))
	k.write(filepath.Join(k.garden, "bed.gif"), "GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x00;", 0o600)
	m := k.chat()
	m.Paste("What is @bed.gif ?")
	m.WaitFor("› What is @bed.gif ?")
	m.Send("enter")
	m.WaitFor("A text.")
	m.WaitFor("is not sent: its @ was not typed here")
	rests(m)
	m.Send("And @")
	m.Paste("bed.gif")
	m.Send(" ?", "enter")
	m.WaitFor("A bed.")
	rests(m)
	k.leave(m)
	for i, r := range k.server.Requests() {
		if got := strings.Count(string(r.Body), "data:image/gif;base64,R0lGOD"); got != i {
			t.Errorf("request %d holds %d pictures", i, got)
		}
	}
}
