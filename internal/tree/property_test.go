package tree_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// lines draws entries with few ids, so that duplicates, orphans, self-parents
// and cycles are frequent.
func lines(t *rapid.T) []string {
	id := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"})
	kind := rapid.SampledFrom([]string{"message", "custom", "label", "compaction", "unknown"})
	times := rapid.SampledFrom([]string{"", `"timestamp":"2026-01-01T00:00:01.000Z",`, `"timestamp":"2026-01-01T00:00:02.000Z",`})
	n := rapid.IntRange(0, 40).Draw(t, "n")
	all := make([]string, n)
	for i := range all {
		parent := "null"
		if rapid.Bool().Draw(t, "has") {
			parent = fmt.Sprintf("%q", id.Draw(t, "parent"))
		}
		own := fmt.Sprintf(`"id":%q,`, id.Draw(t, "id"))
		if rapid.IntRange(0, 9).Draw(t, "nameless") == 0 {
			own = ""
		}
		key := "parentId"
		if rapid.IntRange(0, 4).Draw(t, "misspelt") == 0 {
			key = "pareWtId" // by a letter, which healing sees
		}
		all[i] = fmt.Sprintf(`{"type":%q,%s%s%q:%s,"message":{"role":"user"},"targetId":%q,"label":%q}`,
			kind.Draw(t, "type"), own, times.Draw(t, "time"), key, parent, id.Draw(t, "target"),
			rapid.SampledFrom([]string{"", "x"}).Draw(t, "label"))
	}
	return all
}

func gaps(t *rapid.T, n int) []tree.Gap {
	id := rapid.SampledFrom([]string{"", "a", "g1", "g2", "p"})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) tree.Gap {
		return tree.Gap{
			ID: id.Draw(t, "id"), ParentID: id.Draw(t, "parent"), HasParent: rapid.Bool().Draw(t, "has"),
			At: rapid.IntRange(0, n).Draw(t, "at"),
		}
	}), 0, 5).Draw(t, "gaps")
}

func TestEveryEntryIsReachable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := lines(t)
		l := of(t, all)
		tr := tree.New(l, gaps(t, len(all)))
		for _, links := range []tree.Links{tree.Strict, tree.Healed} {
			seen := make([]int, len(all))
			depth := 0
			for node := range tr.Nodes(links) {
				seen[node.Entry]++
				if node.Depth > depth+1 {
					t.Fatalf("depth %d after %d", node.Depth, depth)
				}
				depth = node.Depth
			}
			for i, n := range seen {
				if n != 1 {
					t.Fatalf("entry %d comes %d times", i, n)
				}
			}
			for i := range all {
				checkPath(t, tr, i, links)
			}
			text, err := tr.AppendJSON(nil, links)
			if err != nil || !jsontext.Value(text).IsValid() {
				t.Fatalf("tree: %v %s", err, text)
			}
		}
		for _, tip := range tr.Tips() {
			if tip < 0 || tip >= len(all) {
				t.Fatalf("tip %d", tip)
			}
		}
		if leaf := tr.Leaf(); leaf >= len(all) || leaf < 0 && len(all) > 0 {
			t.Fatalf("leaf %d", leaf)
		}
	})
}

func checkPath(t *rapid.T, tr *tree.Tree, i int, links tree.Links) {
	path := tr.Path(i, links)
	if len(path) == 0 || path[len(path)-1] != i {
		t.Fatalf("path of %d: %v", i, path)
	}
	once := map[int]bool{}
	for n, at := range path {
		if once[at] {
			t.Fatalf("path of %d repeats %d", i, at)
		}
		once[at] = true
		if n > 0 && tr.Parent(at, links) != path[n-1] {
			t.Fatalf("path of %d: %v breaks at %d", i, path, at)
		}
	}
	strict, healed := tr.Path(i, tree.Strict), tr.Path(i, tree.Healed)
	if len(healed) < len(strict) || !slices.Equal(healed[len(healed)-len(strict):], strict) {
		t.Fatalf("healed path %v does not end with the strict one %v", healed, strict)
	}
	if plan, err := tr.Branched(i, links); err != nil || len(plan.Kept) > len(path) {
		t.Fatalf("branched: %v %v", plan, err)
	}
}

func of(t *rapid.T, all []string) *entry.List {
	var raw [][]byte
	for _, l := range all {
		raw = append(raw, []byte(l))
	}
	l, err := entry.NewList(raw)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// picture is all that a tree says.
type picture struct {
	Parents, Healed []int
	Roots           [2][]int
	Children        [2][][]int
	Heals           []tree.Heal
	Labels          []tree.Label
	Tips            []int
	Leaf            int
}

func look(t *rapid.T, tr *tree.Tree) picture {
	var p picture
	for i := range tr.Len() {
		p.Parents = append(p.Parents, tr.Parent(i, tree.Strict))
		p.Healed = append(p.Healed, tr.Parent(i, tree.Healed))
	}
	for _, links := range []tree.Links{tree.Strict, tree.Healed} {
		p.Roots[links] = tr.Roots(links)
		for i := range tr.Len() + 1 {
			p.Children[links] = append(p.Children[links], tr.Children(i-1, links))
		}
	}
	p.Heals = append(p.Heals, tr.Heals()...)
	p.Tips, p.Leaf = tr.Tips(), tr.Leaf()
	var err error
	if p.Labels, err = tr.Labels(); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestGrowingIsBuilding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := lines(t)
		g := newGrown()
		tr := tree.New(g.List, nil)
		for _, line := range all {
			var e entry.Envelope
			if err := e.Scan([]byte(line)); err != nil {
				t.Fatal(err)
			}
			g.lines = append(g.lines, []byte(line))
			g.Add(&e, entry.At{Len: int64(len(line)), Line: len(g.lines)})
			if rapid.Bool().Draw(t, "look") {
				look(t, tr)
			}
		}
		if diff := cmp.Diff(look(t, tree.New(of(t, all), nil)), look(t, tr)); diff != "" {
			t.Fatalf("(-built +grown):\n%s", diff)
		}
	})
}

func BenchmarkTree(b *testing.B) {
	const n = 183_000
	raw := make([][]byte, n)
	for i := range raw {
		parent := ""
		if i > 0 {
			parent = fmt.Sprintf("%08x", i-1)
		}
		raw[i] = []byte(say(fmt.Sprintf("%08x", i), parent))
	}
	l, err := entry.NewList(raw)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			tree.New(l, nil)
		}
	})
	tr := tree.New(l, nil)
	b.Run("path", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			tr.Path(n-1, tree.Healed)
		}
	})
	b.Run("nodes", func(b *testing.B) {
		for b.Loop() {
			for range tr.Nodes(tree.Strict) {
			}
		}
	})
}
