package jsonedit_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"pgregory.net/rapid"
)

// Two rooms read strings: one to decode any of them, one to gather many. They
// agree on every string, whatever its escapes are beside.
func TestAppendTextIsString(t *testing.T) {
	pieces := []string{
		"a", "é", "€", "😀", "\xff", "\xe2\x82", "\xf0\x9f", "\x80", "plain text of some length, ",
		`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u0000`, `\u0041`, `\u00e9`, `\u20AC`,
		`\ud83d\ude00`, `\ud83d`, `\ude00`, `\ud83d\n`,
	}
	rapid.Check(t, func(t *rapid.T) {
		raw := []byte(`"` + strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), "") + `"`)
		want, ok := jsonedit.String(raw)
		before := rapid.SampledFrom([]string{"", "> ", "é"}).Draw(t, "before")
		got := jsonl.AppendText([]byte(before), raw)
		if string(got) != before+want || !ok {
			t.Fatalf("AppendText(%q, %q) = %q, want %q", before, raw, got, before+want)
		}
	})
}
