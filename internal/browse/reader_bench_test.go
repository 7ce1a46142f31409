package browse_test

import (
	"bufio"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/browse"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/layout"
)

// BenchmarkReaderFirstScreen shows the end of a session of 110 MB that is open already.
func BenchmarkReaderFirstScreen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "s.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	if _, err = sessiongen.Small(w, rand.New(rand.NewPCG(1, 2)), 110<<20); err == nil {
		err = w.Flush()
	}
	if closed := f.Close(); err != nil || closed != nil {
		b.Fatal(err, closed)
	}
	l := work.New(work.Machine{Env: layout.Env{Home: b.TempDir(), Cwd: "/", Getenv: func(string) string { return "" },
		LookupEnv: func(string) (string, bool) { return "", false }, Exists: func(string) bool { return false },
		Real: func(p string) (string, bool) { return p, false }}, Now: time.Now}, work.Front{})
	defer l.CloseIndex()
	s, err := l.OpenReadAt(context.Background(), path, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportMetric(float64(s.Len()), "entries")
	for b.Loop() {
		r := browse.ReaderOf(s, browse.Options{Library: l}, browse.Reading{})
		r.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		r.Update(r.Open())
		if r.View().Content == "" {
			b.Fatal("nothing drawn")
		}
	}
}
