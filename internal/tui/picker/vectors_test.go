package picker_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/vectors"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// found is what a recorded picker found, by query. What is compared is which
// sessions are found: the order is the programs' own, their scores are not
// copied (D20).
func found(t *testing.T, v vectors.Vector) map[string][]string {
	t.Helper()
	ranked := v.Expected
	if of, ok := jsonedit.Get(ranked, "ranked"); ok {
		ranked = of
	}
	byQuery := map[string][]string{}
	for query, want := range jsonedit.Members(ranked) {
		if of, ok := jsonedit.Get(want, "relevance"); ok {
			want = of
		}
		var ids []string
		if err := json.Unmarshal(want, &ids); err != nil {
			t.Fatal(err)
		}
		slices.Sort(ids)
		byQuery[query] = ids
	}
	return byQuery
}

// said searches the recorded texts as a search through stored texts does.
func said(all map[string]string) func(picker.Search) map[string][]int {
	return func(s picker.Search) map[string][]int {
		hits := map[string][]int{}
		for n, term := range s.Terms {
			pattern := term.Text
			if !term.Pattern {
				pattern = strings.ReplaceAll(regexp.QuoteMeta(pattern), " ", `\s+`)
			}
			re, err := regexp.Compile("(?i)" + pattern)
			if err != nil {
				continue
			}
			for path, text := range all {
				if re.MatchString(text) {
					hits[path] = append(hits[path], n)
				}
			}
		}
		return hits
	}
}

// answers makes a search of what look finds, one answer a term.
func answers(look func(picker.Search) map[string][]int) func(picker.Search) tea.Cmd {
	return func(s picker.Search) tea.Cmd {
		hits := look(s)
		var answer func(n int) tea.Cmd
		answer = func(n int) tea.Cmd {
			if n == len(s.Terms) {
				return nil
			}
			return func() tea.Msg {
				m := picker.Matches{Seq: s.Seq, Term: n, Done: true, Next: answer(n + 1)}
				for path, terms := range hits {
					if slices.Contains(terms, n) {
						m.Found = append(m.Found, picker.TextMatch{Path: path, Role: "user"})
					}
				}
				return m
			}
		}
		return answer(0)
	}
}

func TestVectors(t *testing.T) {
	// Where the list has other sessions than the program, by vector and query.
	ways := map[string]struct {
		want   string
		reason string
	}{
		// The name of d4 has these letters in this order: a name is matched
		// fuzzily as a whole, not word by word.
		"omp-31-picker-search.json parser": {"a1 b2 c3 d4", "D20"},
		"omp-31-picker-search.json prsr":   {"a1 b2 c3 d4", "D20"},
	}
	all, err := vectors.All()
	if err != nil {
		t.Fatal(err)
	}
	ran, used := 0, map[string]bool{}
	for _, v := range all {
		if v.Operation != "searchSessions" {
			continue
		}
		ran++
		var in struct {
			Sessions []struct {
				ID, Name, Title, CWD, Path, FirstMessage, AllMessagesText string
				Modified                                                  int64
			} `json:"sessions"`
		}
		if err := json.Unmarshal(v.Input, &in, json.MatchCaseInsensitiveNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{}
		var items []picker.Item
		for _, s := range in.Sessions {
			texts[s.Path] = s.AllMessagesText
			items = append(items, picker.Item{Here: true, Info: catalog.Info{
				Path: s.Path, ID: s.ID, Title: s.Name + s.Title, CWD: s.CWD, FirstMessage: s.FirstMessage,
				Modified: time.UnixMilli(s.Modified), Messages: 1,
			}})
		}
		look := said(texts)
		for query, want := range found(t, v) {
			o := options()
			o.Texts = answers(look)
			d := begin(t, o, 80, 24, items)
			d.typed(query)
			var got []string
			for _, path := range d.m.Shown() {
				at := slices.IndexFunc(items, func(i picker.Item) bool { return i.Info.Path == path })
				got = append(got, items[at].Info.ID)
			}
			slices.Sort(got)
			key, is, wanted := v.File+" "+query, strings.Join(got, " "), strings.Join(want, " ")
			if way, ok := ways[key]; ok {
				used[key] = true
				if is == wanted || is != way.want {
					t.Errorf("%s: found %q, the program %q; gives way to %s with %q", key, is, wanted, way.reason, way.want)
				}
				continue
			}
			if is != wanted {
				t.Errorf("%s: found %q, want %q", key, is, wanted)
			}
		}
	}
	if ran != 3 || len(used) != len(ways) {
		t.Errorf("ran %d vectors, want 3; %d of %d ways used", ran, len(used), len(ways))
	}
}

// TestFuzzyVectors compares whether names are found; scores are the programs'
// own (D20).
func TestFuzzyVectors(t *testing.T) {
	// What the programs find or pass over otherwise, by what is typed.
	ways := map[string]bool{
		"ab12 in 12ab": false, // D20: digits and letters are not swapped
	}
	all, err := vectors.All()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, v := range all {
		if v.Operation != "fuzzyMatch" {
			continue
		}
		ran++
		var in struct {
			Pairs [][2]string `json:"pairs"`
		}
		var want []struct {
			Matches bool `json:"matches"`
		}
		if err := json.Unmarshal(v.Input, &in); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(v.Expected, &want); err != nil || len(want) != len(in.Pairs) {
			t.Fatalf("%s: %d of %d, %v", v.File, len(want), len(in.Pairs), err)
		}
		for n, pair := range in.Pairs {
			d := begin(t, options(), 80, 24, []picker.Item{{Here: true, Info: catalog.Info{
				Path: "/s/0", ID: "0", CWD: "/", Title: pair[1], Messages: 1, Modified: noon,
			}}})
			d.typed(pair[0])
			got := len(d.m.Shown()) == 1
			key := pair[0] + " in " + pair[1]
			if way, ok := ways[key]; ok && got == way && got != want[n].Matches {
				continue
			}
			if got != want[n].Matches {
				t.Errorf("%s: %s found %v, want %v", v.File, key, got, want[n].Matches)
			}
		}
	}
	if ran != 2 {
		t.Errorf("ran %d vectors, want 2", ran)
	}
}
