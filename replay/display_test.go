package replay_test

import (
	"testing"

	"github.com/cambium-dev/cambium/replay"
	"github.com/google/go-cmp/cmp"
)

func TestItems(t *testing.T) {
	b := linked(t,
		user("first"),
		`{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"12345678"},{"type":"toolCall","id":"c1","name":"ls","arguments":{"p":1}},{"type":"toolCall","id":"c2","name":"x"}]}}`,
		`{"type":"message","message":{"role":"toolResult","toolCallId":"c1","content":[{"type":"image","data":"AA"}]}}`,
		`{"type":"label","targetId":"e1","label":"here"}`,
		`{"type":"compaction","summary":"SUM.","firstKeptEntryId":"e1"}`,
		`{"type":"model_change","model":"p/m"}`,
		`{"type":"custom_message","customType":"x","content":"hidden","display":false}`,
		`{"type":"custom","customType":"cambium.edit","data":{"targetId":"e2","replacement":null}}`,
		`{"type":"branch_summary","summary":""}`,
		`{"type":"message","message":null}`,
		`{"type":"later"}`,
	)
	type row struct {
		Shown                        replay.Shown
		InContext, Compacted, Folded bool
		CallEntry, Target, Tokens    int
		Results                      []int
	}
	want := []row{
		{Shown: replay.ShownMessage, Compacted: true, CallEntry: -1, Target: -1, Tokens: 2},
		{Shown: replay.ShownMessage, InContext: true, CallEntry: -1, Target: -1, Tokens: 5, Results: []int{2, -1}},
		{Shown: replay.ShownMessage, CallEntry: 1, Target: -1, Tokens: 1200},
		{Shown: replay.ShownLabel, CallEntry: -1, Target: 1},
		{Shown: replay.ShownCut, InContext: true, CallEntry: -1, Target: -1, Tokens: 1},
		{Shown: replay.ShownSetting, CallEntry: -1, Target: -1},
		{Shown: replay.ShownMessage, InContext: true, Folded: true, CallEntry: -1, Target: -1, Tokens: 2},
		{Shown: replay.ShownEdit, CallEntry: -1, Target: 2},
		{Shown: replay.ShownRecord, CallEntry: -1, Target: -1},
		{Shown: replay.ShownRecord, CallEntry: -1, Target: -1},
		{Shown: replay.ShownRecord, CallEntry: -1, Target: -1},
	}
	var got []row
	n := 0
	for item, err := range b.end(t, rulesOf(t, "cambium")).Items() {
		if err != nil {
			t.Fatal(err)
		}
		if item.Entry != n {
			t.Errorf("item %d is entry %d", n, item.Entry)
		}
		n++
		r := row{item.Shown, item.InContext, item.Compacted, item.Folded, item.CallEntry, item.Target, item.Tokens(), nil}
		for _, c := range item.Calls {
			r.Results = append(r.Results, c.Result)
		}
		got = append(got, r)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTold: what is told of a branch is what its items are, but for what is in their
// messages.
func TestTold(t *testing.T) {
	b := linked(t,
		user("first"),
		`{"type":"message","message":{"role":"user","content":"x","display":false}}`,
		`{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"ls","arguments":{}}],"stopReason":"error"}}`,
		`{"type":"message","message":{"role":"toolResult","toolCallId":"c1","content":[]}}`,
		`{"type":"compaction","summary":"SUM.","firstKeptEntryId":"e3"}`,
		`{"type":"custom_message","customType":"x","content":"hidden","display":false}`,
		`{"type":"branch_summary","summary":"left"}`,
		`{"type":"message","message":null}`,
		`{"type":"label","targetId":"e1","label":"here"}`,
	)
	for _, name := range []string{"pi", "omp", "xcsh", "cambium"} {
		var want, got []replay.Item
		for item, err := range b.end(t, rulesOf(t, name)).Items() {
			if err != nil {
				t.Fatal(err)
			}
			item.InContext, item.Calls, item.CallEntry = false, nil, -1
			item.Folded = item.Folded && item.Entry == 5
			want = append(want, item)
		}
		for item, err := range b.end(t, rulesOf(t, name)).Told() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, item)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
