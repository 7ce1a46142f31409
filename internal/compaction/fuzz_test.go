package compaction_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/go-json-experiment/json/jsontext"
)

// FuzzCompact compacts, prunes and leaves every branch of any lines by the rules of
// every dialect: it ends, never panics, and what it makes can be written.
func FuzzCompact(f *testing.F) {
	for _, odd := range []string{
		`{"type":"message","id":"a","message":{"role":"assistant","content":[null,{"type":"toolCall","arguments":"\ud800"}],"usage":{"totalTokens":1e400}}}`,
		`{"type":"compaction","id":"a","summary":7,"firstKeptEntryId":"b","details":{"readFiles":{}}}` + "\n" +
			`{"type":"message","id":"b","parentId":"a","message":{"role":"toolResult","content":"x","toolCallId":null}}`,
		`{"type":"message","id":"a","message":{"role":"user","content":"` + long(40) + `"}}` + "\n" +
			`{"type":"message","id":"b","parentId":"a","message":{"role":"toolResult","toolName":"read","useless":true,"content":[{"type":"text","text":"` + long(99) + `"}]}}` + "\n" +
			`{"type":"context_edit","id":"c","parentId":"b","targetId":"a","replacement":null}` + "\n" +
			`{"type":"message","id":"d","parentId":"c","message":{"role":"assistant","content":"x"}}`,
		`{"type":"message","id":"a","message":{"role":"system","content":null,"sections":[],"toolsAdded":[7,{"name":"x"}]}}` + "\n" +
			`{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"x"}}` + "\n" +
			`{"type":"message","id":"b","parentId":"b","message":{"role":"user","content":"y"}}`,
	} {
		f.Add([]byte(odd))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var lines [][]byte
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			if _, err := entry.Parse(line); err == nil && len(lines) < 24 {
				lines = append(lines, line)
			}
		}
		s := tell(t, lines...)
		for _, d := range spelling.All() {
			r := compaction.RulesOf(d.Name)
			r.Pruning.Protect, r.Pruning.Minimum = 10, 0
			for leaf := -1; leaf < len(lines); leaf++ {
				all(t, s, d, r, leaf)
			}
		}
	})
}

// all does everything with the branch that ends with leaf.
func all(t *testing.T, s *told, d spelling.Dialect, r compaction.Rules, leaf int) {
	path := s.tree.Path(leaf, tree.Healed)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(b entry.Body) {
		t.Helper()
		line, err := entry.Encode(nil, entry.Stamp{ID: "x"}, b)
		must(err)
		if !jsontext.Value(line).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			t.Fatalf("not JSON: %s", line)
		}
	}
	fill, err := r.Used(s.list, path)
	must(err)
	if fill.Tokens != fill.Counted+fill.Estimated || fill.Tokens < 0 {
		t.Fatalf("fill %+v", fill)
	}
	pruning, err := r.Prune(s.list, path, compaction.PruneOptions{})
	must(err)
	for _, e := range pruning.Edits {
		write(e.Body(d.Name))
	}
	left, err := r.Abandon(s.tree, s.list, compaction.Move{From: leaf, To: 0, Links: tree.Healed}, 20)
	must(err)
	left.Request(compaction.RequestOptions{})
	write(left.Body(nil, compact.Result{Summary: left.Join("s")}))
	p, err := r.Prepare(s.list, path, compact.Settings{KeepRecent: 10})
	if errors.Is(err, compact.ErrNothing) || errors.Is(err, compact.ErrCompacted) {
		return
	}
	must(err)
	for _, o := range []compaction.RequestOptions{{}, {Window: 1}} {
		for at := 0; at < len(p.Summarize); {
			next := at
			if _, next = p.History(at, "s", o); next <= at {
				t.Fatalf("asks from message %d again", at)
			}
			at = next
		}
		p.TurnPrefix(o)
		p.Short("s", o)
	}
	write(p.Body(compact.Result{Summary: p.Join("h", "p")}))
}
