package compaction_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/replay"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// random returns a random session of a dialect, with or without damage, and one
// of its entries as the leaf.
func random(t *testing.T, rt *rapid.T, d dialect.Name) (*told, int) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 7))
	s := sessiongen.Random(rng, sessiongen.Options{
		Dialect: sessiongen.Dialect(d), Clean: rapid.Bool().Draw(rt, "clean"), NoSlot: true, Newlines: sessiongen.LF,
	})
	var lines [][]byte
	for line := range bytes.SplitSeq(s.Bytes, []byte("\n")) {
		if e, err := entry.Parse(line); err == nil && e.Kind != entry.Session && e.Kind != entry.Title {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		rt.Skip("no entries")
	}
	return tell(t, lines...), rapid.IntRange(0, len(lines)-1).Draw(rt, "leaf")
}

// anyRules are a dialect's, without what removes messages because of others.
func anyRules(t *testing.T, rt *rapid.T) (spelling.Dialect, compaction.Rules, dialect.Name) {
	d := rapid.SampledFrom(spelling.All()).Draw(rt, "dialect")
	return d, compaction.RulesOf(d.Name).Bare(), d.Name
}

// seen returns what the model sees, without summaries of what was compacted and
// system messages, and those apart.
func seen(rt *rapid.T, s *told, path []int, r compaction.Rules) (said []replay.Message, summary, system []string) {
	c, err := replay.Build(s.list, path, r.Replay())
	if err != nil {
		rt.Fatal(err)
	}
	for m, err := range c.Messages() {
		switch {
		case err != nil:
			rt.Fatal(err)
		case m.Entry == c.Cut() && m.Role == entry.RoleCompactionSummary:
			text, _ := jsonedit.Text(m.JSON, "summary")
			summary = append(summary, text)
		case r.System && m.Role == entry.RoleSystem:
			system = append(system, string(m.JSON))
		default:
			said = append(said, m)
		}
	}
	return said, summary, system
}

// TestCompactionLosesNothing says that every message the model sees is summed up,
// in the prefix, or kept, in order and once; that what is kept does not begin with
// a tool's result; and that after the compaction the model sees the summary and
// what was kept.
func TestCompactionLosesNothing(t *testing.T) {
	done := map[dialect.Name]int{}
	rapid.Check(t, func(rt *rapid.T) {
		_, r, name := anyRules(t, rt)
		s, leaf := random(t, rt, name)
		path := s.tree.Path(leaf, tree.Healed)
		keep := rapid.SampledFrom([]int{-1, 1, 30, 200, 1000}).Draw(rt, "keep")
		p, err := r.Prepare(s.list, path, compact.Settings{KeepRecent: keep})
		if errors.Is(err, compact.ErrNothing) || errors.Is(err, compact.ErrCompacted) {
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		done[name]++
		before, summary, _ := seen(rt, s, path, r)
		all := append(append(append([]replay.Message(nil), p.Summarize...), p.Prefix...), p.Kept...)
		if diff := cmp.Diff(jsonsOf(before), jsonsOf(all)); diff != "" {
			rt.Fatalf("not what the model sees (-seen +prepared):\n%s", diff)
		}
		for _, m := range p.Kept[:min(1, len(p.Kept))] {
			if m.Role == entry.RoleToolResult {
				rt.Fatal("what is kept begins with the result of a tool")
			}
		}
		if len(summary) > 0 && summary[0] != p.PreviousSummary {
			rt.Fatalf("previous summary %q, want %q", p.PreviousSummary, summary[0])
		}
		after := s.with(t, leaf, "compacted", p.Body(compact.Result{Summary: "made", Time: 5}))
		longer := append(path[:len(path):len(path)], after.list.Len()-1)
		now, summaries, _ := seen(rt, after, longer, r)
		if diff := cmp.Diff([]string{"made"}, summaries); diff != "" {
			rt.Fatalf("summaries (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(jsonsOf(p.Kept), jsonsOf(now)); diff != "" {
			rt.Fatalf("after it (-kept +seen):\n%s", diff)
		}
		if _, err := r.Prepare(after.list, longer, compact.Settings{KeepRecent: keep}); !errors.Is(err, compact.ErrCompacted) {
			rt.Fatalf("compacting again: %v", err)
		}
	})
	if len(done) == 0 {
		t.Errorf("compacted by dialect: %v", done)
	}
}

// TestPruningShowsNotices says that after the edits the model sees the notices in
// place of the results and everything else as before, and that nothing more is
// pruned then.
func TestPruningShowsNotices(t *testing.T) {
	done := map[dialect.Name]int{}
	rapid.Check(t, func(rt *rapid.T) {
		d, r, name := anyRules(t, rt)
		r.Pruning.Minimum, r.Pruning.Floor, r.Pruning.Tools = 0, 0, nil
		r.Pruning.Protect = rapid.IntRange(0, 40).Draw(rt, "protect")
		s, leaf := random(t, rt, name)
		path := s.tree.Path(leaf, tree.Healed)
		p, err := r.Prune(s.list, path, compaction.PruneOptions{Now: 9})
		if err != nil {
			rt.Fatal(err)
		}
		notices := map[int]string{}
		after, longer := s, path[:len(path):len(path)]
		for i, e := range p.Edits {
			done[name]++
			notices[e.Entry] = string(e.Content())
			after = after.with(t, longer[len(longer)-1], "edit"+string(rune('a'+i)), e.Body(d.Name))
			longer = append(longer, after.list.Len()-1)
		}
		if len(p.Edits) == 0 {
			return
		}
		before, _, _ := seen(rt, s, path, r)
		now, _, _ := seen(rt, after, longer, r)
		if len(now) != len(before) {
			rt.Fatalf("%d messages, want %d", len(now), len(before))
		}
		for i, m := range before {
			want := m.JSON
			if notice, ok := notices[m.Entry]; ok {
				want = jsonedit.Set(want, "content", []byte(notice))
			}
			if string(now[i].JSON) != string(want) {
				rt.Fatalf("message %d is %s, want %s", i, now[i].JSON, want)
			}
		}
		again, err := r.Prune(after.list, longer, compaction.PruneOptions{Now: 10})
		for _, e := range again.Edits {
			if notices[e.Entry] != "" {
				rt.Fatalf("pruned again: entry %d, %v", e.Entry, err)
			}
		}
	})
	if len(done) == 0 {
		t.Errorf("pruned by dialect: %v", done)
	}
}
