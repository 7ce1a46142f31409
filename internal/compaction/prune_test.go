package compaction_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/google/go-cmp/cmp"
)

// notices returns what is pruned, oldest first.
func notices(p compaction.Pruning) []string {
	var out []string
	for _, e := range p.Edits {
		out = append([]string{e.ID + " " + e.Notice}, out...)
	}
	return out
}

func TestPrune(t *testing.T) {
	const cut = "[Output truncated - 30000 tokens]"
	big, newest := long(30_000), result("n", "bash", long(40_000), "")
	tests := []struct {
		name   string
		bodies []string
		o      compaction.PruneOptions
		pi     []string
		omp    []string
	}{
		{
			name:   "the newest 40,000 stay",
			bodies: []string{result("a", "bash", big, ""), result("b", "bash", big, ""), result("c", "bash", big, "")},
			pi:     []string{"e0 " + cut}, omp: []string{"e0 " + cut},
		},
		{
			name:   "too little is saved",
			bodies: []string{result("a", "bash", long(20_008), ""), newest},
		},
		{
			name:   "just enough is saved",
			bodies: []string{result("a", "bash", long(20_009), ""), newest},
			pi:     []string{"e0 [Output truncated - 20009 tokens]"}, omp: []string{"e0 [Output truncated - 20009 tokens]"},
		},
		{
			name:   "skills stay, reads by dialect",
			bodies: []string{result("a", "skill", big, ""), toolCall("b", "read", "x.go"), result("b", "read", big, ""), newest},
			omp:    []string{"e2 " + cut},
		},
		{
			name:   "reads of skills stay",
			bodies: []string{toolCall("b", "read", "skill://x"), result("b", "read", big, ""), newest},
		},
		{
			name:   "pruned before",
			bodies: []string{result("a", "bash", big, `,"prunedAt":5`), newest},
		},
		{
			name: "edited before",
			bodies: []string{
				result("a", "bash", big, ""), newest,
				`"type":"context_edit","targetId":"e0","replacement":{"content":"` + big + `"}`,
				`"type":"custom","customType":"cambium.edit","data":{"targetId":"e0","replacement":{"content":"` + big + `"}}`,
			},
		},
		{
			name:   "small ones by dialect",
			bodies: []string{result("a", "bash", long(49), ""), result("b", "bash", big, ""), newest},
			pi:     []string{"e0 [Output truncated - 49 tokens]", "e1 " + cut}, omp: []string{"e1 " + cut},
		},
		{
			name: "compacted away",
			bodies: []string{
				result("a", "bash", big, ""), user("x"),
				`"type":"compaction","summary":"s","firstKeptEntryId":"e1","tokensBefore":1`, newest,
			},
		},
		{
			name:   "useless at any age",
			bodies: []string{result("a", "bash", big, `,"useless":true`), result("b", "bash", big, `,"useless":true,"isError":true`)},
			omp:    []string{"e0 [Uneventful result elided]"},
		},
		{
			name: "read again",
			bodies: []string{
				toolCall("a", "read", "x.go"), result("a", "read", big, ""),
				toolCall("b", "read", "x.go:5-20"), result("b", "read", big, ""),
				toolCall("c", "read", "x.go:raw:5"), result("c", "read", big, ""),
				toolCall("d", "read", "x.go:5-20"), result("d", "read", "new", ""),
			},
			omp: []string{"e1 " + cut, "e3 [Superseded by a newer read of this file]"},
		},
		{
			name: "read again whole",
			bodies: []string{
				toolCall("a", "read", "x.go:1-5"), result("a", "read", big, ""),
				toolCall("b", "read", "x.go"), result("b", "read", "new", ""),
			},
			omp: []string{"e1 [Superseded by a newer read of this file]"},
		},
		{
			name:   "left alone for the cache",
			bodies: []string{result("a", "bash", big, ""), newest, user("x")},
			o:      compaction.PruneOptions{WarmSuffix: 40_000},
		},
		{
			name:   "kept by the caller",
			bodies: []string{toolCall("a", "bash", "plan.md"), result("a", "bash", big, ""), newest},
			o: compaction.PruneOptions{Keep: func(tool string, arguments entry.JSON) bool {
				return tool == "bash" && string(arguments) == `{"path":"plan.md"}`
			}},
		},
	}
	for _, tt := range tests {
		s := chain(t, tt.bodies...)
		for name, want := range map[dialect.Name][]string{dialect.Pi: tt.pi, dialect.Xcsh: tt.pi, dialect.Omp: tt.omp} {
			_, r := rules(t, name)
			p, err := r.Prune(s.list, s.path(), tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, notices(p)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", tt.name, name, diff)
			}
		}
	}
}

func TestEditBodies(t *testing.T) {
	s := chain(t, result("a", "bash", long(30_000), `,"details":{"k":1}`), result("b", "bash", long(40_000), ""))
	const content = `[{"type":"text","text":"[Output truncated - 30000 tokens]"}]`
	for name, want := range map[dialect.Name]string{
		dialect.Pi:      `"type":"context_edit","targetId":"e0","replacement":{"content":` + content + `}`,
		dialect.Omp:     `"type":"custom","customType":"cambium.edit","data":{"targetId":"e0","replacement":{"content":` + content + `,"prunedAt":9}}`,
		dialect.Cambium: `"type":"custom","customType":"cambium.edit","data":{"targetId":"e0","replacement":{"content":` + content + `,"prunedAt":9}}`,
	} {
		_, r := rules(t, name)
		p, err := r.Prune(s.list, s.path(), compaction.PruneOptions{Now: 9})
		if err != nil || len(p.Edits) != 1 {
			t.Fatalf("%s: %d edits, %v", name, len(p.Edits), err)
		}
		line, err := entry.Encode(nil, entry.Stamp{ID: "x"}, p.Edits[0].Body(name))
		if err != nil {
			t.Fatal(err)
		}
		kind, _ := jsonedit.Text(line, "type")
		inner := jsonedit.Delete(line, "type", "id", "parentId", "timestamp")
		if got := fmt.Sprintf("%q:%q,%s", "type", kind, inner[1:len(inner)-1]); got != want {
			t.Errorf("%s: body %s, want %s", name, got, want)
		}
		stored, err := s.list.Load(0)
		if err != nil {
			t.Fatal(err)
		}
		rewritten := string(p.Edits[0].Line(stored))
		if !strings.Contains(rewritten, `"content":`+content) || !strings.Contains(rewritten, `"details":{"k":1},"prunedAt":9}`) {
			t.Errorf("%s: rewritten %s", name, rewritten)
		}
	}
}
