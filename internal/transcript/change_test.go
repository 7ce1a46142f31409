package transcript_test

import (
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/transcript"
)

// TestChanges: what a call changes, what matters of it, and the diff that a result has.
func TestChanges(t *testing.T) {
	for _, test := range []struct{ arguments, diff, count, matter string }{
		{`{"path":"a","oldText":"x\ny\n","newText":"x\nz\n"}`, "  x\n- y\n+ z\n", "+1 -1", "a"},
		{`{"file_path":"a","content":"x"}`, "+ x\n", "+1 -0", "a"},
		{`{"edits":[{"old_string":"x","new_string":"y"}],"path":"b"}`, "- x\n+ y\n", "+1 -1", "b"},
		{`{"content":"x"}`, "", "+0 -0", "x"},
		{`{"n":1,"command":"ls\n-l"}`, "", "+0 -0", "ls\n-l"},
		{`{"n":1}`, "", "+0 -0", ""},
		{`[]`, "", "+0 -0", ""},
	} {
		diff := transcript.ChangeIn(entry.JSON(test.arguments))
		b := transcript.Block{Kind: transcript.Call, Arguments: entry.JSON(test.arguments)}
		if diff != test.diff || transcript.Counted(diff) != test.count || b.Matter() != test.matter {
			t.Errorf("%s: %q, %s, %q", test.arguments, diff, transcript.Counted(diff), b.Matter())
		}
	}
	m := transcript.Read(entry.JSON(`{"role":"toolResult","toolName":"edit","content":[],"details":{"diff":"+1 x"}}`))
	if m.Diff != "+1 x" {
		t.Errorf("the diff of a result is %q", m.Diff)
	}
}
