package cli

import (
	"slices"
	"testing"
)

func TestMentions(t *testing.T) {
	for text, want := range map[string][]string{
		"":                              nil,
		"@":                             nil,
		"mail ada@example.png":          nil,
		"@a.png":                        {"a.png"},
		"look: @a.png, then (@b/c.gif)": {"a.png,", "b/c.gif)"},
		`@"my own.png"?`:                {"my own.png"},
		`@"never ends.png`:              {`"never`},
		"@\"two\nlines\"":               {`"two`},
		"@ü.png\t@~/x.webp":             {"ü.png", "~/x.webp"},
		"@@a.png":                       {"@a.png", "a.png"},
	} {
		if got := mentions(text); !slices.Equal(got, want) {
			t.Errorf("mentions(%q) = %q, want %q", text, got, want)
		}
	}
}

// Only names that can be typed are offered, those with a blank in quotes.
func TestOddNamesBehindAt(t *testing.T) {
	top := t.TempDir()
	plant(t, top, "my own.txt", "odd dir/in it.txt", "odd dir/x", "esc\x1b[31m.txt", "new\nline.txt", "bad\xff.txt", `quo"te.txt`, "plain,.txt", "hid\u202eden.txt")
	for text, want := range map[string]string{
		"my":            `@"my own.txt"`,
		`"my o`:         `@"my own.txt"`,
		"odd":           `@"odd dir/ @"odd dir/in it.txt" @"odd dir/x"`,
		`"odd dir/i`:    `@"odd dir/in it.txt"`,
		"esc":           "",
		"line":          "",
		"bad":           "",
		"quo":           "",
		"hid":           "",
		"plain":         "@plain,.txt",
		`"nothing here`: "",
	} {
		if got := offered(t, top, text); got != want {
			t.Errorf("%q: it offers %s, want %s", text, got, want)
		}
	}
}
