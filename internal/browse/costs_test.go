package browse_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/browse"
	"github.com/cambium-dev/cambium/internal/tui/costview"
	"github.com/cambium-dev/cambium/internal/usage"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestCosts: whatever the screen groups by, and whatever was opened, its rows add up to its
// total, and an opened group to its row; the days add up to it, too.
func TestCosts(t *testing.T) {
	l := library(t)
	for _, name := range []string{"forks_of_forks", "subagents", "claude", "codex", "day_border", "abandoned"} {
		archive, err := txtar.ParseFile(filepath.Join("../work/testdata/stats", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files[1:] {
			path := filepath.Join(l.Env.Home, strings.Replace(f.Name, "--work-garden--/", "--work-garden--/"+name, 1))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	o := browse.Options{Library: l, Explain: func(err error) browse.Explanation { return browse.Explanation{Text: err.Error()} }}
	now := time.Date(2026, 3, 30, 12, 0, 0, 0, time.UTC)
	count := func(ask costview.Ask) costview.Sums {
		t.Helper()
		all, err := browse.SumsOf(t.Context(), o, now, ask)
		if err != nil {
			t.Fatal(err)
		}
		sums := all[0]
		var rows usage.Sum
		for i := range sums.Rows {
			rows.Add(&sums.Rows[i].Sum)
		}
		if rows != sums.Total {
			t.Errorf("%v: rows of %+v, a total of %+v", ask, rows, sums.Total)
		}
		var days usage.Micros
		for i, day := range sums.Days {
			if days += day.Cost; i > 0 && day.Date <= sums.Days[i-1].Date {
				t.Errorf("%v: %s behind %s", ask, day.Date, sums.Days[i-1].Date)
			}
		}
		if days != sums.Total.Cost {
			t.Errorf("%v: days of %v, a total of %v", ask, days, sums.Total.Cost)
		}
		return sums
	}
	whole := count(costview.Ask{Span: costview.All, By: "day"})
	if whole.Total.Cost.Dollars() < "40" || len(whole.Rows) < 3 {
		t.Errorf("in all %s on %d days", whole.Total.Cost.Dollars(), len(whole.Rows))
	}
	for _, by := range []string{"model", "project", "agent", "provider", "role", "branch", "git-branch", "month", "session", ""} {
		sums := count(costview.Ask{Span: costview.All, By: by})
		if sums.Total.Cost != whole.Total.Cost || sums.Total.Charges != whole.Total.Charges {
			t.Errorf("by %q: %v in %d, by day %v in %d", by, sums.Total.Cost, sums.Total.Charges, whole.Total.Cost, whole.Total.Charges)
		}
		if by == "" {
			continue
		}
		for _, row := range sums.Rows {
			for _, below := range []string{"session", "day", ""} {
				if below == by {
					continue
				}
				in := count(costview.Ask{Span: costview.All, Within: []costview.Step{{By: by, Key: row.Key}}, By: below})
				if in.Total != row.Sum {
					t.Errorf("%s %q by %q: %+v, the row says %+v", by, row.Key, below, in.Total, row.Sum)
				}
			}
		}
	}
	if sums := count(costview.Ask{Span: costview.Today, By: "model"}); len(sums.Rows) != 0 || len(sums.Days) != 1 {
		t.Errorf("today: %d rows, %d days", len(sums.Rows), len(sums.Days))
	}
	if sums := count(costview.Ask{Span: costview.Month, By: "model"}); len(sums.Days) != 30 || sums.Total.Charges == 0 {
		t.Errorf("a month: %d days, %d calls", len(sums.Days), sums.Total.Charges)
	}
	if sums := count(costview.Ask{By: "tool", Span: costview.All}); len(sums.Rows) < 3 {
		t.Errorf("%d tools", len(sums.Rows))
	}
}
