package picker_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"pgregory.net/rapid"
)

// texts answers searches from memory: what was said, by path.
type texts struct {
	said  map[string]string
	asked []picker.Search
}

func (x *texts) search(s picker.Search) tea.Cmd {
	x.asked = append(x.asked, s)
	return x.answer(s, 0)
}

// answer answers a term after the other.
func (x *texts) answer(s picker.Search, n int) tea.Cmd {
	if n == len(s.Terms) {
		return nil
	}
	return func() tea.Msg {
		m := picker.Matches{Seq: s.Seq, Term: n, Done: true, Next: x.answer(s, n+1)}
		for path, said := range x.said {
			if strings.Contains(strings.ToLower(said), strings.ToLower(s.Terms[n].Text)) {
				m.Found = append(m.Found, picker.TextMatch{Path: path, Snippet: said, Role: "user"})
			}
		}
		return m
	}
}

// TestWhatPublishedSearchFindsIsFound compares the list with the naive search:
// every word is somewhere in the published fields, id, title, directory, first
// message, all messages and path (published P3).
func TestWhatPublishedSearchFindsIsFound(t *testing.T) {
	words := []string{"Garden", "tomato", "back-off", "RETRY", "ß", "日本", "é", "a", "http://x.y/z", "(list)", "c++", "ÄRGER", "x", "42"}
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 4).Draw(t, "words"), " ")
		})
		x := &texts{said: map[string]string{}}
		var items []picker.Item
		fields := map[string]string{}
		for n := range rapid.IntRange(0, 12).Draw(rt, "sessions") {
			info := catalog.Info{
				Path: fmt.Sprintf("/s/%d/%s.jsonl", n, text.Draw(rt, "path")), ID: fmt.Sprintf("%08x", n*77), CWD: "/w/" + text.Draw(rt, "cwd"),
				Title: text.Draw(rt, "title"), FirstMessage: text.Draw(rt, "first"), Modified: noon,
			}
			said := info.FirstMessage + " " + text.Draw(rt, "said")
			x.said[info.Path] = said
			fields[info.Path] = strings.ToLower(strings.Join([]string{info.ID, info.Title, info.CWD, info.FirstMessage, said, info.Path}, " "))
			items = append(items, picker.Item{Info: info, Here: n%2 == 0})
		}
		o := options()
		o.All, o.Texts = true, x.search
		d := begin(t, o, 80, 24, items)
		// Any part of a word may be asked for, in any case.
		var query []string
		for range rapid.IntRange(1, 3).Draw(rt, "asked") {
			w := []rune(rapid.SampledFrom(words).Draw(rt, "word"))
			from := rapid.IntRange(0, len(w)-1).Draw(rt, "from")
			part := string(w[from:rapid.IntRange(from+1, len(w)).Draw(rt, "to")])
			if rapid.Bool().Draw(rt, "upper") && part != "ß" {
				part = strings.ToUpper(part)
			}
			query = append(query, part)
		}
		d.typed(strings.Join(query, " "))
		shown := d.m.Shown()
		for path, all := range fields {
			naive := !slices.ContainsFunc(query, func(w string) bool { return !strings.Contains(all, strings.ToLower(w)) })
			if naive && !slices.Contains(shown, path) {
				rt.Fatalf("%q is not found for %q", all, query)
			}
		}
	})
}

// TestReadsFromTheHit: a session is read from the entry on in which something was found.
func TestReadsFromTheHit(t *testing.T) {
	all := sessions()
	o := options()
	o.Tree, o.All = true, true
	o.Texts = func(s picker.Search) tea.Cmd {
		return func() tea.Msg {
			return picker.Matches{Seq: s.Seq, Done: true, Found: []picker.TextMatch{{Path: all[4].Info.Path, Snippet: "the spill weights", Role: "user", Entry: "5f0c1d2e"}}}
		}
	}
	d := begin(t, o, 80, 24, all)
	d.typed("weights")
	d.keys("alt+v")
	d.want(picker.Read{Path: all[4].Info.Path, Entry: "5f0c1d2e", Terms: []picker.Term{{Text: "weights"}}})
}

func TestSearch(t *testing.T) {
	all := sessions()
	x := &texts{said: map[string]string{
		all[4].Info.Path: "the spill weights are wrong, twice", all[5].Info.Path: "Dear Sir, the  heating weights", all[2].Info.Path: "it says connection reset",
	}}
	tests := []struct {
		query string
		want  string // the numbers of sessions, in order
	}{
		{"water", "1"},
		{"WATER GARDEN", "1"},
		{"wfg", "1"},                    // letters of words
		{"0198c2a3", "3"},               // an id
		{"compiler", "5 7 8"},           // a project
		{"register allocation", "5 8"},  // the whole name first
		{"tried", "8"},                  //
		{"weights", "5 6"},              // said
		{"spill heating", ""},           // each in another session
		{"landlord heating", "6"},       // one in a name, one said
		{`"connection reset"`, "3"},     // said, as a phrase
		{`"the garden"`, "1"},           //
		{`"garden the"`, ""},            //
		{`"garden`, ""},                 // a quote that is not closed is a letter
		{"re:^write.*lord", "6"},        // of a first message
		{"re:regis(ter|try) al", "5 8"}, //
		{"re:", ""},
		{"re:(", ""},
		{"日本", "4"},
		{"gewächsHAUS", "4"},
		{"cut off", "7"}, // what is shown as its name
	}
	for _, tt := range tests {
		o := options()
		o.All, o.Texts = true, x.search
		d := begin(t, o, 80, 24, all)
		d.typed(tt.query)
		var got []string
		for _, p := range d.m.Shown() {
			got = append(got, p[strings.LastIndexByte(p, '/')+2:len(p)-len(".jsonl")])
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s finds %v, want %s", tt.query, got, tt.want)
		}
	}
	d := begin(t, options(), 80, 24, all)
	d.typed("re:(")
	d.shows("This search cannot be read")
}

// TestQueriesAreAnsweredWhole: what is more than words is asked for as it was typed, and
// shows what the answer names; nothing else is like it. One that cannot be read is not
// asked for.
func TestQueriesAreAnsweredWhole(t *testing.T) {
	all := sessions()
	const query = "is:water garden"
	x := &texts{said: map[string]string{all[4].Info.Path: query}}
	o := options()
	o.All, o.Texts = true, x.search
	o.Asks = func(text string) (bool, error) {
		if strings.Contains(text, "si:") {
			return true, errors.New("no filter is called si")
		}
		return strings.Contains(text, "is:"), nil
	}
	d := begin(t, o, 80, 24, all)
	d.typed(query)
	if got := d.m.Shown(); !slices.Equal(got, []string{all[4].Info.Path}) {
		t.Errorf("%s finds %q", query, got)
	}
	last := x.asked[len(x.asked)-1]
	if len(last.Terms) != 1 || last.Terms[0] != (picker.Term{Text: query, Query: true}) {
		t.Errorf("%s asks for %+v", query, last)
	}
	n := len(x.asked)
	d = begin(t, o, 80, 24, all)
	d.typed("si:")
	d.shows("This search cannot be read: no filter is called si")
	if got := d.m.Shown(); len(got) > 0 {
		t.Errorf("a query that cannot be read shows %q", got)
	}
	for _, s := range x.asked[n:] {
		if slices.ContainsFunc(s.Terms, func(t picker.Term) bool { return strings.Contains(t.Text, "si:") }) {
			t.Errorf("a query that cannot be read asks for %+v", s)
		}
	}
}

func TestSearchAsksForEachTextOnce(t *testing.T) {
	x := &texts{said: map[string]string{}}
	o := options()
	o.Texts = x.search
	d := begin(t, o, 80, 24, sessions())
	d.typed("ab ab cd")
	d.keys("backspace", "d", "ctrl+u")
	d.typed("cd")
	var asked []string
	for _, s := range x.asked {
		for _, term := range s.Terms {
			asked = append(asked, term.Text)
		}
	}
	if got, want := strings.Join(asked, " "), "a ab c cd"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
}

func TestWhatIsFoundInTextsIsShown(t *testing.T) {
	all := sessions()
	o := options()
	x := &texts{said: map[string]string{all[2].Info.Path: "it says 😀 connection reset by peer"}}
	o.Texts = func(s picker.Search) tea.Cmd {
		if len(s.Terms[0].Text) < 3 {
			return func() tea.Msg {
				return picker.Matches{Seq: s.Seq, Done: true, Err: errors.New("search sessions: the disk is gone")}
			}
		}
		return func() tea.Msg {
			m := x.search(s)().(picker.Matches)
			for i := range m.Found {
				m.Found[i].Ranges = [][2]int{{11, 21}}
			}
			return m
		}
	}
	o.Theme = theme.New(theme.None, true)
	for _, cols := range []int{80, 120} {
		d := begin(t, o, cols, 24, all)
		d.typed("conn")
		d.shows("retry with backoff", "it says 😀 \x1b[1;4;4mconnection\x1b[m reset by peer")
	}
	d := begin(t, o, 80, 24, all)
	d.typed("qq")
	d.shows("the disk is gone")
	// An answer to another search is passed over.
	d.send(picker.Matches{Seq: -1, Found: []picker.TextMatch{{Path: all[0].Info.Path}}})
	d.shows("Nothing found")
}

// many are n sessions, as they come from a listing.
func many(n int) []picker.Item {
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("fix the build of parser and lexer in garden water retry backoff test flaky client server deploy cache index search query tree leaf")
	items := make([]picker.Item, n)
	for i := range items {
		var name []string
		for range 3 + random.IntN(8) {
			name = append(name, words[random.IntN(len(words))])
		}
		first := strings.Join(name, " ")
		items[i] = picker.Item{Here: i%7 == 0, Info: catalog.Info{
			Path: fmt.Sprintf("/home/ada/.pi/agent/sessions/--home-ada-work-p%d--/2026_%08x.jsonl", i%97, i), ID: fmt.Sprintf("%08x-77aa-4000", i*7919),
			CWD: fmt.Sprintf("/home/ada/work/p%d", i%97), Agent: "pi", FirstMessage: first + ". " + strings.Repeat(first+" ", 4),
			Modified: noon.Add(-time.Duration(i) * time.Minute), Messages: i % 300, Size: int64(i) * 991, Status: catalog.Complete,
		}}
	}
	return items
}

// BenchmarkFirstFrame is from 10,000 described sessions to what is seen of them.
func BenchmarkFirstFrame(b *testing.B) {
	items := many(10_000)
	o := options()
	o.All, o.Theme = true, theme.New(theme.Indexed, true)
	for b.Loop() {
		m := picker.New(o)
		m, _ = m.Update(size(120, 40))
		m, _ = m.Update(picker.Found{Items: items})
		if len(m.View().Content) < 1000 {
			b.Fatal("nothing is shown")
		}
	}
}

// BenchmarkKey is a letter typed into a list of 10,000, with the frame after it.
func BenchmarkKey(b *testing.B) {
	o := options()
	o.All, o.Theme, o.Preview = true, theme.New(theme.Indexed, true), nil
	for _, name := range []string{"down", "letter"} {
		b.Run(name, func(b *testing.B) {
			m := picker.New(o)
			m, _ = m.Update(size(120, 40))
			m, _ = m.Update(picker.Found{Items: many(10_000)})
			keys := []tea.Msg{press("down")}
			if name == "letter" {
				keys = []tea.Msg{press("g"), press("a"), press("r"), press("backspace"), press("backspace"), press("backspace")}
			}
			n := 0
			for b.Loop() {
				m, _ = m.Update(keys[n%len(keys)])
				_ = m.View()
				n++
			}
		})
	}
}
