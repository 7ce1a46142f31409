package vectors_test

import (
	"strconv"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// branch returns the entries of a vector as a list and as a path, as they stand:
// some give no parents.
func (b *sandbox) branch() (l *entry.List, path []int) {
	var lines [][]byte
	for line := range jsonedit.Elements(b.input("entries")) {
		path = append(path, len(lines))
		lines = append(lines, line)
	}
	l, err := entry.NewList(lines)
	b.must(err)
	return l, path
}

// cutPoints cuts for each of the budgets, and counts each message.
func cutPoints(b *sandbox) []part {
	rules := compaction.RulesOf(b.rules().Name)
	l, path := b.branch()
	var counts jsonedit.Array
	for i := range path {
		line, err := l.Load(i)
		b.must(err)
		if msg, ok := jsonedit.Get(line, "message"); ok {
			counts.Add(jsonedit.IntValue(int64(rules.Count.Estimate(msg))))
		}
	}
	var cuts jsonedit.Object
	budgets, _ := jsonedit.Get(b.v.Args, "keepRecentTokens")
	for raw := range jsonedit.Elements(budgets) {
		keep, _ := jsonedit.Int(raw)
		cut, err := rules.CutAt(l, path, int(keep))
		b.must(err)
		var o jsonedit.Object
		o.Int("firstKeptEntryIndex", int64(cut.First)).Int("turnStartIndex", int64(cut.Turn))
		cuts.Add(strconv.FormatInt(keep, 10), o.Bool("isSplitTurn", cut.Turn >= 0).Value())
	}
	var out jsonedit.Object
	for _, key := range []string{"estimateTokens", "countMessage"} {
		out.Add(key, counts.Value())
	}
	return b.byKey(out.Add("cutPoints", cuts.Value()).Value())
}

// pruned prunes, and tells of each entry what its text became or how long it is.
func pruned(b *sandbox) []part {
	const now = 1_800_000_000_000
	l, path := b.branch()
	p, err := compaction.RulesOf(b.rules().Name).Prune(l, path, compaction.PruneOptions{Now: now})
	b.must(err)
	lines := map[int]jsontext.Value{}
	for _, e := range p.Edits {
		line, err := l.Load(e.Entry)
		b.must(err)
		lines[e.Entry] = jsontext.Value(e.Line(line))
		if at, _ := jsonedit.Path(lines[e.Entry], "message", "prunedAt"); string(at) != strconv.Itoa(now) {
			b.t.Errorf("entry %d: prunedAt is %s, want %d", e.Entry, at, now)
		}
	}
	var contents jsonedit.Array
	for i := range path {
		line, err := l.Load(i)
		b.must(err)
		edited, ok := lines[i]
		if ok {
			line = edited
		}
		content, _ := jsonedit.Path(line, "message", "content")
		for block := range jsonedit.Elements(content) {
			text, _ := jsonedit.Get(block, "text")
			if !ok {
				text = jsonedit.IntValue(int64(jsonedit.UnitsRaw(text)))
			}
			contents.Add(text)
		}
	}
	var result, out jsonedit.Object
	result.Int("prunedCount", int64(len(p.Edits))).Int("tokensSaved", int64(p.Saved))
	return b.byKey(out.Add("result", result.Value()).Add("contents", contents.Value()).Value())
}
