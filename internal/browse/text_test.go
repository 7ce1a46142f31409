package browse_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/browse"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/tui/picker"
)

// TestAllThatWasSaidIsFound takes parts of what listing gives as all that was
// said (published P3) from generated sessions and looks for them as the browser
// does, without an index, with a new one, and with one that knows the texts:
// every session that has the part is found.
func TestAllThatWasSaidIsFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	dir := t.TempDir()
	for n := range 40 {
		s := sessiongen.Random(rng, sessiongen.Options{Dialect: sessiongen.Dialects()[n%4], Entries: 12, Clean: n%2 == 0})
		name := fmt.Sprintf("2026-03-05T09-00-00-000Z_%s-%d.jsonl", s.ID, n)
		if err := os.WriteFile(filepath.Join(dir, name), s.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	opt := catalog.Options{SessionDir: dir, Text: true}
	all, err := catalog.List(ctx, opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.Text = false
	var terms []picker.Term
	for range 60 {
		info := all[rng.IntN(len(all))]
		words := strings.Fields(info.Text)
		if len(words) == 0 {
			continue
		}
		w := []rune(words[rng.IntN(len(words))])
		from := rng.IntN(len(w))
		part := string(w[from:min(len(w), from+1+rng.IntN(12))])
		if utf8.ValidString(part) && !strings.ContainsRune(part, utf8.RuneError) && strings.ToValidUTF8(part, "") == part {
			terms = append(terms, picker.Term{Text: part})
		}
	}
	x := index.New(index.Options{Dir: t.TempDir(), Report: func(err error) { t.Error(err) }})
	defer x.Close()
	for _, with := range []string{"no index", "a new index", "an index"} {
		if with != "no index" {
			opt.Index = x
		}
		found, err := browse.FindTexts(ctx, opt, terms)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for i, term := range terms {
			for _, info := range all {
				if strings.Contains(strings.ToLower(info.Text), strings.ToLower(term.Text)) {
					if sum++; !found[i][info.Path] {
						t.Errorf("with %s: %q is not found in %s", with, term.Text, filepath.Base(info.Path))
					}
				}
			}
		}
		if sum < len(terms) {
			t.Errorf("only %d of %d parts stand anywhere", sum, len(terms))
		}
	}
}
