package jsonedit_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

func TestMentions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, word := range []string{"a", "ab", "blob:sha256:", strings.Repeat("ab", 50)} {
		for range 4000 {
			text := make([]byte, rng.IntN(400))
			for i := range text {
				text[i] = word[rng.IntN(len(word))]
				if rng.IntN(3) == 0 {
					text[i] = 'x'
				}
			}
			if len(text) >= len(word) && rng.IntN(2) == 0 {
				copy(text[rng.IntN(len(text)-len(word)+1):], word)
			}
			from := rng.IntN(len(text) + 1)
			if want, got := bytes.Contains(text[from:], []byte(word)), jsonedit.Mentions(text[from:len(text):len(text)], word); got != want {
				t.Fatalf("%q in %q: %v", word, text[from:], got)
			}
		}
	}
}

func BenchmarkMentions(b *testing.B) {
	text := bytes.Repeat([]byte(`the big oak and the blue bell: lobs of \"shade\" `), 300)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if jsonedit.Mentions(text, "blob:sha256:") {
			b.Fatal("it is not there")
		}
	}
}

func BenchmarkContains(b *testing.B) {
	text := bytes.Repeat([]byte(`the big oak and the blue bell: lobs of \"shade\" `), 300)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if bytes.Contains(text, []byte("blob:sha256:")) {
			b.Fatal("it is not there")
		}
	}
}
