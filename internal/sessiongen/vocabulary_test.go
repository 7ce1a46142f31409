package sessiongen_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/cambium-dev/cambium/internal/sessiongen"
)

// TestVocabulary looks at the words of a store: few are common, most are rare.
func TestVocabulary(t *testing.T) {
	counts, total := map[string]int{}, 0
	for p := range sessiongen.Store(rand.New(rand.NewPCG(1, 2)), 20, 4_000_000, "pi") {
		var b bytes.Buffer
		if _, err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		for word := range bytes.FieldsFuncSeq(b.Bytes(), func(r rune) bool { return r < 'a' || r > 'z' }) {
			counts[string(word)]++
			total++
		}
	}
	once := 0
	for _, n := range counts {
		if n <= 2 {
			once++
		}
	}
	if len(counts) < 20_000 || once < len(counts)/4 || counts["the"] < total/40 {
		t.Errorf("%d words, %d of them hardly used, the %d of %d", len(counts), once, counts["the"], total)
	}
}
