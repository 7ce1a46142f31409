package entry_test

import (
	"fmt"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// describe lists all that an index answers.
func describe(x *entry.Index) []string {
	var all []string
	for i := range x.Len() {
		id, _ := x.ID(i)
		parent, _ := x.ParentID(i)
		all = append(all, fmt.Sprint(id, parent, x.Kind(i), x.At(i), x.Parent(i), x.Twin(i), x.Find(id)))
	}
	return all
}

func TestSnapshotStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := entry.NewIndex()
		var e entry.Envelope
		type taken struct {
			y    *entry.Index
			want []string
		}
		var all []taken
		for n := range rapid.IntRange(1, 60).Draw(t, "n") {
			switch what := rapid.IntRange(0, 5).Draw(t, "what"); {
			case what == 0:
				y := x.Snapshot()
				all = append(all, taken{y, describe(y)})
			case what == 1 && x.Len() > 0:
				x.Move(rapid.IntRange(0, x.Len()-1).Draw(t, "at"), entry.At{Off: int64(n), Len: 7, Line: n})
			default:
				id, parent := rapid.IntRange(0, 20).Draw(t, "id"), rapid.IntRange(0, 20).Draw(t, "parent")
				line := fmt.Sprintf(`{"type":"message","id":"i%d","parentId":"i%d"}`, id, parent)
				if err := e.Scan([]byte(line)); err != nil {
					t.Fatal(err)
				}
				x.Add(&e, entry.At{Off: int64(n)})
			}
		}
		for _, s := range all {
			if diff := cmp.Diff(s.want, describe(s.y)); diff != "" {
				t.Fatalf("a snapshot changed (-was +is):\n%s", diff)
			}
		}
	})
}
