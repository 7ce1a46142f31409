package catalog_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/sessiontest"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

// told returns the entries that a query finds, and the errors, by session.
func told(t *testing.T, o catalog.Options, q catalog.EntryQuery) (all []catalog.Entry, wrong map[string]*catalog.SessionError) {
	t.Helper()
	wrong = map[string]*catalog.SessionError{}
	for e, err := range catalog.Entries(t.Context(), o, q) {
		var one *catalog.SessionError
		switch {
		case errors.As(err, &one):
			wrong[one.Path] = one
		case err != nil:
			t.Fatal(err)
		default:
			all = append(all, e)
		}
	}
	return all, wrong
}

// TestEntriesSayWhatSessionsSay: every entry of every session is there, on the branch or
// off it, whatever is wrong with its file.
func TestEntriesSayWhatSessionsSay(t *testing.T) {
	h := newHome(t)
	type one struct {
		raw    string
		active bool
	}
	want := map[string][]one{}
	for seed := range uint64(120) {
		data, name := sessiontest.Damaged(seed)
		path := h.put(fmt.Sprintf("%s%d/1_seed%04d.jsonl", filepath.Join(".all", string(name))+"/", seed%3, seed), string(data))
		s, err := session.Open(t.Context(), path, session.Options{Env: layout.Env{Home: "/none"}, Dialect: name, ReadOnly: true})
		if errors.Is(err, session.ErrNotSession) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		on := map[int]bool{}
		for _, i := range tree.Of(s.Tree()).Path(s.LeafPosition(), tree.Healed) {
			on[i] = true
		}
		for i := range s.Len() {
			raw, err := s.List().Load(i)
			if err != nil {
				t.Fatal(err)
			}
			want[path] = append(want[path], one{string(raw), on[i]})
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string][]one{}
	dirs, err := filepath.Glob(filepath.Join(h.dir, ".all", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	damaged := 0
	for _, dir := range dirs {
		o := h.options()
		o.SessionDir = dir
		all, wrong := told(t, o, catalog.EntryQuery{})
		damaged += len(wrong)
		for _, e := range all {
			got[e.Session.Path] = append(got[e.Session.Path], one{string(e.Raw()), e.Active})
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(one{})); diff != "" {
		t.Errorf("entries (-sessions +told):\n%.4000s", diff)
	}
	if damaged == 0 || len(want) < 60 {
		t.Errorf("only %d sessions, %d of them damaged", len(want), damaged)
	}
}

// TestEntriesAddUp: what entries cost that are not inherited is what the sessions cost.
func TestEntriesAddUp(t *testing.T) {
	h := newHome(t)
	u := message("u", "user", "x", "")
	a, b, c, d := answer("a", 1, "one", 1), answer("b", 2, "two", 2), answer("c", 3, "two", 4), answer("d", 4, "three", 8)
	root := h.put(cambium+"w/1_root0001.jsonl", header("root0001", "/w", ""), u, a, b)
	h.put(cambium+"w/2_fork0001.jsonl", header("fork0001", "/w", `,"parentSession":"root0001"`), u, a, b, c)
	h.put(pi+"w/3_fork0002.jsonl", header("fork0002", "/w", fmt.Sprintf(`,"parentSession":%q`, root)), u, a, d)
	h.put(xcsh+"w/4_fork0003.jsonl", header("fork0003", "/w", `,"parentSession":"fork0001"`), u, a, b, c, d)
	h.put(omp+"w/6_fork0005.jsonl", header("fork0005", "/w", `,"parentSession":"gone"`), u, a)
	h.put(omp+"w/7_self0001.jsonl", header("self0001", "/w", `,"parentSession":"self0001"`), u, b)
	want := map[string]catalog.Usage{}
	for _, i := range listed(t, h.options()) {
		want[i.ID] = i.Usage
	}
	got, byModel := map[string]catalog.Usage{}, map[string]float64{}
	all, wrong := told(t, h.options(), catalog.EntryQuery{})
	if len(wrong) > 0 {
		t.Errorf("errors: %v", wrong)
	}
	begun := map[string]bool{}
	for _, e := range all {
		if begun[e.Session.ID] = true; e.Session.Parent == root && !begun["root0001"] {
			t.Error("a fork comes before the session that it was copied from")
		}
		if usage, ok := e.Usage(); ok && !e.Inherited {
			sum := got[e.Session.ID]
			sum.Input, sum.Output, sum.Cost, sum.Messages = sum.Input+usage.Input, sum.Output+usage.Output, sum.Cost+usage.Cost, sum.Messages+usage.Messages
			sum.CacheRead, sum.CacheWrite = sum.CacheRead+usage.CacheRead, sum.CacheWrite+usage.CacheWrite
			got[e.Session.ID] = sum
			byModel[e.Model()] += usage.Cost
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("usage (-listed +summed):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]float64{"p/one": 2, "p/two": 8, "p/three": 16}, byModel); diff != "" {
		t.Errorf("cost by model (-want +got):\n%s", diff)
	}
}

// TestEntriesAreChosen: by session, time, kind, role and model.
func TestEntriesAreChosen(t *testing.T) {
	h := newHome(t)
	h.put(cambium+"w/1_one00001.jsonl", header("one00001", "/w", ""), message("u", "user", "x", ""),
		answer("a", 1, "one", 1), answer("b", 2, "two", 2), `{"type":"label","id":"l","parentId":"b","timestamp":"2026-01-02T03:09:00.000Z","targetId":"b","label":"good"}`)
	path := h.put(pi+"v/1_two00001.jsonl", header("two00001", "/v", ""), message("u", "user", "x", ""), answer("c", 3, "two", 1))
	at := func(minute int) time.Time { return time.Date(2026, 1, 2, 3, minute, 0, 0, time.UTC) }
	for name, test := range map[string]struct {
		cwd  string
		q    catalog.EntryQuery
		want string
	}{
		"all":           {"", catalog.EntryQuery{}, "u a b l u c"},
		"project":       {"/w", catalog.EntryQuery{}, "u a b l"},
		"id":            {"", catalog.EntryQuery{Session: "one00001"}, "u a b l"},
		"path":          {"", catalog.EntryQuery{Session: path}, "u c"},
		"no such":       {"", catalog.EntryQuery{Session: "none"}, ""},
		"kind":          {"", catalog.EntryQuery{Kinds: []entry.Kind{entry.Label}}, "l"},
		"role":          {"", catalog.EntryQuery{Roles: []entry.Role{entry.RoleUser}}, "u u"},
		"model":         {"", catalog.EntryQuery{Model: "two"}, "b c"},
		"model, whole":  {"", catalog.EntryQuery{Model: "p/one"}, "a"},
		"since":         {"", catalog.EntryQuery{Since: at(2)}, "u b l u c"},
		"until":         {"", catalog.EntryQuery{Until: at(3), Roles: []entry.Role{entry.RoleAssistant}}, "a b"},
		"since and til": {"", catalog.EntryQuery{Since: at(1), Until: at(2)}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			o := h.options()
			o.CWD = test.cwd
			all, _ := told(t, o, test.q)
			var ids []string
			for _, e := range all {
				ids = append(ids, e.ID)
			}
			if got := strings.Join(ids, " "); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestEntriesOfOldSessions: those of version 1 have the ids that they get when they are
// brought to the present one, whatever is asked for.
func TestEntriesOfOldSessions(t *testing.T) {
	h := newHome(t)
	path := h.put(pi+"w/1_old00001.jsonl", `{"type":"session","id":"old00001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`,
		`{"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"x"}}`,
		`{"type":"message","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[],"model":"m"}}`)
	s, err := session.Open(t.Context(), path, session.Options{Env: h.options().Env, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want, err := s.List().Load(1)
	if err != nil {
		t.Fatal(err)
	}
	all, wrong := told(t, h.options(), catalog.EntryQuery{Roles: []entry.Role{entry.RoleAssistant}})
	if len(all) != 1 || len(wrong) > 0 || string(all[0].Raw()) != string(want) || !all[0].Active {
		t.Errorf("%+v, %v; want %s", all, wrong, want)
	}
}

// TestEntriesOfDamagedSessions: each is told what is wrong with it, and the others are
// read.
func TestEntriesOfDamagedSessions(t *testing.T) {
	h := newHome(t)
	torn := h.put(cambium+"w/1_torn0001.jsonl", header("torn0001", "/w", ""), message("u", "user", "x", ""), `{"type":"mess`)
	none := h.put(cambium+"w/1_none0001.jsonl", "nothing of the kind")
	shut := h.put(cambium+"w/1_shut0001.jsonl", header("shut0001", "/w", ""), message("u", "user", "x", ""))
	if err := os.Chmod(shut, 0); err != nil {
		t.Fatal(err)
	}
	h.put(cambium+"w/1_good0001.jsonl", header("good0001", "/w", ""), message("g", "user", "x", ""))
	all, wrong := told(t, h.options(), catalog.EntryQuery{})
	found := map[string]bool{}
	for _, e := range all {
		found[e.Session.ID+" "+e.ID] = true
	}
	if !found["torn0001 u"] || !found["good0001 g"] {
		t.Errorf("found %v", found)
	}
	if e := wrong[torn]; e == nil || e.Damage == nil || e.Damage.Unreadable() != 1 {
		t.Errorf("the torn one: %+v", e)
	}
	if e := wrong[none]; e == nil || e.Err == nil {
		t.Errorf("no session: %+v", e)
	}
	if e := wrong[shut]; os.Getuid() != 0 && !errors.Is(e, os.ErrPermission) {
		t.Errorf("unreadable: %v", e)
	}
}

// TestEntriesTellTools: usage by tool is counted by the results.
func TestEntriesTellTools(t *testing.T) {
	h := newHome(t)
	h.put(cambium+"w/1_tool0001.jsonl", header("tool0001", "/w", ""),
		`{"type":"message","id":"r","parentId":null,"timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"toolResult","toolName":"task","content":[],"details":{"usage":{"input":3,"cost":{"total":2}}}}}`)
	all, _ := told(t, h.options(), catalog.EntryQuery{})
	if len(all) != 1 || all[0].Tool() != "task" || all[0].Model() != "" {
		t.Fatalf("%+v", all)
	}
	usage, ok := all[0].Usage()
	if n, _ := jsonedit.Number([]byte("2")); !ok || usage.Cost != n || usage.Input != 3 {
		t.Errorf("%+v, %v", usage, ok)
	}
}
