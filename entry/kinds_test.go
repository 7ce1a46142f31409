package entry_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cambium-dev/cambium/entry"
)

// TestKindsAreKnown: an index knows which kinds it has, however it was made.
func TestKindsAreKnown(t *testing.T) {
	x, y := entry.NewStretch(), entry.NewStretch()
	at := entry.At{Off: 100, Len: 50, Line: 1}
	add := func(x *entry.Index, k entry.Kind) {
		x.Add(&entry.Envelope{Kind: k, ID: fmt.Appendf(nil, "%08x", at.Line)}, at)
		at.Off, at.Line = at.Off+60, at.Line+1
	}
	add(x, entry.Message)
	add(x, entry.Label)
	at.Line = 1
	add(y, entry.Custom)
	x.Merge(y, 2)
	x.RehashLater()
	z, err := entry.ParseIndex(x.AppendBinary(nil), 1000, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*entry.Index{x, x.Snapshot(), z} {
		if got := slices.Collect(x.Kinds()); !slices.Equal(got, []entry.Kind{entry.Message, entry.Custom, entry.Label}) || x.Has(entry.Usage) {
			t.Errorf("kinds %v", got)
		}
	}
	if x.Reset(); len(slices.Collect(x.Kinds())) > 0 {
		t.Error("an empty index has kinds")
	}
}

// TestTheTableIsPutOff: until a table that was put off is filled, and after that, ids
// are found as in one that is there, also those that were added meanwhile and come twice.
func TestTheTableIsPutOff(t *testing.T) {
	for fill := range 40 {
		x, want := entry.NewStretch(), entry.NewIndex()
		at := entry.At{Off: 100, Len: 50}
		add := func(n int) {
			at.Off, at.Line = at.Off+60, at.Line+1
			e := &entry.Envelope{Kind: entry.Message}
			switch id := n * 7 % 23; {
			case id%5 == 0:
				e.ID = fmt.Appendf(nil, "a long id %d", id)
			case id%5 < 4:
				e.ID = fmt.Appendf(nil, "%08x", id)
			}
			if n > 2 {
				e.Parent = fmt.Appendf(nil, "%08x", (n-2)*7%23)
			}
			x.Add(e, at)
			want.Add(e, at)
		}
		for n := range 20 {
			add(n)
		}
		x.RehashLater()
		same := func(x, want *entry.Index, find bool) {
			for i := range want.Len() {
				id, _ := want.ID(i)
				if got := x.Find(id); got != want.Find(id) {
					t.Fatalf("filled at %d: id %q of %d is at %d, want %d", fill, id, x.Len(), got, want.Find(id))
				}
				if find && (x.Twin(i) != want.Twin(i) || x.Parent(i) != want.Parent(i)) {
					t.Fatalf("filled at %d: entry %d of %d: twin %d, parent %d, want %d, %d", fill, i, x.Len(), x.Twin(i), x.Parent(i), want.Twin(i), want.Parent(i))
				}
			}
		}
		var before, wanted *entry.Index
		for n := 20; n < 60; n++ {
			if n == 20+fill {
				before, wanted = x.Snapshot(), want.Snapshot()
				_ = x.Twin(0) // fills it
			}
			add(n)
			if x.Find("no such id") >= 0 || x.Find(fmt.Sprintf("%08x", n*7%23)) != want.Find(fmt.Sprintf("%08x", n*7%23)) {
				t.Fatalf("filled at %d: an id of %d is not where it is", fill, x.Len())
			}
			same(x, want, n > 20+fill && n%9 == 0)
		}
		same(before, wanted, true)
		same(x, want, true)
	}
}
