package transcript_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/sessiontest"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
)

// TestAround: around every entry of sessions with branches and damages stands what leads
// there and what goes on from there, on the branch where the session goes on if it is on it.
func TestAround(t *testing.T) {
	dir, checked := scratch.OwnDir(t), 0
	for seed := range uint64(60) {
		data, _ := sessiontest.Damaged(seed)
		path := filepath.Join(dir, "s.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := session.Open(t.Context(), path, session.Options{ReadOnly: true})
		if err != nil {
			continue // there is nothing left to read
		}
		at, list := tree.Of(s.Tree()), s.List()
		said := func(path []int) []int {
			return slices.DeleteFunc(slices.Clone(path), func(i int) bool { return !tree.Conversation(list.Kind(i)) })
		}
		var active []int
		if s.LeafPosition() >= 0 {
			active = at.Path(s.LeafPosition(), tree.Healed)
		}
		for i := range at.Len() {
			before, after := transcript.Around(s, i, 3)
			path := at.Path(i, tree.Healed)
			want := said(path[:len(path)-1])
			if want = want[max(0, len(want)-3):]; !slices.Equal(before, want) {
				t.Fatalf("seed %d: before entry %d stand %d, want %d", seed, i, before, want)
			}
			if len(after) > 3 || len(said(after)) != len(after) {
				t.Fatalf("seed %d: behind entry %d stand %d", seed, i, after)
			}
			down := i
			for _, j := range after {
				if !slices.Contains(at.Path(j, tree.Healed), down) {
					t.Fatalf("seed %d: entry %d does not go on from %d", seed, j, down)
				}
				down = j
			}
			if on := slices.Index(active, i); on >= 0 {
				rest := said(active[on+1:])
				if n := min(3, len(rest)); !slices.Equal(after[:min(n, len(after))], rest[:n]) {
					t.Fatalf("seed %d: behind entry %d stand %d, want %d", seed, i, after, rest)
				}
			}
			checked++
		}
		for _, i := range []int{-1, at.Len()} {
			if before, after := transcript.Around(s, i, 3); before != nil || after != nil {
				t.Errorf("around entry %d stand %d, %d", i, before, after)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if checked < 1000 {
		t.Errorf("%d entries were looked at", checked)
	}
}
