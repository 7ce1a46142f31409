package problem

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/shellword"
	"github.com/cambium-dev/cambium/internal/work"
)

// TestAdviceIsReadBack: ten thousand times, whatever ids, paths and directories
// hostile sessions have, each line in a sentence of advice is read as the words that
// were meant, or is not there.
func TestAdviceIsReadBack(t *testing.T) {
	parts := []string{"19c0b2f4", "a", " ", "'", `"`, "`", `\`, "$(touch F)", ";", "&", "|", "-", "--", "~", "=", "!", "#", "*", "/work", ".jsonl", "\n", "\x1b[2J", "\u202e", "\xff", "é"}
	r := rand.New(rand.NewPCG(9, 10))
	some := func() string {
		var b strings.Builder
		for range r.IntN(4) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		return b.String()
	}
	written := 0
	for range 10_000 {
		id, path, dir := some(), "/s/"+some(), "/d/"+some()
		h := worksIn([]string{"run", "chat", "resume"}[r.IntN(3)], dir, CalledAs(id, work.Target{Path: path}), "goes on")
		if fork := r.IntN(4) == 0; fork {
			h = forksIt(h.Run[1], CalledAs(id, work.Target{Path: path}), "goes on")
		}
		want := slices.Clone(h.Run)
		if len(h.Of) > 0 && strings.HasPrefix(h.Of[0], "-") {
			want = append(want, "--")
		}
		want = append(want, h.Of...)
		text := Advice(h)
		if text == "" {
			if shellword.Visible(dir+path+id) && CalledAs(id, work.Target{Path: path}) != "" && !strings.Contains(dir+path+id, "`") {
				t.Fatalf("%q could have been written", want)
			}
			continue
		}
		written++
		line, rest, ok := strings.Cut(strings.TrimPrefix(text, "`"), "`")
		if got := shellword.Typed(line); !ok || rest != " goes on" || !slices.Equal(got, want) {
			t.Fatalf("%q is written as %s", want, text)
		}
	}
	if written < 2000 {
		t.Errorf("only %d were written", written)
	}
}
