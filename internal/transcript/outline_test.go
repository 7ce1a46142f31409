package transcript_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/sessiontest"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

// TestOutlineHasEveryEntry: of sessions with branches and damages, and from each end of a
// branch, an outline of all has every entry in one place, each below the one that it hangs
// on; without the others it has the branch.
func TestOutlineHasEveryEntry(t *testing.T) {
	dir, sides, entries := scratch.OwnDir(t), 0, 0
	for seed := range uint64(120) {
		data, _ := sessiontest.Damaged(seed)
		path := filepath.Join(dir, "s.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := session.Open(t.Context(), path, session.Options{ReadOnly: true})
		if err != nil {
			continue // there is nothing left to read
		}
		at := tree.Of(s.Tree())
		for _, leaf := range append(at.Tips(), s.LeafPosition()) {
			id, ok := "", leaf >= 0
			if ok {
				id, ok = s.List().ID(leaf)
			}
			if !ok || s.List().Find(id) != leaf {
				continue // no name leads there
			}
			c, err := s.Context(t.Context(), session.ContextOptions{Leaf: &id})
			if err != nil {
				t.Fatal(err)
			}
			r := transcript.NewReader(s, transcript.Options{Full: true})
			want := map[int]bool{}
			for node := range at.Nodes(tree.Healed) {
				want[node.Entry] = true
			}
			got := map[int]bool{}
			steps := r.Outline(t.Context(), c, leaf, true, tree.Healed)
			depth := 0
			for step, err := range steps {
				if err != nil {
					t.Fatal(err)
				}
				switch step.Turn {
				case transcript.Enter:
					sides++
					depth++
				case transcript.Leave:
					depth--
				case transcript.Elsewhere:
					t.Fatalf("seed %d: a branch is named only", seed)
				default:
					if step.Part.Entry >= 0 {
						got[step.Part.Entry] = true
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" || depth != 0 {
				t.Fatalf("seed %d, leaf %d: (-want +got)\n%s", seed, leaf, diff)
			}
			entries += len(got)
			named, below := 0, 0
			steps = r.Outline(t.Context(), c, leaf, false, tree.Healed)
			for step, err := range steps {
				if err != nil {
					t.Fatal(err)
				}
				if step.Turn == transcript.Elsewhere {
					named, below = named+1, below+step.Entries
				}
			}
			if got := below + len(at.Path(leaf, tree.Healed)); got != len(want) {
				t.Fatalf("seed %d, leaf %d: %d entries on the branch and beside it, want %d", seed, leaf, got, len(want))
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if sides < 100 || entries < 1000 {
		t.Errorf("%d branches and %d entries were looked at", sides, entries)
	}
}
