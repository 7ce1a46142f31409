package catalog_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/cambium-dev/cambium/catalog"
)

// BenchmarkWarmList lists sessions that an index knows: a look at every
// directory and a stat of every file.
func BenchmarkWarmList(b *testing.B) {
	for _, n := range []int{2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h := &home{t: b, dir: b.TempDir()}
			for i := range n {
				h.put(fmt.Sprintf("%sp%d/%d_s%07d.jsonl", pi, i%40, i, i),
					header(fmt.Sprintf("s%07d", i), "/work/a", ""), message("a", "user", "prompt", ""))
			}
			o := h.options()
			o.Index = &remembering{}
			warmed(b, o)
		})
	}
	if dir := os.Getenv("CATALOG_HOME"); dir != "" {
		b.Run("CATALOG_HOME", func(b *testing.B) {
			h := &home{t: b, dir: dir}
			o := h.options()
			o.Index = &remembering{}
			warmed(b, o)
		})
	}
}

// warmed fills the index and measures listing with it.
func warmed(b *testing.B, o catalog.Options) {
	if _, err := catalog.List(b.Context(), o); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := catalog.List(b.Context(), o); err != nil {
			b.Fatal(err)
		}
	}
}
