package theme_test

import (
	"strings"
	"testing"
	"time"

	"charm.land/bubbles/v2/key"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

func TestDepthOf(t *testing.T) {
	tests := []struct {
		env     string
		refused bool
		want    theme.Depth
	}{
		{env: "TERM=xterm", want: theme.Sixteen},
		{env: "TERM=linux", want: theme.Sixteen},
		{env: "TERM=xterm-256color", want: theme.Indexed},
		{env: "TERM=screen-256color COLORTERM=truecolor", want: theme.True},
		{env: "TERM=xterm-256color NO_COLOR=1", want: theme.None},
		{env: "TERM=xterm-256color", refused: true, want: theme.None},
		{env: "TERM=dumb COLORTERM=truecolor", want: theme.None},
	}
	for _, tt := range tests {
		getenv := func(name string) string {
			for _, kv := range strings.Fields(tt.env) {
				if v, ok := strings.CutPrefix(kv, name+"="); ok {
					return v
				}
			}
			return ""
		}
		if got := theme.DepthOf(getenv, tt.refused); got != tt.want {
			t.Errorf("DepthOf(%s, %v) = %v, want %v", tt.env, tt.refused, got, tt.want)
		}
	}
}

func TestEveryRoleCanBeTold(t *testing.T) {
	for _, depth := range []theme.Depth{theme.None, theme.Sixteen, theme.Indexed, theme.True} {
		th := theme.New(depth, true)
		for role := theme.Text; role <= theme.Border; role++ {
			for _, chosen := range []bool{false, true} {
				got := th.PaintRow(role, chosen, "some text")
				if !strings.Contains(got, "some text") || term.Width(got) != 9 {
					t.Errorf("depth %d role %d: %q", depth, role, got)
				}
				if depth == theme.None && (strings.Contains(got, "[3") || strings.Contains(got, ";3") || strings.Contains(got, "[4m") && role != theme.Match) {
					t.Errorf("role %d has a colour without colours: %q", role, got)
				}
				if chosen && got == th.Paint(role, "some text") {
					t.Errorf("depth %d role %d: the chosen row looks like any other", depth, role)
				}
			}
		}
	}
	if got := (theme.Theme{}).Paint(theme.Bad, "x"); got != "x" {
		t.Errorf("the zero theme paints %q", got)
	}
}

func TestWordsFitTheirCells(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ages := []struct {
		ago  time.Duration
		want string
	}{
		{30 * time.Second, "now"}, {5 * time.Minute, "5m"}, {23 * time.Hour, "23h"}, {48 * time.Hour, "2d"},
		{150 * 24 * time.Hour, "21w"}, {800 * 24 * time.Hour, "2y"}, {-time.Hour, "now"},
	}
	for _, tt := range ages {
		if got := theme.Age(now.Add(-tt.ago), now); got != tt.want {
			t.Errorf("Age(%v) = %q, want %q", tt.ago, got, tt.want)
		}
	}
	if got := theme.Age(time.Time{}, now); got != "" {
		t.Errorf("age of no time = %q", got)
	}
	for n := int64(1); n > 0 && n < 1<<60; n = n*3 + 1 {
		if got := theme.Size(n); len(got) > 4 {
			t.Errorf("Size(%d) = %q", n, got)
		}
		if got := theme.Number(float64(n)); len(got) > 4 {
			t.Errorf("Number(%d) = %q", n, got)
		}
		if got := theme.Cost(float64(n) / 1000); len(got) > 6 {
			t.Errorf("Cost(%d/1000) = %q", n, got)
		}
	}
	for n, want := range map[int]string{0: "0 branches", 1: "1 branch", 2: "2 branches"} {
		if got := theme.Plural(n, "branch"); got != want {
			t.Errorf("Plural(%d) = %q, want %q", n, got, want)
		}
	}
	if got := theme.Plural(3, "entry"); got != "3 entries" {
		t.Errorf("Plural(3, entry) = %q", got)
	}
}

func TestHelpFits(t *testing.T) {
	k := theme.NewKeys()
	off := theme.Bind("x", "never shown", "x")
	off.SetEnabled(false)
	keys := []key.Binding{k.Accept, off, k.Cancel, k.Exit, k.Up, k.Help}
	th := theme.Theme{}
	for cells := range 90 {
		bar := th.HelpBar(keys, cells)
		if term.Width(bar) > cells {
			t.Errorf("the bar for %d cells has %d: %q", cells, term.Width(bar), bar)
		}
		if cells > 6 && term.Width(bar) == cells {
			t.Errorf("the bar for %d cells fills the corner: %q", cells, bar)
		}
		if cells >= 6 && !strings.HasSuffix(bar, "? keys") {
			t.Errorf("the bar for %d cells does not end with the help: %q", cells, bar)
		}
		for _, line := range th.HelpPage([][]key.Binding{keys, keys[:2]}, cells) {
			if term.Width(line) > cells || strings.Contains(line, "never") {
				t.Errorf("a line of the page for %d cells: %q", cells, line)
			}
		}
	}
}

func TestTooSmallFits(t *testing.T) {
	for cols := range 50 {
		for rows := 1; rows < 5; rows++ {
			lines := strings.Split(theme.Theme{}.TooSmall(cols, rows, theme.Least{Cols: 60, Rows: 15, Leave: "esc"}), "\n")
			if len(lines) != rows {
				t.Fatalf("%d lines in %d rows", len(lines), rows)
			}
			for _, line := range lines {
				if term.Width(line) > cols {
					t.Errorf("%q is wider than %d", line, cols)
				}
			}
		}
	}
}
