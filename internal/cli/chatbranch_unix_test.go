//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

// sown is planted with a second prompt, its answer, and a todo that is done then.
func (k *parlour) sown() string {
	k.t.Helper()
	path := k.planted()
	k.add(path, `{"type":"message","id":"eeeeeee1","parentId":"ddddddd1","timestamp":"2026-11-20T10:00:05.000Z","message":{"role":"user","content":"And where?","timestamp":1763632805000}}`,
		`{"type":"message","id":"fffffff1","parentId":"eeeeeee1","timestamp":"2026-11-20T10:00:06.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Beside the beans."}],"api":"x","provider":"anthropic","model":"opus","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.25}},"stopReason":"stop","timestamp":1763632806000}}`,
		`{"type":"custom","id":"abababa1","parentId":"fffffff1","timestamp":"2026-11-20T10:00:07.000Z","customType":"cambium.todos","data":[{"content":"buy a hose","status":"completed"}]}`)
	return path
}

// others are the sessions of pi beside one.
func (k *parlour) others(path string) []string {
	k.t.Helper()
	paths, err := filepath.Glob(filepath.Join(k.home, ".pi/agent/sessions/*/*.jsonl"))
	if err != nil {
		k.t.Fatal(err)
	}
	var all []string
	for _, p := range paths {
		if p == path {
			continue
		}
		data, err := os.ReadFile(p)
		if err != nil {
			k.t.Fatal(err)
		}
		all = append(all, string(data))
	}
	return all
}

// After /branch the screen is that of the new session, whatever was going on, in
// the order of published P3: what came before the prompt is the transcript, the
// todos are those of then, and the prompt is in the editor. What was told or was being
// said is gone, and nothing of it comes back; what waited is not said in the new
// session, but behind ↑.
func TestChatBranchRebuildsTheScreen(t *testing.T) {
	for name, c := range map[string]struct {
		reply wiretest.Reply
		sign  string
		entry string
		shows []string // of what came before it
		lacks []string
		text  string
	}{
		"in an answer, to the second prompt": {wiretest.Reply{Say: &wiretest.Say{Text: "I was about to say"}, Stall: true, Events: 4}, "I was", "eeeeeee1",
			[]string{"▌ How much water do tomatoes need?", "Two litres a day.", "0 of 1 todo done", "☐ buy a hose"}, []string{"▌ And where?"}, "And where?"},
		"in a tool, to the second prompt": {wiretest.Answer(wiretest.Say{Text: "I look.", Calls: []wiretest.Call{
			{ID: "c1", Name: "bash", Arguments: `{"command":"echo digging; cat pipe"}`}}}), "digging\n", "eeeeeee1",
			[]string{"▌ How much water do tomatoes need?", "Two litres a day.", "0 of 1 todo done", "☐ buy a hose"}, []string{"▌ And where?"}, "And where?"},
		"in an answer, to the first prompt": {wiretest.Reply{Say: &wiretest.Say{Text: "I was about to say"}, Stall: true, Events: 4}, "I was", "aaaaaaa1",
			nil, []string{"▌ How much", "Two litres", "▌ And where?", "hose", "todo"}, "How much water do tomatoes need?"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, c.reply, wiretest.Text("Half as much."))
			path := k.sown()
			k.fifo("pipe")
			m := k.chat("--yes", path)
			m.WaitFor("1 of 1 todo done")
			m.WaitFor("Beside the beans.")
			busy(m, c.sign)
			gone := append([]string{"esc stops it", "steers:", "then:", "· thinking is", "Look around.", "I look", "I was", "digging", "Beside", "1 of 1"}, c.lacks...)
			m.Send("/branch "+c.entry, "enter")
			m.WaitFor("Branched to a new session")
			screen := m.Screen()
			if left := holds(screen, gone...); len(left) > 0 {
				t.Errorf("after the branch there is %q:\n%s", left, screen)
			}
			if missing := lacks(screen, append([]string{"› " + c.text}, c.shows...)...); len(missing) > 0 {
				t.Errorf("after the branch there is no %q:\n%s", missing, screen)
			}
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m.Send("up")
			m.WaitFor("› and there\n›\n› then rest")
			m.Send("down", "down", "down")
			m.WaitFor("› " + c.text)
			m.Send(" In May?")
			say(m, "", "Half as much.")
			if left := holds(m.Screen(), gone[:9]...); len(left) > 0 {
				t.Errorf("after the answer there is %q:\n%s", left, m.Screen())
			}
			m.WaitFor("▌ " + c.text + " In May?")
			k.leave(m)
			if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Errorf("the session that was left holds %s, %v", after, err)
			}
			all := k.others(path)
			if len(all) != 1 {
				t.Fatalf("beside it there are %q", all)
			}
			if missing := lacks(all[0], c.text+" In May?", "Half as much.", filepath.Base(path)); len(missing) > 0 {
				t.Errorf("the new session lacks %q: %s", missing, all[0])
			}
			if left := holds(all[0], "Beside", "Look around", "and there", "then rest"); len(left) > 0 {
				t.Errorf("the new session holds %q: %s", left, all[0])
			}
			if sent := k.sent(); len(lacks(sent, c.text+" In May?")) > 0 || len(holds(sent, "Beside", "Look around", "and there", "then rest")) > 0 ||
				strings.Contains(sent, "Two litres") != (c.entry == "eeeeeee1") {
				t.Errorf("the model was sent %s", sent)
			}
		})
	}
}

// Nothing changes where a hook cancels it or the entry is not a prompt: the answer
// goes on, what waits is said, and no session is written.
func TestChatBranchThatIsNone(t *testing.T) {
	for name, c := range map[string]struct{ hooks, entry, told string }{
		"cancelled":   {`{"session_before_branch":[{"command":"echo '{\"cancel\":true}'"}]}`, "eeeeeee1", "a hook cancelled it"},
		"an answer":   {`{}`, "fffffff1", "branch from a prompt of yours"},
		"of no entry": {`{}`, "12345678", "branch from a prompt of yours"},
	} {
		t.Run(name, func(t *testing.T) {
			gate := make(chan struct{})
			k := newTalkWith(t, `"hooks":`+c.hooks,
				wiretest.Reply{Say: &wiretest.Say{Text: "I was about to say it."}, Stall: true, Events: 4, Release: gate}, wiretest.Text("There too."))
			path := k.sown()
			m := k.chat(path)
			m.WaitFor("Beside the beans.")
			m.Send("Look around.", "enter")
			m.WaitFor("I was")
			m.Send("and there", "enter")
			m.WaitFor("steers: and there")
			m.Send("/branch "+c.entry, "enter")
			m.WaitFor(c.told)
			screen := m.Screen()
			if missing := lacks(screen, "esc stops it", "steers: and there", "1 of 1 todo done", "▌ Look around.", "I was", "▌ And where?", "Beside the beans."); len(missing) > 0 {
				t.Errorf("there is no %q:\n%s", missing, screen)
			}
			if more := holds(screen, "Branched", "› And"); len(more) > 0 {
				t.Errorf("there is %q:\n%s", more, screen)
			}
			close(gate)
			m.WaitFor("I was about to say it.")
			m.WaitFor("There too.")
			m.WaitFor("▌ and there")
			rests(m)
			k.leave(m)
			if all := k.others(path); len(all) != 0 {
				t.Errorf("beside the session there are %q", all)
			}
		})
	}
}
