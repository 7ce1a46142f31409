package catalog_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/google/go-cmp/cmp"
)

// readers is a file system that reads directories only, as others do.
type readers struct{ vfs.FS }

// TestRecentOrder: as many as are asked for come in the order of all, of equal
// times too, with a file system that surveys and with one that does not.
func TestRecentOrder(t *testing.T) {
	h := newHome(t)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		home := []string{pi, omp, xcsh, cambium}[i%4]
		name := h.put(fmt.Sprintf("%s--%d--/%d_%08x.jsonl", home, i%7, i, i), header(fmt.Sprintf("%08x", i), "/work", ""), message("a", "user", "q", ""))
		at := time.Unix(1_700_000_000+r.Int64N(100), 0)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	for info, err := range catalog.Scan(t.Context(), h.options()) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, info.Path)
	}
	if len(want) != 400 {
		t.Fatalf("%d sessions", len(want))
	}
	for _, n := range []int{0, 1, 3, 50, 400} {
		for name, fsys := range map[string]vfs.FS{"survey": vfs.OS(), "read": readers{vfs.OS()}} {
			o := h.options()
			o = vfs.On(o, fsys)
			got := []string{}
			for g, err := range catalog.Recent(t.Context(), o) {
				if err != nil {
					t.Fatal(err)
				}
				if len(got) == n {
					break
				}
				got = append(got, g.Path)
			}
			if diff := cmp.Diff(want[:n], got); diff != "" {
				t.Errorf("%d by %s (-want +got):\n%s", n, name, diff)
			}
		}
	}
}

// TestSameRootTwice: a directory that two homes name is listed once.
func TestSameRootTwice(t *testing.T) {
	h := newHome(t)
	h.put(pi+"--a--/1_00000001.jsonl", header("00000001", "/work", ""), message("a", "user", "q", ""))
	o := h.options()
	o.Agents = []dialect.Name{dialect.Pi, dialect.Pi}
	all, err := catalog.List(t.Context(), o)
	if err != nil || len(all) != 1 {
		t.Errorf("%d sessions, %v", len(all), err)
	}
}
