//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

// A new chat says where it is and what helps; one that is left, how to go on.
func TestChatHints(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two litres."))
	m := k.chat()
	m.WaitFor("~/work/garden · test · /help lists keys and commands")
	m.Send("/quit", "enter")
	k.ends(m, 0) // nothing was said: nothing is kept
	m = k.chat()
	m.WaitFor("/help lists")
	say(m, "How much?", "Two litres.")
	m.WaitFor("▌ How much?")
	if left := holds(m.Screen(), "/help lists"); len(left) > 0 {
		t.Errorf("there is %q:\n%s", left, m.Screen())
	}
	m.Send("/quit", "enter")
	k.ends(m, 0, "to go on: `cambium chat ", "here also --continue")
	m = k.chat("--continue")
	m.WaitFor("Two litres.")
	k.leave(m)
}

// How to go on is said in words that find the session, wherever it lies.
func TestChatSaysHowToGoOnElsewhere(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Half as much."))
	inside := k.session(1, k.garden, "How much?", "Two litres.")
	outside := filepath.Join(k.home, "my sessions", "one.jsonl")
	data, err := os.ReadFile(inside)
	if err != nil {
		t.Fatal(err)
	}
	k.write(outside, string(data), 0o600)
	m := k.chat(outside)
	m.Send("/quit", "enter")
	m.Wait()
	if said := m.Flow(); !strings.Contains(said, "cambium chat '"+outside+"'") {
		t.Errorf("it says %q", said)
	}
	m = k.chat("--agent", "cambium", "--agent-dir", filepath.Join(k.home, "other"))
	say(m, "And beans?", "Half as much.")
	m.Send("/quit", "enter")
	m.Wait()
	said := strings.ReplaceAll(m.Flow(), "'", "") // a directory that needs quotes has them
	if !strings.Contains(said, "cambium chat --agent cambium --agent-dir "+filepath.Join(k.home, "other")+" ") {
		t.Errorf("it says %q", said)
	}
}

// Of a session that is kept nowhere nothing is promised.
func TestChatThatIsKeptNowhereHasNoTree(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two litres."))
	m := k.chat("--no-session")
	say(m, "How much?", "Two litres.")
	m.Send("/tree", "enter")
	m.WaitFor("there is no tree: this session is kept nowhere")
	m.Send("ctrl+d")
	k.ends(m, 0)
}

// ctrl+r searches the prompts that were typed, and takes one.
func TestChatSearchesPrompts(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two litres."), wiretest.Text("Beside the beans."))
	m := k.chat()
	say(m, "How much water?", "Two litres.")
	say(m, "And where?", "Beside the beans.")
	m.Send("draft", "ctrl+r")
	m.WaitFor("search prompts:")
	m.WaitFor("  And where?")
	m.Send("wat")
	m.WaitFor(func(screen string) bool {
		return len(lacks(screen, "search prompts: wat", "  How much water?")) == 0 && len(holds(screen, "  And where?")) == 0
	})
	m.Send("esc")
	m.WaitFor("› draft")
	m.Send("ctrl+r")
	m.WaitFor("search prompts:")
	m.Send("wat")
	m.WaitGone("  And where?")
	m.Send("enter")
	m.WaitFor("› How much water?")
	k.leave(m)
}

// What is to be done is kept in the session, and shown when it is gone on with.
func TestChatKeepsTodos(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Text("Two litres."))
	m := k.chat()
	say(m, "How much?", "Two litres.")
	m.Send("/todo dig", "enter")
	m.WaitFor("☐ dig")
	m.Send("/todo sow", "enter")
	m.WaitFor("☐ sow")
	m.Send("/todo done 3", "enter")
	m.WaitFor(`there is no todo "3"`)
	m.Send("/todo done 1", "enter")
	m.WaitFor("1 of 2 todos done")
	m.Send("/todo", "enter")
	m.WaitFor("1  completed    dig")
	m.WaitFor("2  pending      sow")
	m.Send("esc")
	m.WaitFor("Two litres.")
	k.leave(m)
	m = k.chat("--continue")
	m.WaitFor("1 of 2 todos done")
	m.WaitFor("☐ sow")
	k.leave(m)
}

// A label is taken away where there is one; the page on the session has its tokens.
func TestChatLabelsAndSums(t *testing.T) {
	t.Parallel()
	k := newTalk(t, wiretest.Answer(wiretest.Say{Text: "Two litres.", Usage: wiretest.Usage{Input: 1234, Output: 56}}))
	m := k.chat()
	m.Send("/label early", "enter")
	m.WaitFor("nothing was said yet")
	say(m, "How much?", "Two litres.")
	m.Send("/label", "enter")
	m.WaitFor("the last message has no label")
	m.Send("/label water", "enter")
	m.WaitFor(`labelled "water"`)
	m.Send("/label", "enter")
	m.WaitFor("took the label away")
	m.Send("/label", "enter")
	m.WaitFor("the last message has no label")
	m.Send("/session", "enter")
	m.WaitFor("1234 in, 56 out; 0 read from the cache, 0 written")
	m.WaitFor("directory  ~/work/garden")
	m.Send("esc")
	m.WaitFor("Two litres.")
	k.leave(m)
	if all := k.sessions(); len(all) != 1 || strings.Count(all[0], `"type":"label"`) != 2 {
		t.Errorf("the sessions hold %q", all)
	}
}
