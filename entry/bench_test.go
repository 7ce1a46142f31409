package entry_test

import (
	"fmt"
	"testing"

	"github.com/cambium-dev/cambium/entry"
)

// BenchmarkIndex fills an index with the envelopes of a session on one branch
// and enters the ids.
func BenchmarkIndex(b *testing.B) {
	const n = 180_000
	all := make([]entry.Envelope, n)
	for i := range all {
		id := func(i int) []byte { return fmt.Appendf(nil, "%08x", uint32(i)*2654435761) }
		all[i] = entry.Envelope{Kind: entry.Message, Role: entry.RoleUser, ID: id(i), Time: int64(i) * 9000}
		all[i].Body.Start, all[i].Body.End = 110, 638
		if i > 0 {
			all[i].Parent = id(i - 1)
		}
		if i%4 == 2 {
			all[i].Ref = fmt.Appendf(nil, "call_%d", i)
		}
	}
	b.Run("fill", func(b *testing.B) {
		for b.Loop() {
			x := entry.NewStretch()
			for i := range all {
				x.Add(&all[i], entry.At{Off: int64(i) * 640, Len: 639, Line: i + 2})
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entry")
	})
	x := entry.NewStretch()
	for i := range all {
		x.Add(&all[i], entry.At{Off: int64(i) * 640, Len: 639, Line: i + 2})
	}
	b.Run("rehash", func(b *testing.B) {
		for b.Loop() {
			x.Rehash()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entry")
	})
	b.Run("parent", func(b *testing.B) {
		for b.Loop() {
			for i := range n {
				x.Parent(i)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entry")
	})
}
