package entry_test

import (
	"fmt"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// nth is an envelope like those of a session: most name the one before as their
// parent, some have a further name, some have no id or a parent elsewhere.
func nth(i int) *entry.Envelope {
	e := &entry.Envelope{Kind: entry.Message, Time: int64(i)}
	if i%11 != 5 {
		e.ID = fmt.Appendf(nil, "%08x", i)
	}
	switch {
	case i%7 == 3:
		e.Parent = fmt.Appendf(nil, "%08x", i/2)
	case i%13 == 4:
		e.Parent = []byte{}
	case i > 0:
		e.Parent = fmt.Appendf(nil, "%08x", i-1)
	}
	if i%3 == 2 {
		e.Ref = fmt.Appendf(nil, "call_%d", i)
	}
	return e
}

// Names are shared between entries where they stand side by side; each entry
// must still answer with its own.
func TestNames(t *testing.T) {
	x := entry.NewIndex()
	for i := range 20_000 {
		x.Add(nth(i), entry.At{Off: int64(i), Len: 1, Line: i + 1})
	}
	for i := range 20_000 {
		e := nth(i)
		id, hasID := x.ID(i)
		parent, hasParent := x.ParentID(i)
		if id != string(e.ID) || hasID != (e.ID != nil) || parent != string(e.Parent) || hasParent != (e.Parent != nil) || x.Ref(i) != string(e.Ref) {
			t.Fatalf("entry %d: id %q %t, parent %q %t, ref %q, want %+v", i, id, hasID, parent, hasParent, x.Ref(i), e)
		}
	}
}

func TestMergeEqualsOneStretch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// About as many entries as a chunk of rows holds, and far fewer.
		sizes := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(4080, 4110), rapid.IntRange(0, 9000)), 1, 4).Draw(t, "sizes")
		whole, merged := entry.NewStretch(), entry.NewStretch()
		n := 0
		for k, size := range sizes {
			y := entry.NewStretch()
			for i := range size {
				e := nth(n)
				whole.Add(e, entry.At{Off: int64(n), Len: 9, Line: n + 1})
				y.Add(e, entry.At{Off: int64(n), Len: 9, Line: i + 1})
				n++
			}
			if k == 0 {
				merged = y
				continue
			}
			merged.Merge(y, n-size)
			if y.Len() != 0 {
				t.Fatalf("%d entries are left in what was merged", y.Len())
			}
		}
		whole.Rehash()
		merged.Rehash()
		// What is added later must find its place too.
		for range 3 {
			whole.Add(nth(n), entry.At{Off: int64(n), Len: 9, Line: n + 1})
			merged.Add(nth(n), entry.At{Off: int64(n), Len: 9, Line: n + 1})
			n++
		}
		if diff := cmp.Diff(describe(whole), describe(merged)); diff != "" {
			t.Fatalf("sizes %v (-one stretch +merged):\n%s", sizes, diff)
		}
	})
}

func TestResetEqualsANewStretch(t *testing.T) {
	used := entry.NewStretch()
	for _, rows := range []int{5000, 3, 0, 9000, 40} {
		used.Reset()
		fresh := entry.NewStretch()
		for i := range rows {
			e, at := nth(i+rows), entry.At{Off: int64(100 * i), Len: 99, Line: i + 1}
			used.Add(e, at)
			fresh.Add(e, at)
		}
		used.Rehash()
		fresh.Rehash()
		for i := range rows {
			id, ok := used.ID(i)
			wantID, wantOK := fresh.ID(i)
			if id != wantID || ok != wantOK || used.Parent(i) != fresh.Parent(i) || used.Ref(i) != fresh.Ref(i) ||
				used.At(i) != fresh.At(i) || used.Time(i) != fresh.Time(i) || used.Find(id) != fresh.Find(id) {
				t.Fatalf("entry %d of %d after a reset: %q, %v at %v, want %q, %v", i, rows, id, ok, used.At(i), wantID, wantOK)
			}
		}
		if used.Len() != fresh.Len() {
			t.Errorf("%d entries after a reset, want %d", used.Len(), fresh.Len())
		}
	}
}

// A table that fills beside what is done with the index answers as one that is full.
func TestFillBeside(t *testing.T) {
	const n = 50_000
	x := entry.NewIndex()
	for i := range n {
		x.Add(nth(i), entry.At{Off: int64(i), Len: 1, Line: i + 1})
	}
	x.RehashLater()
	x.Fill()
	seen := x.Snapshot()
	found := make(chan int)
	go func() { found <- seen.Find("0000c34f") }()
	for i := range 100 {
		x.Move(n-1-i, entry.At{Off: int64(2*n - i), Len: 1, Line: n - i})
		x.Add(nth(n+i), entry.At{Off: int64(3*n + i), Len: 1, Line: n + i + 1})
	}
	if at := <-found; at != n-1 {
		t.Errorf("the snapshot finds the last at %d", at)
	}
	for i := range n + 100 {
		if id, ok := x.ID(i); ok && x.Find(id) != i {
			t.Fatalf("entry %d is found at %d", i, x.Find(id))
		}
	}
}
