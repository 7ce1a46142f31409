//go:build peers

package tour_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/interop/tour"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// TestFindAndResume finds and resumes in a store that the real pi and omp wrote.
// Reading changes no byte of a session; after all of it both programs list every
// session, and open it with the contexts of before.
func TestFindAndResume(t *testing.T) {
	h := newHouse(t, t.TempDir())
	before, bytes := h.seen(t), h.bytes(t)
	for name, test := range map[string]func(*testing.T, *house){
		"ls": testList, "search": testSearch, "resume": testResolve, "prompts": testPrompts,
	} {
		t.Run(name, func(t *testing.T) { test(t, h) })
	}
	for path, now := range h.bytes(t) {
		if bytes[path] != now {
			t.Errorf("reading changed %s", path)
		}
		delete(bytes, path)
	}
	if len(bytes) > 0 {
		t.Errorf("reading removed %v", slices.Collect(maps.Keys(bytes)))
	}
	t.Run("breadcrumbs", func(t *testing.T) { testBreadcrumbs(t, h) })
	t.Run("two terminals", func(t *testing.T) { testTwoTerminals(t, h) })
	t.Run("fork across projects", func(t *testing.T) { testForkAcross(t, h) })
	now := h.seen(t)
	for path, old := range before {
		used := path == h.Named("Frost watch")[0].Path || path == h.Named("The pump runs dry")[0].Path
		if !used && old.whole != now[path].whole {
			t.Errorf("the programs see %s otherwise: %.2000s, before %.2000s", path, now[path].whole, old.whole)
		}
		for id, context := range old.contexts {
			if now[path].contexts[id] != context {
				t.Errorf("the programs see the context of %s in %s otherwise: %.2000s, before %.2000s", id, path, now[path].contexts[id], context)
			}
		}
	}
}

// A view is what a program says of a session.
type view struct {
	whole    string            // how it is listed, and all of the rest
	contexts map[string]string // by entry
}

// bytes returns the contents and times of all files of sessions, prompts and
// breadcrumbs, by path.
func (h *house) bytes(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(h.Home, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(h.Home, path)
		if err != nil || e.IsDir() || !strings.Contains(name, "/agent/") || strings.HasSuffix(name, "-shm") {
			return err // the rest is nobody's session; -shm is memory
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		all[name] = fmt.Sprintf("%v %s %x", info.Mode(), info.ModTime(), data)
		return err
	})
	if err != nil || len(all) < len(h.Sessions) {
		t.Fatalf("%d files: %v", len(all), err)
	}
	return all
}

// seen returns what pi and omp say of each session that they wrote: how it stands
// in the list and what opening it gives, contexts of every entry included.
func (h *house) seen(t *testing.T) map[string]view {
	t.Helper()
	all := map[string]view{}
	for _, p := range []peers.Program{peers.Pi, peers.Omp} {
		d, err := peers.StartIn(t.Context(), p, h.Home)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}()
		var listed []map[string]any
		ask(t, d, &listed, "listAll", nil)
		for _, s := range h.Of(string(p)) {
			i := slices.IndexFunc(listed, func(row map[string]any) bool { return row["path"] == s.Path })
			if i < 0 {
				t.Fatalf("%s does not list %s", p, s.Path)
			}
			var opened struct {
				EntryIDs []string `json:"entryIds"`
			}
			ask(t, d, &opened, "open", s.Path)
			var dump map[string]jsontext.Value
			ask(t, d, &dump, "dump", map[string]any{"leaves": opened.EntryIDs})
			var contexts map[string]jsontext.Value
			if err := json.Unmarshal(dump["contexts"], &contexts); err != nil || len(contexts) != len(opened.EntryIDs) {
				t.Fatalf("%d contexts of %d entries: %v", len(contexts), len(opened.EntryIDs), err)
			}
			v := view{whole: fmt.Sprint(listed[i], dump), contexts: map[string]string{}}
			for id, context := range contexts {
				v.contexts[id] = string(context)
			}
			all[s.Path] = v
		}
	}
	return all
}

// ask calls a program and decodes what it answers.
func ask(t *testing.T, d *peers.Driver, into any, method string, args ...any) {
	t.Helper()
	value, err := d.Call(method, args...)
	if err == nil {
		err = json.Unmarshal(value, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// rows decodes JSON, an object a line.
func rows[T any](t *testing.T, r ran) []T {
	t.Helper()
	if r.code != 0 || r.err != "" {
		t.Fatalf("exit code %d: %s", r.code, r.err)
	}
	var all []T
	for line := range strings.Lines(r.out) {
		var one T
		if err := json.Unmarshal([]byte(line), &one, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, one)
	}
	return all
}

// A row is a session as ls lists it.
type row struct {
	Path, ID, Agent string
	Dir             string `json:"cwd"`
	Name            string `json:"title"`
	Damaged         bool
}

// testList lists all four homes, and one project.
func testList(t *testing.T, h *house) {
	want := slices.Clone(h.Sessions)
	slices.Reverse(want) // newest first
	equal := func(want []tour.Session, args ...string) {
		t.Helper()
		var rowsOf []row
		for _, s := range want {
			rowsOf = append(rowsOf, row{s.Path, s.ID, s.Agent, s.Dir, s.Name, s.Name == "Two prices of rye bread"})
		}
		got := rows[row](t, h.run(t, "garden", append(args, "--json")...))
		slices.SortStableFunc(rowsOf, func(a, b row) int { return strings.Compare(a.Path, b.Path) })
		slices.SortStableFunc(got, func(a, b row) int { return strings.Compare(a.Path, b.Path) })
		if diff := cmp.Diff(rowsOf, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", args, diff)
		}
	}
	equal(want, "ls")
	equal(h.Of("xcsh"), "ls", "--agent", "xcsh")
	equal(slices.DeleteFunc(slices.Clone(want), func(s tour.Session) bool { return filepath.Base(s.Dir) != "bakery" }), "ls", "--cwd", filepath.Join(h.Home, "bakery"))
	equal(slices.DeleteFunc(slices.Clone(want), func(s tour.Session) bool { return filepath.Base(s.Dir) != "garden" }), "ls", "--here")
	var last string
	for _, one := range rows[struct{ Modified string }](t, h.run(t, "", "ls", "--json")) {
		if last != "" && one.Modified > last {
			t.Errorf("%s behind %s", one.Modified, last)
		}
		last = one.Modified
	}
	s := h.shell(t, "garden", 80, 40)
	for i, line := range strings.Split(strings.TrimSpace(s.run("cambium ls")), "\n") {
		if i > 0 && len(h.Sessions) >= i && !strings.Contains(line, filepath.Base(want[i-1].Dir)) {
			t.Errorf("row %d is %q, want the session %q", i, line, want[i-1].Name)
		}
	}
}

// testSearch searches by words, phrases and filters, on every branch.
func testSearch(t *testing.T, h *house) {
	for _, tt := range []struct {
		query string
		want  string // the sessions, best first, and where their first hit is
	}{
		{`"hedgehog house"`, "Frost watch compacted"},
		{"INA219", "The pump runs dry active"},
		{"INA219 role:assistant", "The pump runs dry other"},
		{"step at night", "The clock drifts other"},
		{"notes agent:pi project:library", "Release notes active"},
		{"dialout before:2026-10-12", " active"},
		{"dialout after:2026-10-12", ""},
		{"tool:bash pytest", "Watering an hour late active"},
		{"rolls -croissants in:title", "How many rolls on Saturday active"},
		{"re:4\\.[12]0 role:user", ""},
		{"petits", "The menu in French active"},
		{"magnus*", "Dew point active"},
	} {
		r := h.run(t, "garden", "search", "--json", "--each", "1", tt.query)
		if tt.want == "" {
			if r.code != 3 {
				t.Errorf("search %s: exit code %d: %s", tt.query, r.code, r.out)
			}
			continue
		}
		var got []string
		for _, hit := range rows[struct{ Title, OnBranch string }](t, r) {
			got = append(got, hit.Title+" "+hit.OnBranch)
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("search %s: %q, want %q", tt.query, got, tt.want)
		}
	}
	with, without := h.run(t, "garden", "search", "valve"), h.run(t, "garden", "search", "--no-index", "valve")
	if with != without || strings.Count(with.out, "~/garden") != 2 {
		t.Errorf("with the index: %+v; without: %+v", with, without)
	}
}

// testResolve finds sessions by name and by the beginning of an id.
func testResolve(t *testing.T, h *house) {
	frost, library := h.Named("Frost watch")[0], h.Named("Release notes")[1]
	for _, tt := range []struct {
		dir  string
		args []string
		want string
		code int
		says string
	}{
		{"garden", []string{"Frost watch"}, frost.Path, 0, ""},
		{"garden", []string{"frost WATCH"}, frost.Path, 0, ""},
		{"garden", []string{frost.ID[:8]}, frost.Path, 0, ""},
		{"bakery", []string{frost.Path}, frost.Path, 0, ""},
		{"library", []string{"release notes"}, library.Path, 0, ""},
		{"garden", []string{"release notes", "--first", "--cwd", library.Dir}, library.Path, 0, ""},
		{"garden", []string{"release notes"}, "", 4, "2 sessions match"},
		{"garden", []string{frost.ID[:4]}, "", 4, "sessions match"},
		{"bakery", []string{"Frost watch"}, "", 6, "is in another project"},
		{"garden", []string{"frost"}, frost.Path, 0, ""}, // one match is a match
		{"garden", []string{"frostbite"}, "", 3, "no such session"},
	} {
		r := h.run(t, tt.dir, append([]string{"resume", "--print"}, tt.args...)...)
		if r.code != tt.code || strings.TrimSpace(r.out) != tt.want || !strings.Contains(r.err, tt.says) {
			t.Errorf("in %s, resume %v: %+v", tt.dir, tt.args, r)
		}
	}
	for _, s := range h.Named("Release notes") {
		if r := h.run(t, "garden", "resume", "--print", "release notes"); !strings.Contains(r.err, s.ID[:8]) {
			t.Errorf("%s is no candidate: %s", s.ID, r.err)
		}
	}
}

// testPrompts lists and searches what omp keeps, and what was said to pi.
func testPrompts(t *testing.T, h *house) {
	type prompt struct {
		Prompt, Agent string
		Dir           string `json:"cwd"`
		Session       string `json:"sessionId"`
	}
	all := rows[prompt](t, h.run(t, "garden", "prompts", "--json"))
	want, got := map[string]int{"omp": 18, "pi": 23}, map[string]int{} // the lines of users in conversations.txt
	for _, p := range all {
		got[p.Agent]++
	}
	if !cmp.Equal(want, got) || all[0].Prompt != "Mail the bakers the list of orders at four in the morning." {
		t.Errorf("%v prompts, want %v: %+v", got, want, all)
	}
	found := rows[prompt](t, h.run(t, "garden", "prompts", "--json", "croiss"))
	names := map[string]bool{}
	for _, p := range found {
		for _, s := range h.Sessions {
			if s.ID == p.Session && s.Dir == p.Dir && s.Agent == p.Agent {
				names[s.Name] = true
			}
		}
	}
	if want := map[string]bool{"How many rolls on Saturday": true, "Weather for croissants": true}; !cmp.Equal(names, want) {
		t.Errorf("prompts of %v, want those of %v", names, want)
	}
}

// testBreadcrumbs follows what omp itself noted of two terminals.
func testBreadcrumbs(t *testing.T, h *house) {
	for pane, name := range map[string]string{"%1": "The pump runs dry", "%2": "The valve of bed C sticks"} {
		crumb, err := os.ReadFile(filepath.Join(h.Home, ".omp/agent/terminal-sessions/tmux-"+pane))
		if path := h.Named(name)[0].Path; err != nil || !strings.Contains(string(crumb), path) {
			t.Errorf("omp noted %q, %v", crumb, err)
		}
		r := h.runWith(t, []string{"TMUX_PANE=" + pane}, "garden", "continue", "--print")
		if strings.TrimSpace(r.out) != h.Named(name)[0].Path {
			t.Errorf("continue in pane %s: %+v", pane, r)
		}
	}
	if r := h.run(t, "garden", "continue", "--print"); strings.TrimSpace(r.out) != h.Named("A map of the beds")[0].Path {
		t.Errorf("continue in another terminal: %+v", r)
	}
}
