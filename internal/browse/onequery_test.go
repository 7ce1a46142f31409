package browse_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/browse"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/search"
	"github.com/charmbracelet/x/ansi"
)

// TestOneQuery: a query finds the same sessions in the browser as in a search, and the reader
// that is opened at one marks what was found in it. What only an entry beside the conversation
// has, or its name, is not on the branch that is read.
func TestOneQuery(t *testing.T) {
	l := library(t)
	dir := t.TempDir()
	for _, name := range []string{"garden", "map", "rooms"} {
		data, err := os.ReadFile(filepath.Join("../cli/testdata/sessions", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "2026-03-05T09-00-00-000Z_"+name+".jsonl"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := browse.Options{Library: l, Explain: func(err error) browse.Explanation { return browse.Explanation{Text: err.Error()} }}
	opt := catalog.Options{SessionDir: dir, Now: noon}
	found, marked := 0, 0
	for _, test := range []struct {
		query string
		read  bool // the words are said where a reader begins
	}{
		{"the role:user", true}, {"role:user -zzz", false}, {"project:garden", false}, {"agent:omp", false}, {"re:[a-z]+ing role:assistant", true}, {`"of the" role:assistant`, true},
		{"tool:bash", false}, {"after:2026-03-01", false}, {"before:2026-03-06", false}, {"file:a*", false}, {"has:name", false}, {"-has:name", false}, {"cost:<1", false},
		{"model:oak", false}, {"in:title the", false}, {"wat* -zzz", true}, {"valve test -zzz", true}, {"picture role:user", true}, {`"real clock" -zzz`, true}, {"re:clock[s]? role:assistant", true}, {"水泵 -zzz", true}, {"zzzzzz -a", true}, {"role:summary", false},
	} {
		q, err := search.Parse(test.query, noon())
		if err != nil {
			t.Fatal(err)
		}
		want, at := map[string]bool{}, map[string]string{}
		for hit, err := range search.Run(t.Context(), q, search.Options{Options: opt, PerSession: 1}) {
			if err != nil {
				t.Fatal(err)
			}
			want[hit.Info.Path], at[hit.Info.Path] = true, hit.EntryID
		}
		terms := []picker.Term{{Text: test.query, Query: true}}
		got, err := browse.FindTexts(t.Context(), opt, terms)
		if err != nil || !maps.Equal(got[0], want) {
			t.Errorf("%s: the browser finds %v (%v), search %v", test.query, slices.Sorted(maps.Keys(got[0])), err, slices.Sorted(maps.Keys(want)))
		}
		found += len(want)
		for path := range want {
			what := browse.MarksOf(terms)
			what.At = at[path]
			s := &sitting{t: t, r: browse.NewReader(t.Context(), o, path, what)}
			s.send(tea.WindowSizeMsg{Width: 100, Height: 40})
			s.run(s.r.Open)
			s.press("k") // what is wrong with the session is said until a key comes
			screen := ansi.Strip(s.r.View().Content)
			if none := strings.Contains(screen, "in 0 messages"); test.read && (none || !strings.Contains(screen, "” in ")) {
				t.Errorf("%s in %s: nothing is marked:\n%s", test.query, filepath.Base(path), screen)
			}
			if test.read {
				marked++
			}
			s.run(s.r.Close())
		}
	}
	if found < 8 || marked < 3 {
		t.Errorf("%d sessions were found, %d were read", found, marked)
	}
}
