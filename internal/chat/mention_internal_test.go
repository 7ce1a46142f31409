package chat

import "testing"

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
