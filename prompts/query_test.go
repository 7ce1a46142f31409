package prompts_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/prompts"
)

// queries are hard ones.
func queries() []string {
	return []string{
		"", " ", `"`, `""`, `"a`, `a"b"c`, "'", "a*", "-a", "a AND", "NOT", "OR OR", "NEAR(a b, 2)", "prompt:a", "{prompt}:a", "^a", "(", ")", "a + b",
		"\x00", "a\x00b", "\x00\"", "é", "\ufeff", "\u00a0", "\ud7ff", "\xff\xfe", "日本語", "İ", "ΟΔΟΣ", "Σ", "%", "_", `\`, "🙂", "\U0010ffff", ":part", "?1",
		strings.Repeat("a ", 3000), strings.Repeat("ab", 60_000), strings.Repeat(`" `, 2000),
	}
}

// FuzzSearch sees that no query is an error.
func FuzzSearch(f *testing.F) {
	for _, q := range queries() {
		f.Add(q)
	}
	dir := f.TempDir()
	own := prompts.Source{Path: filepath.Join(dir, "own.db")}
	other := prompts.Source{Path: filepath.Join(dir, "other.db"), Parts: true}
	for _, s := range []prompts.Source{own, other} {
		h, err := prompts.Open(f.Context(), prompts.Options{Own: s})
		if err != nil {
			f.Fatal(err)
		}
		for _, q := range queries() {
			h.Add(q, "", "")
		}
		if err := h.Close(); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, query string) {
		o := prompts.Options{Own: own, Others: []prompts.Source{other}, Temp: t.TempDir(), Trouble: func(err error) { t.Error(err) }}
		h, err := prompts.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Search(t.Context(), query, 10); err != nil {
			t.Errorf("Search(%q) = %v", query, err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
}
