package journal_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/sessiongen"
)

// BenchmarkOpen reads sessions of 16 MiB: large entries, small ones, and text
// dense with escapes.
func BenchmarkOpen(b *testing.B) {
	for name, write := range map[string]func(io.Writer, *rand.Rand, int64) (sessiongen.Summary, error){
		"big": sessiongen.Big, "small": sessiongen.Small, "dense": sessiongen.Dense,
	} {
		b.Run(name, func(b *testing.B) {
			var data bytes.Buffer
			if _, err := write(&data, rand.New(rand.NewPCG(1, 2)), 16<<20); err != nil {
				b.Fatal(err)
			}
			path := filepath.Join(b.TempDir(), "s.jsonl")
			if err := os.WriteFile(path, data.Bytes(), 0o600); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(data.Len()))
			b.ReportAllocs()
			for b.Loop() {
				j, err := journal.Open(b.Context(), options(path, false))
				if err != nil {
					b.Fatal(err)
				}
				if err := j.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
