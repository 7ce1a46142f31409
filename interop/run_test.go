//go:build peers

package interop_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// A chapter is a part of the life of a session that cambium run writes.
type chapter struct {
	what string
	do   func(w *workshop, path string)
}

// chapters are the whole of that life, after the first prompt.
func chapters() []chapter {
	return []chapter{
		{"calls of tools", func(w *workshop, _ string) {
			w.says(calling("I look, and change it.", "read", `{"path":"sum.txt"}`, "bash", `{"command":"wc -l sum.txt; exit 3"}`),
				calling("Now.", "edit", `{"path":"sum.txt","edits":[{"oldText":"two","newText":"2"}]}`, "write", `{"path":"new.txt","content":"é😀\n"}`, "grep", `{"pattern":`),
				wiretest.Text("It is changed."))
			w.do(0, "run", "--continue", "--yes", "--model", "messages/ash:high", "-p", "change it")
		}},
		{"reasoning of Responses", func(w *workshop, _ string) {
			w.says(calling("In another way.", "ls", `{}`), wiretest.Answer(wiretest.Say{Thinking: "so it is", Text: "Three files."}))
			w.do(0, "run", "--continue", "--model", "responses/elm", "--thinking", "medium", "-p", "what is there")
		}},
		{"pictures", func(w *workshop, _ string) {
			w.says(calling("I look at it.", "read", `{"path":"map.png"}`), wiretest.Text("A map."))
			w.do(0, "run", "--continue", "--image", "map.png", "-p", "what does it show")
		}},
		{"own commands", func(w *workshop, _ string) {
			w.says()
			w.do(0, "run", "--continue", "--shell", "echo seen by the model")
			w.do(1, "run", "--continue", "--secret", "--shell", "echo hidden; exit 7")
		}},
		{"tries that broke", func(w *workshop, _ string) {
			w.says(wiretest.Failing(wiretest.Overloaded),
				wiretest.Reply{Say: &wiretest.Say{Text: "a part of it"}, Cut: wiretest.Drop, Events: 4},
				wiretest.Text("The third try."))
			w.do(0, "run", "--continue", "-p", "again")
		}},
		{"an error", func(w *workshop, _ string) {
			w.says(wiretest.Failing(wiretest.Invalid))
			w.do(1, "run", "--continue", "-p", "this is refused")
		}},
		{"an interruption", func(w *workshop, _ string) {
			// The second event of a completion has the text, in one piece.
			w.says(wiretest.Reply{Say: &wiretest.Say{Text: "a long answer of", Pieces: 1}, Stall: true, Events: 2})
			if code := w.cut(os.Interrupt, "run", "--continue", "--model", "chat/oak", "-p", "tell me all"); code != 8 {
				w.t.Errorf("interrupted, it ended with %d", code)
			}
		}},
		{"a call that needs approval", func(w *workshop, _ string) {
			w.says(calling("May I?", "bash", `{"command":"rm sum.txt"}`))
			w.do(9, "run", "--continue", "-p", "clean up")
		}},
		{"a kill", func(w *workshop, _ string) {
			w.says(calling("", "bash", `{"command":"true"}`),
				wiretest.Reply{Say: &wiretest.Say{Text: "then all of that"}, Stall: true, Events: 5})
			w.cut(syscall.SIGKILL, "run", "--continue", "--yes", "-p", "work on")
			w.says(wiretest.Text("Here I am again."))
			w.do(0, "run", "--continue", "-p", "go on")
		}},
		{"labels and names", func(w *workshop, path string) {
			w.do(0, "label", path, w.ids(path, "It is changed.")[0], "changed")
			w.do(0, "rename", path, "the sum of it")
			w.do(0, "label", path, w.ids(path, "Three files.")[0], "gone")
			w.do(0, "label", path, w.ids(path, "Three files.")[0], "")
		}},
		{"a summary, for it was too long", func(w *workshop, _ string) {
			w.says(wiretest.Failing(wiretest.Overflow), wiretest.Text("Shorter now."))
			w.do(0, "run", "--continue", "-p", strings.Repeat("much to say ", 60))
		}},
		{"a summary, before it is", func(w *workshop, _ string) {
			w.says(wiretest.Answer(wiretest.Say{Text: strings.Repeat("many words ", 60), Usage: wiretest.Usage{Input: 39_000, Output: 900}}))
			w.do(0, "run", "--continue", "-p", "nearly full")
			before := w.summed()
			w.says(wiretest.Text("Room again."))
			w.do(0, "run", "--continue", "-p", "and on")
			if w.summed() == before {
				w.t.Errorf("%s: nothing was summed up", w.name)
			}
		}},
		{"another branch", func(w *workshop, path string) {
			w.do(0, "branch", path, w.ids(path, "It is changed.")[0])
			w.says(wiretest.Text("On another way."))
			w.do(0, "run", "--resume", path, "-p", "otherwise")
			w.do(0, "branch", path, w.ids(path, "The third try.")[0], "--summary", "went another way")
			w.says(wiretest.Text("Back."))
			w.do(0, "run", "--resume", path, "-p", "back")
		}},
	}
}

// TestWhatRunWritesIsRead has cambium run live in a session of each program's
// dialect: the program reads what Cambium does after each chapter, and appends to
// it in between, upon which the run goes on.
func TestWhatRunWritesIsRead(t *testing.T) {
	for p, name := range programs() {
		t.Run(string(p), func(t *testing.T) { newWorkshop(t, p, name).life(string(name)) })
	}
}

// TestConvertedRunsAreRead does it with sessions of Cambium's own and of xcsh, which
// become those of a program by cambium convert.
func TestConvertedRunsAreRead(t *testing.T) {
	for p, name := range programs() {
		for _, from := range []dialect.Name{dialect.Cambium, dialect.Xcsh} {
			t.Run(string(from+" for "+name), func(t *testing.T) { newWorkshop(t, p, name).converted(string(from)) })
		}
	}
}

// converted writes a session of an agent and converts it after each chapter.
func (w *workshop) converted(agent string) {
	w.says(wiretest.Text("Hello."))
	w.do(0, "run", "--agent", agent, "-p", "begin")
	path := w.session(agent)
	for i, c := range chapters() {
		c.do(w, path)
		converted := filepath.Join(w.dir, fmt.Sprint(i, ".jsonl")) // where --continue does not look
		w.do(0, "convert", path, "--to", string(w.name), "--output", converted)
		if !w.same(converted, c.what+", converted") {
			return
		}
	}
	w.t.Logf("not compared: %v", w.excluded)
}

// life writes a session from its first prompt to a fork of it.
func (w *workshop) life(agent string) {
	t := w.t
	w.says(wiretest.Text("Hello."))
	w.do(0, "run", "--agent", agent, "-p", "begin")
	path := w.session(agent)
	for _, c := range chapters() {
		c.do(w, path)
		if !w.same(path, c.what) {
			return
		}
		w.theirTurn(path, c.what)
		w.says(wiretest.Text("You were told of " + c.what + " otherwise."))
		w.do(0, "run", "--resume", path, "-p", "what did they say after "+c.what+"?")
		if last := string(w.server.Last().Body); !strings.Contains(last, "theirs after "+c.what) {
			t.Errorf("%s: the model is not told what %s appended after %s", w.name, w.d.Program(), c.what)
		}
		if !w.same(path, c.what+", in turn") {
			return
		}
	}
	w.says(wiretest.Text("In the other project."))
	w.doIn(filepath.Join(w.dir, "elsewhere"), 0, "run", "--fork", path, "-p", "the same here")
	fork := w.session(agent)
	if fork == path || !w.same(fork, "forked to another project") {
		t.Errorf("%s: the fork is %s", w.name, fork)
	}
	kinds := map[string]int{}
	w.kinds(path, kinds)
	for _, want := range []string{
		"thinking", "toolCall", "toolResult", "image", "bashExecution", "compaction", "branch_summary", "label",
		"model_change", "thinking_level_change", "stop error", "stop aborted", "stop toolUse",
	} {
		if kinds[want] == 0 {
			t.Errorf("%s: nothing was written of %s: %v", w.name, want, kinds)
		}
	}
	if len(w.ids(path, `"thinkingSignature"`)) == 0 {
		t.Errorf("%s: no thinking has its signature", w.name)
	}
	t.Logf("%s: %v; not compared: %v", w.name, kinds, w.excluded)
}

// theirTurn lets the program append to the session by its own operations.
func (w *workshop) theirTurn(path, what string) {
	t := w.t
	t.Helper()
	call(t, w.d, "open", path)
	call(t, w.d, "message", map[string]any{"role": "user", "content": "theirs after " + what, "timestamp": 1_800_000_000_000})
	id, _ := jsonedit.String(call(t, w.d, "message", map[string]any{
		"role": "assistant", "content": []any{map[string]any{"type": "text", "text": "Answered by " + string(w.d.Program())}},
		"api": "a", "provider": "chat", "model": "oak", "stopReason": "stop", "timestamp": 1_800_000_000_001,
		"usage": map[string]any{"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2,
			"cost": map[string]any{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}},
	}))
	call(t, w.d, "label", id, "theirs "+what)
	call(t, w.d, "flush")
	w.same(path, "what they appended after "+what)
}

// TestRunGoesOnWithTheirs goes on, by cambium run, with sessions that each real
// program wrote by all of its operations: the program reads them as Cambium does
// then, and nothing of what was there has changed.
func TestRunGoesOnWithTheirs(t *testing.T) {
	const sessions = 20
	for p, name := range programs() {
		t.Run(string(p), func(t *testing.T) {
			w := newWorkshop(t, p, name)
			kinds := map[string]int{}
			for seed := range uint64(sessions) {
				call(t, w.d, "create", w.project, filepath.Join(w.d.Home(), "."+string(name), "agent/sessions/--theirs--"))
				if err := retell(program{w.d}, rand.New(rand.NewPCG(seed, 53)), name, kinds); err != nil {
					t.Fatal(err)
				}
				call(t, w.d, "flush")
				path, _ := jsonedit.String(call(t, w.d, "sessionFile"))
				before, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				w.says(calling("I look.", "read", `{"path":"sum.txt"}`), wiretest.Text("That is all."))
				w.do(0, "run", "--resume", path, "--model", "oak", "-p", "go on, please")
				after, err := os.ReadFile(path)
				if err != nil || !bytes.HasPrefix(after, before) || bytes.Count(after[len(before):], []byte(`"role":"assistant"`)) < 2 {
					t.Errorf("%s seed %d: what was there has changed, or nothing was appended: %v", p, seed, err)
				}
				if !w.same(path, fmt.Sprint("run in seed ", seed)) {
					return
				}
				call(t, w.d, "open", path)
				call(t, w.d, "message", map[string]any{"role": "user", "content": "and theirs", "timestamp": 3})
				call(t, w.d, "flush")
				if !w.same(path, fmt.Sprint("their turn in seed ", seed)) {
					return
				}
			}
			t.Logf("%s wrote %v; not compared: %v", p, kinds, w.excluded)
		})
	}
}
