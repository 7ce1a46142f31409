package tree_test

import (
	"fmt"
	"testing"

	"github.com/cambium-dev/cambium/internal/tree"
)

// TestFloods: the work on a session of nothing but one kind of trouble grows with its
// lines, not with their square.
func TestFloods(t *testing.T) {
	id := func(i int) string { return fmt.Sprintf(`"id":"%08x",`, i) }
	for name, line := range map[string]func(i, n int) string{
		"no entry":              func(int, int) string { return `{}` },
		"a kind of nobody":      func(int, int) string { return `{"type":"x"}` },
		"an empty id":           func(int, int) string { return `{"id":""}` },
		"one id":                func(int, int) string { return `{"type":"message","id":"a","parentId":"a"}` },
		"two ids by turns":      func(i, _ int) string { return fmt.Sprintf(`{"type":"message","id":"%d","parentId":"%d"}`, i%2, i%2) },
		"a parent that is gone": func(i, _ int) string { return fmt.Sprintf(`{"type":"message",%s"parentId":"gone"}`, id(i)) },
		"parents that are gone": func(i, _ int) string { return fmt.Sprintf(`{"type":"message",%s"parentId":"gone %d"}`, id(i), i) },
		"one parent":            func(i, _ int) string { return fmt.Sprintf(`{"type":"message",%s"parentId":"%08x"}`, id(i), 0) },
		"a cycle":               func(i, n int) string { return fmt.Sprintf(`{"type":"message",%s"parentId":"%08x"}`, id(i), (i+n-1)%n) },
		"results of calls": func(i, _ int) string {
			return fmt.Sprintf(`{"type":"message",%s"parentId":"gone %d","message":{"role":"toolResult","toolCallId":"k"}}`, id(i), i)
		},
		"compactions of what is gone": func(i, _ int) string {
			return fmt.Sprintf(`{"type":"compaction",%s"parentId":"gone","firstKeptEntryId":"gone"}`, id(i))
		},
		"compactions in a cycle": func(i, n int) string {
			return fmt.Sprintf(`{"type":"compaction",%s"parentId":"%08x","firstKeptEntryId":"gone"}`, id(i), (i+n-1)%n)
		},
		"labels": func(i, _ int) string {
			return fmt.Sprintf(`{"type":"label",%s"parentId":null,"targetId":"a","label":"x"}`, id(i))
		},
	} {
		t.Run(name, func(t *testing.T) {
			work := func(n int, broken []tree.Gap) (steps, asked int) {
				all := make([]string, n)
				for i := range all {
					all[i] = line(i, n)
				}
				tr := tree.New(list(t, all...), broken)
				names := tree.Names("seed")
				if _, err := tr.Relink(func(taken func(string) bool) (string, error) {
					return names(func(id string) bool { asked++; return taken(id) })
				}); err != nil {
					t.Fatal(err)
				}
				return tr.Steps(), asked
			}
			broken := func(n int) []tree.Gap {
				all := make([]tree.Gap, n)
				for i := range all {
					all[i] = tree.Gap{ID: "gone", ParentID: "gone", HasParent: i%2 == 0, At: n}
				}
				return all
			}
			const n = 3000
			for _, with := range []bool{false, true} {
				var some, more []tree.Gap
				if with {
					some, more = broken(n), broken(2*n)
				}
				steps, asked := work(n, some)
				steps2, asked2 := work(2*n, more)
				if steps2 > 22*steps/10+n || asked2 > 22*asked/10+n {
					t.Errorf("damaged lines: %v: %d lines take %d steps and %d names, %d lines %d and %d", with, n, steps, asked, 2*n, steps2, asked2)
				}
			}
		})
	}
}

// TestWays: it says what the paths say.
func TestWays(t *testing.T) {
	for _, parents := range [][]string{
		{"null", `"0"`, `"1"`, `"1"`, `"7"`, `"4"`},
		{`"2"`, `"0"`, `"1"`, `"1"`, `"3"`, `null`},
	} {
		var all []string
		for i, parent := range parents {
			all = append(all, fmt.Sprintf(`{"type":"message","id":"%d","parentId":%s}`, i, parent))
		}
		tr := tree.New(list(t, all...), nil)
		for _, links := range []tree.Links{tree.Strict, tree.Healed} {
			on := tr.Ways(links)
			for from := range all {
				path := map[int]bool{}
				for _, i := range tr.Path(from, links) {
					path[i] = true
				}
				for at := range all {
					if on(at, from) != path[at] {
						t.Errorf("%v: entry %d on the way to %d: %v", parents, at, from, on(at, from))
					}
				}
			}
		}
	}
}
