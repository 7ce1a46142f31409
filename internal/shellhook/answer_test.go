//go:build unix

package shellhook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// reply registers a command that answers with a text.
func (st *stage) reply(event, text string) (remove func()) {
	st.t.Helper()
	if err := os.WriteFile(filepath.Join(st.dir, "answer"), []byte(text), 0o600); err != nil {
		st.t.Fatal(err)
	}
	return st.run(event, `cat > /dev/null; cat "$STAGE/answer"`)
}

func TestAnswers(t *testing.T) {
	st := newStage(t)
	compaction := st.prepared()
	yes := true
	body := func(r compact.Result, before int64) agent.Reply {
		r.FromExtension, r.Time = &yes, 1234
		b := compaction.Preparation.Body(r)
		if before != 0 {
			b.TokensBefore = before
		}
		return agent.Reply{Compaction: b}
	}
	tests := []struct {
		event  agent.Event
		answer string
		want   agent.Reply
		says   string
	}{
		{agent.SessionStart{}, "", agent.Reply{}, ""},
		{agent.SessionStart{}, " \n", agent.Reply{}, ""},
		{agent.SessionBeforeSwitch{}, "{}\n", agent.Reply{}, ""},
		{agent.SessionBeforeSwitch{}, `{"cancel":false,"summary":null,"context":null}`, agent.Reply{}, ""},
		{agent.SessionBeforeSwitch{}, "\n {\"cancel\" : true}\n\n", agent.Reply{Cancel: true}, ""},
		{agent.SessionBeforeBranch{}, `{"skipConversationRestore":true}`, agent.Reply{SkipConversationRestore: true}, ""},
		{agent.SessionBeforeTree{}, `{"summary":"it \u00e9nded"}`, agent.Reply{Summary: &compact.Result{Summary: "it énded", FromExtension: &yes, Time: 1234}}, ""},
		{agent.SessionBeforeTree{}, `{"summary":{"summary":"s","details":{"a":[1, 2]}}}`,
			agent.Reply{Summary: &compact.Result{Summary: "s", Details: []byte(`{"a":[1, 2]}`), FromExtension: &yes, Time: 1234}}, ""},
		{agent.SessionCompacting{}, `{"context":["a","b"],"prompt":"p","preserveData":{"x":1.50}}`,
			agent.Reply{Context: []string{"a", "b"}, Prompt: "p", PreserveData: []byte(`{"x":1.50}`)}, ""},
		{compaction, `{"compaction":{"summary":"s"}}`, body(compact.Result{Summary: "s"}, 0), ""},
		{compaction, `{"compaction":{"summary":"s","shortSummary":"t","firstKeptEntryId":"u2","tokensBefore":77,"details":{"d":0},"preserveData":{"p":0}}}`,
			body(compact.Result{Summary: "s", ShortSummary: "t", FirstKeptEntryID: "u2", Details: []byte(`{"d":0}`), PreserveData: []byte(`{"p":0}`)}, 77), ""},
		{compaction, `{"cancel":true}`, agent.Reply{Cancel: true}, ""},
		{agent.SessionTree{}, `{"compaction":{"summary":5}}`, agent.Reply{}, ""},
		{agent.SessionBeforeSwitch{}, `{"cancle":true,"compaction":1,"x\u001b":{}}`, agent.Reply{}, `in its answer "cancle", "x\x1b": no such member`},
		{compaction, `{"compaction":{"summary":"s","sumary":1}}`, body(compact.Result{Summary: "s"}, 0), `in its answer "compaction.sumary": no such member`},
		{agent.SessionBeforeSwitch{}, `cancel`, agent.Reply{}, "read its answer: not JSON"},
		{agent.SessionBeforeSwitch{}, `{"cancel":true`, agent.Reply{}, "read its answer: not JSON"},
		{agent.SessionBeforeSwitch{}, `{"cancel":true} {"cancel":true}`, agent.Reply{}, "read its answer: more than one object"},
		{agent.SessionBeforeSwitch{}, `[true]`, agent.Reply{}, "read its answer: not an object"},
		{agent.SessionBeforeSwitch{}, `{"cancel":"yes"}`, agent.Reply{}, "read its answer: cancel is not true or false"},
		{agent.SessionCompacting{}, `{"context":"a"}`, agent.Reply{}, "context is not a list of strings"},
		{agent.SessionCompacting{}, `{"context":["a",1]}`, agent.Reply{}, "what is in context is not a string"},
		{agent.SessionCompacting{}, `{"prompt":[]}`, agent.Reply{}, "prompt is not a string"},
		{agent.SessionCompacting{}, `{"preserveData":"x"}`, agent.Reply{}, "preserveData is not an object"},
		{agent.SessionBeforeTree{}, `{"summary":""}`, agent.Reply{}, "summary is not a text"},
		{agent.SessionBeforeTree{}, `{"summary":{"details":1}}`, agent.Reply{}, "summary is not a text"},
		{compaction, `{"compaction":"s"}`, agent.Reply{}, "compaction is not an object"},
		{compaction, `{"compaction":{}}`, agent.Reply{}, "compaction.summary is not a text"},
		{compaction, `{"compaction":{"summary":"s","tokensBefore":-1}}`, agent.Reply{}, "compaction.tokensBefore is not a number of tokens"},
		{compaction, `{"compaction":{"summary":"s","firstKeptEntryId":"gone"}}`, agent.Reply{}, "compaction.firstKeptEntryId is not an entry of the branch"},
	}
	for _, test := range tests {
		remove := st.reply(agent.Name(test.event), test.answer)
		got := st.hooks.Emit(ctx, test.event)
		remove()
		if diff := cmp.Diff(test.want, got, cmpopts.IgnoreUnexported(entry.CompactionBody{})); diff != "" {
			t.Errorf("%s: %s: -want +got:\n%s", agent.Name(test.event), test.answer, diff)
		}
		said := st.reports()
		if (test.says == "") != (said == "") || !strings.Contains(said, test.says) {
			t.Errorf("%s: %s: reported %q, want %q", agent.Name(test.event), test.answer, said, test.says)
		}
		if said != "" && !strings.HasPrefix(said, `run hook `+agent.Name(test.event)+`: "cat > /dev/null; cat`) {
			t.Errorf("the report does not say of what: %q", said)
		}
	}
}

// What fails is reported, and the next is asked.
func TestFailuresArePassedOver(t *testing.T) {
	for command, want := range map[string]string{
		`echo '{"cancel":true}'; exit 3`:         "exit status 3",
		`echo why >&2; exit 1`:                   `exit status 1: "why"`,
		`no-such-command-here`:                   `exit status 127: "`,
		`kill -9 $$`:                             "signal: killed",
		`if`:                                     "exit status 2",
		`printf 'a\033[31m\n' >&2; echo '{'`:     "not JSON",
		`printf 'all \033[31m is well\n' >&2`:    `it says "all \x1b[31m is well"`,
		`head -c 100000 /dev/zero >&2; exit 1`:   `exit status 1: "…\x00`,
		`rm -rf "$STAGE/gone"; cd "$STAGE/gone"`: "exit status",
	} {
		st := newStage(t)
		st.run("session_before_switch", command, `echo '{"skipConversationRestore":true}'`)
		r := st.hooks.Emit(ctx, agent.SessionBeforeSwitch{})
		if said := st.reports(); !strings.Contains(said, want) || strings.Count(said, "\n") != 0 || len(said) > 3000 {
			t.Errorf("%s: reported %q, want %q", command, said, want)
		}
		if r.Cancel || !r.SkipConversationRestore {
			t.Errorf("%s: reply %+v", command, r)
		}
	}
}

// What is said to people does not keep an answer from counting.
func TestAnswerCountsBesideSpeech(t *testing.T) {
	st := newStage(t)
	st.run("session_before_switch", `echo careful >&2; echo '{"cancel":true}'`)
	if r := st.hooks.Emit(ctx, agent.SessionBeforeSwitch{}); !r.Cancel || !strings.Contains(st.reports(), `it says "careful"`) {
		t.Errorf("reply %+v", r)
	}
}

// A session whose directory is gone has no commands run, and goes on.
func TestDirectoryGone(t *testing.T) {
	st := newStage(t)
	st.run("session_switch", `true`)
	if err := os.RemoveAll(st.dir); err != nil {
		t.Fatal(err)
	}
	st.hooks.Emit(ctx, agent.SessionSwitch{})
	if said := st.reports(); !strings.Contains(said, "no such file or directory") {
		t.Errorf("reported %q", said)
	}
}
