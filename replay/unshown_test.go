package replay_test

import (
	"slices"
	"testing"
)

// What an extension hides, the files behind a mention, and nothing else: no prompt
// and no answer can hide, and what a compaction sums up is gone.
func TestUnshown(t *testing.T) {
	b := linked(t,
		`{"type":"custom_message","customType":"x","content":"summed up","display":false}`,
		`{"type":"message","message":{"role":"user","content":"first","display":false}}`,
		`{"type":"compaction","summary":"SUM.","firstKeptEntryId":"e1"}`,
		`{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"an answer"}],"display":false}}`,
		`{"type":"custom_message","customType":"x","content":"hidden","display":false}`,
		`{"type":"custom_message","customType":"x","content":"shown","display":true}`,
		`{"type":"message","message":{"role":"custom","customType":"x","content":"hidden, too","display":false}}`,
		`{"type":"message","message":{"role":"fileMention","files":[{"path":"a.txt","content":"of a file"}]}}`,
		user("last"),
	)
	var got []int
	for m, err := range b.end(t, rulesOf(t, "omp")).Unshown() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m.Entry)
	}
	if want := []int{4, 6, 7}; !slices.Equal(got, want) {
		t.Errorf("unshown are %v, want %v", got, want)
	}
}
