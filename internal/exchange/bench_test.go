package exchange_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/sessiongen"
)

// benchSize says how many sessions are measured, and their bytes: 2,000 of
// 446 MB, or as many as CAMBIUM_BENCH_SESSIONS says, of that size each.
func benchSize(b *testing.B) (sessions int, bytes int64) {
	b.Helper()
	sessions = 2000
	if text := os.Getenv("CAMBIUM_BENCH_SESSIONS"); text != "" {
		if _, err := fmt.Sscan(text, &sessions); err != nil {
			b.Fatal(err)
		}
	}
	return sessions, int64(sessions) * 223_000
}

// BenchmarkSyncDirectory: all sessions to an empty directory, and again with
// nothing to do.
func BenchmarkSyncDirectory(b *testing.B) {
	n, size := benchSize(b)
	ada := newMachine(b, "ada")
	size = corpus(b, ada, n, size)
	b.Run("first", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			b.StopTimer()
			share := b.TempDir()
			ada.state = b.TempDir()
			b.StartTimer()
			if rep := ada.mustSync(b, exchange.Directory(share)); rep.Out.Sessions != int64(n) {
				b.Fatalf("%+v", rep)
			}
		}
	})
	b.Run("second", func(b *testing.B) {
		share := b.TempDir()
		ada.mustSync(b, exchange.Directory(share))
		for b.Loop() {
			if rep := ada.mustSync(b, exchange.Directory(share)); rep.Settled != n {
				b.Fatalf("%+v", rep)
			}
		}
	})
}

// corpus writes n sessions of about size bytes together into a home.
func corpus(t testing.TB, m *machine, n int, size int64) (bytes int64) {
	t.Helper()
	for p := range sessiongen.Store(rand.New(rand.NewPCG(5, 6)), n, size, "pi", "omp", "xcsh", "cambium") {
		path := filepath.Join(m.home, p.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := p.Write(f)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		bytes += sum.Bytes
	}
	return bytes
}
