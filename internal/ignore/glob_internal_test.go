package ignore

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// globSeeds are patterns with paths and whether they match, with braces.
func globSeeds() []struct {
	pattern, path string
	want          bool
} {
	return []struct {
		pattern, path string
		want          bool
	}{
		{"*.go", "a.go", true}, {"*.go", "a/b.go", false}, {"*", "", true}, {"?", "é", true}, {"?", "/", false},
		{"a*", "a", true}, {"a*", "ab/c", false}, {"aba*aba", "aba", false}, {"aba*aba", "abaaba", true}, {"a/*.o", "a/b.o", true}, {"a/*.o", "a/b/c.o", false},
		{"**/x", "x", true}, {"**/x", "a/b/x", true}, {"**/x", "ax", false}, {"a/**/x", "a/x", true}, {"a/**/x", "a/b/c/x", true}, {"a/**/x", "ab/x", false},
		{"a/**", "a/b/c", true}, {"a/**", "a", false}, {"**", "a/b", true}, {"a**b", "axxb", true}, {"a**b", "a/b", false},
		{"{a,b}.c", "b.c", true}, {"{a,b}.c", "c.c", false}, {"{a,{b,c}d}", "cd", true}, {"{**/,}x", "a/x", true}, {"{src/**,x}", "src/a/b", true}, {"a,b}", "a,b}", true},
		{"{}", "", true}, {`\{a\}`, "{a}", true}, {`\*`, "*", true}, {`\*`, "a", false},
		{"[a-c]x", "bx", true}, {"[!a-c]x", "bx", false}, {"[^a-c]x", "dx", true}, {"[!a]", "/", false}, {"[.-0]", "/", false}, {"[.-0]", "0", true},
		{"[]]", "]", true}, {"[]-a]", "^", true}, {`[\]]`, "]", true}, {"[a-]", "-", true}, {"[z-a]", "m", false}, {"[[:alpha:][:digit:]_]", "7", true},
		{"[[:]", ":", true}, {"[[:]", "]", false}, {"[[:a]b:]", "ab:]", true},
		{"[[:punct:]]", "/", false}, {"[é-ü]", "ö", true}, {"a.b", "axb", false}, {"a+(b)$^", "a+(b)$^", true}, {"*\xff", "a\xff", false}, {"\xff", "\xff", true},
	}
}

func TestGlob(t *testing.T) {
	for _, test := range globSeeds() {
		g, err := NewGlob(test.pattern, true)
		if err != nil {
			if utf8.ValidString(test.pattern) {
				t.Errorf("%q: %v", test.pattern, err)
			}
			continue
		}
		if got := g.Match(test.path); got != test.want {
			t.Errorf("%q, %q: %v (%v)", test.pattern, test.path, got, g.re)
		}
	}
	for _, pattern := range []string{"[", "[a", "[a-", "[!", "[]", `[\`, `a\`, "{a", "{a,{b}", "[[:none:]]", "[[::]]", "[[:alpha:]"} {
		if g, err := NewGlob(pattern, true); err == nil {
			t.Errorf("%q is %v", pattern, g.re)
		}
	}
}

// naive matches a pattern without classes, braces and backslashes.
func naive(pattern, path string, begins bool) bool {
	switch {
	case pattern == "":
		return path == ""
	case begins && pattern == "**":
		return true
	case begins && strings.HasPrefix(pattern, "**/"):
		if naive(pattern[3:], path, true) {
			return true
		}
		_, rest, ok := strings.Cut(path, "/")
		return ok && naive(pattern, rest, true)
	case pattern[0] == '*':
		next := strings.TrimLeft(pattern, "*")
		for {
			if naive(next, path, false) {
				return true
			}
			r, n := utf8.DecodeRuneInString(path)
			if n == 0 || r == '/' {
				return false
			}
			path = path[n:]
		}
	}
	want, n := utf8.DecodeRuneInString(pattern)
	got, m := utf8.DecodeRuneInString(path)
	if m == 0 || want == '?' && got == '/' || want != '?' && want != got {
		return false
	}
	return naive(pattern[n:], path[m:], want == '/')
}

func FuzzGlob(f *testing.F) {
	for _, seed := range globSeeds() {
		f.Add(seed.pattern, seed.path)
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 40 || len(path) > 40 || !utf8.ValidString(path) {
			return
		}
		g, err := NewGlob(pattern, true)
		if rule, ok := newRule(pattern); ok {
			_ = rule.Match(path)
		}
		if err != nil || strings.ContainsAny(pattern, `[\{`) || strings.Count(pattern, "*") > 8 || strings.Contains("/"+path+"/", "//") {
			return
		}
		if got, want := g.Match(path), naive(pattern, path, true); got != want {
			t.Fatalf("%q, %q: %v, want %v (%v)", pattern, path, got, want, g.re)
		}
	})
}
