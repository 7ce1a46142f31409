package entry_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// known is what an index was told of an entry, in full.
type known struct {
	At             entry.At
	Time           int64
	Body           jsonl.Span
	ID, Parent     string
	HasID, HasUp   bool
	Ref            string
	Kind           entry.Kind
	Todos          bool
	Up, Last, Twin int // answers that follow from the others
}

func tell(e *entry.Envelope, at entry.At) known {
	return known{At: at, Time: e.Time, Body: e.Body, ID: string(e.ID), Parent: string(e.Parent),
		HasID: e.ID != nil, HasUp: e.Parent != nil, Ref: string(e.Ref), Kind: e.Kind, Todos: e.Todos}
}

// answer is what it says.
func answer(x *entry.Index, i int) known {
	k := known{At: x.At(i), Time: x.Time(i), Body: x.Body(i), Ref: x.Ref(i), Kind: x.Kind(i), Todos: x.Todos(i)}
	k.ID, k.HasID = x.ID(i)
	k.Parent, k.HasUp = x.ParentID(i)
	k.Up, k.Last, k.Twin = x.Parent(i), x.Find(k.ID), x.Twin(i)
	return k
}

// follow finds the answers that follow, as their documents say.
func follow(all []known) {
	for i := range all {
		k := &all[i]
		k.Up, k.Last, k.Twin = entry.None, -1, -1
		if k.HasUp {
			k.Up = entry.Orphan
		}
		for j, other := range all {
			if other.HasID && other.ID == k.ID {
				k.Last = j
				if j < i && k.HasID {
					k.Twin = j
				}
			}
			if k.HasUp && other.HasID && other.ID == k.Parent && (j < i || j > i && k.Up < 0) {
				k.Up = j
			}
		}
	}
}

// A row has little room. Whatever does not fit in it must come back all the
// same.
func TestWhateverIsToldComesBack(t *testing.T) {
	names := rapid.OneOf(
		rapid.Just[[]byte](nil),
		rapid.Custom(func(t *rapid.T) []byte { return fmt.Appendf(nil, "%08x", rapid.IntRange(0, 9).Draw(t, "hex")) }),
		rapid.SampledFrom([][]byte{{}, []byte("x"), []byte("0000000A"), []byte("0000000g"), []byte("0198c2a1-5f0c"), make([]byte, 300)}),
	)
	times := rapid.OneOf(rapid.Int64Range(1.7e12, 1.7e12+9e6), rapid.SampledFrom([]int64{
		entry.NoTime, 0, -1, math.MinInt64 + 1, math.MaxInt64, 1.8e12, 8.64e15, math.MinInt64 + 1<<31}))
	envelope := rapid.Custom(func(t *rapid.T) *entry.Envelope {
		e := &entry.Envelope{Kind: entry.Message, ID: names.Draw(t, "id"), Parent: names.Draw(t, "parent"),
			Ref: names.Draw(t, "ref"), Todos: rapid.Bool().Draw(t, "todos"), Time: times.Draw(t, "time")}
		if from := rapid.SampledFrom([]int{0, 1, 110, 255, 256, 70_000}).Draw(t, "body"); from > 0 {
			e.Body = jsonl.Span{Start: from, End: from + rapid.SampledFrom([]int{1, 2, 100_000}).Draw(t, "length")}
		}
		return e
	})
	rapid.Check(t, func(t *rapid.T) {
		x := entry.NewIndex()
		var all []known
		off, line := int64(0), 0
		place := func(e *entry.Envelope) entry.At {
			line += rapid.SampledFrom([]int{1, 1, 1, 1, 1, 2}).Draw(t, "lines")
			at := entry.At{Off: off, Len: int64(e.Body.End) + rapid.SampledFrom([]int64{1, 1, 1, 1, 0, 2}).Draw(t, "after"), Line: line}
			if rapid.IntRange(0, 9).Draw(t, "out") == 0 {
				at.Off, at.Line = rapid.SampledFrom([]int64{-1, 1 << 33, 1 << 50}).Draw(t, "off"), 0
			}
			off += at.Len + 1
			return at
		}
		for range rapid.IntRange(0, 40).Draw(t, "n") {
			e := envelope.Draw(t, "entry")
			i := rapid.IntRange(0, max(0, len(all)-1)).Draw(t, "at")
			what := rapid.IntRange(0, 9).Draw(t, "what")
			switch {
			case len(all) == 0 || what > 2:
				at := place(e)
				x.Add(e, at)
				all = append(all, tell(e, at))
				continue
			case what == 0:
				all[i].At = place(e)
				x.Move(i, all[i].At)
				continue
			case what == 1:
				x.Amend(i, e)
				all[i] = tell(e, all[i].At)
			default:
				var up *string
				if e.Parent != nil {
					up = new(string)
					*up = string(e.Parent)
				}
				x.Rename(i, string(e.ID), up)
				all[i].ID, all[i].HasID, all[i].Parent, all[i].HasUp = string(e.ID), true, string(e.Parent), up != nil
			}
			x.Rehash()
		}
		follow(all)
		for i := range all {
			if diff := cmp.Diff(all[i], answer(x, i)); diff != "" {
				t.Fatalf("entry %d of %d (-told +answered):\n%s", i, len(all), diff)
			}
		}
	})
}
