package journal

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/google/go-cmp/cmp"
)

// A pass over a long log keeps no index of it while it is one branch, and finds
// all that an index has when it is not, wherever that shows.
func TestLongPasses(t *testing.T) {
	const n = maxRun + 3000
	for _, test := range []struct {
		name     string
		jump     int // the entry that does not follow the one before, 0 for none
		damaged  int // the entry whose line is torn, 0 for none
		straight bool
		kept     int // entries that are in the index
	}{
		{"straight", 0, 0, true, 0},
		{"branched early", 10, 0, false, n},
		{"branched late", maxRun + 2000, 0, false, n},
		{"branched last", n - 1, 0, false, n},
		{"damaged late", 0, maxRun + 1000, false, n - 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log bytes.Buffer
			log.WriteString("{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n")
			parent := "null"
			for i := range n {
				if i > 0 && i == test.jump {
					parent = fmt.Sprintf(`"%08x"`, i/2)
				}
				line := fmt.Sprintf(`{"type":"message","id":"%08x","parentId":%s,"message":{"role":"user"}}`, i, parent)
				if i > 0 && i == test.damaged {
					line = line[:50]
				}
				log.WriteString(line + "\n")
				parent = fmt.Sprintf(`"%08x"`, i)
			}
			data := bytes.NewReader(log.Bytes())
			seen := 0
			pass := Pass{Scanner: entry.NewScanner(nil, nil), Entry: func(*entry.Envelope, []byte, entry.At) { seen++ }}
			for range 2 { // in the memory of the one before, too
				seen = 0
				g, err := pass.Read(t.Context(), data, data.Size())
				if err != nil {
					t.Fatal(err)
				}
				want, err := scanBytes(t.Context(), data, data.Size(), 1)
				if err != nil {
					t.Fatal(err)
				}
				if g.Straight != test.straight || g.Len() != want.x.Len() || seen != g.Len() || g.x.Len() != test.kept {
					t.Fatalf("straight: %v, %d entries of %d, %d told, %d kept", g.Straight, g.Len(), want.x.Len(), seen, g.x.Len())
				}
				if diff := cmp.Diff(fmt.Sprintf("%+v %+v", want.gaps, want.damage), fmt.Sprintf("%+v %+v", g.Gaps, *g.Damage)); diff != "" {
					t.Errorf("-whole +passed:\n%s", diff)
				}
				if g.Straight {
					if g.List() != nil {
						t.Error("a straight log has a list")
					}
					continue
				}
				list := g.List()
				for i := range list.Len() {
					a, _ := list.ID(i)
					b, _ := want.x.ID(i)
					if a != b || list.Parent(i) != want.x.Parent(i) || list.At(i) != want.x.At(i) || list.Kind(i) != want.x.Kind(i) {
						t.Fatalf("entry %d: %q %d %v, want %q %d %v", i, a, list.Parent(i), list.At(i), b, want.x.Parent(i), want.x.At(i))
					}
				}
			}
		})
	}
}
