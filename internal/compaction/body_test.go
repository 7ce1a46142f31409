package compaction_test

import (
	"testing"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tree"
)

// members returns what is written of a body.
func members(t *testing.T, b entry.Body) string {
	t.Helper()
	line, err := entry.Encode(nil, entry.Stamp{ID: "x"}, b)
	if err != nil {
		t.Fatal(err)
	}
	return string(jsonedit.Delete(line, "type", "id", "parentId", "timestamp"))
}

func TestBodies(t *testing.T) {
	yes := true
	all := compact.Result{
		Summary: "s", ShortSummary: "short", FromExtension: &yes, PreserveData: entry.JSON(`{"k":1}`),
		Usage: entry.JSON(`{"totalTokens":5}`), Method: "soft", Warning: "w",
	}
	const files = `{"readFiles":[],"modifiedFiles":["m.go"]}`
	for name, want := range map[dialect.Name]struct{ plain, full, branch string }{
		dialect.Pi: {
			`{"summary":"s","firstKeptEntryId":"e2","tokensBefore":64,"details":` + files + `}`,
			`{"summary":"s","firstKeptEntryId":"e1","tokensBefore":64,"details":{},"usage":{"totalTokens":5},"fromHook":true}`,
			`{"fromId":"e2","summary":"s","details":` + files + `,"usage":{"totalTokens":5},"fromHook":true}`,
		},
		dialect.Xcsh: {
			`{"summary":"s","firstKeptEntryId":"e2","tokensBefore":64,"details":` + files + `}`,
			`{"summary":"s","shortSummary":"short","firstKeptEntryId":"e1","tokensBefore":64,"details":{},"fromExtension":true,"preserveData":{"k":1}}`,
			`{"fromId":"e2","summary":"s","details":` + files + `,"fromExtension":true}`,
		},
		dialect.Omp: {
			`{"summary":"s","firstKeptEntryId":"e2","tokensBefore":59,"tokensAfter":31,"details":` + files + `}`,
			`{"summary":"s","shortSummary":"short","firstKeptEntryId":"e1","tokensBefore":59,"tokensAfter":31,"method":"soft","details":{},` +
				`"fromExtension":true,"preserveData":{"k":1},"warning":"w"}`,
			`{"fromId":"e2","summary":"s","details":` + files + `,"fromExtension":true}`,
		},
	} {
		_, r := rules(t, name)
		s := chain(t, user(long(29)), toolCall("a", "edit", "m.go"), user(long(30)))
		p, err := r.Prepare(s.list, s.path(), compact.Settings{KeepRecent: 30})
		if err != nil {
			t.Fatal(err)
		}
		compareMembers(t, name, want.plain, members(t, p.Body(compact.Result{Summary: "s"})))
		full := all
		full.FirstKeptEntryID, full.Details = "e1", entry.JSON("{}")
		compareMembers(t, name, want.full, members(t, p.Body(full)))
		b, err := r.Abandon(s.tree, s.list, compaction.Move{From: 2, To: -1}, 0)
		if err != nil {
			t.Fatal(err)
		}
		from := entry.ID("e2")
		compareMembers(t, name, want.branch, members(t, b.Body(&from, all)))
		if got := b.Body(nil, all).FromID; got != "root" {
			t.Errorf("%s: from none is %q", name, got)
		}
	}
}

// compareMembers compares members without regard to their order, which is the
// entry's.
func compareMembers(t *testing.T, name dialect.Name, want, got string) {
	t.Helper()
	for _, pair := range [][2]string{{want, got}, {got, want}} {
		for key, v := range jsonedit.Members(entry.JSON(pair[0])) {
			if other, _ := jsonedit.Get(entry.JSON(pair[1]), key); string(other) != string(v) {
				t.Errorf("%s: body %s, want %s", name, got, want)
				return
			}
		}
	}
}

func TestAbandon(t *testing.T) {
	line := func(id, parent, body string) []byte {
		if parent != "null" {
			parent = `"` + parent + `"`
		}
		return []byte(`{"id":"` + id + `","parentId":` + parent + `,"timestamp":"2026-01-02T03:04:05.000Z",` + body + `}`)
	}
	s := tell(t,
		line("a", "null", user("a")),
		line("b", "a", user(long(20))),
		line("c", "b", `"type":"branch_summary","fromId":"x","summary":"`+long(10)+`","details":{"readFiles":["r.go"],"modifiedFiles":["w.go"]}`),
		line("d", "c", toolCall("t", "edit", "d.go")),
		line("e", "d", result("t", "edit", long(50), "")),
		line("f", "e", answer(long(10))),
		line("g", "a", user("other")),
	)
	tests := []struct {
		name     string
		dialect  dialect.Name
		from, to int
		budget   int
		entries  int
		ancestor int
		want     string
	}{
		{name: "from nowhere", dialect: dialect.Pi, from: -1, to: 6, ancestor: tree.None},
		{name: "to nowhere", dialect: dialect.Pi, from: 5, to: -1, entries: 6, ancestor: tree.None, want: "a b c d f"},
		{name: "to a sibling", dialect: dialect.Pi, from: 5, to: 6, entries: 5, ancestor: 0, want: "b c d f"},
		{name: "back", dialect: dialect.Pi, from: 5, to: 3, entries: 2, ancestor: 3, want: "f"},
		{name: "onward", dialect: dialect.Pi, from: 1, to: 5, ancestor: 1},
		{name: "results too", dialect: dialect.Omp, from: 5, to: 6, entries: 5, ancestor: 0, want: "b c d e f"},
		{name: "the newest that fit", dialect: dialect.Pi, from: 5, to: 6, budget: 30, entries: 5, ancestor: 0, want: "c d f"},
		{name: "a summary that almost fits", dialect: dialect.Pi, from: 5, to: 6, budget: 20, entries: 5, ancestor: 0, want: "c d f"},
		{name: "a message that almost fits", dialect: dialect.Pi, from: 5, to: 6, budget: 12, entries: 5, ancestor: 0, want: "f"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, r := rules(t, tt.dialect)
			b, err := r.Abandon(s.tree, s.list, compaction.Move{From: tt.from, To: tt.to, Links: tree.Healed}, tt.budget)
			if err != nil {
				t.Fatal(err)
			}
			if len(b.Entries) != tt.entries || b.Ancestor != tt.ancestor || ids(s, b.Messages) != tt.want {
				t.Errorf("%d entries from %d, messages %q; want %d from %d, %q",
					len(b.Entries), b.Ancestor, ids(s, b.Messages), tt.entries, tt.ancestor, tt.want)
			}
		})
	}
	_, r := rules(t, dialect.Pi)
	b, err := r.Abandon(s.tree, s.list, compaction.Move{From: 5, To: 6}, 0)
	if err != nil {
		t.Fatal(err)
	}
	const want = "S\n\n<read-files>\nr.go\n</read-files>\n\n<modified-files>\nd.go\nw.go\n</modified-files>"
	if got := b.Join("S\n"); got != want {
		t.Errorf("joined %q, want %q", got, want)
	}
	if q := b.Request(compaction.RequestOptions{}); q.MaxTokens != 4096 {
		t.Errorf("at most %d tokens, want 4096", q.MaxTokens)
	}
	if got := compaction.BranchBudget(compact.Settings{}, 200_000); got != 200_000-16_384 {
		t.Errorf("budget %d", got)
	}
}

func TestPreparationForHooks(t *testing.T) {
	_, r := rules(t, dialect.Pi)
	s := chain(t, `"type":"compaction","summary":"s","firstKeptEntryId":"","tokensBefore":1`, user("a"), answer("b"))
	p, err := r.Prepare(s.list, s.path(), compact.Settings{KeepRecent: 1, Disabled: true})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"firstKeptEntryId":"e2","messagesToSummarize":[],"turnPrefixMessages":[{"role":"user","content":"a"}],"isSplitTurn":true,` +
		`"tokensBefore":3,"previousSummary":"s","fileOps":{"read":[],"written":[],"edited":[]},` +
		`"settings":{"enabled":false,"reserveTokens":16384,"keepRecentTokens":1}}`
	if got := string(p.JSON()); got != want {
		t.Errorf("preparation %s, want %s", got, want)
	}
}
