//go:build peers

package interop_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/replay"
	"github.com/go-json-experiment/json/jsontext"
)

// compacted is how many random sessions each program and Cambium compact.
const compacted = 100

// A summed is a random session that both sides have open, to be summed up.
type summed struct {
	driver *peers.Driver
	agent  dialect.Name
	rules  compaction.Rules
	list   *entry.List
	tree   *tree.Tree
	seed   uint64
}

// TestCutPointsAreThePrograms compares where Cambium would cut the branches of
// random sessions, and what it would sum up, with what the real program would do.
func TestCutPointsAreThePrograms(t *testing.T) {
	for p, name := range programs() {
		t.Run(string(p), func(t *testing.T) {
			var asked, cut, failures int
			each(t, p, name, func(s *summed, rng *rand.Rand) {
				for leaf := range s.list.Len() {
					keep := []int{1, 20, 100, 400, 1500}[rng.IntN(5)]
					did, err := s.prepared(leaf, keep)
					asked++
					if did {
						cut++
					}
					if err != nil {
						failures++
						t.Errorf("seed %d, entry %d, keep %d: %v", s.seed, leaf, keep, err)
					}
					if failures > 10 {
						t.Fatal("too many differ")
					}
				}
			})
			t.Logf("%d branches, %d of them cut", asked, cut)
			if cut < asked/4 {
				t.Errorf("only %d of %d branches were cut", cut, asked)
			}
		})
	}
}

// each opens random sessions on both sides.
func each(t *testing.T, p peers.Program, name dialect.Name, do func(*summed, *rand.Rand)) {
	d, ok := spelling.ByName(string(name))
	if !ok {
		t.Fatalf("no dialect %q", name)
	}
	driver, dir := start(t, p), t.TempDir()
	for seed := range uint64(compacted) {
		rng := rand.New(rand.NewPCG(seed, 61))
		s := sessiongen.Random(rng, sessiongen.Options{Dialect: sessiongen.Dialect(name), Clean: true, NoSlot: true, Newlines: sessiongen.LF})
		path := filepath.Join(dir, fmt.Sprint(seed, ".jsonl"))
		if err := os.WriteFile(path, s.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		call(t, driver, "open", path)
		lines := bytes.Split(bytes.TrimSpace(s.Bytes), []byte("\n"))
		l, err := entry.NewList(lines[1:])
		if err != nil {
			t.Fatal(err)
		}
		do(&summed{driver, d.Name, compaction.RulesOf(d.Name), l, tree.New(l, nil), seed}, rng)
	}
}

func (s *summed) id(i int) string {
	id, _ := s.list.ID(i)
	return id
}

// prepared compares one preparation and reports whether there was anything to do.
func (s *summed) prepared(leaf, keep int) (bool, error) {
	if skip, err := s.unseen(leaf); skip || err != nil {
		return false, err
	}
	theirs, err := s.driver.Call("prepareCompaction", s.id(leaf), keep)
	if err != nil {
		return false, err
	}
	ours, err := s.rules.Prepare(s.list, s.tree.Path(leaf, tree.Strict), compact.Settings{KeepRecent: keep})
	if errors.Is(err, compact.ErrCompacted) || errors.Is(err, compact.ErrNothing) {
		if !jsonedit.IsNull(theirs) {
			return false, fmt.Errorf("%w, but the program keeps from %s", err, get(theirs, "firstKeptEntryId"))
		}
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if text, ok := jsonedit.Get(theirs, "previousSummary"); ok { // ours is text, without lone surrogates
		text, _ = jsonedit.Scrub(text)
		theirs = jsonedit.Set(theirs, "previousSummary", text)
	}
	if jsonedit.IsNull(theirs) {
		return true, fmt.Errorf("keeps from %q, but the program has nothing to compact", ours.FirstKeptEntryID)
	}
	var o jsonedit.Object
	o.String("firstKeptEntryId", ours.FirstKeptEntryID)
	o.Add("summarize", unattributed(messagesOf(ours.Summarize)))
	o.Add("prefix", unattributed(messagesOf(ours.Prefix)))
	o.Add("files", filesOf(ours.Files))
	if ours.Previous >= 0 {
		o.String("previousSummary", ours.PreviousSummary)
	}
	want := jsonedit.Delete(theirs, "split")
	for _, key := range []string{"summarize", "prefix"} {
		want = jsonedit.Set(want, key, unattributed(get(want, key)))
	}
	if s.rules.System { // omp takes the last answer's own figure, compacted or not
		o.Int("tokensBefore", int64(ours.TokensBefore))
	} else {
		want = jsonedit.Delete(want, "tokensBefore")
	}
	return true, peers.Compare(want, o.Value())
}

func messagesOf(msgs []replay.Message) jsontext.Value {
	var a jsonedit.Array
	for _, m := range msgs {
		a.Add(m.JSON)
	}
	return a.Value()
}

// unattributed returns messages without what omp adds to those of extensions when
// it builds a context.
func unattributed(msgs jsontext.Value) jsontext.Value {
	var a jsonedit.Array
	for m := range jsonedit.Elements(msgs) {
		if role, _ := jsonedit.Text(m, "role"); role == entry.RoleCustom.String() {
			m = jsonedit.Delete(m, "attribution")
		}
		a.Add(m)
	}
	return a.Value()
}

// filesOf writes files as the driver does, in our order.
func filesOf(f compaction.Files) jsontext.Value {
	var o jsonedit.Object
	o.Add("read", jsonedit.Strings(f.Read...)).Add("written", jsonedit.Strings(f.Written...))
	return o.Add("edited", jsonedit.Strings(f.Edited...)).Value()
}

// unseen reports whether a branch has entries that omp does not compact as it
// shows them to a model: summaries and extensions' messages without content, and
// hidden ones, which it counts and cuts at but never shows, and what an old
// compaction kept from before a reset, or brings again from before, which it shows
// but does not sum up.
func (s *summed) unseen(leaf int) (bool, error) {
	if s.driver.Program() != peers.Omp {
		return false, nil
	}
	c, err := replay.Build(s.list, s.tree.Path(leaf, tree.Strict), s.agent)
	if err != nil {
		return false, err
	}
	if c.Request() >= 0 {
		return true, nil
	}
	for at, i := range s.tree.Path(leaf, tree.Strict) {
		switch s.list.Kind(i) {
		case entry.ResetBoundary:
			if at >= c.From() {
				return true, nil
			}
		case entry.CustomMessage, entry.BranchSummary:
			if _, ok, err := c.Alone(i); !ok || err != nil {
				return true, err
			}
		}
	}
	return false, nil
}

// TestBranchesAreSummedUpAsByThePrograms compares what would be summed up of a
// branch that is left.
func TestBranchesAreSummedUpAsByThePrograms(t *testing.T) {
	for p, name := range programs() {
		t.Run(string(p), func(t *testing.T) {
			said, failures := 0, 0
			each(t, p, name, func(s *summed, rng *rand.Rand) {
				for range 10 {
					leaf, target := rng.IntN(s.list.Len()), rng.IntN(s.list.Len())
					n, err := s.abandoned(leaf, target, []int{0, 30, 200, 1000}[rng.IntN(4)])
					said += n
					if err != nil {
						t.Errorf("seed %d, from %d to %d: %v", s.seed, leaf, target, err)
						if failures++; failures > 10 {
							t.Fatal("too many differ")
						}
					}
				}
			})
			t.Logf("%d messages", said)
		})
	}
}

// abandoned compares one branch and returns how many messages it has.
func (s *summed) abandoned(leaf, target, budget int) (int, error) {
	if skip, err := s.unseen(leaf); skip || err != nil {
		return 0, err
	}
	for _, i := range s.tree.Path(leaf, tree.Strict) {
		if s.list.Kind(i) == entry.ContextEdit {
			return 0, nil // pi sums up what stood there before
		}
	}
	theirs, err := s.driver.Call("prepareBranch", s.id(leaf), s.id(target), budget)
	if err != nil {
		return 0, err
	}
	ours, err := s.rules.Abandon(s.tree, s.list, compaction.Move{From: leaf, To: target}, budget)
	if err != nil {
		return 0, err
	}
	ids := new(jsonedit.Array)
	for _, i := range ours.Entries {
		ids.String(s.id(i))
	}
	var o jsonedit.Object
	o.Add("entryIds", ids.Value())
	if ours.Ancestor >= 0 {
		o.String("ancestor", s.id(ours.Ancestor))
	} else {
		o.Null("ancestor")
	}
	o.Int("tokens", int64(ours.Tokens)).Add("files", filesOf(ours.Files))
	return len(ours.Messages), peers.Compare(jsonedit.Delete(theirs, "messages"), o.Value())
}

// TestOmpPrunesTheSame compares which results are cut, with small numbers in place
// of the real ones, as random sessions are small.
func TestOmpPrunesTheSame(t *testing.T) {
	cut, failures := 0, 0
	each(t, peers.Omp, dialect.Omp, func(s *summed, rng *rand.Rand) {
		s.rules.Pruning.Protect, s.rules.Pruning.Minimum = rng.IntN(100), 1
		s.rules.Pruning.Floor = 50
		for leaf := range s.list.Len() {
			n, err := s.pruned(leaf)
			cut += n
			if err != nil {
				t.Errorf("seed %d, entry %d: %v", s.seed, leaf, err)
				if failures++; failures > 10 {
					t.Fatal("too many differ")
				}
			}
		}
	})
	t.Logf("%d results cut", cut)
}

// pruned compares one pruning and returns how many results it cuts.
func (s *summed) pruned(leaf int) (int, error) {
	path := s.tree.Path(leaf, tree.Strict)
	for _, i := range path {
		if k := s.list.Kind(i); k == entry.Compaction || k == entry.ResetBoundary {
			return 0, nil // omp is told by its caller what is compacted away
		}
	}
	config := new(jsonedit.Object).Int("protectTokens", int64(s.rules.Pruning.Protect)).Int("minimumSavings", 1)
	theirs, err := s.driver.Call("prune", s.id(leaf), config.Value())
	if err != nil {
		return 0, err
	}
	ours, err := s.rules.Prune(s.list, path, compaction.PruneOptions{Now: 1})
	if err != nil {
		return 0, err
	}
	notices := new(jsonedit.Array)
	for i := len(ours.Edits) - 1; i >= 0; i-- {
		notices.Add(jsonedit.Strings(ours.Edits[i].ID, ours.Edits[i].Notice))
	}
	got := new(jsonedit.Object).Int("saved", int64(ours.Saved)).Add("notices", notices.Value())
	return len(ours.Edits), peers.Compare(theirs, got.Value())
}
