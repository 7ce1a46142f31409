package work_test

import (
	"crypto/rand"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/layout"
)

// BenchmarkStats counts 2,000 sessions of 50 MB together beside a listing of the same:
// cold without an index, warm with one that knows all, each time in a library of its own.
func BenchmarkStats(b *testing.B) {
	home := b.TempDir()
	for p := range sessiongen.Store(mathrand.New(mathrand.NewPCG(1, 2)), 2000, 50<<20, "pi", "omp", "xcsh", "cambium") {
		path := filepath.Join(home, p.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Write(f); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
		if err := os.Chtimes(path, time.UnixMilli(p.ModTime), time.UnixMilli(p.ModTime)); err != nil {
			b.Fatal(err)
		}
	}
	env := layout.Env{
		Home: home, Cwd: home, Getenv: func(string) string { return "" }, LookupEnv: func(string) (string, bool) { return "", false },
		Exists: func(string) bool { return true }, Real: func(p string) (string, bool) { return p, true },
	}
	for _, state := range []string{"cold", "warm"} {
		for name, f := range map[string]func(l *work.Library) error{
			"stats": func(l *work.Library) error { _, err := work.Stats(b.Context(), l, nil); return err },
			"list": func(l *work.Library) error {
				_, err := work.List(b.Context(), l, work.ListOptions{Empty: true})
				return err
			},
		} {
			run := func(b *testing.B) {
				l := work.New(work.Machine{Env: env, Now: time.Now, Random: rand.Reader}, work.Front{})
				l.Dir, l.NoIndex = home, state == "cold"
				defer l.Close()
				if err := f(l); err != nil {
					b.Fatal(err)
				}
			}
			run(b)
			b.Run(state+" "+name, func(b *testing.B) {
				for b.Loop() {
					run(b)
				}
			})
		}
	}
}
