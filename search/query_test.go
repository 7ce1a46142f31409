package search_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/search"
)

var now = time.Date(2026, 11, 21, 15, 30, 0, 0, time.FixedZone("CET", 3600))

func TestBadQueries(t *testing.T) {
	for _, test := range []struct {
		query, at string // at marks the place with ^
		reason    string
	}{
		{``, `^`, "nothing to search"},
		{`   `, `   ^`, "nothing to search"},
		{`-`, `^-`, "nothing after the minus"},
		{`a - b`, `a ^- b`, "nothing after the minus"},
		{`-a -"b c"`, `^-a -"b c"`, "only says what not"},
		{`a "b c`, `a ^"b c`, "never closed"},
		{`a ""`, `a "^"`, "nothing between"},
		{`"  "`, `"^  "`, "nothing between"},
		{`**`, `^**`, "a star needs"},
		{`re:`, `re:^`, "needs an expression"},
		{`x re:a(b`, `x re:^a(b`, "missing closing )"},
		{`re:"a[z-b]"`, `re:"a[^z-b]"`, "invalid character class range"},
		{`é re:b**`, `é re:b^**`, "invalid nested repetition"},
		{`agent:clippy`, `agent:^clippy`, "no such agent: the agents are cambium, pi"},
		{`agent:`, `agent:^`, "needs a value"},
		{`role:king`, `role:^king`, "no such role"},
		{`after:someday`, `after:^someday`, "no such time"},
		{`before:2026-13-01`, `before:^2026-13-01`, "no such time"},
		{`a in:body`, `a in:^body`, "in:title"},
		{`in:title`, `in:title^`, "needs a word"},
		{`x re:` + strings.Repeat("y", 1001), `x re:` + strings.Repeat("y", 1000) + `^y`, "longer than 1000"},
	} {
		_, err := search.Parse(test.query, now)
		var bad *search.SyntaxError
		if !errors.As(err, &bad) {
			t.Errorf("%q: no error", test.query)
			continue
		}
		got := test.query[:bad.At] + "^" + test.query[bad.At:]
		if got != test.at || !strings.Contains(bad.Reason, test.reason) || !strings.Contains(bad.Error(), bad.Reason) {
			t.Errorf("%q: got %s (%s), want %s (%s)", test.query, got, bad.Reason, test.at, test.reason)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`a "b c" d* -e re:f.*g`, `agent:pi -role:user tool:bash model:opus in:title x`, `after:3d before:2026-11-21 project:"a b"`,
		`--flag a:b: http://x.y/z "é*"* -re:"x y"`, `re:(?i-s:a)|\x{FFFD}\pL{2,3}$`, "\xff\"\xfe", `after:9999999999999y`, `会话 ſ K`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := search.Parse(text, now)
		var bad *search.SyntaxError
		switch {
		case err == nil:
			if q.String() != text {
				t.Errorf("query of %q reads %q", text, q)
			}
		case !errors.As(err, &bad):
			t.Errorf("%q: %v is not a SyntaxError", text, err)
		case bad.At < 0 || bad.At > len(text) || bad.Reason == "" || bad.Query != text:
			t.Errorf("%q: error at %d: %s", text, bad.At, bad.Reason)
		}
	})
}
