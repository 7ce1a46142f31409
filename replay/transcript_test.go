package replay_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/replay"
)

// TestTranscript: what a person is shown, by the rules of omp 18.2.3: failed turns
// too, every compaction where it was made, calls without a result taken out and
// counted.
func TestTranscript(t *testing.T) {
	var lines [][]byte
	for n, body := range strings.Split(strings.TrimSpace(`
{"type":"message","message":{"role":"user","content":"one"}}
{"type":"message","message":{"role":"assistant","provider":"p","model":"a","content":[{"type":"text","text":"r1"}],"stopReason":"error"}}
{"type":"compaction","summary":"first","shortSummary":"f","firstKeptEntryId":"e0","tokensBefore":1}
{"type":"message","message":{"role":"assistant","provider":"p","model":"a","content":[{"type":"text","text":"r2"}]}}
{"type":"message","message":{"role":"user","content":"two"}}
{"type":"message","message":{"role":"assistant","provider":"p","model":"b","content":[{"type":"text","text":"r3"},{"type":"toolCall","id":"c1","name":"x","arguments":{}}]}}
{"type":"compaction","summary":"second","firstKeptEntryId":"e3","tokensBefore":2}
{"type":"custom_message","customType":"prewalk-plan","content":"hidden","display":false}
{"type":"mode_change","mode":"plan"}
{"type":"message","message":{"role":"assistant","provider":"p","model":"b","content":[{"type":"text","text":"r4"}]}}
`), "\n") {
		id := jsonedit.Quoted("e" + string(rune('0'+n)))
		parent := jsonedit.Quoted("e" + string(rune('0'+n-1)))
		if n == 0 {
			parent = []byte("null")
		}
		line := jsonedit.Set(jsonedit.Set([]byte(body), "id", id), "parentId", parent)
		lines = append(lines, jsonedit.Set(line, "timestamp", jsonedit.Quoted("2026-01-02T03:04:05.000Z")))
	}
	list, err := entry.NewList(lines)
	if err != nil {
		t.Fatal(err)
	}
	path := tree.New(list, nil).Path(list.Len()-1, tree.Strict)
	rules, _ := spelling.ByName("omp")
	for _, c := range []struct {
		o    replay.TranscriptOptions
		want string
	}{
		{replay.TranscriptOptions{}, `user:one assistant:r1 compactionSummary:[Superseded compaction summary elided after a newer compaction] ` +
			`assistant:r2! user:two assistant:r3!-1 compactionSummary:second custom:hidden assistant:r4!`},
		{replay.TranscriptOptions{KeepCalls: true}, `user:one assistant:r1 compactionSummary:[Superseded compaction summary elided after a newer compaction] ` +
			`assistant:r2! user:two assistant:r3! compactionSummary:second custom:hidden assistant:r4!`},
		{replay.TranscriptOptions{Collapse: true}, `user:two assistant:r3!-1 compactionSummary:second custom:hidden assistant:r4!`},
	} {
		var got []string
		for line, err := range replay.Transcript(list, path, rules.Replay, c.o) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, shown(line))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.o, text, c.want)
		}
	}
}

// shown says in short what a line is.
func shown(l replay.Line) string {
	role, _ := jsonedit.Text(l.JSON, "role")
	text, _ := jsonedit.Text(l.JSON, "summary")
	if content, ok := jsonedit.Get(l.JSON, "content"); ok {
		if text, ok = jsonedit.String(content); !ok {
			for block := range jsonedit.Elements(content) {
				text, _ = jsonedit.Text(block, "text")
				break
			}
		}
	}
	text = role + ":" + text
	if l.MissExplained {
		text += "!"
	}
	if n, ok := jsonedit.Get(l.JSON, "strippedToolCalls"); ok {
		text += "-" + string(n)
	}
	return text
}
