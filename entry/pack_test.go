package entry_test

import (
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// answers are all that an index says.
func answers(x *entry.Index) []known {
	all := make([]known, x.Len())
	for i := range all {
		all[i] = answer(x, i)
	}
	return all
}

// parsed packs an index of a log and reads it back.
func parsed(t interface {
	Helper()
	Fatal(...any)
}, x *entry.Index, size int64, lines int) *entry.Index {
	t.Helper()
	y, err := entry.ParseIndex(x.AppendBinary(nil), size, lines)
	if err != nil {
		t.Fatal(err)
	}
	return y
}

func same(t *rapid.T, when string, want, got []known) {
	if !slices.Equal(want, got) {
		t.Fatalf("%s (-added +packed):\n%s", when, cmp.Diff(want, got))
	}
}

// What was packed answers as before, also when more is added, and for whoever
// holds a snapshot meanwhile.
func TestPackedAnswersTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := entry.NewStretch()
		off, line := int64(0), 0
		names := rapid.OneOf(
			rapid.Just[[]byte](nil),
			rapid.Custom(func(t *rapid.T) []byte { return fmt.Appendf(nil, "%08x", rapid.IntRange(0, 30).Draw(t, "hex")) }),
			rapid.SampledFrom([][]byte{{}, []byte("x"), []byte("0198c2a1-5f0c"), make([]byte, 300)}),
		)
		before := []byte(nil)
		add := func(all ...*entry.Index) {
			e := &entry.Envelope{Kind: entry.Kind(rapid.IntRange(0, 20).Draw(t, "kind")), ID: names.Draw(t, "id"), Parent: before,
				Ref: names.Draw(t, "ref"), Todos: rapid.Bool().Draw(t, "todos"), Time: rapid.SampledFrom([]int64{entry.NoTime, 0, 1.7e12, 1.7e12 + 5, 1.8e12}).Draw(t, "time")}
			if rapid.IntRange(0, 4).Draw(t, "jump") == 0 {
				e.Parent = names.Draw(t, "parent")
			}
			before = e.ID
			if from := rapid.SampledFrom([]int{0, 110, 300}).Draw(t, "body"); from > 0 {
				e.Body = jsonl.Span{Start: from, End: from + 50}
			}
			line += rapid.SampledFrom([]int{1, 1, 1, 1, 2}).Draw(t, "lines")
			at := entry.At{Off: off, Len: int64(e.Body.End) + rapid.Int64Range(1, 2).Draw(t, "after"), Line: line}
			off += at.Len + 1
			for _, x := range all {
				x.Add(e, at)
			}
		}
		for range rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 40), rapid.IntRange(0, 40), rapid.IntRange(4090, 4100)).Draw(t, "n") {
			add(x)
		}
		y := parsed(t, x, off, line)
		for range rapid.IntRange(0, 3).Draw(t, "grown") { // before the ids are known
			add(x, y)
		}
		x.Rehash()
		y.RehashLater()
		early := y.Snapshot()
		want := answers(x)
		if rapid.Bool().Draw(t, "asked") {
			same(t, "at once", want, answers(y))
		}
		for range rapid.IntRange(0, 3).Draw(t, "more") {
			add(x, y)
		}
		same(t, "with more added", answers(x), answers(y))
		same(t, "in a snapshot", want, answers(early))
	})
}

// spoken are lines of many kinds, as a log holds them one after the other.
func spoken() (lines []string) {
	for _, kind := range []string{
		"message", "thinking_level_change", "model_change", "service_tier_change", "compaction", "branch_summary", "custom",
		"custom_message", "label", "session_info", "usage", "context_edit", "ttsr_injection", "session_init", "mode_change",
		"mcp_tool_selection", "title_change", "model_usage", "credential_pin", "reset_boundary", "other",
	} {
		id, up := fmt.Sprintf("%08x", 2*len(lines)+1), fmt.Sprintf("%08x", 2*len(lines))
		lines = append(lines,
			fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%q,"timestamp":"2026-01-01T00:00:00.000Z","customType":"c","targetId":"t"}`, kind, id, up),
			fmt.Sprintf(`{"type":"message","id":"x%s","parentId":%q,"message":{"role":"toolResult","toolCallId":"call_1","content":[],"details":{"todos":[]}}}`, id, id))
	}
	return lines
}

func spokenIndex(t testing.TB) (x *entry.Index, size int64, lines int) {
	x = entry.NewStretch()
	var e entry.Envelope
	for _, line := range spoken() {
		if err := e.Scan([]byte(line)); err != nil {
			t.Fatal(err)
		}
		lines++
		x.Add(&e, entry.At{Off: size, Len: int64(len(line)), Line: lines})
		size += int64(len(line)) + 1
	}
	return x, size, lines
}

// What is packed is read by later versions of the program. When this fails
// because the form changed, or what is found in a line, packVersion has to
// change, and the sum below.
func TestPackedFormHasAVersion(t *testing.T) {
	x, _, _ := spokenIndex(t)
	if sum := crc32.ChecksumIEEE(x.AppendBinary(nil)); sum != 0xf6d8fd41 {
		t.Errorf("the sum of the packed index is %#x", sum)
	}
}

// Whatever the bytes, they are refused or are an index that can be asked all.
func FuzzParseIndex(f *testing.F) {
	x, size, lines := spokenIndex(f)
	f.Add(x.AppendBinary(nil), size, lines)
	f.Add(entry.NewStretch().AppendBinary(nil), int64(0), 0)
	wide := entry.NewStretch()
	wide.Add(&entry.Envelope{ID: []byte("a"), Body: jsonl.Span{Start: 300, End: 310}}, entry.At{Len: 400, Line: 1})
	wide.Add(&entry.Envelope{Time: entry.NoTime, Parent: []byte("a")}, entry.At{Off: 500, Len: 40, Line: 7})
	f.Add(wide.AppendBinary(nil), int64(600), 9)
	f.Fuzz(func(t *testing.T, data []byte, size int64, lines int) {
		x, err := entry.ParseIndex(data, size, lines)
		if err != nil {
			return
		}
		x.RehashLater()
		end := int64(0)
		for i, k := range answers(x) {
			if k.At.Off < end || k.At.Off+k.At.Len > size || k.At.Line < 1 || k.At.Line > lines || k.Body.End > int(k.At.Len) {
				t.Fatalf("entry %d is at %+v, its message at %+v, in %d bytes", i, k.At, k.Body, size)
			}
			end = k.At.Off + k.At.Len
			_, _, _ = k.Kind.String(), x.Role(i).String(), x.Twin(i)
		}
		x.Add(&entry.Envelope{ID: []byte("new"), Parent: []byte("a")}, entry.At{Off: end, Len: 1, Line: 1})
		if x.Find("new") != x.Len()-1 {
			t.Fatal("what was added is not found")
		}
	})
}
