package storagetest

import (
	"slices"
	"testing"
	"time"
)

// AtOnce is a benchmark: it calls do b.N times, shared among writers, each of
// which calls it with its own number and waits for one call to end before the
// next. It reports how long the calls took: the median, the times that 99 and 99.9
// of a hundred do not reach, and the longest, in µs; and, beside the median, the
// median of the writer that waited longest, and the longest call.
func AtOnce(b *testing.B, writers int, do func(writer int) error) {
	b.Helper()
	done := make(chan error)
	waits := make([][]time.Duration, writers)
	b.ResetTimer()
	for w := range writers {
		go func() {
			var err error
			for n := b.N/writers + 1; n > 0 && err == nil; n-- {
				began := time.Now()
				err = do(w)
				waits[w] = append(waits[w], time.Since(began))
			}
			done <- err
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	all := slices.Concat(waits...)
	slices.Sort(all)
	at := func(of int) time.Duration { return all[min(len(all)*of/1000, len(all)-1)] }
	for unit, d := range map[string]time.Duration{
		"µs-median": at(500), "µs-p99": at(990), "µs-p99.9": at(999), "µs-longest": at(1000),
	} {
		b.ReportMetric(float64(d.Microseconds()), unit)
	}
	slowest := time.Duration(0)
	for _, of := range waits {
		slices.Sort(of)
		slowest = max(slowest, of[len(of)/2])
	}
	b.ReportMetric(float64(slowest)/float64(at(500)), "slowest-session/median")
	b.ReportMetric(float64(at(1000))/float64(at(500)), "longest-wait/median")
}
