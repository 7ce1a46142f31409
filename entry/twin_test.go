package entry_test

import (
	"fmt"
	"testing"

	"github.com/cambium-dev/cambium/entry"
)

// TestTwins: of many entries with one id any is found, and few are passed on the way.
func TestTwins(t *testing.T) {
	const n = 20_000
	x := entry.NewIndex()
	for i := range n {
		var e entry.Envelope
		if err := e.Scan(fmt.Appendf(nil, `{"type":"message","id":"%d"}`, i%2)); err != nil {
			t.Fatal(err)
		}
		x.Add(&e, entry.At{Off: int64(i), Len: 1, Line: i + 1})
	}
	for i := range n {
		before, after := x.Around("1", i)
		wantBefore, wantAfter := i-1-i%2, i+1-i%2
		if i < 2 {
			wantBefore = -1
		}
		if before != wantBefore || after != wantAfter {
			t.Fatalf("around %d: %d and %d, want %d and %d", i, before, after, wantBefore, wantAfter)
		}
		if hops := x.Hops("1", i); hops > 64 {
			t.Fatalf("on the way to %d %d entries are passed", i, hops)
		}
	}
	if before, after := x.Around("2", 7); before != -1 || after != -1 {
		t.Errorf("around an id that nobody has: %d and %d", before, after)
	}
}
