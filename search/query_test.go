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
		{strings.Repeat("a ", 100) + "b", strings.Repeat("a ", 100) + "^b", "at most 100 words"},
		{strings.Repeat("é", 2049), strings.Repeat("é", 2048) + "^é", "at most 4096 bytes"},
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
		{`file:`, `file:^`, "needs a value"},
		{`label:" "`, `label:"^ "`, "needs a value"},
		{`cost:dear`, `cost:^dear`, "no such cost"},
		{`cost:-1`, `cost:^-1`, "no such cost"},
		{`cost:>=<1`, `cost:^>=<1`, "no such cost"},
		{`has:wings`, `has:^wings`, "a session has branches, damage, name, parent, pin"},
		{`x roel:user`, `x ^roel:user`, `no filter is called roel (is role: meant?)`},
		{`-agnet:pi x`, `-^agnet:pi x`, `is agent: meant?`},
		{`proj:x`, `^proj:x`, `is project: meant?`},
		{`cots:5`, `^cots:5`, `is cost: meant?`},
		{`ree:x`, `^ree:x`, `is re: meant?`},
		{`colour:red`, `^colour:red`, `no filter is called colour; put quotes around it`},
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

// TestColons: what nobody means as a filter is a word.
func TestColons(t *testing.T) {
	for _, query := range []string{
		"a:b", "a:", "foo:", "foo::bar", "http://x.y/z", "localhost:8080", "TODO:fix", "std::vector", "main.go:12", `"colour:red"`, "re:x",
		"C:\\a", "12:30", "FILE:main.go", "cost:<$5 x", "cost:1 cost:<=2", "-has:name x", "label:to* -label:done", "file:x.go file:y.go",
	} {
		if _, err := search.Parse(query, now); err != nil {
			t.Errorf("%s: %v", query, err)
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
