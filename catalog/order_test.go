package catalog

import (
	"cmp"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestOrder: few and many items come in the order that comparing them gives.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-3, 3), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, 0}), rapid.Int64Range(1_700_000_000_000_000_000, 1_800_000_000_000_000_000))
		keys := rapid.SliceOfN(key, 1, 40).Draw(t, "keys")
		all := make([]item, 0, 40*len(keys))
		for n := range rapid.IntRange(1, 40).Draw(t, "times") * len(keys) {
			all = append(all, item{key: keys[n%len(keys)] ^ int64(n/len(keys)%7), at: int32(n * 7919 % 100_003)})
		}
		sooner := func(a, b *item) int { return cmp.Compare(a.at, b.at) }
		want := slices.Clone(all)
		slices.SortFunc(want, func(a, b item) int { return cmp.Or(cmp.Compare(b.key, a.key), sooner(&a, &b)) })
		order(all, sooner)
		if diff := gocmp.Diff(want, all, gocmp.AllowUnexported(item{})); diff != "" {
			t.Fatalf("%d items (-want +got):\n%s", len(all), diff)
		}
	})
}
