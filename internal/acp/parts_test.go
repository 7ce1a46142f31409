package acp_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/acp"
	"github.com/go-json-experiment/json/jsontext"
)

// TestPlain: a text that is passed on is valid JSON to the strictest reader, and what is
// plain is passed on.
func TestPlain(t *testing.T) {
	pieces := []string{"a", "long enough for more than a word", "ä", "😀", `\n`, `\"`, `\\`, `\/`, `\u00e9`, `\ud83d\ude00`, `\ud800`, `\x`, `\`, `"`, "\x00", "\x1f", "\x7f", "\xff", "\xed\xa0\x80", "\n", "\u2028"}
	plain := map[string]bool{"a": true, pieces[1]: true, "ä": true, "😀": true, `\n`: true, `\"`: true, `\\`: true, `\/`: true, "\x7f": true, "\u2028": true}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		var b strings.Builder
		all := true
		for range rng.IntN(6) {
			p := pieces[rng.IntN(len(pieces))]
			if rng.IntN(3) > 0 {
				p = pieces[rng.IntN(8)]
			}
			all = all && plain[p]
			b.WriteString(strings.Repeat("x", rng.IntN(9)) + p)
		}
		raw := entry.JSON(`"` + b.String() + `"`)
		got := acp.Passes(raw)
		if got && !jsontext.Value(raw).IsValid() || !got && all {
			t.Fatalf("%q: %v", raw, got)
		}
	}
	for _, raw := range []string{"", `"`, `""x`, `x`, `{}`} {
		if acp.Passes(entry.JSON(raw)) {
			t.Errorf("%q is called plain", raw)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add([]byte(`"a\n"`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if acp.Passes(raw) && !jsontext.Value(raw).IsValid() {
			t.Errorf("%q is not valid", raw)
		}
	})
}

// TestBlocksIn: blocks are found whatever blanks stand between them, and content that
// is not a list of objects, or does not end, is none.
func TestBlocksIn(t *testing.T) {
	for content, want := range map[string]string{
		`[]`: "", ` [ ] `: "", `[{"type":"text","text":"a"}]`: "text:\"a\" ",
		"[ {\"type\":\"text\"} ,\n{\"type\":\"thinking\",\"text\":1}\t]": "text: thinking:1 ",
		`[{"text":"a","text":"b","\u0074ype":"x"}]`:                      `x:"b" `,
		`[{}`: "no", `[1]`: "no", `"a"`: "no", ``: "no", `{}`: "no", `[{},]`: "no", `[{}]]`: "no", `[{} {}]`: "no", `[,{}]`: "no",
	} {
		got, ok := acp.Blocks(entry.JSON(content))
		if !ok {
			got = "no"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", content, got, want)
		}
	}
}

func BenchmarkPlain(b *testing.B) {
	for name, text := range map[string]string{
		"prose":  "what the garden needs in the spring is said once more, without a quote, so that it is as long as a line is\\n",
		"code":   `if said == \"somebody\" {\n\tplant(\"beans\")\n}\n`,
		"umlaut": "die Gärten blühen im März über Nacht, 庭には花が咲く。 ",
	} {
		raw := entry.JSON(`"` + strings.Repeat(text, 200) + `"`)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if !acp.Passes(raw) {
					b.Fatal("it is plain")
				}
			}
		})
	}
}
