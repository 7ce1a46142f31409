package catalog_test

import (
	"context"
	"encoding/binary"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/catalog"
)

// forging is an index that says what it likes of directories.
type forging struct {
	*remembering
	all []catalog.Kept
}

func (f *forging) Bundles(context.Context, string) iter.Seq2[catalog.Kept, error] {
	return func(yield func(catalog.Kept, error) bool) {
		for _, k := range f.all {
			if !yield(k, nil) {
				return
			}
		}
	}
}

// pathsOf are the paths of a listing.
func pathsOf(t *testing.T, o catalog.Options) (paths []string) {
	t.Helper()
	for _, i := range listed(t, o) {
		paths = append(paths, i.Path)
	}
	slices.Sort(paths)
	return paths
}

// An index never says where a session is: a record of a file of that name and in
// that state, but elsewhere, is none.
func TestARecordLeadsNowhereElse(t *testing.T) {
	h, _ := peopled(t, 6)
	o := h.options()
	o.Empty = true
	x := &remembering{}
	o.Index = x
	want := pathsOf(t, o)
	o.Index = nil
	forged := &forging{remembering: &remembering{}}
	for path, b := range x.packed {
		for r := range b.Records() {
			r.Path = "/elsewhere/" + filepath.Base(path)
			r.Info.Path = r.Path
			made := catalog.Rebundle(nil, []catalog.Record{r}, nil)[0]
			forged.all = append(forged.all, catalog.Kept{Dir: filepath.Dir(path), Bundle: made})
		}
	}
	if len(forged.all) == 0 {
		t.Fatal("nothing was kept")
	}
	o.Index = forged
	if got := pathsOf(t, o); !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
}

// forge changes a bundle as somebody would who knows its form.
func forge(rng *rand.Rand, good catalog.Bundle) catalog.Bundle {
	b := slices.Clone(good)
	odd := []uint32{0, 1, 15, 16, 255, 256, 257, 1 << 16, 1<<31 - 1, 1 << 31, 1<<32 - 1, uint32(len(b)), uint32(len(b)) - 1}
	for range 1 + rng.IntN(3) {
		switch rng.IntN(4) {
		case 0:
			binary.LittleEndian.PutUint32(b[4*rng.IntN(min(len(b)/4, 24)):], odd[rng.IntN(len(odd))])
		case 1:
			binary.LittleEndian.PutUint32(b[4*rng.IntN(len(b)/4):], odd[rng.IntN(len(odd))])
		case 2:
			b[rng.IntN(len(b))] ^= byte(1 + rng.IntN(255))
		default:
			b = b[:max(16, rng.IntN(len(b)+1))]
		}
	}
	return b
}

// Whatever an index says, nothing panics, and what is listed is a file that is
// there.
func TestForgedRecords(t *testing.T) {
	h, _ := peopled(t, 3)
	o := h.options()
	o.Empty = true
	x := &remembering{}
	o.Index = x
	want := pathsOf(t, o)
	var kept []catalog.Kept
	for path, b := range x.packed {
		kept = append(kept, catalog.Kept{Dir: filepath.Dir(path), Bundle: b})
	}
	slices.SortFunc(kept, func(a, b catalog.Kept) int { return strings.Compare(a.Bundle.First(), b.Bundle.First()) })
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 10_000 {
		k := kept[n%len(kept)]
		b := forge(rng, k.Bundle)
		for r := range b.Records() {
			_ = r
		}
		_ = b.First()
		for _, made := range catalog.Rebundle(b, nil, []string{"c"}) {
			_ = made.First()
		}
		if n%25 > 0 { // the rest of it reads files
			continue
		}
		o.Index = &forging{&remembering{}, []catalog.Kept{{Dir: k.Dir, Bundle: b}}}
		for _, path := range pathsOf(t, o) { // one that forges can hide a file, not invent one
			if !slices.Contains(want, path) {
				t.Fatalf("case %d: listed %q, want some of %q", n, path, want)
			}
		}
	}
}
