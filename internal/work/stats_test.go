package work_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/usage"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestStatsCorpus counts homes in which usual counters go wrong, each of one fault, and
// compares every sum that the file says; once with an index that knows nothing, once with
// one that knows all, and once without.
func TestStatsCorpus(t *testing.T) {
	cases, err := filepath.Glob("testdata/stats/*.txtar")
	if err != nil || len(cases) < 15 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, path := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			l, _, _ := library(t)
			wants := settleHome(t, l.Env.Home, path)
			for _, time := range []string{"cold", "warm", "without an index"} {
				l.NoIndex = time == "without an index"
				book := stats(t, l)
				for _, want := range wants {
					asked, value, _ := strings.Cut(want, " = ")
					if got := answer(t, book, asked); got != value {
						t.Errorf("%s: %s is %s, want %s", time, asked, got, value)
					}
				}
				addsUp(t, book)
			}
		})
	}
}

// settleHome writes the files of a case to a home, and returns what is wanted of them.
func settleHome(t *testing.T, home, path string) (wants []string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files[1:] {
		name := filepath.Join(home, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Hour) // left alone for long
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(string(archive.Files[0].Data)) {
		line = strings.TrimSpace(line)
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "link" {
			if err := os.Symlink(fields[2], filepath.Join(home, filepath.FromSlash(fields[1]))); err != nil {
				t.Skip(err)
			}
			continue
		}
		wants = append(wants, line)
	}
	return wants
}

// stats counts, with one model that has a price.
func stats(t *testing.T, l *work.Library) *usage.Book {
	t.Helper()
	book, err := work.Stats(t.Context(), l, prices)
	if err != nil {
		t.Fatal(err)
	}
	return book
}

func prices(provider, id string) (usage.Price, bool) {
	return usage.Price{Rates: usage.Rates{Input: 5_000_000, Output: 25_000_000, CacheRead: 500_000, CacheWrite: 6_250_000}}, id == "priced-1"
}

// answer says what a book says to a question of the corpus.
func answer(t *testing.T, book *usage.Book, asked string) string {
	t.Helper()
	zone, words := time.UTC, strings.Fields(asked)
	if words[0] == "zone" {
		var err error
		if zone, err = time.LoadLocation(words[1]); err != nil {
			t.Skip(err)
		}
		words = words[2:]
	}
	total := func(f usage.Filter) usage.Sum {
		return usage.Total(book.Group(f, dimensions(t, "session"), zone, prices))
	}
	switch all := total(usage.Filter{}); words[0] {
	case "total":
		return all.Cost.Dollars()
	case "active":
		sum := total(usage.Filter{Active: true})
		return sum.Cost.Dollars()
	case "priced":
		return all.Costs[usage.Priced].Dollars()
	case "calls":
		return fmt.Sprint(all.Charges)
	case "unknown":
		return fmt.Sprint(all.Counts[usage.Unknown])
	case "runs":
		return fmt.Sprint(all.Runs)
	case "failures":
		return fmt.Sprint(all.Failures)
	case "took":
		return fmt.Sprint(all.Took)
	case "naive":
		for _, n := range book.Check(usage.Filter{}) {
			if n.Name == words[1] {
				return n.Sum.Cost.Dollars()
			}
		}
	case "by":
		group := strings.Join(words[2:], " ")
		for _, row := range book.Group(usage.Filter{}, dimensions(t, words[1]), zone, prices) {
			if row.Keys[0] == group {
				return row.Cost.Dollars()
			}
		}
		return "no such group"
	}
	t.Fatalf("nobody knows what %q asks", asked)
	return ""
}

// dimensions are those of some names.
func dimensions(t *testing.T, names ...string) (all []usage.Dimension) {
	t.Helper()
	for _, name := range names {
		d, ok := usage.DimensionOf(name)
		if !ok {
			t.Fatalf("no dimension %q", name)
		}
		all = append(all, d)
	}
	return all
}

// addsUp checks that all groupings add up to the same, alone and in pairs, in two zones,
// and that what matches a group's filters is what the group says.
func addsUp(t *testing.T, book *usage.Book) {
	t.Helper()
	for _, f := range []usage.Filter{{}, {Active: true}} {
		want := usage.Total(book.Group(f, dimensions(t, "tool"), time.UTC, prices))
		for _, one := range usage.Dimensions() {
			for _, other := range usage.Dimensions() {
				by := []usage.Dimension{one}
				if one.Name != other.Name {
					by = []usage.Dimension{one, other}
				}
				got := usage.Total(book.Group(f, by, time.FixedZone("east", 5*3600+1800), prices))
				got.Runs, got.Failures, got.Took = want.Runs, want.Failures, want.Took // of groups of calls alone
				if got != want {
					t.Fatalf("by %s and %s: %+v, want %+v", one.Name, other.Name, got, want)
				}
			}
		}
	}
}

// TestStatsOfConverted: what is converted from or to another program, and home, is a copy
// and costs nothing more; what is forked in it neither.
func TestStatsOfConverted(t *testing.T) {
	for _, from := range []string{"claude", "codex", "opencode", "forks_of_forks", "subagents", "told_otherwise"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			l, _, _ := library(t)
			settleHome(t, l.Env.Home, "testdata/stats/"+from+".txtar")
			book := stats(t, l)
			want := answer(t, book, "total")
			for n := range book.Ledgers {
				path := book.Ledgers[n].Path
				for _, to := range []dialect.Name{"pi", "omp", "cambium", "claude", "codex"} {
					done, err := l.Convert(t.Context(), path, work.ConvertOptions{To: to})
					if err != nil {
						t.Fatalf("%s to %s: %v", path, to, err)
					}
					if got := answer(t, stats(t, l), "total"); got != want {
						t.Fatalf("%s to %s: %s, want %s", path, to, got, want)
					}
					if n > 0 || to == "codex" {
						continue
					}
					home, err := l.Convert(t.Context(), done.Path, work.ConvertOptions{To: "xcsh"})
					if err != nil {
						t.Fatalf("%s by %s to xcsh: %v", path, to, err)
					}
					if _, err := l.Fork(t.Context(), home.Path, work.ForkOptions{}); err != nil {
						t.Fatal(err)
					}
					if got := answer(t, stats(t, l), "total"); got != want {
						t.Fatalf("%s by %s to xcsh and forked: %s, want %s", path, to, got, want)
					}
				}
			}
		})
	}
}

// TestStatsReadsWhatChanged: a session whose file is in the state that is known is not
// read again, whichever command made the index; one that changed is, and one that is gone
// is forgotten.
func TestStatsReadsWhatChanged(t *testing.T) {
	l, _, _ := library(t)
	settleHome(t, l.Env.Home, "testdata/stats/abandoned.txtar")
	path := filepath.Join(l.Env.Home, ".pi/agent/sessions/--work-garden--/1_pi000001.jsonl")
	spent := func() string {
		l.CloseIndex()
		return answer(t, stats(t, l), "total")
	}
	if _, err := work.List(t.Context(), l, work.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := spent(); got != "3.000000" {
		t.Errorf("listed before: %s", got)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	rewrite := func(from, to string, at time.Time) {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(data), from, to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(`"total":2`, `"total":9`, info.ModTime())
	if got := spent(); got != "3.000000" {
		t.Errorf("read again: %s", got)
	}
	rewrite(`"total":9`, `"total":8`, info.ModTime().Add(time.Second))
	if got := spent(); got != "9.000000" {
		t.Errorf("not read again: %s", got)
	}
	rewrite(`"total":1`, `"total":16`, time.Now()) // too young to be kept
	for range 2 {
		if got := spent(); got != "24.000000" {
			t.Errorf("young: %s", got)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := spent(); got != "0.000000" {
		t.Errorf("gone: %s", got)
	}
}
