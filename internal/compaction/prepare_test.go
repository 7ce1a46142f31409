package compaction_test

import (
	"errors"
	"testing"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/google/go-cmp/cmp"
)

// outline is a preparation by ids.
type outline struct {
	First, Summarize, Prefix, Kept, Previous string
}

func TestPrepare(t *testing.T) {
	const model = `"type":"model_change","provider":"p","modelId":"m"`
	const note = `"type":"custom_message","customType":"note","content":"x","display":true`
	second := []string{
		user(long(100)), answer(long(100)), user(long(100)), answer(long(30)),
		`"type":"compaction","summary":"first","firstKeptEntryId":"e2","tokensBefore":1`,
		user(long(100)), answer(long(10)),
	}
	tests := []struct {
		name    string
		dialect dialect.Name
		bodies  []string
		keep    int
		want    outline
		err     error
	}{
		{name: "empty", dialect: dialect.Pi, err: compact.ErrNothing},
		{name: "short", dialect: dialect.Pi, bodies: []string{user("a"), answer("b")}, keep: 100, err: compact.ErrNothing},
		{name: "only a result", dialect: dialect.Pi, bodies: []string{result("c", "bash", long(9), "")}, keep: 1, err: compact.ErrNothing},
		{
			name: "between turns", dialect: dialect.Pi, keep: 20,
			bodies: []string{user(long(50)), answer(long(50)), user(long(20)), answer(long(5))},
			want:   outline{First: "e2", Summarize: "e0 e1", Kept: "e2 e3"},
		},
		{
			name: "within a turn", dialect: dialect.Pi, keep: 20,
			bodies: []string{user(long(50)), answer(long(50)), user(long(20)), answer(long(30)), answer(long(10)), answer(long(10))},
			want:   outline{First: "e4", Summarize: "e0 e1", Prefix: "e2 e3", Kept: "e4 e5"},
		},
		{
			name: "within the only turn", dialect: dialect.Omp, keep: 20,
			bodies: []string{user(long(50)), answer(long(50)), answer(long(5))},
			want:   outline{First: "e2", Prefix: "e0 e1", Kept: "e2"},
		},
		{
			name: "never at a result", dialect: dialect.Pi, keep: 20,
			bodies: []string{user("a"), answer("b"), user("c"), toolCall("c", "bash", "x"), result("c", "bash", long(50), "")},
			want:   outline{First: "e3", Summarize: "e0 e1", Prefix: "e2", Kept: "e3 e4"},
		},
		{
			name: "never at a result, xcsh keeps all", dialect: dialect.Xcsh, keep: 20,
			bodies: []string{user("a"), answer("b"), user("c"), toolCall("c", "bash", "x"), result("c", "bash", long(50), "")},
			err:    compact.ErrNothing,
		},
		{
			name: "settings go with what they were made for", dialect: dialect.Xcsh, keep: 20,
			bodies: []string{user("a"), answer("b"), model, user(long(30))},
			want:   outline{First: "e2", Prefix: "e0 e1", Kept: "e3"},
		},
		{
			name: "omp keeps from the message itself", dialect: dialect.Omp, keep: 30,
			bodies: []string{user("a"), answer("b"), model, user(long(30))},
			want:   outline{First: "e3", Summarize: "e0 e1", Kept: "e3"},
		},
		{
			name: "an extension's message begins a turn", dialect: dialect.Pi, keep: 10,
			bodies: []string{user("a"), note, answer(long(10))},
			want:   outline{First: "e2", Summarize: "e0", Prefix: "e1", Kept: "e2"},
		},
		{
			name: "second", dialect: dialect.Pi, keep: 50, bodies: second,
			want: outline{First: "e5", Summarize: "e2 e3", Kept: "e5 e6", Previous: "first"},
		},
		{
			name: "second of omp", dialect: dialect.Omp, keep: 120, bodies: second,
			want: outline{First: "e5", Summarize: "e2 e3", Kept: "e5 e6", Previous: "first"},
		},
		{
			name: "second of xcsh", dialect: dialect.Xcsh, keep: 50, bodies: second,
			want: outline{First: "e5", Summarize: "e2 e3", Kept: "e5 e6", Previous: "first"},
		},
		{name: "at once again", dialect: dialect.Xcsh, keep: 1, bodies: second[:5], err: compact.ErrCompacted},
		{
			name: "the provider counts twice as much", dialect: dialect.Xcsh, keep: 100,
			bodies: []string{user(long(60)), answer(long(39)), user(long(60)), used(320)},
			want:   outline{First: "e2", Summarize: "e0 e1", Kept: "e2 e3"},
		},
		{
			name: "pi does not mind", dialect: dialect.Pi, keep: 100,
			bodies: []string{user(long(60)), answer(long(39)), user(long(60)), used(320)},
			want:   outline{First: "e1", Prefix: "e0", Kept: "e1 e2 e3"},
		},
		{
			name: "answers edited away", dialect: dialect.Pi, keep: 10,
			bodies: []string{
				user(long(20)), answer("b"), user(long(20)), answer("c"),
				`"type":"context_edit","targetId":"e3","replacement":null`,
			},
			want: outline{First: "e3", Summarize: "e0 e1", Prefix: "e2"},
		},
		{
			name: "reset", dialect: dialect.Omp, keep: 10,
			bodies: []string{user(long(20)), `"type":"reset_boundary"`, user(long(20)), answer(long(5))},
			want:   outline{First: "e3", Prefix: "e2", Kept: "e3"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, r := rules(t, tt.dialect)
			s := chain(t, tt.bodies...)
			p, err := r.Prepare(s.list, s.path(), compact.Settings{KeepRecent: tt.keep})
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if err != nil {
				return
			}
			got := outline{p.FirstKeptEntryID, ids(s, p.Summarize), ids(s, p.Prefix), ids(s, p.Kept), p.PreviousSummary}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if p.Split != (got.Prefix != "") {
				t.Errorf("Split is %t with the prefix %q", p.Split, got.Prefix)
			}
		})
	}
}

// TestRepeatedIDsAreNotKeptFrom: an id that an earlier entry has would keep from
// there.
func TestRepeatedIDsAreNotKeptFrom(t *testing.T) {
	_, r := rules(t, dialect.Pi)
	s := tell(t,
		[]byte(`{"id":"a","parentId":null,`+user(long(50))+`}`),
		[]byte(`{"id":"b","parentId":"a",`+answer(long(50))+`}`),
		[]byte(`{"id":"a","parentId":"b",`+user(long(50))+`}`),
		[]byte(`{"id":"c","parentId":"a",`+answer(long(5))+`}`),
	)
	p, err := r.Prepare(s.list, []int{0, 1, 2, 3}, compact.Settings{KeepRecent: 20})
	if err != nil {
		t.Fatal(err)
	}
	if p.FirstKept != 3 {
		t.Errorf("keeps from entry %d, want 3", p.FirstKept)
	}
}

func TestSystemMessageIsCarriedOver(t *testing.T) {
	system := func(members string) string { return `"type":"message","message":{"role":"system",` + members + `}` }
	_, r := rules(t, dialect.Pi)
	s := chain(t,
		system(`"content":"one","sections":{"a":"A","b":"B"},"toolsAdded":[{"name":"x","v":1},{"name":"y"}],"timestamp":1`),
		user(long(50)), answer(long(50)),
		system(`"content":[{"type":"text","text":"two"}],"sections":{"b":null,"c":"C"},"toolsRemoved":[{"name":"y"}],"toolsAdded":[{"name":"x","v":2}],"timestamp":2`),
		user(long(50)), answer("z"),
	)
	p, err := r.Prepare(s.list, s.path(), compact.Settings{KeepRecent: 20})
	if err != nil {
		t.Fatal(err)
	}
	body := p.Body(compact.Result{Summary: "s", Time: 7})
	const want = `{"role":"system","content":"one\n\ntwo","sections":{"a":"A","c":"C"},"toolsAdded":[{"name":"x","v":2}],"timestamp":7}`
	if string(body.SystemMessage) != want {
		t.Errorf("system message %s, want %s", body.SystemMessage, want)
	}
	if got := ids(s, p.Summarize) + "|" + ids(s, p.Kept); got != "e1 e2|e4 e5" {
		t.Errorf("summarised and kept %q", got)
	}
	// A second compaction takes the message of the first as its beginning.
	again := s.with(t, 5, "c", body)
	again = again.with(t, 6, "u", verbatim("message", `{"message":{"role":"user","content":"more"}}`))
	p, err = r.Prepare(again.list, again.path(), compact.Settings{KeepRecent: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Body(compact.Result{Time: 7}).SystemMessage; string(got) != want {
		t.Errorf("system message of the second %s, want %s", got, want)
	}
}
